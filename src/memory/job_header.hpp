// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What lies at fixed places of the job segment: its header, and a block for each rank. Processes of several builds map
// them, so JobHeader::kLayout is a fingerprint of their sizes and offsets.
//
// Thread safety: each field names its writers.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/cpu.hpp"
#include "base/id.hpp"
#include "memory/doorbell.hpp"
#include "memory/layout.hpp"
#include "observe/call_count_seen.hpp"
#include "observe/communicator_directory.hpp"
#include "observe/event_ring.hpp"
#include "observe/packet_counts.hpp"
#include "observe/status_card.hpp"
#include "observe/traffic.hpp"
#include "observe/wait_record.hpp"

namespace starling::memory {

/// The sizes from which the places of all parts of the segment follow.
struct JobGeometry {
  std::uint32_t ranks = 1;              ///< that share the segment
  std::uint32_t world_ranks = 1;        ///< of the whole job, on all nodes; no more than ranks where there is one node
  std::uint32_t ring_slots = 0;         ///< postboxes of one connection, a power of two
  std::uint32_t trace_events = 0;       ///< in the ring of each rank, a power of two; 0: the job is not traced
  std::uint64_t connection_bytes = 0;   ///< of one sender-receiver pair, a multiple of the page size
  std::uint64_t sender_pool_bytes = 0;  ///< of one sender, a multiple of the page size; 0: buffers are per connection
  std::uint64_t arena_bytes = 0;        ///< a multiple of the page size
};
static_assert(sizeof(JobGeometry) == 40);

/// The state of a rank. The rank itself writes it, except kDead (publish_death).
enum class RankState : std::uint32_t { kStarting = 0, kInitialized = 1, kFinalized = 2, kDead = 3 };

/// The report of a crashing rank for the launcher. Written once by the rank, state last.
struct CrashRecord {
  static constexpr std::uint32_t kMaxFrames = 60;
  enum ReportState : std::uint32_t { kNone = 0, kWritten = 1, kSeen = 2 };

  std::atomic<std::uint32_t> state{kNone};  ///< kWritten by the rank, kSeen by the launcher once it has symbolised
  std::int32_t signal = 0;
  std::uint64_t fault_address = 0;
  std::uint32_t frame_count = 0;
  std::uint32_t has_fault_address = 0;    ///< 1 where the signal tells one, which may be 0
  std::uint64_t frames[kMaxFrames] = {};  ///< return addresses, innermost first
  char what[512] = {};                    ///< text of an uncaught exception or of MPI_Abort, zero-terminated
};
static_assert(sizeof(CrashRecord) == 1016);

/// The value of a guard word.
inline constexpr std::uint64_t kGuard = 0x64726175476e6f6d;

struct RankBlock {
  Doorbell doorbell;
  observe::StatusCard card;
  observe::WaitRecord wait;
  alignas(kCacheLine) std::atomic<RankState> state{RankState::kStarting};
  std::atomic<std::int32_t> pid{0};
  WorldRank home_rank{0};       ///< the process's rank in its own job; set before the process comes
  std::uint64_t home_job = 0;   ///< in a segment that several jobs share: the id of that job's segment
  std::int32_t app_number = 0;  ///< MPI_APPNUM: its application; written by the launcher
  std::atomic<std::uint64_t> single_copy_probe{0};  ///< others read it to test process_vm_readv
  observe::CallCountSeen call_count_seen;           ///< written by the launcher
  std::uint64_t guard_before = kGuard;
  alignas(kCacheLine) CrashRecord crash;
  std::uint64_t guard_behind = kGuard;
};
static_assert(sizeof(RankBlock) == 3 * kCacheLine + sizeof(observe::CollectiveCard) + sizeof(observe::LastCalls) +
                                       sizeof(observe::WaitRecord) + 1024 &&
              alignof(RankBlock) == kCacheLine);

struct JobHeader {
  static constexpr std::uint64_t kMagic = 0x31474e494c524154;  // "TARLING1"
  /// Grows when a field changes its meaning; kLayout tells changes of place and size by itself.
  static constexpr std::uint32_t kVersion = 8;
  static const std::uint64_t kLayout;
  static constexpr std::size_t kSettingsBytes = 2048;
  enum SettingsState : std::uint32_t { kNone = 0, kBeingWritten = 1, kWritten = 2 };

  // Every version has these three here.
  std::uint64_t magic = kMagic;
  std::uint64_t id = 0;  ///< tells this segment from all others of the machine
  std::uint32_t version = kVersion;
  std::uint32_t usable_cores = 1;  ///< cores that the job may really use: affinity and cgroup quota
  JobGeometry geometry;
  std::int32_t launcher_pid = 0;    ///< 0 without a launcher
  std::uint32_t sender_fences = 0;  ///< 1 where membarrier is refused: senders then carry the fence
  std::uint32_t survives = 0;       ///< 1: the job goes on when ranks die; set before the ranks start
  /// Grows with each death, after it has been noted (Liveness, RankBlock::state), and with each revocation, after its
  /// flag is set. Beside what never changes: every poll reads it.
  std::atomic<std::uint32_t> events{0};
  std::uint64_t layout = kLayout;
  /// How the ranks' libraries lay out what they put into the segment; set by the first of them. 0: no rank has come
  /// yet.
  std::atomic<std::uint64_t> library_layout{0};
  char maker[32] = {};  ///< the version of the segment's maker, for messages; zero-terminated

  alignas(kCacheLine) std::atomic<std::uint32_t> awake{0};  ///< initialised ranks that are not asleep in a wait
  /// The local rank of the first that called MPI_Abort; -1: none.
  alignas(kCacheLine) std::atomic<std::int32_t> abort_rank{-1};
  std::atomic<std::int32_t> abort_code{0};
  observe::TraceMode trace_mode = observe::TraceMode::kOff;  ///< set before the ranks start
  std::uint32_t spread = 0;  ///< how far apart the usable cores are: a tuning::Distance; set with their number
  alignas(kCacheLine) std::atomic<std::uint64_t> next_context_id{0};
  alignas(kCacheLine) std::atomic<std::uint64_t> arena_lock{0};
  std::atomic<std::uint64_t> arena_used{0};
  std::atomic<std::uint64_t> regions_end{0};  ///< where the file's next region begins; changed under arena_lock
  alignas(kCacheLine) std::atomic<std::uint32_t> settings_state{kNone};
  char settings[kSettingsBytes] = {};  ///< the settings of all ranks (memory/shared_settings.hpp), zero-terminated
  std::uint64_t guard = kGuard;
};
static_assert(sizeof(JobHeader) == 7 * kCacheLine + JobHeader::kSettingsBytes && alignof(JobHeader) == kCacheLine);

inline constexpr std::uint64_t JobHeader::kLayout = fingerprint({kVersion,
                                                                 sizeof(JobHeader),
                                                                 offsetof(JobHeader, geometry),
                                                                 offsetof(JobHeader, launcher_pid),
                                                                 offsetof(JobHeader, events),
                                                                 offsetof(JobHeader, library_layout),
                                                                 offsetof(JobHeader, awake),
                                                                 offsetof(JobHeader, abort_rank),
                                                                 offsetof(JobHeader, trace_mode),
                                                                 offsetof(JobHeader, spread),
                                                                 offsetof(JobHeader, next_context_id),
                                                                 offsetof(JobHeader, arena_lock),
                                                                 offsetof(JobHeader, settings_state),
                                                                 offsetof(JobHeader, guard),
                                                                 sizeof(JobGeometry),
                                                                 offsetof(JobGeometry, world_ranks),
                                                                 offsetof(JobGeometry, trace_events),
                                                                 offsetof(JobGeometry, connection_bytes),
                                                                 sizeof(RankBlock),
                                                                 offsetof(RankBlock, card),
                                                                 sizeof(observe::StatusCard),
                                                                 offsetof(observe::StatusCard, since_ns),
                                                                 offsetof(observe::StatusCard, collective),
                                                                 offsetof(observe::StatusCard, last),
                                                                 sizeof(observe::LastCalls),
                                                                 offsetof(observe::LastCalls, comms),
                                                                 offsetof(RankBlock, wait),
                                                                 offsetof(observe::WaitRecord, entries),
                                                                 sizeof(observe::CollectiveCard),
                                                                 sizeof(observe::DirectoryHead),
                                                                 sizeof(observe::DirectoryPlace),
                                                                 observe::CommunicatorDirectory::kPlaces,
                                                                 sizeof(observe::TrafficCount),
                                                                 observe::TrafficTable::kMostColumns,
                                                                 observe::PacketTable::bytes(1, 2),
                                                                 sizeof(observe::Event),
                                                                 sizeof(observe::EventRingHead),
                                                                 observe::EventRing::bytes(1),
                                                                 offsetof(observe::EventRingHead, open_site),
                                                                 offsetof(RankBlock, state),
                                                                 offsetof(RankBlock, pid),
                                                                 offsetof(RankBlock, home_rank),
                                                                 offsetof(RankBlock, app_number),
                                                                 offsetof(RankBlock, call_count_seen),
                                                                 offsetof(RankBlock, crash),
                                                                 sizeof(CrashRecord),
                                                                 offsetof(CrashRecord, frames),
                                                                 offsetof(CrashRecord, what)});

}  // namespace starling::memory
