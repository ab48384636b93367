// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// QuickerWay: which of two ways to do the same thing is the quicker one in this program on this machine, learnt while
// the program does it again and again.
//
// What an action costs is more than the time spent in it: it may slow down what the program does next, or make it wait.
// All of that shows in the time from action to action, and it is what the program wants less of. So now and then a
// burst of actions goes the other way, after one that went as before, and where it was quicker three times, that is the
// way from then on. Trials become more and more seldom, and a way that is much slower is left half-way. When actions
// have become slower the next trial comes early: the program may do something else now. Between trials lies a chance
// part, so that ways that share that time, as of messages to several peers, are not tried together for ever.
//
// Thread safety: none. Invariants: until_early_ <= interval_.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/cycles.hpp"

namespace starling::tuning {

/// kBlock: actions that are timed together, as many as programs have under way at once, or more.
template <std::uint64_t (*kClock)(), std::uint32_t kBlock>
class BasicQuickerWay {
 public:
  // In blocks.
  static constexpr std::uint32_t kShortest = 1;  ///< from trial to trial, and
  static constexpr std::uint32_t kLongest = 512;
  static constexpr std::uint32_t kBurst = 3;  ///< the first is not timed: it meets what is under way and cold caches

  /// seed: of the chance.
  explicit BasicQuickerWay(std::uint32_t seed = 0) noexcept : chance_(seed) { end_trial(kShortest); }

  /// Of the next action: whether it goes the second way. The first actions go the first way.
  [[nodiscard]] bool next_is_second() noexcept {
    if (in_block_++ == kBlock) end_block(kClock());
    return uses_second_ != is_other();
  }

  /// The second way could not be gone: the first one holds, for as long as may be.
  void forbid_second() noexcept {
    uses_second_ = false;
    end_trial(kLongest);
  }

 private:
  static constexpr std::uint32_t kPairs = 3;
  static constexpr std::uint32_t kSlowToBeEarly = 4;  ///< more blocks than a peer is at a trial of its own
  static constexpr std::uint32_t kMostByChance = 4;
  static constexpr std::uint32_t kMuchLonger = 4;  ///< until the next trial, where the other way was much slower

  [[nodiscard]] bool is_other() const noexcept { return burst_ != 0 && burst_ % 2 == 0; }

  /// Before the first action of the next block.
  void end_block(std::uint64_t now) noexcept {
    in_block_ = 1;
    ++blocks_;
    if (burst_ == 0) {
      is_early_ = blocks_ < until_trial_;
      if (!is_early_ || (has_become_slower(now - started_) && blocks_ >= until_early_)) begin_burst(1);
    } else if (blocks_ == kBurst) {
      end_burst(now - started_);
    } else if (blocks_ != 1) {
      if (is_other() && is_much_slower(now - started_)) lose(kMuchLonger);
      return;
    }
    started_ = now;
  }
  /// After a block of the burst that is timed.
  [[nodiscard]] bool is_much_slower(std::uint64_t took) const noexcept {
    const std::uint64_t as_before = as_before_ * (blocks_ - 1) / (kBurst - 1);
    return took > as_before + as_before / 4;
  }
  [[nodiscard]] bool has_become_slower(std::uint64_t block) noexcept {
    if (usual_ == 0 || block <= usual_ + usual_ / 4) {
      usual_ = usual_ == 0 ? block : (7 * usual_ + block) / 8;
      slow_ = 0;
    } else if (++slow_ == kSlowToBeEarly) {
      usual_ = block;
      slow_ = 0;
      return true;
    }
    return false;
  }
  void begin_burst(std::uint32_t number) noexcept {
    burst_ = number;
    blocks_ = 0;
  }
  void end_burst(std::uint64_t took) noexcept {
    if (!is_other()) {
      as_before_ = took;
      return begin_burst(burst_ + 1);
    }
    const bool is_quicker = took < as_before_ - as_before_ / 32;
    if (!is_quicker) return lose(2);
    if (burst_ != 2 * kPairs) return begin_burst(burst_ + 1);
    uses_second_ = !uses_second_;
    until_early_ = kShortest;
    end_trial(kShortest);
  }
  /// Actions go as before, and so many times longer until the next trial.
  void lose(std::uint32_t longer) noexcept {
    if (is_early_) until_early_ = std::min(2 * until_early_, interval_);
    end_trial(std::min(longer * interval_, kLongest));
  }
  void end_trial(std::uint32_t next) noexcept {
    begin_burst(0);
    interval_ = next;
    chance_ = chance_ * 1'664'525 + 1'013'904'223;  // Numerical Recipes, 7.1
    until_trial_ = next + (chance_ >> 16) % (next / 2 + kMostByChance);
    usual_ = 0;
    slow_ = 0;
  }

  bool uses_second_ = false;
  std::uint32_t in_block_ = 0;
  std::uint32_t blocks_ = 0;  ///< since the last trial, or of the burst
  std::uint32_t interval_ = kShortest;
  std::uint32_t until_trial_ = 0;  ///< the interval and its chance part
  std::uint32_t chance_ = 0;
  std::uint32_t until_early_ = kShortest;  ///< so many blocks later a trial may begin where they are slower
  bool is_early_ = false;                  ///< this trial
  std::uint32_t burst_ = 0;  ///< of a trial, from 1 on: in turns as before and the other way; 0: there is none
  std::uint32_t slow_ = 0;   ///< blocks in a row
  // In cycles.
  std::uint64_t started_ = 0;
  std::uint64_t as_before_ = 0;
  std::uint64_t usual_ = 0;  ///< of a block; 0: not known yet
};

/// Of messages and the like.
using QuickerWay = BasicQuickerWay<&cycles, 64>;

}  // namespace starling::tuning
