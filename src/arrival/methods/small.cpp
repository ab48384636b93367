// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "arrival/methods/small.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace starling::arrival {
namespace {

class Small {
 public:
  Small(const Pattern& pattern, RoundSink& sink)
      : pattern_(pattern), sink_(sink), round_length_(pattern.round_length), count_(pattern.processes()) {
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - pattern.segments);
    for (int process = 0; process < count_; ++process) {
      const Member member{pattern.arrivals[at(process)], all, 0, process};
      int place = process;
      for (; place > 0 && before(member, queue_[at(place - 1)]); --place) queue_[at(place)] = queue_[at(place - 1)];
      queue_[at(place)] = member;
    }
  }

  void run() {
    std::int64_t number = 0;
    while (count_ > 1) {
      const Ticks start = queue_[0].available;
      active_ = 1;
      while (active_ < count_ && queue_[at(active_)].available < start + round_length_) ++active_;
      if (active_ == 1) {
        const Ticks rounds = std::max<Ticks>(1, (queue_[1].available - start) / round_length_);
        queue_[0].available += rounds * round_length_;
        number += rounds;
      } else {
        play_round(number);
        end_round();
        ++number;
      }
      put_in_order();
    }
  }

 private:
  struct Member {
    Ticks available;
    std::uint64_t held;      // segments that it can send
    std::uint64_t received;  // the one that came in this round and is held from the next on
    int process;
  };

  static std::size_t at(int index) { return static_cast<std::size_t>(index); }
  static bool before(const Member& a, const Member& b) {
    return a.available != b.available ? a.available < b.available : a.process < b.process;
  }

  void play_round(std::int64_t number) {
    int sink = 0;
    free_ = (std::uint32_t{1} << active_) - 1;
    for (int place = 0; place < active_; ++place) {
      if (queue_[at(place)].process != pattern_.root) continue;
      sink = place;
      if (pattern_.root_role == RootRole::kOnlyTakes) free_ &= ~(std::uint32_t{1} << place);
    }
    Transfer* const first = sink_.room(at(active_));
    Transfer* next = receive(sink, ~std::uint64_t{0}, first);
    for (int place = 0; place < active_; ++place) {
      if (place != sink) next = receive(place, queue_[at(place)].held, next);
    }
    if (next != first) sink_.take(number, {first, next});
  }

  /// Of the wanted segments the first that another free process holds, from the first process that does.
  Transfer* receive(int place, std::uint64_t wanted, Transfer* found) {
    const std::uint32_t others = free_ & ~(std::uint32_t{1} << place);
    std::uint64_t offered = 0;
    for (std::uint32_t left = others; left != 0; left &= left - 1) offered |= queue_[at(std::countr_zero(left))].held;
    wanted &= offered;
    if (wanted == 0) return found;
    const std::uint64_t segment = wanted & -wanted;
    std::uint32_t left = others;
    while ((queue_[at(std::countr_zero(left))].held & segment) == 0) left &= left - 1;
    Member& sender = queue_[at(std::countr_zero(left))];
    Member& receiver = queue_[at(place)];
    free_ &= ~(left & -left);
    sender.held &= ~segment;
    receiver.held &= ~segment;
    receiver.received = segment;
    *found = {static_cast<std::uint16_t>(receiver.process), static_cast<std::uint16_t>(sender.process),
              static_cast<std::uint16_t>(std::countr_zero(segment))};
    return found + 1;
  }

  /// Whoever has nothing left leaves; the others are there again a round later.
  void end_round() {
    int kept = 0;
    for (int place = 0; place < active_; ++place) {
      Member member = queue_[at(place)];
      member.held |= member.received;
      member.received = 0;
      member.available += round_length_;
      if (member.held != 0 || member.process == pattern_.root) queue_[at(kept++)] = member;
    }
    if (kept == active_) return;
    std::move(queue_.begin() + active_, queue_.begin() + count_, queue_.begin() + kept);
    count_ -= active_ - kept;
    active_ = kept;
  }

  /// The first active_ are later now, and may come after others.
  void put_in_order() {
    for (int rest = active_; rest < count_; ++rest) {
      const Member member = queue_[at(rest)];
      int place = rest;
      for (; place > 0 && before(member, queue_[at(place - 1)]); --place) queue_[at(place)] = queue_[at(place - 1)];
      if (place == rest) return;  // nor will any after it move
      queue_[at(place)] = member;
    }
  }

  const Pattern& pattern_;
  RoundSink& sink_;
  Ticks round_length_;
  std::array<Member, kSmallProcesses> queue_;  // not complete, by availability, then by rank
  int count_;
  int active_ = 0;          // the first so many take part in this round
  std::uint32_t free_ = 0;  // places of those that may still send in this round
};

}  // namespace

void run_small(const Pattern& pattern, RoundSink& sink) { Small(pattern, sink).run(); }

}  // namespace starling::arrival
