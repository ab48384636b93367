// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The log of a trace: what the launcher gathers of the rings of a job while it runs, one record behind another. When
// the job is over it is made into the file that the user has asked for (tools/trace).
//
//   LogHead | (RecordHead, body)...
// A log that ends within a record is that of a launcher that was killed: what comes before holds.
// Thread safety: values. Layout: fixed, in the byte order of the machine.
#pragma once

#include <cstdint>

#include "observe/event.hpp"
#include "observe/module_record.hpp"

namespace starling::observe {

struct LogHead {
  static constexpr std::uint64_t kMagic = 0x31676f4c676e7453;  // "StngLog1"
  static constexpr std::uint32_t kVersion = 2;
  enum Flag : std::uint64_t {
    /// Another MPI's job, seen from outside. Messages are numbered by sender, receiver, communicator and tag. kReceive:
    /// begin_ticks is when the receive began, end_ticks when the program heard of its end. kRendezvous: its sender may
    /// wait for the receive.
    kSeen = 1,
  };

  std::uint64_t magic = kMagic;
  std::uint32_t version = kVersion;
  std::uint32_t world_ranks = 0;
  std::uint32_t mode = 0;  ///< TraceMode
  std::uint32_t nodes = 1;
  std::int64_t began_at_ns = 0;  ///< CLOCK_REALTIME of the head's host when the job began
  std::int64_t began_ns = 0;     ///< CLOCK_MONOTONIC of the same moment
  std::uint64_t flags = 0;       ///< of Flag
  std::uint64_t reserved[2] = {};
};
static_assert(sizeof(LogHead) == 64);

/// Its number stands in logs.
enum class RecordKind : std::uint32_t {
  kEvents = 1,        ///< of: world rank. Body: Events, in the order in which they were recorded
  kLost = 2,          ///< of: world rank. Body: u64: events that were overwritten before they could be read
  kClock = 3,         ///< of: node. Body: ClockReading, in the order of time; some for each node
  kOffset = 4,        ///< of: node. Body: ClockOffset; none for a node: its clock is the head's
  kRank = 5,          ///< of: world rank. Body: RankRecord
  kHost = 6,          ///< of: node. Body: its name, without a zero at the end; none: this host
  kCommunicator = 7,  ///< of: node. Body: CommunicatorRecord, the name, and u32 world ranks of the members in order
  kCounts = 8,        ///< of: world rank. Body: CallCount[], of all functions that the rank has called
  kLeftOut = 9,       ///< of: node. Body: u64: events that were left out because the log had reached its limit
  kUsage = 10,        ///< of: world rank. Body: UsageRecord, once its process has ended
  kModules = 11,      ///< of: world rank. Body: ModuleRecords, each with its path
  kMachine = 12,      ///< of: node. Body: MachineRecord
  kLoad = 13          ///< of: world rank. Body: LoadRecord; none: it was too short to be looked at
};

struct RecordHead {
  RecordKind kind = RecordKind::kEvents;
  std::int32_t of = 0;
  std::uint64_t bytes = 0;  ///< of the body, which is padded with zeros to a multiple of 8
};
static_assert(sizeof(RecordHead) == 16);

/// Ticks and nanoseconds (CLOCK_MONOTONIC) of one moment of a node.
struct ClockReading {
  std::uint64_t ticks = 0;
  std::int64_t ns = 0;
};
static_assert(sizeof(ClockReading) == 16);

/// The node's CLOCK_MONOTONIC is ahead of the head's by ahead_ns, give or take error_ns (half of the round trip).
struct ClockOffset {
  std::int64_t at_ns = 0;  ///< by the head's clock
  std::int64_t ahead_ns = 0;
  std::int64_t error_ns = 0;
};
static_assert(sizeof(ClockOffset) == 24);

struct RankRecord {
  std::int32_t node = 0;
  std::int32_t process = 0;  ///< its number there; 0: it has not joined the job
};
static_assert(sizeof(RankRecord) == 8);

struct CommunicatorRecord {
  std::uint32_t context_id = 0;
  std::uint32_t flags = 0;       ///< of DirectoryPlace::Flag
  std::uint32_t name_bytes = 0;  ///< padded with zeros to a multiple of 4
  std::uint32_t members = 0;
};
static_assert(sizeof(CommunicatorRecord) == 16);

/// What a process and those that it has waited for have used.
struct UsageRecord {
  std::uint64_t peak_bytes = 0;  ///< the most memory at a time
  std::int64_t user_ns = 0;
  std::int64_t system_ns = 0;
  std::uint64_t taken_off = 0;  ///< how often others took its core
};
static_assert(sizeof(UsageRecord) == 32);

/// What a node had for its ranks.
struct MachineRecord {
  std::uint64_t cores = 0;              ///< that they may use: affinity and quota
  std::uint64_t periods = 0;            ///< of the quota of their control group, during the job; 0: there is none
  std::uint64_t throttled = 0;          ///< of them, in which it stopped its processes
  std::uint64_t quota_thousandths = 0;  ///< of a core, which it allows; 0: not known
  std::uint64_t swap_ins = 0;           ///< pages that were read back from swap during the job, of all processes
};
static_assert(sizeof(MachineRecord) == 40);

/// What a rank's process was seen with, once a second.
struct LoadRecord {
  std::uint64_t swapped_bytes = 0;        ///< of its memory in swap, at most
  std::uint64_t running_thousandths = 0;  ///< of a thread, that ran or wanted to, on the average
};
static_assert(sizeof(LoadRecord) == 16);

struct CallCount {
  std::uint32_t call = 0;  ///< index of the MPI function
  std::uint32_t reserved = 0;
  std::uint64_t count = 0;
};
static_assert(sizeof(CallCount) == 16);

}  // namespace starling::observe
