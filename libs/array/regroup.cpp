// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "regroup.hpp"

#include <algorithm>

#include "core.hpp"
#include "homes.hpp"
#include "registry.hpp"

namespace starling::array::detail {

namespace {

/// Of a call of MPI that fails when a process died.
void must(int error) {
  if (error != mpi::kNoError) throw Loss{};
}

/// Collective: what the first process says that has something to say, or nothing.
std::string first_text(Communicator comm, const std::string& mine) {
  const int size = mpi::size(comm);
  std::uint64_t first[1] = {static_cast<std::uint64_t>(mine.empty() ? size : mpi::rank(comm))};
  must(mpi::all_reduce(comm, mpi::Operator::kLeast, first));
  const auto root = static_cast<int>(first[0]);
  if (root == size) return "";
  std::string text = mine;
  must(mpi::broadcast(comm, root, text));
  return text;
}

template <class Visit>
void each_array(Core& core, Visit&& visit) {
  for (std::size_t i = 0; i < core.arrays(); ++i) visit(core.array(static_cast<std::uint16_t>(i)));
}

}  // namespace

void Regroup::must_take_part() const {
  if (!has_left_) return;
  throw Error(
      "this process left its session by resize(): the others go on without it; Session::join() makes it a part of "
      "one again");
}

void Regroup::resize(Communicator next) {
  if (core_.running() != nullptr || core_.is_in_run()) {
    throw Error("resize() is called while run() is under way: all processes call it between two run()s");
  }
  core_.take_part();
  Communicator after;
  std::string trouble;
  bool well = true;
  try {
    trouble = prepare(next, after);
  } catch (const Loss&) {
    well = false;
  }
  if (!well) give_up(next, after);
  if (!core_.survival().all_stay(well)) {
    give_up(next, after);
    throw Error("resize() changes nothing: a process died meanwhile. The " + std::to_string(core_.size()) +
                " that live go on from the last checkpoint in memory, with each other: call it anew");
  }
  if (!well) throw Error("a process died in resize(): the session cannot go on, but would have with survive()");
  if (!trouble.empty()) {
    if (!after.is_null()) mpi::free(after);
    throw Error("resize() changes nothing: " + trouble);
  }
  if (next.is_null()) return leave();
  const int rank_before = core_.rank();
  core_.change_comm(after);
  begin_again(rank_before);
}

/// Nobody is left waiting in them for one that waits no more.
void Regroup::give_up(Communicator next, Communicator after) {
  if (!next.is_null()) mpi::revoke(next);
  if (!after.is_null()) mpi::revoke(after);
}

void Regroup::join() {
  joins_ = false;
  std::string trouble;
  try {
    trouble = agree(core_.wire().comm(), "");
  } catch (const Loss&) {
    trouble = "a process died meanwhile";
  }
  if (!trouble.empty()) {
    has_left_ = true;
    throw Error("this process does not join the session: " + trouble);
  }
  begin_again(-1);
}

/// Of those that were in so far: up to the point from which on there is no way back. Why it is to be given up; the same
/// text on all. Throws Loss where a process died.
std::string Regroup::prepare(Communicator next, Communicator& after) {
  const bool leaves = next.is_null();
  std::vector<std::int32_t> all(static_cast<std::size_t>(core_.size()));
  must(mpi::all_gather(core_.wire().comm(), leaves ? 1 : 0, all));
  std::string trouble;
  if (!leaves) {
    if (core_.survival().is_on()) mpi::return_errors(next);
    after = mpi::one_of(next, mpi::Side::kOld);
    if (after.is_null()) throw Loss{};
    if (core_.survival().is_on()) mpi::return_errors(after);
    try {
      agree_on_program(after);
    } catch (const Error& error) {
      trouble = error.what();
    }
  }
  trouble = empty_those_that_leave(all, trouble);
  return leaves ? trouble : agree(after, trouble);
}

std::string Regroup::empty_those_that_leave(const std::vector<std::int32_t>& all, std::string trouble) {
  std::vector<int> leaving;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] != 0) leaving.push_back(static_cast<int>(i));
  }
  if (leaving.size() == all.size()) return "all processes leave, and nobody could have their elements";
  const auto stays = static_cast<int>(std::find(all.begin(), all.end(), 0) - all.begin());
  const bool leaves = all[static_cast<std::size_t>(core_.rank())] != 0;
  if (leaves) each_array(core_, [&](ArrayCore& array) { array.hand_over(stays); });
  try {
    core_.run_once([&] {
      if (!leaving.empty()) each_array(core_, [&](ArrayCore& array) { array.balancer().vacate(leaving); });
    });
    if (trouble.empty()) trouble = what_keeps_it(leaves);
  } catch (const std::exception& error) {
    trouble = error.what();
  }
  return first_text(core_.wire().comm(), trouble);
}

std::string Regroup::what_keeps_it(bool leaves) {
  std::string text;
  each_array(core_, [&](ArrayCore& array) {
    const std::string number = std::to_string(array.number());
    if (array.reductions().is_waiting()) text = "a reduction of array " + number + " is not complete";
    if (array.sections().is_waiting()) text = "a reduction of a section of array " + number + " is not complete";
    if (!leaves || array.count_here() == 0) return;
    text = array.name(array.here().front()->index) + " cannot leave process " + std::to_string(core_.rank()) +
           ": it has a coroutine that waits";
  });
  return text;
}

/// Of those that go on; the same text on all.
std::string Regroup::agree(Communicator next, const std::string& trouble) const {
  const std::string known = first_text(next, trouble);
  if (!known.empty()) return known;
  std::string names;
  each_array(core_, [&](ArrayCore& array) { names += std::string(array.type().name) + ";"; });
  const std::uint64_t mine = core_.arrays() << 32 | Index::hash(names.data(), names.size());
  bool same = false;
  must(mpi::all_same(next, mine, same));
  if (same) return "";
  return "the processes that join have not made the same arrays in the same order; here there are " +
         std::to_string(core_.arrays());
}

void Regroup::begin_again(int rank_before) {
  try {
    number_anew(rank_before);
  } catch (const Loss&) {
    mpi::revoke(core_.wire().comm());
    throw Error(
        "a process died in resize(), when some had left already with what they kept of others: the session cannot go "
        "on; save() before resize() is what a new one can load()");
  }
}

/// On the next communicator, all together.
void Regroup::number_anew(int rank_before) {
  const Communicator comm = core_.wire().comm();
  const auto size = static_cast<std::size_t>(core_.size());
  std::vector<std::int32_t> before(size);
  must(mpi::all_gather(comm, rank_before, before));
  std::vector<int> rank_now(static_cast<std::size_t>(*std::max_element(before.begin(), before.end())) + 1, -1);
  for (std::size_t i = 0; i < size; ++i) {
    if (before[i] >= 0) rank_now[static_cast<std::size_t>(before[i])] = static_cast<int>(i);
  }
  share_state(comm, rank_before >= 0);
  std::vector<ArrayCore::Homeless> homeless;
  each_array(core_, [&](ArrayCore& array) { homeless.push_back(array.renew(rank_now)); });
  if (!tell_homes(core_)) throw Loss{};
  each_array(core_, [&](ArrayCore& array) { array.take_in(std::move(homeless[array.number()])); });
}

/// What those that join do not know yet. Random numbers go on elsewhere, so that nobody names what others named before.
void Regroup::share_state(Communicator comm, bool was_in) {
  std::uint64_t salt[1] = {was_in ? core_.random() : 0};
  must(mpi::all_reduce(comm, mpi::Operator::kXor, salt));
  core_.seed(salt[0]);
  std::uint64_t survival[2] = {core_.survival().is_on() ? 1u : 0u, core_.survival().runs()};
  must(mpi::all_reduce(comm, mpi::Operator::kMost, survival));
  core_.survival().go_on(survival[0] != 0, static_cast<std::uint32_t>(survival[1]));
  std::vector<std::uint64_t> measures;
  each_array(core_, [&](ArrayCore& array) { measures.push_back(array.balancer().is_measuring() ? 1 : 0); });
  must(mpi::all_reduce(comm, mpi::Operator::kMost, measures));
  each_array(core_, [&](ArrayCore& array) { array.balancer().go_on(measures[array.number()] != 0); });
}

void Regroup::leave() {
  has_left_ = true;
  core_.change_comm(mpi::alone());
  each_array(core_, [&](ArrayCore& array) { array.renew({}); });
}

// What an array does for it.

void ArrayCore::hand_over(int to) {
  forget_graves();
  for (const Index& each : std::exchange(buried_, {})) {
    if (const Entry* entry = table_.find(each)) {
      core_.post_info(to, Kind::kDied, *this, each, entry->epoch, core_.rank());
    }
  }
  table_.each([&](Entry& entry) {
    while (!entry.waiting.empty()) wait_elsewhere(pop_waiting(entry), to);
  });
}

ArrayCore::Homeless ArrayCore::renew(const std::vector<int>& rank_now) {
  Homeless homeless;
  forget_graves();
  std::vector<Entry*> others;
  table_.each([&](Entry& entry) {
    if (entry.object != nullptr) return;
    others.push_back(&entry);
    while (!entry.waiting.empty()) {
      Message* message = pop_waiting(entry);
      core_.renumber(message->origin, message->reply, rank_now);
      homeless.emplace_back(entry.index, message);
    }
  });
  for (Entry* each : others) table_.remove(each);
  renew_parts();
  for (Entry* each : here_) {
    if (each->extras) core_.renumber(*each->extras, rank_now);
    each->is_home = home_of(each->index) == core_.rank();
    each->departed = 0;
    each->may_forget = true;
    settle_in(*each, 1);
  }
  return homeless;
}

void ArrayCore::take_in(Homeless homeless) {
  for (const auto& [index, message] : homeless) {
    Entry& entry = entry_for(index);
    message->target = &entry;
    push_waiting(entry, message);
    release(entry);
  }
}

}  // namespace starling::array::detail
