// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Recorder: the events of a traced process, in its ring (observe/event_ring.hpp), as a rank of Starling's own records
// them (observe/tracer.hpp). What a call waits for is known when it begins, how long only when it ends: a call that may
// wait and lasts longer than about a microsecond has waited for all of its time. Messages are those of calls between
// two; their numbers count by sender, receiver, communicator and tag (LogHead::kLanes).
//
// **Thread safety**: any thread; calls of several threads are told by their numbers.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "message_numbers.hpp"
#include "observe/awaited.hpp"
#include "observe/call_modules.hpp"
#include "observe/event_ring.hpp"
#include "seat.hpp"

namespace starling::see {

struct Communicator;

/// A receive that has begun.
struct BegunReceive {
  Envelope wanted;                             ///< of a message that a probe has matched: the message's own
  const Communicator* communicator = nullptr;  ///< null: it is gone
  std::uint64_t room = 0;                      ///< bytes that it takes at most
  std::uint64_t place = 0;                     ///< MessageNumbers::begin()
  std::uint64_t begin_ticks = 0;
  bool is_of_job = true;     ///< else nothing is told of it
  bool is_matched = false;   ///< its message is known by a probe
  std::uint64_t number = 0;  ///< ... and has this number
};

/// A call of the program while it is recorded.
struct RecordedCall {
  std::uint16_t function = 0;
  std::uint64_t site = 0;  ///< where the program goes on after it
  std::uint64_t begin_ticks = 0;
  std::uint64_t end_ticks = 0;              ///< 0: it has not ended
  bool is_told = false;                     ///< however short it is
  std::optional<observe::Awaited> awaited;  ///< the first that it waits for; none: it does not wait
  observe::WaitKind wait_kind = observe::WaitKind::kOther;
  observe::Event told;                  ///< its collective, or its last message
  std::optional<BegunReceive> receive;  ///< that it begins
};

class Recorder {
 public:
  Recorder(const Seat& seat, bool is_threaded);

  /// site: where the program goes on after the call.
  [[nodiscard]] RecordedCall begin(std::uint16_t function, std::uint64_t site);
  void end(RecordedCall& call);

  /// The call sends a message. It may wait for its receive.
  void sent(RecordedCall& call, const Envelope& to, std::uint64_t bytes);
  /// The call begins a receive. place and begin_ticks are set here.
  [[nodiscard]] BegunReceive expects(const RecordedCall& call, BegunReceive receive);
  /// ... which has a message: this one.
  void received(RecordedCall& call, const BegunReceive& receive, const Envelope& from, std::uint64_t bytes);
  /// ... and has none.
  void ends_without(const BegunReceive& receive);
  /// ... and will have one of which nobody hears.
  void ends_unseen(const BegunReceive& receive);
  /// A probe has matched the message of this handle. It was looked for like this.
  void matched(std::uintptr_t message, BegunReceive receive, const Envelope& from);
  [[nodiscard]] std::optional<BegunReceive> take_matched(std::uintptr_t message);

  // Receives that go on beyond their call, by the bits of their requests.
  void keep(std::uintptr_t request, const BegunReceive& receive);
  [[nodiscard]] bool keeps_any() const noexcept { return kept_count_.load(std::memory_order_relaxed) != 0; }
  [[nodiscard]] std::optional<BegunReceive> take(std::uintptr_t request);
  /// A call may complete it. When the call has done so MPI may already have given the request's handle to a receive of
  /// another thread, which has been kept in its place: the receive is the one returned here.
  [[nodiscard]] std::optional<BegunReceive> watch(std::uintptr_t request);
  /// ... it is complete.
  void take_watched(std::uintptr_t request, const BegunReceive& receive);
  /// ... the call has ended without it.
  void unwatch(std::uintptr_t request, const BegunReceive& receive);

  /// The communicator is freed.
  void forget(const Communicator* communicator);
  /// The process is about to leave MPI.
  void leave(std::uint16_t function);

 private:
  [[nodiscard]] std::unique_lock<std::mutex> guard() {
    return is_threaded_ ? std::unique_lock(lock_) : std::unique_lock<std::mutex>();
  }
  [[nodiscard]] bool records_all() const noexcept { return mode_ == observe::TraceMode::kAll; }
  struct Kept {
    BegunReceive receive;
    bool is_watched = false;  ///< by a call of some thread
  };
  [[nodiscard]] Kept* find_kept(std::uintptr_t request, const BegunReceive& receive);
  void withdraw(const BegunReceive& receive);
  void put_wait(const RecordedCall& call, std::uint16_t thread);
  [[nodiscard]] static bool has_waited(const RecordedCall& call) noexcept;

  Seat seat_;
  observe::EventRing ring_;
  observe::TraceMode mode_;
  bool is_threaded_;
  std::mutex lock_;
  observe::CallModules modules_;
  MessageNumbers numbers_;
  std::unordered_map<std::uintptr_t, Kept> kept_;
  std::atomic<std::size_t> kept_count_{0};
  std::unordered_map<std::uintptr_t, BegunReceive> matched_;
  std::uint32_t skipped_ = 0;  ///< calls since the last that was told
  std::uint64_t last_short_send_ = 0;
  std::atomic<std::uint16_t> threads_{0};
};

}  // namespace starling::see
