// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The status card: a small record of each rank in shared memory. It says in which call the rank is, since when it
// waits, and which collectives it has begun last. Beside it lies what the wait waits for (wait_record.hpp).
//
// A rank is quiet at a moment when it has seen all that others had sent to it until then, has sent all that it had to
// send, and is in a wait that this did not end. Two samples prove that a rank was quiet between them: calls, since_ns
// and moves are the same in both, the wait was described after the last move (WaitSample::moves), and
//   - either asleep is the same in both, not 0, and names the ticket that the rank's doorbell still has after both;
//   - or looks has grown by 2 or more: a whole round in between found nothing.
// Ranks that were all quiet between the same two rounds of samples have no message under way among them in shared
// memory. A network may still have one.
//
// Thread safety: written by the owning rank only (its last writer wins under MPI_THREAD_MULTIPLE: kThreads), read by
// anyone. All stores are relaxed, but for told. A reader may see fields of two successive calls: it reads a card twice,
// and what is equal with calls equal is of one moment. A collective is whole when told, read before it with acquire, is
// its number or more, and begun, read after it behind an acquire fence, is less than kMost more than its number
// (card_sample.hpp does all that).
// Layout: 64 bytes, the last collectives and the last calls, the same in every process of a job.
#pragma once

#include <atomic>
#include <cstdint>

#include "observe/last_calls.hpp"

namespace starling::observe {

/// The collective operations that a rank has begun last, on whatever communicators, complete or not. A constructor of
/// communicators that talks over its parent several times is one operation. Those before the last tell where the ranks
/// of a communicator parted, though some have gone on from there.
struct alignas(64) CollectiveCard {
  static constexpr std::uint32_t kMost = 8;
  struct Entry {
    std::atomic<std::uint32_t> context_id{0};  ///< of the communicator
    std::atomic<std::uint32_t> sequence{0};    ///< of the communicator's collectives on this rank, counted from 1
    std::atomic<std::uint32_t> call{0};        ///< which MPI call began it, or of a persistent one has made it
    std::atomic<std::int32_t> root{-1};        ///< a rank of the communicator; negative: it has no root
    std::atomic<std::uint64_t> bytes{0};       ///< of this rank's part
    std::uint64_t reserved = 0;
  };

  std::atomic<std::uint32_t> begun{0};  ///< collectives of this rank on all communicators, stored first
  std::atomic<std::uint32_t> told{0};   ///< the same, stored last with release
  std::uint64_t reserved[7] = {};
  Entry entries[kMost];  ///< that of the n-th collective is number n modulo kMost

  [[nodiscard]] Entry& entry(std::uint32_t number) noexcept { return entries[number % kMost]; }
  [[nodiscard]] const Entry& entry(std::uint32_t number) const noexcept { return entries[number % kMost]; }
};
static_assert(sizeof(CollectiveCard::Entry) == 32 && sizeof(CollectiveCard) == 320);

struct alignas(64) StatusCard {
  enum Flag : std::uint32_t {
    kThreads = 1,        ///< several threads may be in MPI at once: the card tells of one of them
    kConnectedJobs = 2,  ///< talks, or has talked, to processes of other jobs
  };

  std::atomic<std::uint32_t> call{0};       ///< index of the MPI function in the generated table, 0 = outside MPI
  std::atomic<std::uint32_t> flags{0};      ///< of Flag; only added to
  std::atomic<std::uint64_t> calls{0};      ///< MPI calls made so far
  std::atomic<std::int64_t> since_ns{0};    ///< now_ns() when the wait had become long, 0 = not waiting
  std::atomic<std::uint64_t> heartbeat{0};  ///< grows when a wait or a row of tests gives the core away
  std::atomic<std::uint64_t> moves{0};      ///< grows when a long wait has moved anything
  std::atomic<std::uint64_t> asleep{0};     ///< kAsleep + the ticket of the doorbell that it sleeps on; 0: awake
  std::atomic<std::uint64_t> looks{0};  ///< grows while a long wait does not sleep, between rounds that found nothing
  /// now_ns() when a row of tests had become long; 0: none. It goes on over calls that find nothing and ends with one
  /// that finds something. Where the program has turned to something else it stays: see WaitSample::calls.
  std::atomic<std::int64_t> tests_since_ns{0};
  CollectiveCard collective;
  LastCalls last;  ///< of the calls that calls counts

  static constexpr std::uint64_t kAsleep = std::uint64_t{1} << 32;
};
static_assert(sizeof(StatusCard) == 64 + sizeof(CollectiveCard) + sizeof(LastCalls));

}  // namespace starling::observe
