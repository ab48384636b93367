// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// An MPI call on the timeline of a rank: when it was, how long it waited, for whom and why, and the messages that left
// or came in it. Plain data. Times are nanoseconds since the job began, by the clock of mpiexec's host.
//
// The causes are those of Scalasca (F. Wolf, B. Mohr: Automatic performance analysis of hybrid MPI/OpenMP applications,
// 2003; M. Geimer, F. Wolf, B. Wylie, E. Abraham, D. Becker, B. Mohr: The Scalasca performance toolset architecture,
// 2010), with one word for all waits in collectives: Wait at N x N, Wait at Barrier, Late Broadcast, Early Reduce.
// Thread safety: value types. Ranks are world ranks, but for roots.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace starling::trace {

inline constexpr std::int32_t kNoRank = -1;

/// Why a rank was in a call.
enum class Cause : std::uint8_t {
  kLateSender,    ///< it received before the message was sent
  kLateReceiver,  ///< it sent, and had to wait until the message was received
  kCollective,    ///< it was in a collective that another rank, without which it cannot end, had not yet begun
  kOther,         ///< it waited for something else: a window, a file, the end of the job, a call that is not recorded
  kLibrary        ///< all other time in MPI
};
inline constexpr std::size_t kCauses = 5;

[[nodiscard]] constexpr std::string_view cause_name(Cause cause) noexcept {
  constexpr std::string_view kNames[kCauses] = {"late sender", "late receiver", "wait at collective", "other wait",
                                                "library"};
  return kNames[static_cast<std::size_t>(cause)];
}

/// A part of a call's time that has one cause.
struct WaitPart {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  Cause cause = Cause::kLibrary;
  std::int32_t culprit = kNoRank;  ///< the rank that was late, where that is known
  bool inferred = false;           ///< the culprit's own call is not recorded
};

/// One end of a message.
struct MessageEnd {
  std::int64_t at_ns = 0;  ///< given to the library, or met its receive
  std::uint64_t bytes = 0;
  std::uint64_t flow = 0;  ///< the same number at both ends; 0: the other end is not recorded
  std::int32_t peer = kNoRank;
  std::int32_t tag = -1;
  std::uint32_t context = 0;
  bool sent = false;
};

struct Call {
  std::int32_t rank = 0;
  std::uint32_t thread = 0;
  std::uint32_t function = 0;  ///< index of its name
  std::uint32_t site = 0;      ///< number of the place in the program that has called it; 0: not known
  bool collective = false;
  bool open = false;  ///< it had not ended when the rank did
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t skipped = 0;  ///< calls of this rank before it that were only counted
  // Of a collective.
  std::uint32_t context = 0;
  std::uint64_t number = 0;  ///< on the communicator, from 1
  std::int32_t root = -1;    ///< a rank of the communicator; negative: it has none
  std::uint64_t bytes = 0;
  std::uint64_t flow = 0;  ///< the same number on all its ranks
  // Within it, in the order of time. The waits do not overlap.
  std::vector<WaitPart> waits;
  std::vector<MessageEnd> messages;
};

}  // namespace starling::trace
