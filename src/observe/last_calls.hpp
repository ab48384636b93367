// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// LastCalls: the latest MPI calls of a rank, with the arguments that tell most, for the report of a failure: the calls
// that were on their way, and how the rank came there.
//
// The arguments are those of the caller: ranks of the communicator, and handles, of which a reader knows the predefined
// ones by their values, and a rank's first communicators by a list beside the calls.
//
// Thread safety: written by the owning rank only (under MPI_THREAD_MULTIPLE under the world's lock), read by anyone.
// All stores are relaxed. Entry n % kMost is that of call n, counted from 0 (StatusCard::calls); it is complete once
// calls is greater. A reader compares calls before and after (read()).
// Layout: 1024 bytes, the same in every process of a job.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace starling::observe {

/// Which arguments of a call are told: bits.
using Tells = std::uint32_t;
inline constexpr Tells kTellsDestination = 1;  ///< peer
inline constexpr Tells kTellsSource = 2;       ///< peer; with a destination: other
inline constexpr Tells kTellsRoot = 4;         ///< peer
inline constexpr Tells kTellsTarget = 8;       ///< peer, of a window
inline constexpr Tells kTellsTag = 16;
inline constexpr Tells kTellsComm = 32;
inline constexpr Tells kTellsCount = 64;      ///< of elements of type
inline constexpr Tells kTellsRequests = 128;  ///< count

struct alignas(64) LastCalls {
  static constexpr std::size_t kMost = 16;
  static constexpr std::size_t kComms = 64;
  static constexpr unsigned kTellsShift = 16;

  struct Entry {
    std::atomic<std::uint32_t> call{0};  ///< index of the MPI function, and Tells << kTellsShift
    std::atomic<std::int32_t> peer{0};
    std::atomic<std::int32_t> tag{0};
    std::atomic<std::uint32_t> comm{0};  ///< the handle
    std::atomic<std::int64_t> count{0};
    std::atomic<std::uint32_t> type{0};  ///< the handle
    std::atomic<std::int32_t> other{0};
  };
  /// A communicator of the rank: place handle % kComms, the last that was made there.
  struct Comm {
    std::atomic<std::uint32_t> handle{0};
    std::atomic<std::uint32_t> context_id{0};
  };

  Entry entries[kMost];
  Comm comms[kComms];

  void name_comm(std::uint32_t handle, std::uint32_t context_id) noexcept {
    Comm& comm = comms[handle % kComms];
    comm.handle.store(handle, std::memory_order_relaxed);
    // release: who sees the id sees whose it is.
    std::atomic_thread_fence(std::memory_order_release);
    comm.context_id.store(context_id, std::memory_order_relaxed);
  }
};
static_assert(sizeof(LastCalls::Entry) == 32);
static_assert(sizeof(LastCalls) == 32 * LastCalls::kMost + 8 * LastCalls::kComms);

/// A call as a reader sees it. What Tells does not name is 0.
struct LastCall {
  std::uint64_t number = 0;  ///< counts the rank's calls, from 1
  std::uint32_t call = 0;    ///< index of the MPI function
  Tells tells = 0;
  std::int32_t peer = 0;
  std::int32_t other = 0;
  std::int32_t tag = 0;
  std::int64_t count = 0;
  std::uint32_t type = 0;                   ///< a handle
  std::uint32_t comm = 0;                   ///< a handle
  std::uint32_t context_id = kNoContextId;  ///< of the communicator, where it is not predefined and was found
  bool has_returned = true;

  static constexpr std::uint32_t kNoContextId = ~std::uint32_t{0};
  friend bool operator==(const LastCall&, const LastCall&) = default;
};

/// The latest calls, at most so many, the oldest first. Of a rank that goes on calling some may be missing. calls and
/// call: of the rank's StatusCard.
[[nodiscard]] std::vector<LastCall> last_calls(const LastCalls& last, const std::atomic<std::uint64_t>& calls,
                                               const std::atomic<std::uint32_t>& call, std::size_t most);

}  // namespace starling::observe
