// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How a rank of another MPI gets a place in a job segment: the preloaded library (libs/see) asks 'starling see' at an
// abstract socket, whose name is in the environment, and gets the segment's descriptor with the answer. When the rank
// leaves MPI it says so, and what it has used.
//
// Thread safety: values. Layout: fixed; both sides may come from different builds, so kLayout tells those apart.
#pragma once

#include <cstdint>

#include "observe/communicator_directory.hpp"
#include "observe/event_log.hpp"
#include "observe/event_ring.hpp"
#include "observe/status_card.hpp"
#include "observe/wait_record.hpp"

namespace starling::observe {

/// The environment variable with the name of the socket.
inline constexpr const char* kJoinVariable = "STARLING_SEE";

struct JoinRequest {
  static constexpr std::uint64_t kMagic = 0x326e696f4a676e74;  // "tngJoin2": raised with each change of meaning
  static constexpr std::uint64_t kLayout =
      sizeof(StatusCard) | sizeof(WaitRecord) << 16 | sizeof(Event) << 32 | std::uint64_t{sizeof(DirectoryPlace)} << 48;

  std::uint64_t magic = kMagic;
  std::uint64_t layout = kLayout;
  std::int32_t rank = 0;        ///< world rank
  std::int32_t ranks = 0;       ///< of the job
  std::int32_t ranks_here = 0;  ///< on this host; 0: not known
  std::uint32_t reserved = 0;
};
static_assert(sizeof(JoinRequest) == 32);

/// Offsets are those of the segment's parts (memory/job_segment.hpp).
struct JoinAnswer {
  std::uint64_t magic = JoinRequest::kMagic;
  std::uint64_t bytes = 0;  ///< of the segment; 0: there is no place for this rank
  std::uint64_t card = 0;
  std::uint64_t wait = 0;
  std::uint64_t directory = 0;
  std::uint64_t traffic = 0;
  std::uint64_t event_ring = 0;
  std::uint32_t local_rank = 0;
  std::uint32_t ranks = 0;  ///< of the segment
  std::uint32_t world_ranks = 0;
  std::uint32_t trace_events = 0;
  TraceMode trace_mode = TraceMode::kOff;
  std::uint32_t reserved = 0;
};
static_assert(sizeof(JoinAnswer) == 80);

/// What a rank sends when it has come through MPI_Finalize.
struct JoinLeave {
  static constexpr std::uint64_t kMagic = 0x65766165;  // "eave"

  std::uint64_t magic = kMagic;
  UsageRecord usage;  ///< of its process until then
};
static_assert(sizeof(JoinLeave) == 40);

}  // namespace starling::observe
