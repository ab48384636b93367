// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// EventSet: the sockets of a rank, of which those that can be read or written are found by one call (epoll), and a
// timer among them. Its own descriptor is readable when any of them is.
// Thread safety: the world's lock; any thread may poll descriptor().
#pragma once

#include <sys/epoll.h>

#include <cstdint>
#include <span>

#include "base/descriptor.hpp"
#include "base/status.hpp"

namespace starling::transport::tcp {

/// What an event is about.
struct EventOf {
  enum class Kind : std::uint8_t { kListener, kTimer, kCall, kVisitor, kConnection, kLane, kLaneOfPeer };

  Kind kind = Kind::kListener;
  std::uint8_t attempt = 0;  ///< of a call; of a lane its number
  std::int32_t number = 0;   ///< the peer's rank; of a visitor its place, of a listener its number
};

class EventSet {
 public:
  enum class Watch : std::uint8_t { kNothing, kReading, kBoth };
  static constexpr std::size_t kMostAtOnce = 64;

  static Result<EventSet> create();

  // A socket leaves the set when it is closed.
  [[nodiscard]] bool add(int socket, Watch watch, EventOf about) noexcept;
  [[nodiscard]] bool change(int socket, Watch watch, EventOf about) noexcept;

  /// Those that are ready now.
  [[nodiscard]] std::span<const epoll_event> ready() noexcept;
  [[nodiscard]] static EventOf about(const epoll_event& event) noexcept;
  /// Whether there are any.
  [[nodiscard]] bool is_ready() const noexcept;

  /// The timer is ready from this time on; INT64_MAX: never.
  void set_timer(std::int64_t due_ns) noexcept;
  [[nodiscard]] int descriptor() const noexcept { return epoll_.get(); }

 private:
  [[nodiscard]] bool control(int operation, int socket, Watch watch, EventOf about) noexcept;

  Descriptor epoll_;
  Descriptor timer_;
  epoll_event events_[kMostAtOnce] = {};
};

}  // namespace starling::transport::tcp
