// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// TimelineSink: what is done with a timeline while it is made or read: written to a file, added up.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/model/call.hpp"

namespace starling::trace {

/// What is known of the job before its timeline.
struct JobFacts {
  std::vector<std::string> hosts;        ///< their names
  std::vector<std::int32_t> host_of;     ///< of each rank: index in hosts
  std::vector<std::int32_t> process_of;  ///< of each rank: its process number there; 0: it has not joined the job
  std::unordered_map<std::uint32_t, std::string> communicators;  ///< names by context
  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(host_of.size()); }
};

/// What a rank's process has used; all 0: not known.
struct RankUsage {
  std::uint64_t peak_bytes = 0;           ///< the most memory at a time
  std::int64_t processor_ns = 0;          ///< in the program and in the system
  std::uint64_t taken_off = 0;            ///< how often others took its core
  std::uint64_t swapped_bytes = 0;        ///< of its memory in swap, at most
  std::uint64_t running_thousandths = 0;  ///< of a thread: that ran or wanted to, on the average; 0: not known
  [[nodiscard]] bool known() const { return peak_bytes > 0; }
};

/// What a host had for its ranks.
struct HostTotals {
  std::int32_t host = 0;  ///< index in JobFacts::hosts
  std::int64_t end_ns = 0;
  std::uint64_t cores = 0;              ///< that they may use; 0: not known
  std::uint64_t quota_thousandths = 0;  ///< of a core, which their control group allows; 0: no limit
  std::uint64_t periods = 0;            ///< of that quota
  std::uint64_t throttled = 0;          ///< of them, in which it stopped its processes
  std::uint64_t swap_ins = 0;           ///< pages read back from swap
};

/// What no event tells of.
struct RankTotals {
  struct Calls {
    std::uint32_t function = 0;
    std::uint64_t count = 0;
  };
  struct Traffic {
    std::int32_t peer = kNoRank;
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
  };

  std::int32_t rank = 0;
  std::int64_t begin_ns = 0;  ///< first and last moment of it that is known
  std::int64_t end_ns = 0;
  std::uint64_t lost = 0;  ///< events that were overwritten before they could be read
  RankUsage usage;
  std::vector<Calls> calls;      ///< all calls, by function
  std::vector<Traffic> traffic;  ///< all messages that it sent, by receiver; none: it has not left its job
};

class TimelineSink {
 public:
  virtual ~TimelineSink() = default;
  /// Comes first.
  virtual void begin(const JobFacts& facts) = 0;
  /// The name of a function; comes before its number is used.
  virtual void function(std::uint32_t number, std::string_view name) = 0;
  /// A place from which the program calls MPI, "iterate at solver.c:88"; comes before its number is used.
  virtual void site(std::uint32_t number, std::string_view text) = 0;
  /// The calls of a thread come in the order of time.
  virtual void call(const Call& call) = 0;
  /// A message of a call that is not on the timeline itself.
  virtual void message(std::int32_t rank, std::uint32_t thread, const MessageEnd& end) = 0;
  virtual void totals(const RankTotals& totals) = 0;
  virtual void totals(const HostTotals& totals) = 0;
  /// A sentence about the whole trace: what is missing in it.
  virtual void note(std::string_view sentence) = 0;
  /// Nothing more can be done with the timeline: the disk is full, say.
  [[nodiscard]] virtual bool broken() const { return false; }
};

}  // namespace starling::trace
