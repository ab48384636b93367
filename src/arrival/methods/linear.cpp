// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "arrival/methods/linear.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace starling::arrival {
namespace {

constexpr int kNone = -1;

class Linear {
 public:
  explicit Linear(const Pattern& pattern)
      : pattern_(pattern),
        segments_(static_cast<std::size_t>(pattern.segments)),
        held_(pattern.arrivals.size() * segments_, 1),
        left_(pattern.arrivals.size(), pattern.segments),
        received_(pattern.arrivals.size(), kNone),
        free_(pattern.arrivals.size(), 0) {
    for (int process = 0; process < pattern.processes(); ++process) {
      queue_.emplace(pattern.arrivals[static_cast<std::size_t>(process)], process);
    }
  }

  void run(RoundSink& sink) {
    std::int64_t number = 0;
    while (queue_.size() > 1) {
      const Ticks start = queue_.begin()->first;
      take_active(start);
      if (active_.size() == 1) {
        const Ticks next = queue_.empty() ? start : queue_.begin()->first;
        const Ticks jump = std::max<Ticks>(1, (next - start) / pattern_.round_length);
        queue_.emplace(start + jump * pattern_.round_length, active_.front().second);
        number += jump;
        continue;
      }
      find_transfers();
      if (!found_.empty()) sink.take(number, found_);
      end_round();
      ++number;
    }
  }

 private:
  using Available = std::pair<Ticks, int>;  // when, and who: ordered by time, then by rank

  void take_active(Ticks start) {
    active_.clear();
    while (!queue_.empty() && queue_.begin()->first < start + pattern_.round_length) {
      active_.push_back(*queue_.begin());
      queue_.erase(queue_.begin());
    }
  }

  void find_transfers() {
    found_.clear();
    int sink = active_.front().second;
    for (const auto& [when, process] : active_) {
      const bool keeps = process == pattern_.root && pattern_.root_role == RootRole::kOnlyTakes;
      free_[at(process)] = keeps ? 0 : 1;
      if (process == pattern_.root) sink = process;
    }
    receive(sink, sink);
    for (const auto& [when, process] : active_) {
      if (process != sink) receive(process, sink);
    }
  }

  void receive(int receiver, int sink) {
    for (int segment = 0; segment < pattern_.segments; ++segment) {
      const bool wanted = receiver == sink ? received_[at(receiver)] != segment : held(receiver, segment) != 0;
      if (!wanted) continue;
      for (const auto& [when, sender] : active_) {
        if (sender != receiver && free_[at(sender)] != 0 && held(sender, segment) != 0) {
          transfer(receiver, sender, segment);
          return;
        }
      }
    }
  }

  void transfer(int receiver, int sender, int segment) {
    found_.push_back({static_cast<std::uint16_t>(receiver), static_cast<std::uint16_t>(sender),
                      static_cast<std::uint16_t>(segment)});
    held(sender, segment) = 0;
    --left_[at(sender)];
    free_[at(sender)] = 0;
    left_[at(receiver)] += held(receiver, segment) != 0 ? 0 : 1;
    held(receiver, segment) = 0;
    received_[at(receiver)] = segment;
  }

  void end_round() {
    for (const auto& [when, process] : active_) {
      if (received_[at(process)] != kNone) held(process, received_[at(process)]) = 1;
      received_[at(process)] = kNone;
      free_[at(process)] = 0;
      if (left_[at(process)] > 0 || process == pattern_.root) queue_.emplace(when + pattern_.round_length, process);
    }
  }

  static std::size_t at(int process) { return static_cast<std::size_t>(process); }
  char& held(int process, int segment) { return held_[at(process) * segments_ + static_cast<std::size_t>(segment)]; }

  const Pattern& pattern_;
  std::size_t segments_;
  std::vector<char> held_;     // for each process and segment: still to be sent (the paper's A and P)
  std::vector<int> left_;      // for each process: how many it holds, the one just received (P') counted
  std::vector<int> received_;  // P': the segment received in this round
  std::vector<char> free_;     // has not sent in this round
  std::set<Available> queue_;
  std::vector<Available> active_;
  std::vector<Transfer> found_;
};

}  // namespace

void run_linear(const Pattern& pattern, RoundSink& sink) { Linear(pattern).run(sink); }

}  // namespace starling::arrival
