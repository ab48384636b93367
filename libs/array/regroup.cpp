// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "regroup.hpp"

#include <algorithm>

#include "core.hpp"
#include "exceptions.hpp"
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

/// Collective: whether one of those that take part says so; the same on all, also where one dies.
bool some_says(Communicator comm, bool mine) {
  unsigned nobody = mine ? 0 : 1;
  mpi::agree(comm, nobody);
  return nobody == 0;
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
  Communicator before = core_.wire().comm();
  Communicator after;
  bool has_moved = false;
  std::string refusal;  // alike on all
  std::string mishap;   // of this process
  try {
    refusal = prepare(next, after);
    if (refusal.empty() && !next.is_null()) {
      const int rank_before = core_.rank();
      before = core_.exchange_comm(after);
      has_moved = true;
      number_anew(rank_before);
    }
  } catch (const Loss&) {
    mishap = "a process died meanwhile";
  } catch (...) {
    mishap = text_of_exception();
  }
  if (!mishap.empty()) let_nobody_wait(before, next, after);
  const Outcome outcome = agree(before, !next.is_null(), refusal, mishap);
  if (outcome == Outcome::kBack) {
    if (!next.is_null()) mpi::revoke(next);  // which tells those that join
    if (!core_.survival().is_on()) {
      throw Error("resize(): " + mishap + "; the session cannot go on, but would have with survive()");
    }
    if (has_moved) {
      core_.change_comm(before);
    } else if (!after.is_null()) {
      mpi::free(after);
    }
    core_.survival().go_back();
    throw Error("resize() changes nothing: " + (mishap.empty() ? "another process could not go on" : mishap) +
                ". The " + std::to_string(core_.size()) +
                " that live go on from the last checkpoint in memory, with each other: call it anew");
  }
  if (!after.is_null() && mpi::can_agree()) some_says(after, outcome == Outcome::kOn);
  if (outcome == Outcome::kRefused) {
    if (!after.is_null()) mpi::free(after);
    throw Error("resize() changes nothing: " + refusal);
  }
  if (next.is_null()) return leave();
  mpi::free(before);
  core_.survival().go_on_with_others();
}

/// Of a process that cannot go on: those that wait for it are told. Where it has not made the communicator to come, it
/// is certain that nobody goes on, and those that join may know.
void Regroup::let_nobody_wait(Communicator before, Communicator next, Communicator after) {
  if (core_.survival().is_on()) mpi::revoke(before);
  if (!after.is_null()) {
    mpi::revoke(after);
  } else if (!next.is_null()) {
    mpi::revoke(next);
  }
}

/// Of those that were in. All go on if one that stays has come to the end, since it has seen that all have that go on.
Regroup::Outcome Regroup::agree(Communicator before, bool stays, const std::string& refusal,
                                const std::string& mishap) {
  constexpr unsigned kIsWell = 1;
  constexpr unsigned kNobodyGoesOn = 2;
  const bool goes_on = stays && refusal.empty() && mishap.empty();
  unsigned bits = (mishap.empty() ? kIsWell : 0) | (goes_on ? 0 : kNobodyGoesOn);
  if (core_.survival().is_on()) {
    mpi::agree(before, bits);
    if ((bits & kNobodyGoesOn) == 0) return Outcome::kOn;
    return (bits & kIsWell) != 0 && !refusal.empty() ? Outcome::kRefused : Outcome::kBack;
  }
  if (!mishap.empty()) return Outcome::kBack;
  return refusal.empty() ? Outcome::kOn : Outcome::kRefused;
}

void Regroup::join() {
  const Communicator comm = core_.wire().comm();
  std::string trouble;
  try {
    trouble = arrays_differ(comm);
    const std::string known = first_text(comm, trouble);
    if (trouble.empty()) trouble = known;
    if (trouble.empty()) number_anew(-1);
  } catch (const Loss&) {
    trouble = "a process died meanwhile";
    mpi::revoke(comm);
  } catch (...) {
    trouble = text_of_exception();
    mpi::revoke(comm);
  }
  const bool is_in = hear_whether_to_join(trouble.empty());
  joins_ = {};
  if (is_in) return core_.survival().go_on_with_others();
  has_left_ = true;
  throw Error("this process does not join the session: " +
              (trouble.empty() ? "another process could not go on" : trouble));
}

bool Regroup::hear_whether_to_join(bool is_well) {
  if (!mpi::can_agree()) return is_well;
  unsigned nobody_says_so = 1;
  return mpi::agree_unless_revoked(core_.wire().comm(), nobody_says_so, joins_) && nobody_says_so == 0;
}

/// Of those that were in so far: up to the point from which on they are numbered anew. Why resize() is refused; the
/// same text on all, those that join included. Throws Loss where a process died.
std::string Regroup::prepare(Communicator next, Communicator& after) {
  const bool stays = !next.is_null();
  const bool survives = core_.survival().is_on();
  if (stays && survives) mpi::return_errors(next);
  std::vector<std::int32_t> leave(static_cast<std::size_t>(core_.size()));
  must(mpi::all_gather(core_.wire().comm(), stays ? 0 : 1, leave));
  std::string trouble;
  bool are_alike = true;
  if (stays) {
    must_be_those_that_stay(next, leave);
    after = mpi::one_of(next, mpi::Side::kOld);
    if (after.is_null()) throw Loss{};
    if (survives) mpi::return_errors(after);
    must(mpi::barrier(next));  // who is past it knows that all have made the other, so that its revocation reaches all
    must(mpi::all_same(after, fingerprint(), are_alike));
    trouble = are_alike ? arrays_differ(after) : kOtherProgram;
  }
  trouble = empty_those_that_leave(leave, trouble);
  // Those that join and run another program know that already, and are gone.
  return stays && are_alike ? first_text(after, trouble) : trouble;
}

/// A process that died while `next` was made may have left others without it.
void Regroup::must_be_those_that_stay(Communicator next, const std::vector<std::int32_t>& leave) const {
  const std::vector<bool> members = mpi::members_of(next, core_.wire().comm());
  for (std::size_t i = 0; i < leave.size(); ++i) {
    if (members[i] != (leave[i] != 0)) continue;
    throw Error("process " + std::to_string(i) +
                (leave[i] != 0 ? " has passed no communicator, but is a member of" : " stays, but is no member of") +
                " the one that process " + std::to_string(core_.rank()) + " has passed");
  }
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
  } catch (const Loss&) {
    throw;
  } catch (...) {
    trouble = text_of_exception();
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

/// Of those that go on: whether their arrays are alike.
std::string Regroup::arrays_differ(Communicator after) const {
  std::string names;
  each_array(core_, [&](ArrayCore& array) { names += std::string(array.type().name) + ";"; });
  const std::uint64_t mine = core_.arrays() << 32 | Index::hash(names.data(), names.size());
  bool same = false;
  must(mpi::all_same(after, mine, same));
  if (same) return "";
  return "the processes that join have not made the same arrays in the same order; here there are " +
         std::to_string(core_.arrays());
}

/// On the next communicator, all together. Where it returns on one process, all have come to its end, the first
/// checkpoint included. Throws Loss where a process died.
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
  const bool are_told = tell_homes(core_);
  each_array(core_, [&](ArrayCore& array) { array.take_in(std::move(homeless[array.number()])); });
  if (!are_told) throw Loss{};
  if (!core_.survival().is_on()) return;
  core_.survival().take_first();
  std::uint64_t done[1] = {0};
  must(mpi::all_reduce(comm, mpi::Operator::kMost, done));
}

/// What those that join do not know yet. Random numbers go on elsewhere, so that nobody names what others named before.
void Regroup::share_state(Communicator comm, bool was_in) {
  std::uint64_t salt[1] = {was_in ? core_.random() : 0};
  must(mpi::all_reduce(comm, mpi::Operator::kXor, salt));
  core_.seed(salt[0]);
  std::uint64_t survival[2] = {core_.survival().is_on() ? 1u : 0u, core_.survival().runs()};
  must(mpi::all_reduce(comm, mpi::Operator::kMost, survival));
  core_.survival().begin_with_others(survival[0] != 0, static_cast<std::uint32_t>(survival[1]));
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

}  // namespace starling::array::detail
