// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// CopyChoice: how eager messages of several packets go to one peer: through the transport's buffers, copied by both
// ends, or offered, so that the receiver copies them once, straight from the sender's memory.
//
// Which is quicker no constant tells. A single copy costs a call of the kernel, on one machine a quarter of what it
// costs on another. It reads what the sender has just written out of the sender's cache, and leaves it where the
// sender's next writes have to ask for it; but a buffer that the program sends again as it is lies in the receiver's
// cache by then, while buffers in shared memory bring it there anew each time. A message that is copied once keeps its
// sender until the receiver is there. So it is learnt, for messages of each size by themselves.
//
// Thread safety: the world's lock. Invariants: a message is asked for once.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "p2p/request/send_request.hpp"
#include "tuning/quicker_way.hpp"

namespace starling::p2p {

class CopyChoice {
 public:
  static constexpr std::uint32_t kSizes = 4;

  /// seed: of each peer another one, kSizes apart.
  explicit CopyChoice(std::uint32_t seed = 0) noexcept {
    for (tuning::QuickerWay& way : ways_) way = tuning::QuickerWay(seed++);
  }

  /// The way of the next message; packet: bytes that fit one.
  [[nodiscard]] CopyWay way_of(std::int64_t bytes, std::size_t packet) noexcept {
    return ways_[size_of(bytes, packet)].next_is_second() ? CopyWay::kOnce : CopyWay::kThroughBuffers;
  }

  /// The receiver could not copy it, and asks for it another way.
  void note_refused(std::int64_t bytes, std::size_t packet) noexcept { ways_[size_of(bytes, packet)].forbid_second(); }

 private:
  /// Messages of so many packets, up to twice as many.
  [[nodiscard]] static std::size_t size_of(std::int64_t bytes, std::size_t packet) noexcept {
    const std::uint64_t packets = std::max<std::uint64_t>((static_cast<std::uint64_t>(bytes) - 1) / packet, 1);
    return std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(packets)) - 1, kSizes - 1);
  }

  std::array<tuning::QuickerWay, kSizes> ways_;
};

}  // namespace starling::p2p
