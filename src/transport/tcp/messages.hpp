// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The messages of a handshake on a socket that does not block: read to the byte, as packets may follow them.
// Thread safety: none beyond the socket's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace starling::transport::tcp {

/// Reads one message after the other, each in as many parts as it arrives.
class MessageReader {
 public:
  enum class Outcome : std::uint8_t { kNotYet, kWhole, kEnded };

  template <typename Message>
  Outcome read(int socket, Message& message) noexcept {
    return read_bytes(socket, std::as_writable_bytes(std::span(&message, 1)));
  }
  /// A part of the message has come, and not the whole of it.
  [[nodiscard]] bool has_part() const noexcept { return filled_ != 0; }
  /// Why the connection ended, as an errno; 0: the peer has closed it.
  [[nodiscard]] int why() const noexcept { return why_; }

 private:
  Outcome read_bytes(int socket, std::span<std::byte> message) noexcept;

  std::size_t filled_ = 0;
  int why_ = 0;
};

/// Sends a message on a new connection, which has room for it. False: the connection is broken.
[[nodiscard]] bool send_bytes(int socket, std::span<const std::byte> message) noexcept;

template <typename Message>
[[nodiscard]] bool send_message(int socket, const Message& message) noexcept {
  return send_bytes(socket, std::as_bytes(std::span(&message, 1)));
}

}  // namespace starling::transport::tcp
