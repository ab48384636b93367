// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/job/job_examiner.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "observe/job/process_reader.hpp"

namespace starling::observe {
namespace {

std::string own_host_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace

JobExaminer::JobExaminer(const memory::JobSegment& segment, pid_t worker, std::string root)
    : segment_(segment),
      root_(std::move(root)),
      reader_(segment, worker),
      sampler_(segment, 1),
      sockets_(socket_of_processors(root_)),
      began_ns_(now_ns()),
      vm_(read_vm(root_)),
      followed_(std::max(segment.header().geometry.world_ranks, segment.ranks())) {
  groups_ = read_groups(any_process(), root_);
  sampler_.read();
  reader_.begin();
  snapshot_ns_ = now_ns();
}

void JobExaminer::look() {
  constexpr std::int64_t kBetweenCountsNs = 100'000'000;
  sampler_.look();
  if (now_ns() - snapshot_ns_ >= JobReader::kBetweenLooksNs) take_snapshot();
  if (now_ns() - counted_ns_ >= kBetweenCountsNs) count_threads();
}

JobEvidence JobExaminer::evidence() {
  constexpr double kNsPerSecond = 1e9;
  sampler_.read();
  JobEvidence evidence;
  evidence.seconds = static_cast<double>(now_ns() - began_ns_) / kNsPerSecond;
  evidence.snapshots = snapshots_;
  evidence.hosts.push_back(host_evidence());
  const std::vector<RankFigures> figures = sampler_.figures();
  const std::vector<std::optional<Since>> since = sampler_.since();
  for (std::uint32_t i = 0; i < segment_.ranks(); ++i) {
    const memory::RankBlock& block = segment_.rank(LocalRank(i));
    if (block.home_rank.is_none() || block.home_rank.index() >= followed_.size()) continue;
    const Followed& followed = followed_[block.home_rank.index()];
    RankEvidence rank;
    rank.rank = block.home_rank.value;
    rank.figures = figures[block.home_rank.index()];
    rank.since = since[block.home_rank.index()];
    if (thread_counts_ > 0)
      rank.running_threads = static_cast<double>(followed.running) / static_cast<double>(thread_counts_);
    rank.swapped_bytes = swapped_bytes(block.pid.load(std::memory_order_relaxed), root_);
    rank.sockets_seen = std::max<std::size_t>(followed.sockets.size(), 1);
    if (snapshots_ > 0) rank.test_share = static_cast<double>(followed.testing) / static_cast<double>(snapshots_);
    rank.tests_with = followed.tests_with;
    rank.allowed = allowed_processors(block.pid.load(std::memory_order_relaxed), root_);
    rank.moves_per_s = evidence.seconds > 0 ? static_cast<double>(followed.moves) / evidence.seconds : 0;
    evidence.ranks.push_back(std::move(rank));
  }
  delays_.tell(evidence);
  add_sent(evidence);
  return evidence;
}

void JobExaminer::count_threads() {
  counted_ns_ = now_ns();
  ++thread_counts_;
  for (std::uint32_t i = 0; i < segment_.ranks(); ++i) {
    const memory::RankBlock& block = segment_.rank(LocalRank(i));
    const pid_t process = block.pid.load(std::memory_order_relaxed);
    if (process <= 0 || block.home_rank.is_none() || block.home_rank.index() >= followed_.size()) continue;
    Followed& followed = followed_[block.home_rank.index()];
    followed.running += running_threads(process, root_);
    const std::optional<ProcessReading> reading = read_process(process, root_ + "/proc");
    if (!reading || reading->processor < 0) continue;
    const auto processor = static_cast<std::size_t>(reading->processor);
    if (processor < sockets_.size()) followed.sockets.insert(sockets_[processor]);
    if (followed.processor >= 0 && followed.processor != reading->processor) ++followed.moves;
    followed.processor = reading->processor;
  }
}

void JobExaminer::take_snapshot() {
  reader_.look_again();
  const Snapshot snapshot = reader_.snapshot();
  reader_.begin();
  snapshot_ns_ = now_ns();
  ++snapshots_;
  for (std::size_t i = 0; i < snapshot.ranks.size() && i < followed_.size(); ++i) {
    if (snapshot.ranks[i].activity != Activity::kTesting) continue;
    ++followed_[i].testing;
    if (!snapshot.ranks[i].call.empty()) followed_[i].tests_with = snapshot.ranks[i].call;
  }
  delays_.add(snapshot);
}

void JobExaminer::add_sent(JobEvidence& evidence) const {
  constexpr std::size_t kMostPairs = 100'000;  // 2 MB on their way
  const TrafficTable table = segment_.traffic();
  std::size_t pairs = 0;
  for (std::uint32_t i = 0; i < segment_.ranks(); ++i) {
    const WorldRank home = segment_.rank(LocalRank(i)).home_rank;
    const auto told = std::ranges::find(evidence.ranks, home.value, &RankEvidence::rank);
    if (home.is_none() || told == evidence.ranks.end()) continue;
    for (std::uint32_t to = 0; to < table.columns() && pairs <= kMostPairs; ++to) {
      const TrafficCount sent = table.count(LocalRank(i), WorldRank(to)).read();
      if (sent.messages == 0) continue;
      told->sent.push_back({static_cast<std::int32_t>(to), sent.messages, sent.bytes});
      ++pairs;
    }
  }
  // The last column of a large job is for several ranks.
  if (pairs <= kMostPairs && followed_.size() <= table.columns()) return;
  evidence.hosts.front().lacks_sent = true;
  for (RankEvidence& rank : evidence.ranks) rank.sent.clear();
}

HostEvidence JobExaminer::host_evidence() const {
  constexpr double kNsPerSecond = 1e9;
  HostEvidence host;
  host.name = own_host_name();
  host.cores = segment_.header().usable_cores;
  host.sockets = std::max<std::size_t>(std::set<int>(sockets_.begin(), sockets_.end()).size(), 1);
  host.huge_pages = read_huge_pages(root_);
  const double seconds = std::max(static_cast<double>(now_ns() - began_ns_) / kNsPerSecond, 1e-3);
  const VmReading vm = read_vm(root_);
  host.swap_ins_per_s = static_cast<double>(vm.swap_ins - vm_.swap_ins) / seconds;
  host.compaction_stalls_per_s = static_cast<double>(vm.compaction_stalls - vm_.compaction_stalls) / seconds;
  for (const GroupReading& now : read_groups(any_process(), root_)) {
    const auto before = std::ranges::find(groups_, now.folder, &GroupReading::folder);
    if (before == groups_.end() || now.periods < before->periods) continue;
    host.groups.push_back({now.folder, now.periods - before->periods, now.throttled - before->throttled, now.cores});
  }
  return host;
}

pid_t JobExaminer::any_process() const {
  for (std::uint32_t i = 0; i < segment_.ranks(); ++i) {
    const pid_t process = segment_.rank(LocalRank(i)).pid.load(std::memory_order_relaxed);
    if (process > 0) return process;
  }
  return 0;
}

}  // namespace starling::observe
