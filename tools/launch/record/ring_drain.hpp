// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// RingDrain: reads the rings of the ranks of a node while they run, and writes what it finds into a log, with what a
// reader needs beside it: readings of the clock, the communicators, how often each function was called.
// Thread safety: none, for the event loop's thread.
#pragma once

#include <sys/resource.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "launch/events/event_loop.hpp"
#include "launch/record/event_log_file.hpp"
#include "launch/record/machine_watch.hpp"
#include "memory/job_segment.hpp"
#include "observe/event_ring.hpp"

namespace starling::launch {

class RingDrain {
 public:
  /// The rings of this segment exist. All outlive it. node: its number in the job.
  RingDrain(EventLoop& loop, memory::JobSegment& segment, std::int32_t node, EventLogFile& log);

  /// Reads from now on, again and again.
  void start();
  /// A rank's process has ended and has used that.
  void tell_usage(std::uint32_t rank, const rusage& usage);
  void tell_usage(std::uint32_t rank, const observe::UsageRecord& usage) {
    log_.put_value(observe::RecordKind::kUsage, world_rank(rank), usage);
  }
  /// The ranks have ended: reads the rest and ends the node's part of the log.
  void finish();

 private:
  void drain();
  void drain_rank(std::uint32_t rank);
  void read_clock();
  void look_at_communicators();
  void tell_open_call(std::uint32_t rank);
  void tell_counts(std::uint32_t rank);
  void tell_modules(std::uint32_t rank);
  [[nodiscard]] std::int32_t world_rank(std::uint32_t rank) const {
    return segment_.rank(LocalRank(rank)).home_rank.value;
  }

  EventLoop& loop_;
  memory::JobSegment& segment_;
  std::int32_t node_;
  EventLogFile& log_;
  MachineWatch machine_;
  std::vector<observe::EventReader> readers_;
  std::vector<std::uint64_t> lost_;
  std::vector<std::size_t> module_bytes_;                                ///< of each rank, told so far
  std::vector<observe::Event> events_;                                   ///< of one rank, kept for its memory
  std::map<std::pair<std::uint32_t, std::int32_t>, std::string> named_;  ///< communicators that have been told
  std::int64_t clock_read_ns_ = 0;
  bool finished_ = false;
};

}  // namespace starling::launch
