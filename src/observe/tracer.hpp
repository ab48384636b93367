// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Tracer: records the events of a traced rank into its ring (event_ring.hpp). The components tell it what happens; a
// rank that is not traced has none.
//
// A clock is read where it can tell something: at both ends of a collective, of a wait that has become long and of a
// call that moves more than kLongBytes, and when a message is sent. Other calls are only counted. With TraceMode::kAll
// both ends of every call are timed.
//
// Thread safety: the world's lock. Calls of several threads overlap, so each thread has a CallInProgress.
#pragma once

#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "base/id.hpp"
#include "observe/awaited.hpp"
#include "observe/call_modules.hpp"
#include "observe/event_ring.hpp"
#include "observe/status_card.hpp"

namespace starling::observe {

/// A message as the tracer hears of it. context_id: of the communicator.
struct TracedMessage {
  PeerId peer;
  std::int32_t tag = -1;
  std::uint32_t context_id = Event::kNoContext;
  std::uint64_t bytes = 0;
  std::uint8_t flags = 0;  ///< of Event::Flag
};

class Tracer {
 public:
  /// Messages and calls that move more are always told.
  static constexpr std::uint64_t kLongBytes = 1024;

  Tracer(EventRing ring, TraceMode mode, const StatusCard& card, std::uint32_t world_ranks);
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  /// Calls of this function are timed from now on, whatever they do.
  void time_always(std::uint16_t function);

  // A call begins and ends. Calls within calls are not told.
  /// site: where the program goes on after it; 0: not known.
  void begin_call(std::uint16_t function, std::uint64_t site = 0);
  void end_call();

  // A wait has become long, and ends.
  void begin_wait(const Wait& wait);
  void end_wait();

  /// A message is given to the library.
  void sent(const TracedMessage& message);
  /// The first of a message has come: its number among those of its sender.
  std::uint64_t arrived(PeerId peer);
  /// The time for received(), where a message comes before its receive; 0: the message is not worth it.
  [[nodiscard]] std::uint64_t time_of_arrival(std::uint64_t bytes) const;
  /// A message has met its receive. arrived_ticks: where it had come before.
  void received(const TracedMessage& message, std::uint64_t number, std::uint64_t arrived_ticks);

  /// The rank is about to leave its job.
  void tell_end();

 private:
  struct CallInProgress {
    std::thread::id thread;
    std::uint16_t number = 0;  ///< of the thread
    std::uint16_t function = 0;
    int depth = 0;
    bool begun_late = false;
    std::uint32_t collectives = 0;  ///< begun before it
    std::uint64_t site = 0;
    std::uint64_t begin_ticks = 0;  ///< 0: it is not worth an event so far
    std::uint64_t wait_begin_ticks = 0;
    bool has_waited = false;
    Wait wait;
    TracedMessage message;  ///< the last that it has sent or received
  };
  struct PeerCounts {
    std::uint64_t sent = 0;
    std::uint64_t sent_bytes = 0;
    std::uint64_t arrived = 0;
  };

  [[nodiscard]] CallInProgress& mine();
  [[nodiscard]] bool all() const noexcept { return mode_ == TraceMode::kAll; }
  /// The call has turned out to be worth an event.
  void begin_late(CallInProgress& call, std::uint64_t ticks);
  /// The time of a message that is the first of its call, which has not waited so far: that of the call, without
  /// another look at the counter. 0: it is another message, or the call has no time.
  [[nodiscard]] static std::uint64_t time_of_first(const CallInProgress& call, const TracedMessage& message) noexcept;
  /// Of a message, without its times.
  [[nodiscard]] static Event event_of(EventKind kind, const CallInProgress& call, const TracedMessage& message,
                                      std::uint64_t number) noexcept;
  void tell_collective(Event* event) const;
  [[nodiscard]] PeerCounts* counts_of(PeerId peer) noexcept {
    return !peer.is_none() && peer.index() < counts_.size() ? &counts_[peer.index()] : nullptr;
  }

  EventRing ring_;
  CallModules modules_;
  TraceMode mode_;
  const StatusCard& card_;
  std::vector<bool> timed_;
  std::vector<CallInProgress> calls_;  ///< one for each thread that has called
  std::vector<PeerCounts> counts_;     ///< of the job's ranks
  std::uint32_t skipped_ = 0;          ///< calls since the last that was told
  std::uint64_t last_short_send_ = 0;
};

}  // namespace starling::observe
