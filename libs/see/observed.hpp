// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Observed: all that is kept of the MPI process in which the library is loaded. There is one while it is in MPI, if
// 'starling see' has a place for it.
//
// **Thread safety**: that of its parts; the card tells of one of several threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "communicators.hpp"
#include "observe/awaited.hpp"
#include "recorder.hpp"
#include "requests.hpp"
#include "seat.hpp"
#include "types.hpp"

namespace starling::see {

/// A collective as its rank tells of it.
struct BegunCollective {
  std::uint32_t function = 0;
  std::int32_t root = -1;
  std::uint64_t bytes = 0;
};

class Observed {
 public:
  Observed(const Seat& seat_taken, bool is_threaded);

  /// The operations of the call that is shown; it may wait for them.
  void publish(const observe::Wait& wait) noexcept {
    seat.wait->publish(wait, 0, seat.card->calls.load(std::memory_order_relaxed));
  }
  /// Counts a collective and shows it; gives back its number.
  std::uint32_t begin(Communicator& communicator, const BegunCollective& collective) noexcept;
  void count_message(PeerId to, std::uint64_t bytes) noexcept;

  /// A test has found nothing. Whether the row is long now, and its operations are to be told by begin_tests().
  [[nodiscard]] bool tested_in_vain() noexcept;
  /// wait: of the kind kTestLoop.
  void begin_tests(const observe::Wait& wait) noexcept;
  void end_tests() noexcept {
    if (vain_.load(std::memory_order_relaxed) != 0) [[unlikely]]
      forget_tests();
  }

  Seat seat;
  Communicators communicators;
  Types types;
  Requests requests;
  std::optional<Recorder> recorder;  ///< of a job that is traced

 private:
  /// So many tests in vain are a row of which others should know.
  static constexpr std::uint32_t kLongRow = 256;
  /// ... and at each so many the record says that it goes on.
  static constexpr std::uint32_t kBetweenLooks = 16;

  void forget_tests() noexcept;

  bool threaded_;
  std::atomic<std::uint32_t> vain_{0};
};

/// Null: this process is not seen, or not in MPI.
inline constinit std::atomic<Observed*> observed{nullptr};

/// Whether this thread is in a call of MPI that is seen: what that calls is not told of.
inline constinit thread_local bool inside_call [[gnu::tls_model("initial-exec")]] = false;

}  // namespace starling::see
