// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// StripedSends: packets to a rank whose payloads take all links to it. A payload is cut into pieces, and each link
// takes the next when it is free and would bring it no later than the faster ones would; so unequal links carry what
// they can. The connection of all other packets carries pieces, too, and the head of each such packet, which keeps the
// order. Pieces that a lane keeps when it ends go over the other links.
//
// Thread safety: the world's lock. Invariants: packets are numbered in their order; the payload of one is handed on
// whole before the next begins; a piece that was given to a lane is kept until its packet has been taken.
// Source: Lim, Nahum, Towsley, Gibbens, "ECF: An MPTCP Path Scheduler to Manage Heterogeneous Paths" (CoNEXT 2017).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "transport/tcp/connection.hpp"
#include "transport/tcp/frame.hpp"
#include "transport/tcp/lane.hpp"

namespace starling::transport::tcp {

class StripedSends {
 public:
  /// Of payloads that the other rank has not taken: it keeps what comes before its turn.
  static constexpr std::uint64_t kMostUnderWay = 12 * 1024 * 1024;
  /// The same of packets that follow those.
  static constexpr std::uint64_t kMostBehind = 4 * 1024 * 1024;

  /// first: the connection of all other packets. Both outlive it.
  StripedSends(Connection& first, PiecePool& pool) noexcept : first_(first), pool_(pool) {}

  [[nodiscard]] bool has_lane() const noexcept;
  /// A packet with so many bytes may begin.
  [[nodiscard]] bool has_room(std::uint64_t bytes) const noexcept {
    return left_ == 0 && (under_way_ == 0 || under_way_ + bytes <= kMostUnderWay);
  }
  /// Another packet may follow on the first connection.
  [[nodiscard]] bool may_follow() const noexcept { return behind_ < kMostBehind; }
  void note_following(std::size_t bytes) noexcept {
    if (under_way_ != 0) behind_ += bytes;
  }

  /// frame: of the packet, with all its bytes. There is room, and the first connection is not stuck.
  void begin(Frame frame);
  /// Hands on the next bytes of the payload that are there; returns how many the links have taken.
  std::size_t hand(const void* payload, std::size_t bytes, std::int64_t now_ns);
  /// Hands on all the rest.
  void hand_all(const void* payload, std::size_t bytes, std::int64_t now_ns);
  [[nodiscard]] bool is_handing() const noexcept { return left_ != 0; }
  /// Some of a payload is still in this process.
  [[nodiscard]] bool is_inside() const noexcept;

  /// Goes on with what was handed; false: there is none that waits.
  bool go_on(std::int64_t now_ns);
  /// The other rank has taken so many packets.
  void note_taken(std::uint64_t packets);
  /// The lane has ended; what it had goes over the others.
  void lose(Lane& lane, std::int64_t now_ns);
  /// The other rank has taken all.
  [[nodiscard]] bool is_over() const noexcept { return under_way_ == 0 && left_ == 0; }

  std::vector<std::unique_ptr<Lane>> lanes;  ///< by their numbers, the first has 1
  LinkRate first_rate;

 private:
  struct Choice {
    bool is_first = false;
    Lane* lane = nullptr;

    [[nodiscard]] bool is_none() const noexcept { return !is_first && lane == nullptr; }
  };

  /// The link that takes the next piece; left: all that is to be sent.
  [[nodiscard]] Choice choose(std::size_t piece, std::size_t left, std::int64_t now_ns);
  /// How many bytes the first connection takes at once, of so many.
  [[nodiscard]] std::size_t piece_of_first(std::size_t bytes) const noexcept;
  void write_first();
  void give_first(std::uint64_t packet, std::uint64_t at, const void* payload, std::size_t bytes);
  /// Those that a lane has left behind; false: some still wait.
  bool hand_returned(std::int64_t now_ns);

  Connection& first_;
  PiecePool& pool_;
  std::uint64_t begun_ = 0;           ///< packets
  std::uint64_t taken_ = 0;           ///< of them, by the other rank
  std::vector<std::uint64_t> sizes_;  ///< of those that it has not taken
  std::uint64_t under_way_ = 0;       ///< their bytes
  std::uint64_t behind_ = 0;
  std::uint64_t left_ = 0;  ///< bytes that are not handed on yet
  std::uint64_t at_ = 0;    ///< of the packet that is handed on: where the next begins
  std::int64_t next_try_ns_ = 0;
  std::uint64_t first_handed_ = 0;
  std::vector<Piece> returned_;
};

}  // namespace starling::transport::tcp
