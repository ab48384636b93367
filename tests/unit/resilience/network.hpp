// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Network: members, channels in order and deaths, as the explorer's models have them in common. A dead member's
// messages that are under way may still come, until the receiver knows of the death; so a member that dies in the
// middle of several sends is covered by receivers that learn of it first.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "support/sanitized.hpp"

namespace starling::resilience {

inline constexpr std::int32_t kMostMembers = 5;
/// Up to here every number of deaths is explored; sanitizers take ten times as long.
inline constexpr std::int32_t kExplored = kUnderSanitizer ? 4 : kMostMembers;

template <typename Message>
struct Network {
  std::int32_t members = 0;
  std::int32_t deaths_left = 0;
  std::uint32_t alive = 0;
  std::array<std::uint32_t, kMostMembers> knows_dead{};
  std::array<std::vector<Message>, kMostMembers * kMostMembers> channels;

  Network(std::int32_t n, std::int32_t deaths) : members(n), deaths_left(deaths), alive((1U << n) - 1) {}

  [[nodiscard]] bool lives(std::int32_t member) const { return (alive >> member & 1) != 0; }
  [[nodiscard]] bool knows(std::int32_t member, std::int32_t dead) const {
    return (knows_dead[static_cast<std::size_t>(member)] >> dead & 1) != 0;
  }
  std::vector<Message>& channel(std::int32_t from, std::int32_t to) {
    return channels[static_cast<std::size_t>(from * kMostMembers + to)];
  }
  void send(std::int32_t from, std::int32_t to, const Message& message) {
    if (lives(to)) channel(from, to).push_back(message);
  }
  Message take(std::int32_t from, std::int32_t to) {
    std::vector<Message>& queue = channel(from, to);
    Message message = queue.front();
    queue.erase(queue.begin());
    return message;
  }
  void kill(std::int32_t member) {
    alive &= ~(1U << member);
    --deaths_left;
    for (std::int32_t from = 0; from < members; ++from) channel(from, member).clear();
    knows_dead[static_cast<std::size_t>(member)] = 0;
  }
  void learn(std::int32_t member, std::int32_t dead) {
    knows_dead[static_cast<std::size_t>(member)] |= 1U << dead;
    channel(dead, member).clear();
  }

  template <typename Feed, typename FeedMessage>
  void feed(Feed&& feed, FeedMessage&& feed_message) const {
    feed(alive);
    feed(static_cast<std::uint64_t>(deaths_left));
    for (const std::uint32_t known : knows_dead) feed(known);
    for (const std::vector<Message>& queue : channels) {
      feed(queue.size());
      for (const Message& message : queue) feed_message(message);
    }
  }

  /// Calls kill(member), deliver(from, to) and learn(member, dead) for whatever can happen.
  template <typename Kill, typename Deliver, typename Learn>
  void for_each_event(Kill&& kill_one, Deliver&& deliver, Learn&& learn_one) {
    for (std::int32_t a = 0; a < members; ++a) {
      if (lives(a) && deaths_left > 0) kill_one(a);
      for (std::int32_t b = 0; b < members; ++b) {
        if (a == b || !lives(b)) continue;
        if (!channel(a, b).empty()) deliver(a, b);
        if (!lives(a) && !knows(b, a)) learn_one(b, a);
      }
    }
  }
};

}  // namespace starling::resilience
