// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// ArrivalHistory: what the ranks of a communicator on one node know of each other's lateness, in shared memory.
//
// For each kind of call (operation, bytes, root) every rank writes when it came to its last calls, when it left them,
// and how long it usually stays away. The first rank to come to a call reads all that, decides how the call goes and
// writes it down as the plan of the call, which all follow. So all ranks use the same numbers for the same call, no
// rank waits for another's word, and nothing runs in the background.
//
// Layout of a kind: Head | Lateness[n] | RankTimes[n] | kPlans of (CallPlan, Ticks[n]), each on lines of its own.
// Thread safety: each rank writes its own times; what else a kind has is written by the rank that claimed the newest
// call, before it stores the plan's `ready`. Claims follow each other, and whoever claims has seen the plan before.
// Invariants: numbers of calls of a kind are the same on every rank and start at 1. A plan is written anew only when
// every rank has left the call that it was for.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

#include "arrival/drive/call_driver.hpp"
#include "arrival/record/lateness.hpp"
#include "arrival/schedule/pattern.hpp"
#include "base/cpu.hpp"

namespace starling::collective {

class ArrivalHistory {
 public:
  static constexpr std::int32_t kKinds = 8;
  static constexpr std::uint64_t kPlans = 4;  ///< so many calls of a kind may be under way
  static constexpr std::uint64_t kTimes = 2 * kPlans;

  struct alignas(kCacheLine) Head {
    std::atomic<std::uint64_t> claimed{0};  ///< the newest call that has, or soon will have, a plan
    std::uint64_t learned = 0;              ///< of this call and those before all is known
    std::uint64_t scheduled_calls = 0;
    arrival::CallDriver driver;
  };
  static_assert(sizeof(Head) == 2 * kCacheLine);
  struct alignas(kCacheLine) RankTimes {
    std::atomic<std::uint64_t> left{0};     ///< the last call that the rank has left
    std::atomic<std::uint64_t> entered{0};  ///< and entered
    std::atomic<std::int64_t> away_ns{0};   ///< between two calls, as it expects
    std::atomic<std::int64_t> entered_ns[kTimes]{};
    std::atomic<std::int64_t> left_ns[kTimes]{};
  };
  static_assert(sizeof(RankTimes) == 3 * kCacheLine);
  struct alignas(kCacheLine) CallPlan {
    std::atomic<std::uint64_t> ready{0};  ///< the call that it is for
    bool late = false;
  };
  static_assert(sizeof(CallPlan) == kCacheLine);

  /// One kind of call.
  class CallHistory {
   public:
    [[nodiscard]] Head& head() const noexcept { return *std::launder(reinterpret_cast<Head*>(base_)); }
    [[nodiscard]] std::span<arrival::Lateness> lateness() const noexcept {
      return {std::launder(reinterpret_cast<arrival::Lateness*>(base_ + sizeof(Head))), ranks_};
    }
    [[nodiscard]] RankTimes& times(std::size_t rank) const noexcept {
      return *std::launder(reinterpret_cast<RankTimes*>(base_ + times_at(ranks_) + rank * sizeof(RankTimes)));
    }
    [[nodiscard]] CallPlan& plan(std::uint64_t call) const noexcept {
      return *std::launder(reinterpret_cast<CallPlan*>(plan_base(call)));
    }
    /// When each rank is expected, in nanoseconds from the first.
    [[nodiscard]] std::span<arrival::Ticks> arrivals(std::uint64_t call) const noexcept {
      return {std::launder(reinterpret_cast<arrival::Ticks*>(plan_base(call) + sizeof(CallPlan))), ranks_};
    }
    [[nodiscard]] std::size_t ranks() const noexcept { return ranks_; }

   private:
    friend class ArrivalHistory;
    CallHistory(std::byte* base, std::size_t ranks) noexcept : base_(base), ranks_(ranks) {}
    [[nodiscard]] std::byte* plan_base(std::uint64_t call) const noexcept {
      return base_ + plans_at(ranks_) + call % kPlans * plan_bytes(ranks_);
    }

    std::byte* base_;
    std::size_t ranks_;
  };

  ArrivalHistory(std::byte* base, std::int32_t ranks) noexcept : base_(base), ranks_(static_cast<std::size_t>(ranks)) {}

  static std::uint64_t bytes(std::int32_t ranks) noexcept {
    return kKinds * kind_bytes(static_cast<std::size_t>(ranks));
  }
  /// Once, before any rank looks at it.
  void construct() const;
  [[nodiscard]] CallHistory of_kind(std::size_t index) const noexcept {
    return {base_ + index * kind_bytes(ranks_), ranks_};
  }

 private:
  static constexpr std::size_t lines(std::size_t bytes) noexcept {
    return (bytes + kCacheLine - 1) / kCacheLine * kCacheLine;
  }
  static constexpr std::size_t times_at(std::size_t ranks) noexcept {
    return sizeof(Head) + lines(ranks * sizeof(arrival::Lateness));
  }
  static constexpr std::size_t plans_at(std::size_t ranks) noexcept {
    return times_at(ranks) + ranks * sizeof(RankTimes);
  }
  static constexpr std::size_t plan_bytes(std::size_t ranks) noexcept {
    return sizeof(CallPlan) + lines(ranks * sizeof(arrival::Ticks));
  }
  static constexpr std::size_t kind_bytes(std::size_t ranks) noexcept {
    return plans_at(ranks) + kPlans * plan_bytes(ranks);
  }

  std::byte* base_;
  std::size_t ranks_;
};

}  // namespace starling::collective
