// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tcp/messages.hpp"

#include <sys/socket.h>

#include <cerrno>

namespace starling::transport::tcp {

MessageReader::Outcome MessageReader::read_bytes(int socket, std::span<std::byte> message) noexcept {
  while (filled_ != message.size()) {
    const ssize_t got = recv(socket, message.data() + filled_, message.size() - filled_, MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return Outcome::kNotYet;
    if (got <= 0) {
      why_ = got < 0 ? errno : 0;
      return Outcome::kEnded;
    }
    filled_ += static_cast<std::size_t>(got);
  }
  filled_ = 0;
  return Outcome::kWhole;
}

bool send_bytes(int socket, std::span<const std::byte> message) noexcept {
  ssize_t sent = 0;
  do sent = send(socket, message.data(), message.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(message.size());
}

}  // namespace starling::transport::tcp
