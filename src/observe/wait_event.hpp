// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What an event of a wait (EventKind::kWait) tells of that for which it waited: of several operations the first.
// Thread safety: none needed, values only.
#pragma once

#include <cstdint>

#include "observe/awaited.hpp"
#include "observe/event.hpp"

namespace starling::observe {

/// first: null where the wait names nothing.
inline void tell_awaited(WaitKind kind, const Awaited* first, Event* event) noexcept {
  event->wait_kind = static_cast<std::uint8_t>(kind);
  if (first == nullptr) return;
  event->peer = first->peer.value;
  event->context_id = first->context_id;
  event->awaited_as = static_cast<std::uint8_t>(first->as);
  if (first->as == AwaitedAs::kCollective) {
    event->flags = Event::kCollective;
    event->sequence = first->tag > 0 ? static_cast<std::uint64_t>(first->tag) : 0;
  } else {
    event->tag = first->tag;
  }
}

}  // namespace starling::observe
