// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// JoinSocket: whole words over the user's socket, while messages go on moving. The socket is the user's: its options
// are left as they are, and it is never closed here. Thread safety: the holder of the world's lock.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.hpp"

namespace starling::progress {
class Engine;
}

namespace starling::world {

class JoinSocket {
 public:
  JoinSocket(progress::Engine& progress, int socket, std::int64_t patience_ms) noexcept
      : progress_(progress), socket_(socket), patience_ns_(patience_ms * 1'000'000) {}

  /// kArg when this is no connected stream socket.
  [[nodiscard]] Status check() const;

  template <typename Word>
  Status send(const Word& word) {
    return send_bytes(reinterpret_cast<const std::byte*>(&word), sizeof word);
  }
  /// The other end may take its time for the first byte that it ever sends.
  template <typename Word>
  Status receive(Word* word) {
    return receive_bytes(reinterpret_cast<std::byte*>(word), sizeof *word);
  }

 private:
  Status send_bytes(const std::byte* bytes, std::size_t count);
  Status receive_bytes(std::byte* bytes, std::size_t count);
  /// Until the socket is ready, or the other end's time is over.
  Status wait_until(short ready);

  progress::Engine& progress_;
  int socket_;
  std::int64_t patience_ns_;
  bool has_spoken_ = false;  ///< the other end
};

}  // namespace starling::world
