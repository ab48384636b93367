// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// PairedWay: which of two ways what a rank sends to a peer goes, where the peer sends the same kind back. While both
// send at once each waits for the slower direction, so that neither gains by a better way of its own alone, and two
// ranks that learn by themselves (quicker_way.hpp) would stay where they are. So one of the two leads and learns, and
// the other one goes the way that it has seen last, as long as it sees any; a rank that hears nothing learns by itself.
// Thread safety: none.
#pragma once

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

}  // namespace starling::tuning
