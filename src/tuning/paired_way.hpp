// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// PairedWay: which of two ways what a rank sends to a peer goes, where the peer sends the same kind back. While both
// send at once each waits for the slower direction, so that neither gains by a better way of its own alone, and two
// ranks that learn by themselves (quicker_way.hpp) would stay where they are. So one of the two leads and learns, and
// the other one goes the way that it has seen last, as long as it sees any; a rank that hears nothing learns by itself.
// Thread safety: none.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "tuning/quicker_way.hpp"

namespace starling::tuning {

template <typename Learnt>
class BasicPairedWay {
 public:
  /// Actions for which what was heard last holds: two windows of as many messages as programs have under way at once.
  static constexpr std::uint32_t kHeardFor = 128;

  /// seed: of the chance. leads: of the two ends exactly one, or both, which learn by themselves then.
  explicit BasicPairedWay(std::uint32_t seed = 0, bool leads = true) noexcept : own_(seed), leads_(leads) {}

  /// Of the next action: whether it goes the second way. The first actions go the first way.
  [[nodiscard]] bool next_is_second() noexcept {
    if (heard_for_ == 0) return own_.next_is_second();
    --heard_for_;
    return heard_second_;
  }

  /// The peer's action has gone that way.
  void hear(bool second) noexcept {
    if (leads_) return;
    heard_second_ = second;
    heard_for_ = kHeardFor;
  }

  /// The second way could not be gone: the first one holds for as long as may be, whatever the peer does.
  void forbid_second() noexcept {
    leads_ = true;
    heard_for_ = 0;
    own_.forbid_second();
  }

 private:
  Learnt own_;
  bool leads_;
  bool heard_second_ = false;
  std::uint32_t heard_for_ = 0;
};

/// Of messages and the like.
using PairedWay = BasicPairedWay<QuickerWay>;

/// The way of what has up to kFirstBytes, of what has up to twice as many, and so on, each learnt by itself.
template <std::uint64_t kFirstBytes>
class PairedWays {
 public:
  static constexpr std::uint32_t kSizes = 4;

  /// seed: of each peer another one, kSizes apart. leads: as of each way.
  explicit PairedWays(std::uint32_t seed = 0, bool leads = true) noexcept {
    for (PairedWay& way : ways_) way = PairedWay(seed++, leads);
  }

  [[nodiscard]] PairedWay& of(std::uint64_t bytes) noexcept {
    return ways_[std::min<std::size_t>(static_cast<std::size_t>(std::bit_width((bytes - 1) / kFirstBytes)),
                                       kSizes - 1)];
  }

 private:
  std::array<PairedWay, kSizes> ways_;
};

}  // namespace starling::tuning
