// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/job/job_reader.hpp"

#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>

#include "api/functions.hpp"
#include "base/clock.hpp"
#include "bootstrap/environment.hpp"
#include "observe/job/other_mpi.hpp"
#include "observe/job/process_facts.hpp"
#include "observe/model/under_way.hpp"

namespace starling::observe {
namespace {

using memory::RankState;

std::string call_name(std::uint32_t call) {
  if (call == 0 || call >= mpi::kFunctionCount) return {};
  return mpi::function_name(static_cast<mpi::Function>(call));
}

std::optional<CollectiveCall> collective_of(const CollectiveSample& sample) {
  if (sample.sequence == 0) return std::nullopt;
  return CollectiveCall{call_name(sample.call), sample.context_id, sample.sequence, sample.root, sample.bytes};
}

void pause_for(std::int64_t ns) {
  timespec time{0, ns};
  nanosleep(&time, nullptr);
}

/// Whether a rank that tests computes between its tests, and neither sleeps nor gives its core away. Another MPI spins
/// in its tests: there a rank computes if it makes few of them.
template <typename Sample>
bool computes_between(const Sample& first, const Sample& second, bool of_other_mpi) {
  constexpr std::int64_t kTestNs = 20'000;
  if (first.card.heartbeat != second.card.heartbeat || !first.use || !second.use) return false;
  const std::int64_t ran_ns = second.use->ran_ns - first.use->ran_ns;
  const auto tests = static_cast<std::int64_t>(second.card.calls - first.card.calls);
  if (of_other_mpi && ran_ns < tests * kTestNs) return false;
  const std::int64_t queued_ns = second.use->queued_ns - first.use->queued_ns;
  const std::int64_t slept_ns = second.at_ns - first.at_ns - ran_ns - queued_ns;
  return ran_ns > slept_ns;
}

}  // namespace

Snapshot JobReader::look(std::int64_t patience_ns) {
  const std::int64_t deadline = now_ns() + patience_ns;
  begin();
  do {
    pause_for(kBetweenLooksNs);
  } while (!look_again() && now_ns() + kBetweenLooksNs <= deadline);
  return snapshot();
}

Snapshot JobReader::glance() {
  glances_ = true;
  begin();
  last_ = first_;
  Snapshot seen = snapshot();
  glances_ = false;
  return seen;
}

bool JobReader::look_again() {
  last_ = sample_all();
  return all_quiet();
}

Snapshot JobReader::snapshot() const {
  const memory::JobGeometry& geometry = segment_.header().geometry;
  Snapshot snapshot;
  snapshot.one_node = geometry.world_ranks <= geometry.ranks;
  snapshot.ranks.resize(std::max(geometry.world_ranks, geometry.ranks));
  for (RankSnapshot& rank : snapshot.ranks) rank.activity = Activity::kElsewhere;
  const auto is_starting = [](const Sample& each) { return each.state == memory::RankState::kStarting; };
  const std::vector<bool> started =
      !glances_ && std::ranges::any_of(last_, is_starting) ? started_ranks() : std::vector<bool>(last_.size(), true);
  for (std::uint32_t i = 0; i < segment_.ranks(); ++i) {
    const WorldRank home = segment_.rank(LocalRank(i)).home_rank;
    if (home.is_none() || home.index() >= snapshot.ranks.size()) continue;
    RankSnapshot& rank = snapshot.ranks[home.index()];
    rank = rank_snapshot(LocalRank(i), first_[i], last_[i]);
    if (rank.activity == Activity::kStarting && !started[i]) rank.activity = Activity::kExited;
    if ((last_[i].card.flags & StatusCard::kConnectedJobs) != 0) snapshot.connected_jobs = true;
  }
  add_communicators(snapshot);
  const PacketTable packets = segment_.packets();
  for (std::size_t rank = 0; rank < snapshot.ranks.size() && !packets.empty(); ++rank)
    snapshot.given.push_back(packets.given(WorldRank(static_cast<std::int32_t>(rank))));
  if (is_of_other_mpi(segment_)) {
    snapshot.of_other_mpi = true;
    mark_messages_under_way(snapshot);
  }
  return snapshot;
}

JobReader::Samples JobReader::sample_all() const {
  Samples samples;
  for (std::uint32_t i = 0; i < segment_.ranks(); ++i) {
    const memory::RankBlock& block = segment_.rank(LocalRank(i));
    Sample taken{block.state.load(std::memory_order_acquire),
                 sample(block.card, block.wait, block.doorbell.ticket),
                 now_ns(),
                 {}};
    if (!glances_ && taken.card.tests()) taken.use = processor_use(block.pid.load(std::memory_order_relaxed));
    samples.push_back(std::move(taken));
  }
  return samples;
}

bool JobReader::all_quiet() const {
  for (std::size_t i = 0; i < last_.size(); ++i) {
    if (last_[i].card.waits() && !was_quiet_between(first_[i].card, last_[i].card)) return false;
  }
  return true;
}

std::string JobReader::test_call(LocalRank rank) const {
  constexpr std::int64_t kPatienceNs = 500'000;
  constexpr int kLooksAtOnce = 1000;
  const std::atomic<std::uint32_t>& call = segment_.rank(rank).card.call;
  const std::int64_t deadline = now_ns() + kPatienceNs;
  do {
    for (int looks = 0; looks < kLooksAtOnce; ++looks) {
      if (std::string name = call_name(call.load(std::memory_order_relaxed)); !name.empty()) return name;
    }
  } while (now_ns() < deadline);
  return {};
}

Activity JobReader::activity_of(const Sample& first, const Sample& second) const {
  const CardSample& before = first.card;
  const CardSample& now = second.card;
  const bool same_call = before.calls == now.calls && before.call == now.call;
  if (now.waits() && same_call && before.since_ns == now.since_ns) return Activity::kWaiting;
  const bool same_tests = now.tests() && before.tests_since_ns == now.tests_since_ns;
  if (same_tests && before.calls != now.calls && !computes_between(first, second, is_of_other_mpi(segment_)))
    return Activity::kTesting;
  if (!same_call) return Activity::kActive;
  return now.call == 0 ? Activity::kOutside : Activity::kInside;
}

/// Where several threads share the card, one may compute while another serves messages, and sleeps.
bool JobReader::other_thread_runs(LocalRank rank, const RankSnapshot& snapshot, const CardSample& card) const {
  if (!snapshot.threaded || snapshot.activity != Activity::kWaiting || card.asleep == 0 || glances_) return false;
  return has_running_thread(segment_.rank(rank).pid.load(std::memory_order_relaxed));
}

/// A rank that is quiet is not asked: nothing of its state depends on it.
bool JobReader::somebody_stopped(LocalRank rank, const RankSnapshot& snapshot) const {
  const bool may_be = snapshot.activity == Activity::kOutside || snapshot.activity == Activity::kInside ||
                      (snapshot.activity == Activity::kWaiting && !snapshot.quiet);
  return may_be && !glances_ && is_stopped(segment_.rank(rank).pid.load(std::memory_order_relaxed));
}

RankSnapshot JobReader::rank_snapshot(LocalRank rank, const Sample& first, const Sample& second) const {
  RankSnapshot snapshot;
  const CardSample& card = second.card;
  snapshot.collective = collective_of(card.collective);
  for (const CollectiveSample& each : card.earlier) {
    if (each.sequence != 0) snapshot.earlier_collectives.push_back(*collective_of(each));
  }
  snapshot.threaded = (card.flags & StatusCard::kThreads) != 0;
  snapshot.steps = card.calls + card.moves;
  snapshot.taken = segment_.packets().taken(rank);
  const std::optional<std::int64_t> unchanged_since_ns =
      segment_.rank(rank).call_count_seen.unchanged_since_ns(card.calls);
  if (unchanged_since_ns) snapshot.time_ns = now_ns() - *unchanged_since_ns;
  switch (second.state) {
    case RankState::kStarting: snapshot.activity = Activity::kStarting; return snapshot;
    case RankState::kFinalized: snapshot.activity = Activity::kFinalized; return snapshot;
    case RankState::kDead: snapshot.activity = Activity::kExited; return snapshot;
    case RankState::kInitialized: break;
  }
  snapshot.activity = activity_of(first, second);
  snapshot.call = call_name(card.call != 0 ? card.call : first.card.call);
  if (snapshot.activity == Activity::kOutside) snapshot.call.clear();
  if (snapshot.activity == Activity::kActive) snapshot.time_ns.reset();
  if (snapshot.activity == Activity::kTesting) {
    if (snapshot.call.empty()) snapshot.call = test_call(rank);
    snapshot.time_ns = now_ns() - card.tests_since_ns;
    snapshot.steps = static_cast<std::uint64_t>(card.tests_since_ns);
    snapshot.wait = card.wait->wait;
  }
  if (snapshot.activity == Activity::kWaiting) {
    snapshot.time_ns = now_ns() - card.since_ns;
    // Each of the three only grows while a rank goes from one wait to the next, so no two waits have the same sum.
    snapshot.steps += static_cast<std::uint64_t>(card.since_ns);
    snapshot.wait = card.wait->wait;
    snapshot.quiet = was_quiet_between(first.card, card);
  }
  if (other_thread_runs(rank, snapshot, card)) snapshot.activity = Activity::kActive;
  if (somebody_stopped(rank, snapshot)) snapshot.activity = Activity::kStopped;
  return snapshot;
}

void JobReader::add_communicators(Snapshot& snapshot) const {
  const CommunicatorDirectory directory = segment_.directory();
  if (directory.empty()) return;
  std::map<std::pair<std::uint32_t, std::int32_t>, CommunicatorSnapshot> found;
  for (std::uint32_t place = 0; place < CommunicatorDirectory::kPlaces; ++place) {
    const std::optional<CommunicatorEntry> entry = directory.at(place);
    if (!entry) continue;
    std::vector<std::int32_t> members;
    for (std::int32_t rank = 0; static_cast<std::size_t>(rank) < snapshot.ranks.size(); ++rank) {
      if (entry->has(WorldRank(rank))) members.push_back(rank);
    }
    if (members.empty()) continue;
    CommunicatorSnapshot& communicator = found[{entry->context_id, members.front()}];
    if (communicator.members.empty()) {
      communicator.context = entry->context_id;
      communicator.inter = (entry->flags & DirectoryPlace::kInter) != 0;
      communicator.begun.resize(members.size());
      communicator.members = std::move(members);
    }
    if (!entry->name.empty()) communicator.name = entry->name;
    for (std::uint32_t i = 0; i < segment_.ranks(); ++i) {
      const auto at = std::ranges::find(communicator.members, segment_.rank(LocalRank(i)).home_rank.value);
      if (at == communicator.members.end()) continue;
      auto& begun = communicator.begun[static_cast<std::size_t>(at - communicator.members.begin())];
      const std::uint64_t count = directory.count(LocalRank(i), place).load(std::memory_order_relaxed);
      begun = std::max(begun.value_or(0), count);
    }
  }
  for (auto& [key, communicator] : found) snapshot.communicators.push_back(std::move(communicator));
}

std::vector<bool> JobReader::started_ranks() const {
  std::vector<bool> started(segment_.ranks(), true);
  const std::vector<pid_t> children = worker_ > 0 ? children_of(worker_) : std::vector<pid_t>();
  if (children.empty()) return started;
  std::vector<bool> seen(started.size(), false);
  bool can_tell = false;
  for (const pid_t child : children) {
    if (!process_runs(child)) continue;
    const std::optional<std::string> rank = initial_variable(child, bootstrap::kRankVariable);
    if (!rank) return started;  // one that has yet to become its program: which rank it will be is not known
    can_tell = true;
    const std::size_t index = std::strtoul(rank->c_str(), nullptr, 10);
    if (index < seen.size()) seen[index] = true;
  }
  return can_tell ? seen : started;
}

}  // namespace starling::observe
