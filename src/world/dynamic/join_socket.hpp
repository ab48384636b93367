// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// JoinSocket: sends and receives whole structs over the user's socket, while the progress engine goes on polling. The
// socket is the user's: its options stay as they are, and it is never closed here. Thread safety: the holder of the
// world's lock.
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
  /// The wait for the first byte that the other end ever sends has no limit.
  template <typename Word>
  Status receive(Word* word) {
    return receive_bytes(reinterpret_cast<std::byte*>(word), sizeof *word);
  }

 private:
  Status send_bytes(const std::byte* bytes, std::size_t count);
  Status receive_bytes(std::byte* bytes, std::size_t count);
  /// Until the socket is ready, or the other end has been silent for too long.
  Status wait_until(short ready);

  progress::Engine& progress_;
  int socket_;
  std::int64_t patience_ns_;
  bool has_received_ = false;  ///< a byte from the other end
};

}  // namespace starling::world
