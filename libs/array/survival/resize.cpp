// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "resize.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "homes.hpp"
#include "population/arrays.hpp"
#include "program/exceptions.hpp"
#include "program/registry.hpp"

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

}  // namespace

void Resize::take_part() {
  if (!has_left_) {
    if (is_joining()) join();
    return;
  }
  throw Error(
      "this process left its session by resize(): the others go on without it; Session::join() makes it a part of "
      "one again");
}

void Resize::resize(Communicator next) {
  const std::string refusal = change(next);
  if (!refusal.empty()) throw Error("resize() changes nothing: " + refusal);
}

std::string Resize::what_keeps_it() {
  std::string trouble;
  try {
    runtime_.run_once([] {});
    trouble = what_keeps_it(false);
  } catch (const Loss&) {
    return "a process of it died meanwhile";
  } catch (...) {
    trouble = text_of_exception();
  }
  return first_text(host_.records().comm(), trouble);
}

std::string Resize::change(Communicator next) {
  if (host_.running() != nullptr || runtime_.is_in_run()) {
    throw Error("resize() is called while run() is under way: all processes call it between two run()s");
  }
  take_part();
  Attempt attempt{host_.records().comm(), next, {}, false, "", ""};
  try {
    attempt.refusal = prepare(next, attempt.after);
    if (attempt.refusal.empty() && attempt.stays()) {
      const int rank_before = host_.rank();
      attempt.before = runtime_.exchange_comm(attempt.after);
      attempt.has_moved = true;
      number_anew(rank_before);
    }
  } catch (const Loss&) {
    attempt.mishap = "a process died meanwhile";
  } catch (...) {
    attempt.mishap = text_of_exception();
  }
  if (!attempt.mishap.empty()) let_nobody_wait(attempt);
  const Outcome outcome = agree(attempt);
  if (outcome == Outcome::kBack) go_back(attempt);
  if (!attempt.after.is_null() && mpi::can_agree()) some_says(attempt.after, outcome == Outcome::kOn);
  if (outcome == Outcome::kRefused) {
    if (!attempt.after.is_null()) mpi::free(attempt.after);
    return attempt.refusal;
  }
  if (!attempt.stays()) {
    leave();
    return "";
  }
  mpi::free(attempt.before);
  survival_.go_on_with_others();
  return "";
}

/// Of a process that cannot go on: those that wait for it are told. Where it has not made the communicator to come, it
/// is certain that nobody goes on, and those that join may know.
void Resize::let_nobody_wait(const Attempt& attempt) {
  if (survival_.is_on()) mpi::revoke(attempt.before);
  if (!attempt.after.is_null()) {
    mpi::revoke(attempt.after);
  } else if (attempt.stays()) {
    mpi::revoke(attempt.next);
  }
}

/// Of those that were in. All go on if one that stays has come to the end, since it has seen that all have that go on.
Resize::Outcome Resize::agree(const Attempt& attempt) {
  constexpr unsigned kIsWell = 1;
  constexpr unsigned kNobodyGoesOn = 2;
  const bool is_refused = !attempt.refusal.empty();
  const bool is_well = attempt.mishap.empty();
  const bool goes_on = attempt.stays() && !is_refused && is_well;
  unsigned bits = (is_well ? kIsWell : 0) | (goes_on ? 0 : kNobodyGoesOn);
  if (survival_.is_on()) {
    mpi::agree(attempt.before, bits);
    if ((bits & kNobodyGoesOn) == 0) return Outcome::kOn;
    return (bits & kIsWell) != 0 && is_refused ? Outcome::kRefused : Outcome::kBack;
  }
  if (!is_well) return Outcome::kBack;
  return is_refused ? Outcome::kRefused : Outcome::kOn;
}

/// To the last checkpoint in memory, on the communicator from before; throws why.
void Resize::go_back(const Attempt& attempt) {
  if (attempt.stays()) mpi::revoke(attempt.next);  // which tells those that join
  if (!survival_.is_on()) {
    throw Error(formatted("resize(): {}; the session cannot go on, but would have with survive()", attempt.mishap));
  }
  if (attempt.has_moved) {
    runtime_.change_comm(attempt.before);
  } else if (!attempt.after.is_null()) {
    mpi::free(attempt.after);
  }
  survival_.go_back();
  throw Error(formatted(
      "resize() changes nothing: {}. The {} processes that live go on from the last checkpoint in memory, with each "
      "other: call it anew",
      attempt.mishap.empty() ? "another process could not go on" : attempt.mishap, host_.size()));
}

void Resize::join() {
  const Communicator comm = host_.records().comm();
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
  if (is_in) return survival_.go_on_with_others();
  has_left_ = true;
  throw Error("this process does not join the session: " +
              (trouble.empty() ? "another process could not go on" : trouble));
}

bool Resize::hear_whether_to_join(bool is_well) {
  if (!mpi::can_agree()) return is_well;
  unsigned nobody_says_so = 1;
  return mpi::agree_unless_revoked(host_.records().comm(), nobody_says_so, joins_) && nobody_says_so == 0;
}

/// Of those that were in so far: up to the point from which on they are numbered anew. Why resize() is refused; the
/// same text on all, those that join included. Throws Loss where a process died.
std::string Resize::prepare(Communicator next, Communicator& after) {
  const bool stays = !next.is_null();
  const bool survives = survival_.is_on();
  if (stays && survives) mpi::return_errors(next);
  std::vector<std::int32_t> leave(static_cast<std::size_t>(host_.size()));
  must(mpi::all_gather(host_.records().comm(), stays ? 0 : 1, leave));
  std::string trouble;
  bool are_alike = true;
  if (stays) {
    must_be_those_that_stay(next, leave);
    after = mpi::one_of(next, mpi::Side::kOld);
    if (after.is_null()) throw Loss{};
    if (survives) mpi::return_errors(after);
    must(mpi::barrier(next));  // past it, all have made the other, so that its revocation reaches all
    must(mpi::all_same(after, fingerprint(), are_alike));
    trouble = are_alike ? arrays_differ(after) : kOtherProgram;
  }
  trouble = empty_those_that_leave(leave, trouble);
  // Those that join and run another program know that already, and are gone.
  return stays && are_alike ? first_text(after, trouble) : trouble;
}

/// A process that died while `next` was made may have left others without it.
void Resize::must_be_those_that_stay(Communicator next, const std::vector<std::int32_t>& leave) const {
  const std::vector<bool> members = mpi::members_of(next, host_.records().comm());
  for (std::size_t i = 0; i < leave.size(); ++i) {
    if (members[i] != (leave[i] != 0)) continue;
    throw Error(formatted(
        "process {} {} the one that process {} has passed", i,
        leave[i] != 0 ? "has passed no communicator, but is a member of" : "stays, but is no member of", host_.rank()));
  }
}

std::string Resize::empty_those_that_leave(const std::vector<std::int32_t>& all, std::string trouble) {
  std::vector<int> leaving;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] != 0) leaving.push_back(static_cast<int>(i));
  }
  if (leaving.size() == all.size()) return "all processes leave, and nobody could have their elements";
  const auto stays = static_cast<int>(std::find(all.begin(), all.end(), 0) - all.begin());
  const bool leaves = all[static_cast<std::size_t>(host_.rank())] != 0;
  if (leaves) {
    for (const auto& each : arrays_.all()) each->hand_over(stays);
  }
  try {
    runtime_.run_once([&] {
      if (leaving.empty()) return;
      for (const auto& each : arrays_.all()) each->balancer().vacate(leaving);
    });
    if (trouble.empty()) trouble = what_keeps_it(leaves);
  } catch (const Loss&) {
    throw;
  } catch (...) {
    trouble = text_of_exception();
  }
  return first_text(host_.records().comm(), trouble);
}

std::string Resize::what_keeps_it(bool leaves) {
  std::string text;
  for (const auto& array : arrays_.all()) {
    const std::uint16_t number = array->number();
    if (array->reductions().is_waiting()) text = formatted("a reduction of array {} is not complete", number);
    if (array->sections().is_waiting())
      text = formatted("a reduction of a section of array {} is not complete", number);
    const Elements& elements = array->elements();
    if (!leaves || elements.count_here() == 0) continue;
    text = formatted("{} cannot leave process {}: it has a coroutine that waits",
                     elements.name(elements.here().front()->index), host_.rank());
  }
  return text;
}

/// Of those that go on: whether their arrays are alike.
std::string Resize::arrays_differ(Communicator after) const {
  std::string names;
  for (const auto& each : arrays_.all()) names += std::string(each->elements().type().name) + ";";
  const std::uint64_t mine = arrays_.count() << 32 | Index::hash(names.data(), names.size());
  bool same = false;
  must(mpi::all_same(after, mine, same));
  if (same) return "";
  return formatted("the processes that join have not made the same arrays in the same order; here there are {}",
                   arrays_.count());
}

/// On the next communicator, all together. Where it returns on one process, all have come to its end, the first
/// checkpoint included. Throws Loss where a process died.
void Resize::number_anew(int rank_before) {
  const Communicator comm = host_.records().comm();
  const auto size = static_cast<std::size_t>(host_.size());
  std::vector<std::int32_t> before(size);
  must(mpi::all_gather(comm, rank_before, before));
  std::vector<int> rank_now(static_cast<std::size_t>(*std::max_element(before.begin(), before.end())) + 1, -1);
  for (std::size_t i = 0; i < size; ++i) {
    if (before[i] >= 0) rank_now[static_cast<std::size_t>(before[i])] = static_cast<int>(i);
  }
  share_state(comm, rank_before >= 0);
  std::vector<ArrayCore::Homeless> homeless;
  for (const auto& each : arrays_.all()) homeless.push_back(each->renew(rank_now));
  const bool are_told = tell_homes(host_, arrays_);
  for (const auto& each : arrays_.all()) each->take_in(homeless[each->number()]);
  if (!are_told) throw Loss{};
  if (!survival_.is_on()) return;
  survival_.take_first();
  std::uint64_t done[1] = {0};
  must(mpi::all_reduce(comm, mpi::Operator::kMost, done));
}

/// What those that join do not know yet. Random numbers go on elsewhere, so that nobody names what others named before.
void Resize::share_state(Communicator comm, bool was_in) {
  std::uint64_t salt[1] = {was_in ? host_.random() : 0};
  must(mpi::all_reduce(comm, mpi::Operator::kXor, salt));
  host_.seed(salt[0]);
  std::uint64_t survival[2] = {survival_.is_on() ? 1u : 0u, survival_.runs()};
  must(mpi::all_reduce(comm, mpi::Operator::kMost, survival));
  survival_.begin_with_others(survival[0] != 0, static_cast<std::uint32_t>(survival[1]));
  std::vector<std::uint64_t> measures;
  for (const auto& each : arrays_.all()) measures.push_back(each->balancer().is_measuring() ? 1 : 0);
  must(mpi::all_reduce(comm, mpi::Operator::kMost, measures));
  for (const auto& each : arrays_.all()) each->balancer().go_on(measures[each->number()] != 0);
}

void Resize::leave() {
  has_left_ = true;
  runtime_.change_comm(mpi::alone());
  for (const auto& each : arrays_.all()) each->renew({});
}

}  // namespace starling::array::detail
