// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Event: what a traced rank records (mpiexec --trace): a call, a wait within it, a message that leaves, a message that
// meets its receive. Times are ticks of the processor's counter (base/cycles.hpp), which all ranks of a node share; the
// log says how ticks become nanoseconds (event_log.hpp).
//
// A message has an identity that both sides know without saying it: the sender, the receiver, and its number among the
// messages from the one to the other, which come in the order in which they were sent. Both sides count all messages;
// only some have events.
//
// Thread safety: a value. Layout: 64 bytes, the same in every process of a job and in the log.
#pragma once

#include <cstdint>

namespace starling::observe {

/// Its number is shared with other processes and with logs.
enum class EventKind : std::uint8_t {
  kNone = 0,
  /// An MPI call, told at its end. A collective, also one that only starts: context_id, sequence, peer (its root, a
  /// rank of the communicator; negative: none) and bytes are the collective's, and flags has kCollective.
  kCall = 1,
  /// A wait within a call that lasted long enough to be seen (about a microsecond), told at its end and before its
  /// call: what it waited for first, as the status card has it (observe/awaited.hpp).
  kWait = 2,
  /// A message is given to the library: at begin_ticks, which is end_ticks. peer: the destination.
  kSend = 3,
  /// A message has met its receive at end_ticks. peer: the source. Where it had come before (kUnexpected) begin_ticks
  /// is when it came, 0 where that is not known; else it is end_ticks.
  kReceive = 4,
  /// The rank has joined its job (call 0), or is about to leave it (call of MPI_Finalize).
  kMark = 5,
  /// Made by the reader of a ring: a call that had not ended when the rank did. end_ticks: when the ring was read.
  kOpenCall = 6,
  /// Told when the rank leaves its job, for each peer that it has sent to: peer, sequence (messages), bytes.
  kTraffic = 7
};

struct Event {
  enum Flag : std::uint8_t {
    kCollective = 1,   ///< kCall: see there; kSend, kReceive: a message within a collective
    kPartitioned = 2,  ///< a part of a partitioned message
    kUnexpected = 4,   ///< kReceive: the message had come before its receive
    kRendezvous = 8,   ///< the message moves only when both sides have met: its sender waits for the receive
    kBegunLate = 16    ///< kCall: begin_ticks is not when the call began but when it first waited or met its message
  };

  std::uint64_t begin_ticks = 0;
  std::uint64_t end_ticks = 0;
  EventKind kind = EventKind::kNone;
  std::uint8_t flags = 0;
  std::uint16_t call = 0;        ///< index of the MPI function in the generated table (api/functions.hpp)
  std::uint32_t context_id = 0;  ///< of the communicator (comm::Communicator::context_id); kNoContext: none
  std::int32_t peer = -1;        ///< world rank, or of a collective its root; negative: none, or any
  std::int32_t tag = -1;         ///< negative: none, or any
  std::uint64_t bytes = 0;
  /// Of a message: its number from its sender to its receiver, from 1. Of a collective: its number on the communicator,
  /// from 1; of a wait for a collective as well. 0: none.
  std::uint64_t sequence = 0;
  /// kCall, kOpenCall: the address in the process at which the program goes on after the call (module_record.hpp says
  /// in which file that is); 0: not known.
  std::uint64_t site = 0;
  std::uint32_t skipped = 0;    ///< kCall: calls of this rank before it that were counted and not timed
  std::uint16_t thread = 0;     ///< numbers the threads of the rank that have called MPI, from 0
  std::uint8_t wait_kind = 0;   ///< kWait: WaitKind
  std::uint8_t awaited_as = 0;  ///< kWait: AwaitedAs, of the first that it waited for

  static constexpr std::uint32_t kNoContext = ~std::uint32_t{0};
};
static_assert(sizeof(Event) == 64 && alignof(Event) == 8);

}  // namespace starling::observe
