// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// CopyChoice: how eager messages of several packets go to one peer: through the transport's buffers, copied by both
// ends, or offered, so that the receiver copies them once, straight from the sender's memory.
//
// Which is quicker no constant tells. A single copy costs a call of the kernel, on one machine a quarter of what it
// costs on another. It reads what the sender has just written out of the sender's cache, and leaves it where the
// sender's next writes have to ask for it; but a buffer that the program sends again as it is lies in the receiver's
// cache by then, while buffers in shared memory bring it there anew each time. A message that is copied once keeps its
// sender until the receiver is there. All of that shows in one figure, the time from message to message, and it is what
// the program wants less of. So now and then a burst of messages goes the other way, after one that went as before, and
// where it was quicker three times, that is the way from then on. When messages have become slower the next trial comes
// early: the program may do something else now.
//
// Between trials lies a chance part, so that messages of several sizes or to several peers, which all take part in that
// time, are not tried together for ever.
//
// Thread safety: the world's lock. Invariants: a message is asked for once; until_early_ <= interval_.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/cycles.hpp"
#include "p2p/request/send_request.hpp"

namespace starling::p2p {

template <std::uint64_t (*kClock)()>
class BasicCopyChoice {
 public:
  // In blocks of messages.
  static constexpr std::uint32_t kBlock = 64;  ///< as many as programs have under way at once, or more
  static constexpr std::uint32_t kShortest = 1;
  static constexpr std::uint32_t kLongest = 512;
  static constexpr std::uint32_t kBurst = 3;  ///< the first is not timed: it meets what is under way and cold caches

  /// seed: of the chance; another one for each peer.
  explicit BasicCopyChoice(std::uint32_t seed = 0) noexcept {
    for (Size& size : sizes_) size.begin(seed++);
  }

  /// The way of the next message; packet: bytes that fit one.
  [[nodiscard]] CopyWay way_of(std::int64_t bytes, std::size_t packet) noexcept {
    return size_of(bytes, packet).next();
  }

  /// The receiver could not copy it, and asks for it another way.
  void note_refused(std::int64_t bytes, std::size_t packet) noexcept { size_of(bytes, packet).forbid(); }

 private:
  static constexpr std::uint32_t kPairs = 3;
  static constexpr std::uint32_t kSlowToBeEarly = 2;
  static constexpr std::uint32_t kMostByChance = 4;
  static constexpr std::uint32_t kMuchLonger = 4;  ///< until the next trial, where the other way was much slower
  static constexpr std::size_t kSizes = 4;

  /// Messages of so many packets, up to twice as many.
  class Size {
   public:
    void begin(std::uint32_t seed) noexcept {
      chance_ = seed;
      end_trial(kShortest);
    }

    CopyWay next() noexcept {
      if (in_block_++ == kBlock) end_block(kClock());
      return is_other() ? other() : way_;
    }

    void forbid() noexcept {
      way_ = CopyWay::kThroughBuffers;
      end_trial(kLongest);
    }

   private:
    [[nodiscard]] bool is_other() const noexcept { return burst_ != 0 && burst_ % 2 == 0; }
    [[nodiscard]] CopyWay other() const noexcept {
      return way_ == CopyWay::kThroughBuffers ? CopyWay::kOnce : CopyWay::kThroughBuffers;
    }

    /// Before the first message of the next block.
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
      way_ = other();
      until_early_ = kShortest;
      end_trial(kShortest);
    }
    /// Messages go as before, and so many times longer until the next trial.
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

    CopyWay way_ = CopyWay::kThroughBuffers;
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

  [[nodiscard]] Size& size_of(std::int64_t bytes, std::size_t packet) noexcept {
    const std::uint64_t packets = std::max<std::uint64_t>((static_cast<std::uint64_t>(bytes) - 1) / packet, 1);
    return sizes_[std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(packets)) - 1, kSizes - 1)];
  }

  std::array<Size, kSizes> sizes_;
};

using CopyChoice = BasicCopyChoice<&cycles>;

}  // namespace starling::p2p
