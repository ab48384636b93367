// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/record/machine_watch.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "observe/job/process_facts.hpp"

namespace starling::launch {
namespace {

constexpr std::int64_t kBetweenMachineLooksNs = 1'000'000'000;

std::uint64_t thousandths(double value) { return static_cast<std::uint64_t>(value * 1000 + 0.5); }

}  // namespace

// The ranks of a node are in the control groups of their launcher.
MachineWatch::MachineWatch(memory::JobSegment& segment, std::string root)
    : segment_(segment),
      root_(std::move(root)),
      ranks_(segment.ranks()),
      groups_(observe::read_groups(getpid(), root_)),
      swap_ins_(observe::read_vm(root_).swap_ins) {}

void MachineWatch::look() {
  if (now_ns() - looked_ns_ < kBetweenMachineLooksNs) return;
  looked_ns_ = now_ns();
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) follow(rank);
}

void MachineWatch::follow(std::uint32_t rank) {
  const pid_t process = segment_.rank(LocalRank(rank)).pid.load(std::memory_order_relaxed);
  if (process <= 0 || !observe::process_runs(process)) return;
  Followed& followed = ranks_[rank];
  followed.running += observe::running_threads(process, root_);
  ++followed.looks;
  followed.swapped_bytes = std::max(followed.swapped_bytes, observe::swapped_bytes(process, root_));
}

void MachineWatch::tell(std::int32_t node, EventLogFile& log) const {
  observe::MachineRecord machine;
  machine.cores = segment_.header().usable_cores;
  machine.swap_ins = observe::read_vm(root_).swap_ins - swap_ins_;
  for (const observe::GroupReading& now : observe::read_groups(getpid(), root_)) {
    const auto before = std::ranges::find(groups_, now.folder, &observe::GroupReading::folder);
    if (before == groups_.end() || now.periods <= before->periods) continue;
    const std::uint64_t periods = now.periods - before->periods;
    const std::uint64_t throttled = now.throttled - before->throttled;
    // That which was stopped the most.
    if (machine.periods != 0 && throttled * machine.periods <= machine.throttled * periods) continue;
    machine.periods = periods;
    machine.throttled = throttled;
    machine.quota_thousandths = thousandths(now.cores.value_or(0));
  }
  log.put_value(observe::RecordKind::kMachine, node, machine);
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    const Followed& each = ranks_[rank];
    if (each.looks == 0) continue;
    const double running = static_cast<double>(each.running) / static_cast<double>(each.looks);
    log.put_value(observe::RecordKind::kLoad, segment_.rank(LocalRank(rank)).home_rank.value,
                  observe::LoadRecord{each.swapped_bytes, thousandths(running)});
  }
}

}  // namespace starling::launch
