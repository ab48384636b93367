// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// ArrivalHistory: what the ranks of a communicator on one node know of each other's lateness, in shared memory.
//
// Every rank writes when it came to its last calls and when it left them, and for each kind of call (operation, bytes,
// root, form, place in the program) how long it usually stays away before. The first rank to come to a call reads all
// that, decides of what kind the call is and how it goes, and writes that down as the plan of the call, which all
// follow. So all ranks use the same numbers for the same call, no rank waits for another's word, nothing runs in the
// background, and ranks that come from different lines of the program need not agree on the kind.
//
// Several calls may be under way at a time, as nonblocking ones are. Where there is no room for one more plan, some
// rank being kPlans calls behind, the call has none, which all see alike: room stays taken until every rank has left.
//
// Layout: Head | RankTimes[n] | kPlans of (CallPlan, Ticks[n]) | kKinds of (Kind, Lateness[n], Away[n]), each on lines
// of its own. Thread safety: each rank writes its own times and its own Away; all else is written by the rank that
// claimed the newest call, before it stores the plan's `ready`. Claims follow each other, and whoever claims has seen
// the decision before. Invariants: numbers of calls are the same on every rank and only grow. A plan is written anew
// only when every rank has left the call that it was for, and a kind only when none of the last kPlans calls was of it.
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
#include "collective/arguments/arguments.hpp"

namespace starling::collective {

class ArrivalHistory {
 public:
  static constexpr std::size_t kKinds = 32;  ///< the one that was not called for longest makes room for another
  static constexpr std::size_t kPlans = 8;   ///< so many calls with a plan may be under way
  static constexpr std::size_t kStays = 2 * kPlans;
  static constexpr std::int32_t kNoKind = -1;

  struct alignas(kCacheLine) Head {
    std::atomic<std::uint64_t> claimed{0};  ///< the newest call of which some rank decides, or has decided
    std::atomic<std::uint64_t> decided{0};  ///< the newest of which it is known whether it has a plan
    std::atomic<bool> live{false};          ///< some rank tells how far it is
    bool skipped = false;                   ///< the calls before the next were not watched
    std::uint32_t plans = 0;                ///< made so far
    std::uint32_t calm = 0;                 ///< calls to which nobody was late, less those to which somebody was
    std::uint64_t planned = 0;              ///< the last call that was
    std::uint64_t learned = 0;              ///< of this call and those before all is known
  };
  static_assert(sizeof(Head) == kCacheLine);
  /// A call as its rank saw it.
  struct Stay {
    std::atomic<std::uint64_t> call{0};
    std::atomic<std::int64_t> entered_ns{0};
    std::atomic<std::int64_t> left_ns{0};  ///< 0 as long as it is in the call
  };
  struct alignas(kCacheLine) RankTimes {
    std::atomic<std::uint64_t> left{0};     ///< the rank has left this watched call and all before
    std::atomic<std::uint64_t> entered{0};  ///< the last watched call that it entered
    Stay stays[kStays];                     ///< the last ones, in turn
  };
  static_assert(sizeof(RankTimes) == 7 * kCacheLine);
  struct alignas(kCacheLine) CallPlan {
    std::atomic<std::uint64_t> ready{0};  ///< the call that it is for
    std::uint64_t next_watched = 0;       ///< no call before is watched
    std::int64_t start_ns = 0;            ///< when the first is expected
    std::int32_t kind = 0;
    bool late = false;
    bool predicted = false;  ///< arrivals() are what was expected
  };
  static_assert(sizeof(CallPlan) == kCacheLine);
  /// What makes calls one kind.
  struct Key {
    std::int64_t bytes = 0;
    std::uint64_t site = 0;  ///< the place in the program, the same number in every process
    std::int32_t root = 0;
    Operation operation{};
    Form form{};
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct alignas(kCacheLine) Kind {
    Key key;
    std::uint32_t generation = 0;  ///< kinds that were here before, and this: none where it is 0
    double vector_s = 0;           ///< what a message as long as the vector takes
    std::uint64_t last_call = 0;
    std::uint64_t scheduled_calls = 0;
    arrival::CallDriver driver;
  };
  static_assert(sizeof(Kind) == 3 * kCacheLine);
  /// How long a rank expects to be away before its next call of a kind.
  struct Away {
    std::atomic<std::int64_t> ns{0};
    std::atomic<bool> since_entry{false};  ///< counted from when it entered the call before, not from when it left it
  };

  ArrivalHistory(std::byte* base, std::int32_t ranks) noexcept : base_(base), ranks_(static_cast<std::size_t>(ranks)) {}

  static std::uint64_t bytes(std::int32_t ranks) noexcept {
    const auto n = static_cast<std::size_t>(ranks);
    return kinds_at(n) + kKinds * kind_bytes(n);
  }
  /// Once, before any rank looks at it.
  void construct() const;
  /// Makes the kind that was not called for longest one of these calls; nothing is known of it.
  [[nodiscard]] std::int32_t replace_kind(const Key& key, double vector_s) const;

  [[nodiscard]] std::size_t ranks() const noexcept { return ranks_; }
  [[nodiscard]] Head& head() const noexcept { return at<Head>(0); }
  [[nodiscard]] RankTimes& times(std::size_t rank) const noexcept {
    return at<RankTimes>(sizeof(Head) + rank * sizeof(RankTimes));
  }
  /// By their place; find_plan() has the plan of a call.
  [[nodiscard]] CallPlan& plan(std::size_t place) const noexcept {
    return at<CallPlan>(plans_at(ranks_) + place % kPlans * plan_bytes(ranks_));
  }
  /// Null as long as it is not ready, and where the call has none.
  [[nodiscard]] CallPlan* find_plan(std::uint64_t call) const noexcept {
    for (std::size_t place = 0; place < kPlans; ++place) {
      if (plan(place).ready.load(std::memory_order_acquire) == call) return &plan(place);
    }
    return nullptr;
  }
  /// When each rank is expected, in nanoseconds from the first.
  [[nodiscard]] std::span<arrival::Ticks> arrivals(CallPlan& plan) const noexcept {
    auto* bytes = reinterpret_cast<std::byte*>(&plan) + sizeof(CallPlan);
    return {std::launder(reinterpret_cast<arrival::Ticks*>(bytes)), ranks_};
  }
  [[nodiscard]] Kind& kind(std::int32_t index) const noexcept { return at<Kind>(kind_at(index)); }
  [[nodiscard]] std::span<arrival::Lateness> lateness(std::int32_t index) const noexcept {
    return {&at<arrival::Lateness>(kind_at(index) + sizeof(Kind)), ranks_};
  }
  [[nodiscard]] std::span<Away> away(std::int32_t index) const noexcept {
    return {&at<Away>(kind_at(index) + away_in_kind(ranks_)), ranks_};
  }

 private:
  template <typename T>
  [[nodiscard]] T& at(std::size_t offset) const noexcept {
    return *std::launder(reinterpret_cast<T*>(base_ + offset));
  }
  [[nodiscard]] std::size_t kind_at(std::int32_t index) const noexcept {
    return kinds_at(ranks_) + static_cast<std::size_t>(index) * kind_bytes(ranks_);
  }
  static constexpr std::size_t lines(std::size_t bytes) noexcept {
    return (bytes + kCacheLine - 1) / kCacheLine * kCacheLine;
  }
  static constexpr std::size_t plan_bytes(std::size_t ranks) noexcept {
    return sizeof(CallPlan) + lines(ranks * sizeof(arrival::Ticks));
  }
  static constexpr std::size_t away_in_kind(std::size_t ranks) noexcept {
    return sizeof(Kind) + lines(ranks * sizeof(arrival::Lateness));
  }
  static constexpr std::size_t kind_bytes(std::size_t ranks) noexcept {
    return away_in_kind(ranks) + lines(ranks * sizeof(Away));
  }
  static constexpr std::size_t plans_at(std::size_t ranks) noexcept { return sizeof(Head) + ranks * sizeof(RankTimes); }
  static constexpr std::size_t kinds_at(std::size_t ranks) noexcept {
    return plans_at(ranks) + kPlans * plan_bytes(ranks);
  }

  std::byte* base_;
  std::size_t ranks_;
};

}  // namespace starling::collective
