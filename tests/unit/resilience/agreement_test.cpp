// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Every interleaving of starts, deliveries, deaths and notices of deaths in groups of up to five.
#include "resilience/agreement.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdio>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "explorer.hpp"
#include "network.hpp"

namespace starling::resilience {
namespace {

class AgreementModel {
 public:
  AgreementModel(std::int32_t members, std::int32_t deaths) : network_(members, deaths) {
    for (std::int32_t i = 0; i < members; ++i) agreements_.emplace_back(i, members);
  }

  template <typename Visit>
  void for_each_step(Visit&& visit) {
    const auto after = [&](Step step, auto&& change) {
      AgreementModel next = *this;
      change(next);
      visit(next, step);
    };
    for (std::int32_t i = 0; i < network_.members; ++i) {
      if (network_.lives(i) && !of(i).started()) after(Step::kWill, [&](AgreementModel& next) { next.begin(i); });
    }
    network_.for_each_event(
        [&](std::int32_t m) { after(Step::kMay, [&](AgreementModel& next) { next.network_.kill(m); }); },
        [&](std::int32_t a, std::int32_t b) { after(Step::kWill, [&](AgreementModel& n) { n.deliver(a, b); }); },
        [&](std::int32_t m, std::int32_t d) { after(Step::kWill, [&](AgreementModel& n) { n.learn(m, d); }); });
  }

  template <typename Feed>
  void feed(Feed&& feed) const {
    network_.feed(feed, [&](const AgreementMessage& message) {
      feed(message.verdict ? 1 : 0);
      feed(message.vote.flags);
      feed(message.vote.token);
      feed(message.vote.dead.word(0));
      feed(message.vote.acknowledged.word(0));
    });
    for (std::int32_t i = 0; i < network_.members; ++i) {
      // What a dead member knew is of no consequence.
      if (network_.lives(i)) agreements_[static_cast<std::size_t>(i)].feed(feed);
    }
  }

  [[nodiscard]] std::string wrong(bool last) const {
    const Vote* verdict = nullptr;
    for (std::int32_t i = 0; i < network_.members; ++i) {
      if (!network_.lives(i)) continue;
      const auto& own = agreements_[static_cast<std::size_t>(i)].verdict();
      if (!own) {
        if (last) return "member " + std::to_string(i) + " never comes to a verdict";
        continue;
      }
      if (verdict != nullptr && !(*verdict == *own)) return "two living members have different verdicts";
      verdict = &*own;
    }
    return verdict != nullptr ? wrong_with(*verdict) : std::string();
  }

 private:
  struct Post final : Agreement::Post {
    Post(AgreementModel& m, std::int32_t f) : model(m), from(f) {}
    void send(std::int32_t to, const AgreementMessage& message) override { model.network_.send(from, to, message); }
    std::uint64_t token() override { return static_cast<std::uint64_t>(from) + 1; }
    AgreementModel& model;
    std::int32_t from;
  };

  Agreement& of(std::int32_t member) { return agreements_[static_cast<std::size_t>(member)]; }

  [[nodiscard]] std::string wrong_with(const Vote& verdict) const {
    const auto everybody = (1U << network_.members) - 1;
    if ((verdict.flags & network_.alive) != 0) return "a survivor's contribution is missing";
    if ((verdict.dead.word(0) & network_.alive) != 0) return "a living member is said to be dead";
    if ((~verdict.flags & everybody & ~network_.alive) == 0 && verdict.token == 0) return "the root put no token in";
    return {};
  }

  void begin(std::int32_t member) {
    Post post(*this, member);
    Vote mine;
    mine.flags = ~(std::uint64_t{1} << member);
    mine.dead = mine.acknowledged = RankSet(network_.members);
    mine.dead.word(0) = network_.knows_dead[static_cast<std::size_t>(member)];
    mine.acknowledged = mine.dead;
    of(member).start(mine, post);
  }
  void deliver(std::int32_t from, std::int32_t to) {
    Post post(*this, to);
    const AgreementMessage message = network_.take(from, to);
    of(to).receive(from, message, post);
  }
  void learn(std::int32_t member, std::int32_t dead) {
    Post post(*this, member);
    network_.learn(member, dead);
    of(member).handle_failure(dead, post);
  }

  Network<AgreementMessage> network_;
  std::vector<Agreement> agreements_;
};

void expect_right(std::int32_t members, std::int32_t deaths) {
  const Explored found = explore(AgreementModel(members, deaths));
  EXPECT_EQ(found.wrong, "") << members << " members, " << deaths << " deaths";
  EXPECT_GT(found.ends, 0U);
  std::printf("%d members, up to %d deaths: %llu states\n", members, deaths,
              static_cast<unsigned long long>(found.states));
}

TEST(Agreement, IsRightInEveryInterleavingOfUpToFive) {
  for (std::int32_t members = 1; members <= kExplored; ++members) expect_right(members, members - 1);
}

}  // namespace
}  // namespace starling::resilience
