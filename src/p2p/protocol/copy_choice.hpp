// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// CopyChoice: how eager messages of more than 4 KiB go to one peer: through the transport's buffers, copied by both
// ends, or offered, so that the receiver copies them once, straight from the sender's memory.
//
// Which is quicker no constant tells. A single copy costs a call of the kernel, on one machine a quarter of what it
// costs on another. It reads what the sender has just written out of the sender's cache, and leaves it where the
// sender's next writes have to ask for it; but a buffer that the program sends again as it is lies in the receiver's
// cache by then, while buffers in shared memory bring it there anew each time. A message that is copied once keeps its
// sender until the receiver is there. So it is learnt, for messages of each size by themselves.
//
// Where both ranks send such messages they go the same way (tuning/paired_way.hpp): each message says how it came.
//
// Thread safety: the world's lock. Invariants: a message is asked for once.
#pragma once

#include <cstdint>

#include "p2p/request/send_request.hpp"
#include "tuning/paired_way.hpp"

namespace starling::p2p {

class CopyChoice {
 public:
  static constexpr std::int64_t kLeastBytes = 4097;  ///< shorter ones always go through buffers
  using Ways = tuning::PairedWays<8192>;

  /// For the peer of that number, counted in its transport. leads: of the two ranks that send to each other one.
  CopyChoice(std::uint32_t peer, bool leads) noexcept : ways_(peer * Ways::kSizes, leads) {}

  /// The way of the next message.
  [[nodiscard]] CopyWay way_of(std::int64_t bytes) noexcept {
    return way(bytes).next_is_second() ? CopyWay::kOnce : CopyWay::kThroughBuffers;
  }

  /// A message of the peer, who had the choice, has come that way.
  void hear(std::int64_t bytes, CopyWay how) noexcept { way(bytes).hear(how == CopyWay::kOnce); }

  /// The receiver could not copy it, and asks for it another way.
  void note_refused(std::int64_t bytes) noexcept { way(bytes).forbid_second(); }

 private:
  tuning::PairedWay& way(std::int64_t bytes) noexcept { return ways_.of(static_cast<std::uint64_t>(bytes)); }

  Ways ways_;
};

}  // namespace starling::p2p
