// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tcp/connection.hpp"

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

namespace starling::transport::tcp {

bool Connection::has_all_acknowledged() const noexcept {
  int bytes = 0;
  return ioctl(socket.get(), SIOCOUTQ, &bytes) != 0 || bytes == 0;
}

void Connection::say_goodbye() noexcept {
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
