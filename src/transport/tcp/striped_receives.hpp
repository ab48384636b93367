// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// StripedReceives: what comes from a rank whose long payloads take several links. A payload is put together where the
// sink wants it; what the links bring of later packets, and the packets that follow, are kept until it is their turn.
// A piece that comes twice, because the sender had to give up a link, counts once.
//
// Thread safety: the world's lock. Invariants: packets are handed on in the order of their heads on the first
// connection; how much is kept is the sender's limit (StripedSends::kMostUnderWay).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "transport/tcp/frame.hpp"
#include "transport/tcp/incoming.hpp"

namespace starling::transport::tcp {

class StripedReceives {
 public:
  /// longest: payload.
  explicit StripedReceives(std::size_t longest) noexcept : longest_(longest) {}

  /// A packet, the head of one, or a piece. packets: takes them in their order. False: it is not as agreed.
  [[nodiscard]] bool on_frame(const Frame& frame, std::span<const std::byte> payload, bool placed, FrameSink& packets);
  /// Where the payload of such a frame may be put at once; see FrameSink.
  [[nodiscard]] std::byte* destination(const Frame& frame, FrameSink& packets);

  /// Something is kept that waits for pieces.
  [[nodiscard]] bool is_waiting() const noexcept { return !packets_.empty(); }
  /// Packets that came in pieces and were handed on.
  [[nodiscard]] std::uint64_t taken() const noexcept { return first_; }

 private:
  struct Part {
    enum class State : std::uint8_t { kMissing, kKept, kTaken };

    State state = State::kMissing;
    std::uint64_t at = 0;
    std::size_t bytes = 0;
    std::unique_ptr<std::byte[]> memory;  ///< of one that comes before its packet's turn
  };
  struct KeptPacket {
    Frame frame;
    std::vector<std::byte> payload;
  };
  struct Assembly {
    bool is_known = false;  ///< its head has come
    bool has_begun = false;
    bool is_placed = false;       ///< the sink had a place for it
    Frame frame;                  ///< of the packet, with all its bytes
    std::byte* memory = nullptr;  ///< of one that has begun
    std::unique_ptr<std::byte[]> own;
    std::vector<Part> parts;
    std::size_t arrived = 0;
    std::vector<KeptPacket> behind;  ///< what came on the first connection after its head
  };

  [[nodiscard]] bool on_head(const Frame& frame, std::span<const std::byte> payload, FrameSink& packets);
  [[nodiscard]] bool on_piece(const Frame& frame, std::span<const std::byte> payload, FrameSink& packets);
  /// Of a packet that has not been taken; null: it has.
  [[nodiscard]] Assembly* find(std::uint64_t number);
  [[nodiscard]] static Part& part_of(Assembly& packet, const Frame& piece);
  [[nodiscard]] bool is_right(const Frame& piece) const noexcept;
  /// It is its turn.
  static void begin(Assembly& packet, FrameSink& packets);
  static std::byte* memory_of(Assembly& packet, FrameSink& packets);
  /// Hands on what is whole.
  void advance(FrameSink& packets);

  std::size_t longest_;
  std::uint64_t first_ = 0;  ///< number of the first that has not been taken
  std::uint64_t known_ = 0;  ///< heads that have come, in all
  std::deque<Assembly> packets_;
};

}  // namespace starling::transport::tcp
