// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Every interleaving of calls, deliveries and deaths in groups of up to five, with one and with two who begin.
#include "resilience/broadcast.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdio>
#include <string>

#include "explorer.hpp"
#include "network.hpp"

namespace starling::resilience {
namespace {

class BroadcastModel {
 public:
  /// Members 0 to callers - 1 may begin.
  BroadcastModel(std::int32_t members, std::int32_t callers, std::int32_t deaths)
      : network_(members, deaths), to_call_((1U << callers) - 1) {}

  template <typename Visit>
  void for_each_step(Visit&& visit) {
    const auto after = [&](Step step, auto&& change) {
      BroadcastModel next = *this;
      change(next);
      visit(next, step);
    };
    for (std::int32_t i = 0; i < network_.members; ++i) {
      if ((to_call_ >> i & 1) == 0 || !network_.lives(i)) continue;
      after(Step::kMay, [&](BroadcastModel& next) {
        next.to_call_ &= ~(1U << i);
        next.hear(i);
      });
    }
    network_.for_each_event(
        [&](std::int32_t m) { after(Step::kMay, [&](BroadcastModel& next) { next.network_.kill(m); }); },
        [&](std::int32_t from, std::int32_t to) {
          after(Step::kWill, [&](BroadcastModel& next) {
            next.network_.take(from, to);
            next.hear(to);
          });
        },
        [&](std::int32_t m, std::int32_t d) {
          // A notice of a death only removes the messages of the dead member.
          if (network_.channel(d, m).empty()) return;
          after(Step::kWill, [&](BroadcastModel& next) { next.network_.learn(m, d); });
        });
  }

  template <typename Feed>
  void feed(Feed&& feed) const {
    network_.feed(feed, [&](char) { feed(1); });
    feed(to_call_);
    for (const Broadcast& one : heard_) feed(one.delivered() ? 1 : 0);
    for (const int count : sent_) feed(static_cast<std::uint64_t>(count));
  }

  [[nodiscard]] std::string wrong(bool last) const {
    std::uint32_t delivered = 0;
    for (std::int32_t i = 0; i < network_.members; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (heard_[at].delivered() && network_.lives(i)) delivered |= 1U << i;
      const auto log2_ceil = static_cast<int>(std::bit_width(static_cast<std::uint32_t>(network_.members - 1)));
      if (sent_[at] > 2 * log2_ceil) return "a member sends more than twice the logarithm";
    }
    if (!last || delivered == 0 || delivered == network_.alive) return {};
    return "a survivor has heard it and another never does";
  }

 private:
  void hear(std::int32_t member) {
    const auto at = static_cast<std::size_t>(member);
    heard_[at].hear(member, network_.members, [&](std::int32_t to) {
      ++sent_[at];
      // Who has heard it ignores what comes: leaving that away changes nothing and saves most of the states.
      if (!heard_[static_cast<std::size_t>(to)].delivered()) network_.send(member, to, 'r');
    });
    for (std::int32_t from = 0; from < network_.members; ++from) network_.channel(from, member).clear();
  }

  Network<char> network_;
  std::uint32_t to_call_;
  std::array<Broadcast, kMostMembers> heard_{};
  std::array<int, kMostMembers> sent_{};
};

void expect_right(std::int32_t members, std::int32_t callers, std::int32_t deaths) {
  const Explored found = explore(BroadcastModel(members, callers, deaths));
  EXPECT_EQ(found.wrong, "") << members << " members, " << callers << " callers, " << deaths << " deaths";
  EXPECT_GT(found.ends, 0U);
  std::printf("%d members, %d callers, up to %d deaths: %llu states\n", members, callers, deaths,
              static_cast<unsigned long long>(found.states));
}

TEST(Broadcast, ReachesEverySurvivorInEveryInterleavingOfUpToFive) {
  for (std::int32_t members = 1; members <= kExplored; ++members) {
    expect_right(members, 1, members - 1);
    if (members > 1) expect_right(members, 2, members - 1);
  }
}

}  // namespace
}  // namespace starling::resilience
