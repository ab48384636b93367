// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/postal_tree.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "collective/parts/fan.hpp"

namespace starling::collective {
namespace {

/// How many ranks have the message after a time, which is counted in messages that one rank sends.
class Reached {
 public:
  /// Counts until `ranks` are reached.
  Reached(std::int32_t ranks, std::int32_t delay) noexcept
      : delay_(static_cast<std::size_t>(std::clamp(delay, 1, PostalTree::kMostDelay))) {
    counts_[0] = 1;
    while (counts_[time_] < ranks) {
      ++time_;
      counts_[time_] = std::min(ranks, counts_[time_ - 1] + at(time_ - delay_));
    }
  }
  /// Before the first message has arrived nobody else has it, and before time 0 nobody.
  [[nodiscard]] std::int32_t at(std::size_t time) const noexcept { return time < kTimes ? counts_[time] : 0; }
  /// Until everybody is reached.
  [[nodiscard]] std::size_t time() const noexcept { return time_; }
  [[nodiscard]] std::size_t delay() const noexcept { return delay_; }

 private:
  static constexpr std::size_t kTimes = 640;  // 2^30 ranks with the longest delay

  std::array<std::int32_t, kTimes> counts_;
  std::size_t delay_;
  std::size_t time_ = 0;
};

/// What it costs until a message has arrived: with more ranks than cores also the turn of who waits for it.
double arrival_ns(std::int32_t ranks, double bytes, double folded_ns, const Machine& machine) noexcept {
  return (machine.message(bytes) + folded_ns) * machine.share(ranks) + machine.wait(ranks);
}

/// Whether messages go down a tree or come up.
using Direction = PostalTree::Direction;

/// How many messages one rank sends, or takes, until the first of them has arrived.
std::int32_t delay_of(std::int32_t ranks, double bytes, Direction direction, const Machine& machine) noexcept {
  const double start = direction == Direction::kDown ? machine.next_out() : machine.next_in();
  const double next = (start + machine.transfer(bytes)) * machine.share(ranks);
  const double first = arrival_ns(ranks, bytes, 0, machine);
  if (!(next > 0)) return first > 0 ? PostalTree::kMostDelay : 1;
  return static_cast<std::int32_t>(std::round(std::min(first / next, double{PostalTree::kMostDelay})));
}

Reached reached_by(const Shape& shape, Direction direction, const Machine& machine) noexcept {
  return {shape.ranks, delay_of(shape.ranks, static_cast<double>(shape.bytes), direction, machine)};
}

double steps_cost(const Reached& reached, const Shape& shape, double folded_ns, const Machine& machine) noexcept {
  return static_cast<double>(reached.time()) / static_cast<double>(reached.delay()) *
         arrival_ns(shape.ranks, static_cast<double>(shape.bytes), folded_ns, machine);
}

}  // namespace

PostalTree::PostalTree(const Call& call, std::int32_t top, std::int64_t bytes, Direction direction)
    : PostalTree(call.size(), call.rank(), top,
                 delay_of(call.size(), static_cast<double>(bytes), direction, machine_of(call))) {}

PostalTree::PostalTree(std::int32_t ranks, std::int32_t rank, std::int32_t top, std::int32_t delay)
    : ranks_(ranks), top_(top), place_((rank - top + ranks) % ranks) {
  const Reached reached(ranks_, delay);
  // Down from the top to this rank: the subtree from `first` on, which is reached within `time`.
  std::int32_t first = 0;
  std::int32_t count = ranks_;
  std::size_t time = reached.time();
  while (true) {
    std::int32_t end = first + count;
    std::size_t left = time - reached.delay();  // for who is sent to first
    while (end > first + 1) {
      const std::int32_t width = std::min(reached.at(left), end - first - 1);
      end -= width;
      if (place_ == first) {
        children_.push_back(end);
      } else if (place_ >= end) {
        count = width;
        break;
      }
      --left;
    }
    if (place_ == first) break;
    parent_ = first;
    first = end;
    time = left;
  }
  std::ranges::reverse(children_);
}

double postal_up_cost(const Shape& shape, const Machine& machine, double folded_ns) noexcept {
  return steps_cost(reached_by(shape, Direction::kUp, machine), shape, folded_ns, machine);
}

double postal_down_cost(const Shape& shape, const Machine& machine) noexcept {
  const Reached reached = reached_by(shape, Direction::kDown, machine);
  const auto delay = static_cast<double>(reached.delay());
  double cost = steps_cost(reached, shape, 0, machine);
  // Messages to several children share the link of who sends them, so that they all end with the last.
  for (double before = static_cast<double>(reached.time()) - delay; before > 0; before -= delay) {
    cost += before * static_cast<double>(shape.bytes) * machine.link_byte_ns();
  }
  return cost;
}

}  // namespace starling::collective
