// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// MachineWatch: what the ranks of a node have of their machine while they run, for the log of a trace: cores, threads
// that want them, control groups that stop them, swap.
// Thread safety: none, for the event loop's thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launch/record/event_log_file.hpp"
#include "memory/job_segment.hpp"
#include "observe/job/host_reader.hpp"

namespace starling::launch {

class MachineWatch {
 public:
  /// Begins to watch. root: in place of "/", for tests. The segment outlives it.
  explicit MachineWatch(memory::JobSegment& segment, std::string root = "");

  /// To be called often: it looks once a second.
  void look();
  /// What was seen, as the records of a node and of its ranks.
  void tell(std::int32_t node, EventLogFile& log) const;

 private:
  struct Followed {
    std::uint64_t running = 0;  ///< threads, over all looks at which the process was there
    std::uint64_t looks = 0;
    std::uint64_t swapped_bytes = 0;  ///< at most
  };
  void follow(std::uint32_t rank);

  memory::JobSegment& segment_;
  std::string root_;
  std::vector<Followed> ranks_;
  std::vector<observe::GroupReading> groups_;  ///< at the beginning
  std::uint64_t swap_ins_;                     ///< at the beginning
  std::int64_t looked_ns_ = 0;
};

}  // namespace starling::launch
