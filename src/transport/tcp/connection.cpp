// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tcp/connection.hpp"

#include <sys/socket.h>

#include "transport/tcp/socket_state.hpp"

namespace starling::transport::tcp {

bool Connection::has_all_acknowledged() const noexcept { return unacknowledged_bytes(socket.get()).value_or(0) == 0; }

void Connection::watch_for(EventSet& events, Address peer, EventSet::Watch what) noexcept {
  if (what == watch) return;
  watch = what;
  // It was watched before, so this cannot fail.
  static_cast<void>(events.change(socket.get(), what, {EventOf::Kind::kConnection, 0, peer.value}));
}

void Connection::say_goodbye() noexcept {
  if (outgoing.owes()) return;  // the peer finds a packet that does not end, and no goodbye
  Frame goodbye;
  goodbye.type = FrameType::kGoodbye;
  outgoing.send(socket.get(), goodbye, nullptr);
}

void Connection::end(std::span<std::byte> staging) noexcept {
  say_goodbye();
  shutdown(socket.get(), SHUT_WR);
  while (recv(socket.get(), staging.data(), staging.size(), MSG_DONTWAIT) > 0) {
  }
}

}  // namespace starling::transport::tcp
