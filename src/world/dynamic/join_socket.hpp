// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// JoinSocket: sends and receives whole structs over a socket, such as that of the user's in MPI_Comm_join, while the
// progress engine goes on polling. The socket is the caller's: its options stay as they are, and it is never closed
// here. Thread safety: the holder of the world's lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.hpp"

namespace starling::progress {
class Engine;
}

namespace starling::world {

class JoinSocket {
 public:
  /// advice: what both ends have to do, a sentence without its full stop, for messages.
  JoinSocket(progress::Engine& progress, int socket, std::int64_t patience_ms, const char* advice) noexcept
      : progress_(progress), socket_(socket), patience_ns_(patience_ms * 1'000'000), advice_(advice) {}

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
  Status send_text(std::string_view text);
  /// Of a megabyte at most.
  Status receive_text(std::string* text);

 private:
  Status other_end(const std::string& what) const;
  Status send_bytes(const std::byte* bytes, std::size_t count);
  Status receive_bytes(std::byte* bytes, std::size_t count);
  /// Until the socket is ready, or the other end has been silent for too long.
  Status wait_until(short ready);

  progress::Engine& progress_;
  int socket_;
  std::int64_t patience_ns_;
  const char* advice_;
  bool has_received_ = false;  ///< a byte from the other end
};

}  // namespace starling::world
