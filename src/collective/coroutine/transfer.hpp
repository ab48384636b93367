// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The awaiters of point-to-point messages: Transfer is one message that has been started, Batch is any number of them.
//
//   co_await call.send(...);                      one message
//   Batch batch(call); batch.send(...); batch.receive(...); co_await batch;      all of them
//
// Thread safety: the holder of the world's lock.
// Invariants: every started message is awaited before its awaiter dies, but when the call is interrupted: then its
// messages have ended before. A failure, and a message that is shorter than
// its receiver expects, is noted in the Call.
#pragma once

#include <array>
#include <coroutine>
#include <cstdint>
#include <utility>
#include <vector>

#include "collective/coroutine/executor.hpp"
#include "p2p/request/request.hpp"

namespace starling::collective {

class Call;

/// A message in flight and what the receiver expects of it.
struct Flight {
  p2p::Request* request = nullptr;
  std::int64_t expected_bytes = kSend;  ///< kSend: nothing to check
  std::int32_t peer = -1;

  static constexpr std::int64_t kSend = -1;
};

/// Takes note of how the message ended and gives the request back.
void settle(Call& call, const Flight& flight);
/// Gives the request back; nobody asks how it ended.
void abandon(const Flight& flight);

class Transfer : private Resumption {
 public:
  Transfer(Call& call, const Flight& flight) noexcept : call_(&call), flight_(flight) {}
  Transfer(Transfer&& other) noexcept : call_(other.call_), flight_(other.take()) {}
  Transfer& operator=(Transfer&& other) noexcept {
    std::swap(flight_, other.flight_);
    return *this;
  }
  ~Transfer() {
    if (flight_.request != nullptr) [[unlikely]]
      abandon(flight_);
  }

  /// Gives the message to somebody else to await.
  [[nodiscard]] Flight take() noexcept { return std::exchange(flight_, Flight{}); }

  bool await_ready() const noexcept { return flight_.request->complete(); }
  void await_suspend(std::coroutine_handle<> waiting) noexcept;
  void await_resume() { settle(*call_, take()); }

 private:
  Call* call_;
  Flight flight_;
};

class Batch : private Resumption {
 public:
  explicit Batch(Call& call) noexcept : call_(call) {}
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  ~Batch() {
    for (std::size_t i = 0; i < size_; ++i) abandon(flight(i));
  }

  void add(Transfer&& transfer) {
    if (size_ < first_.size()) {
      first_[size_] = transfer.take();
    } else {
      more_.push_back(transfer.take());
    }
    ++size_;
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  // Awaiting a batch awaits all its messages; afterwards it is empty and can be filled again.
  bool await_ready() const noexcept;
  void await_suspend(std::coroutine_handle<> waiting) noexcept;
  void await_resume();

 private:
  static void arrived(p2p::Request& request, void* batch);

  [[nodiscard]] const Flight& flight(std::size_t index) const noexcept {
    return index < first_.size() ? first_[index] : more_[index - first_.size()];
  }

  Call& call_;
  std::size_t size_ = 0;
  std::size_t outstanding_ = 0;
  std::array<Flight, 4> first_;  // most batches are an exchange of two: no allocation for them
  std::vector<Flight> more_;
};

}  // namespace starling::collective
