// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Outgoing: what a connection writes. A packet leaves at once, its payload straight from the sender's memory, or is
// kept with others that follow it soon, so that one call of the system writes them all. What the socket does not take
// is kept, too; until it has gone the connection takes nothing more. Of a long payload nothing is kept: its owner hands
// it on, as the socket takes it.
// Thread safety: the world's lock. Invariants: frames are written whole and in order; the memory for what is kept is
// given back when nothing is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "transport/tcp/frame.hpp"

namespace starling::datatype {
class PackCursor;
}

namespace starling::transport::tcp {

class Outgoing {
 public:
  /// Writes what is kept and then this.
  void send(int socket, const Frame& frame, const void* payload);
  /// Keeps the frame and its payload for the next write.
  void keep(const Frame& frame, const void* payload);
  /// The same with a payload that is packed here; it may turn out shorter than the frame says.
  void keep_packed(Frame frame, datatype::PackCursor& cursor);
  /// Begins a frame whose payload is handed on by go_on() as far as the socket does not take it now; returns how much
  /// it has taken. Nothing else may be sent meanwhile.
  std::size_t begin(int socket, const Frame& frame, const void* payload);
  std::size_t go_on(int socket, const void* payload, std::size_t bytes);
  /// Writes what is kept.
  void write(int socket);
  /// Whether a payload can begin now; one that the socket takes only in part would be copied. False: it is stuck.
  [[nodiscard]] bool has_room(int socket, std::size_t bytes) noexcept;

  [[nodiscard]] std::size_t kept_bytes() const noexcept { return kept_.size() - begin_; }
  /// Frames of which something is kept, or more.
  [[nodiscard]] std::uint64_t kept_frames() const noexcept { return frames_ + (owes() ? 1 : 0); }
  /// Of a payload that was begun something is missing.
  [[nodiscard]] bool owes() const noexcept { return owed_ != 0; }
  /// The socket took no more: it waits until the peer has read.
  [[nodiscard]] bool is_stuck() const noexcept { return stuck_ || owes(); }
  /// A write failed; nothing that is sent arrives any more.
  [[nodiscard]] bool is_broken() const noexcept { return broken_; }

 private:
  struct Piece {
    const void* data;
    std::size_t bytes;
  };
  void append(const void* data, std::size_t bytes);
  /// Writes the pieces after what is kept; keeps what is left of them.
  void write(int socket, std::span<const Piece> pieces);
  /// Writes what is kept and then the pieces; returns how many bytes of these have left.
  std::size_t written_of(int socket, std::span<const Piece> pieces);
  void forget_kept() noexcept;

  std::vector<std::byte> kept_;
  std::size_t begin_ = 0;  ///< of what is kept
  std::uint64_t frames_ = 0;
  std::size_t owed_ = 0;  ///< bytes of a payload that its owner has still to hand on
  bool stuck_ = false;
  bool broken_ = false;
};

}  // namespace starling::transport::tcp
