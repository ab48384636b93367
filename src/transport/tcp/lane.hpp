// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Lane: a further connection to a rank, over a link of its own, for pieces of long payloads. What it is given it keeps
// until the other rank has taken it, so that another lane can carry it if this one ends.
// Thread safety: the world's lock. Invariants: pieces are written whole and in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/descriptor.hpp"
#include "transport/tcp/lane_call.hpp"
#include "transport/tcp/lane_ways.hpp"
#include "transport/tcp/link_rate.hpp"
#include "transport/tcp/piece_memory.hpp"
#include "transport/tcp/silence.hpp"
#include "transport/tcp/socket_state.hpp"

namespace starling::transport::tcp {

struct Piece {
  std::uint64_t packet = 0;
  std::uint64_t at = 0;  ///< in the payload
  std::size_t bytes = 0;
  PieceMemory memory;  ///< its frame and its payload

  [[nodiscard]] const std::byte* payload() const noexcept { return memory.get() + PaddedFrame::kBytes; }
  [[nodiscard]] std::size_t frame_bytes() const noexcept { return PaddedFrame::kBytes + bytes; }
};

/// A copy of what is at `payload`.
[[nodiscard]] Piece make_piece(PiecePool& pool, std::uint64_t packet, std::uint64_t at, const void* payload,
                               std::size_t bytes);

class Lane {
 public:
  /// Without an answer for so long it is given up: nothing is lost by that, so it is sooner than that a host is dead.
  static constexpr std::int64_t kPatienceMs = 1000;

  Lane(LaneWay way, std::uint8_t number) : way_(std::move(way)), number_(number) {}

  [[nodiscard]] const LaneWay& way() const noexcept { return way_; }
  [[nodiscard]] std::uint8_t number() const noexcept { return number_; }
  [[nodiscard]] bool is_open() const noexcept { return socket_.valid(); }
  [[nodiscard]] bool is_called() const noexcept { return call_ != nullptr; }
  /// It is closed, and may be called again.
  [[nodiscard]] bool is_due(std::int64_t now_ns) const noexcept {
    return !is_open() && !is_called() && now_ns >= due_ns_;
  }

  void call(WorldRank to, Handshake& handshake, EventSet& events, const Settings& settings, std::int64_t now_ns);
  /// Its call has something to say, or has had its time.
  void look_after_call(std::int64_t now_ns, bool has_event);

  /// Nothing that it was given waits for its socket.
  [[nodiscard]] bool is_free() const noexcept { return written_ == pieces_.size(); }
  /// Nothing that it was given may have to go another way.
  [[nodiscard]] bool is_empty() const noexcept { return pieces_.empty(); }
  /// It is free, and writes it as far as its socket takes it.
  void give(Piece piece, std::int64_t now_ns);
  /// Goes on with what waits for its socket.
  void write();
  /// The other rank has taken all packets before this one.
  void forget(std::uint64_t before, PiecePool& pool);
  /// Closes it at once; what it was given and is not known to be taken comes back. It may be called again after a
  /// while.
  [[nodiscard]] std::vector<Piece> close(std::int64_t now_ns);

  /// Bytes that were given to it and have not reached the other machine.
  [[nodiscard]] std::size_t waiting_bytes() const noexcept;
  [[nodiscard]] bool has_room(std::size_t bytes) const noexcept {
    return why_ == 0 && has_room_for(socket_.get(), bytes);
  }
  /// How long the other machine has owed an answer.
  [[nodiscard]] std::int64_t silent_ms(std::int64_t now_ns) noexcept {
    return silence_.expects() ? silence_.look(socket_.get(), now_ns) : 0;
  }
  [[nodiscard]] bool expects() const noexcept { return silence_.expects(); }
  [[nodiscard]] int socket() const noexcept { return socket_.get(); }
  /// Why the connection is broken, an errno; 0: it is not, as far as one knows.
  [[nodiscard]] int why() const noexcept { return why_; }

  LinkRate rate;
  std::uint64_t handed_bytes = 0;  ///< in all

 private:
  LaneWay way_;
  std::uint8_t number_;
  std::unique_ptr<LaneCall> call_;
  std::int64_t call_until_ns_ = 0;
  std::int64_t due_ns_ = 0;
  std::int64_t first_pause_ns_ = 0;
  std::int64_t pauses_ = 0;  ///< so many before it is called again
  std::int64_t opened_ns_ = 0;
  Descriptor socket_;
  Silence silence_;
  std::deque<Piece> pieces_;       ///< not known to be taken
  std::size_t written_ = 0;        ///< of them, whole
  std::size_t written_bytes_ = 0;  ///< of the next
  int why_ = 0;
};

}  // namespace starling::transport::tcp
