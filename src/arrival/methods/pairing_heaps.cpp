// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "arrival/methods/pairing_heaps.hpp"

#include <algorithm>
#include <boost/heap/pairing_heap.hpp>
#include <vector>

#include "arrival/methods/active_set.hpp"

namespace starling::arrival {
namespace {

constexpr int kNothing = -1;

/// Availability less the rounds gone by: it does not change while a process takes part, so the order in a heap holds.
struct Entry {
  Ticks key;
  int process;
};

struct Later {
  bool operator()(const Entry& a, const Entry& b) const {
    return a.key != b.key ? a.key > b.key : a.process > b.process;
  }
};

using Heap = boost::heap::pairing_heap<Entry, boost::heap::compare<Later>>;

class PairingHeaps {
 public:
  explicit PairingHeaps(const Pattern& pattern)
      : pattern_(pattern),
        segments_(static_cast<std::size_t>(pattern.segments)),
        active_(pattern),
        heaps_(segments_),
        handles_(pattern.arrivals.size() * segments_),
        held_(pattern.arrivals.size() * segments_, 1),
        left_(pattern.arrivals.size(), pattern.segments),
        received_(pattern.arrivals.size(), kNothing),
        free_(pattern.arrivals.size(), 0),
        key_(pattern.arrivals.size()) {}

  [[nodiscard]] std::int64_t operations() const noexcept { return operations_; }

  void run(RoundSink& sink) {
    while (active_.next()) {
      for (const int process : active_.newcomers()) {
        key_[at(process)] = active_.availability(process) - active_.number() * pattern_.round_length;
        push_all(process);
      }
      find_transfers();
      if (!found_.empty()) sink.take(active_.number(), found_);
      end_round();
    }
  }

 private:
  void push(int process, int segment) {
    ++operations_;
    handle(process, segment) = heaps_[at(segment)].push({key_[at(process)], process});
  }

  void push_all(int process) {
    if (process == pattern_.root && pattern_.root_role == RootRole::kOnlyTakes) return;
    free_[at(process)] = 1;
    for (int segment = 0; segment < pattern_.segments; ++segment) {
      if (held(process, segment) != 0) push(process, segment);
    }
  }

  void erase_all(int process) {
    for (int segment = 0; segment < pattern_.segments; ++segment) {
      if (held(process, segment) != 0) erase(process, segment);
    }
  }

  void erase(int process, int segment) {
    ++operations_;
    heaps_[at(segment)].erase(handle(process, segment));
  }

  void find_transfers() {
    found_.clear();
    const auto members = active_.members();
    const bool with_root = std::find(members.begin(), members.end(), pattern_.root) != members.end();
    const int sink = with_root ? pattern_.root : members.front();
    receive(sink, sink);
    for (const int process : members) {
      if (process != sink) receive(process, sink);
    }
  }

  void receive(int receiver, int sink) {
    for (int segment = 0; segment < pattern_.segments; ++segment) {
      if (receiver != sink && held(receiver, segment) == 0) continue;
      const int sender = first_but(receiver, segment);
      if (sender == kNothing) continue;
      transfer(receiver, sender, segment);
      return;
    }
  }

  /// The earliest in the segment's heap that is not the receiver itself, which steps aside for the look if it is on
  /// top.
  int first_but(int receiver, int segment) {
    Heap& heap = heaps_[at(segment)];
    if (heap.empty()) return kNothing;
    if (heap.top().process != receiver) return heap.top().process;
    heap.pop();
    ++operations_;
    const int second = heap.empty() ? kNothing : heap.top().process;
    push(receiver, segment);
    return second;
  }

  void transfer(int receiver, int sender, int segment) {
    found_.push_back({static_cast<std::uint16_t>(receiver), static_cast<std::uint16_t>(sender),
                      static_cast<std::uint16_t>(segment)});
    erase_all(sender);
    free_[at(sender)] = 0;
    sent_.push_back(sender);
    held(sender, segment) = 0;
    --left_[at(sender)];
    received_[at(receiver)] = segment;
    if (held(receiver, segment) == 0) {
      ++left_[at(receiver)];
      return;
    }
    if (free_[at(receiver)] != 0) erase(receiver, segment);
    held(receiver, segment) = 0;
  }

  void end_round() {
    for (const int process : active_.members()) {
      const int segment = received_[at(process)];
      if (segment == kNothing) continue;
      received_[at(process)] = kNothing;
      held(process, segment) = 1;
      if (free_[at(process)] != 0) push(process, segment);
    }
    for (const int process : sent_) push_all(process);
    for (const int process : sent_) {
      if (left_[at(process)] == 0 && process != pattern_.root) active_.leave(process);
    }
    sent_.clear();
  }

  static std::size_t at(int index) { return static_cast<std::size_t>(index); }
  char& held(int process, int segment) { return held_[at(process) * segments_ + at(segment)]; }
  Heap::handle_type& handle(int process, int segment) { return handles_[at(process) * segments_ + at(segment)]; }

  const Pattern& pattern_;
  std::size_t segments_;
  ActiveSet active_;
  std::vector<Heap> heaps_;
  std::vector<Heap::handle_type> handles_;
  std::vector<char> held_;
  std::vector<int> left_;
  std::vector<int> received_;
  std::vector<char> free_;
  std::vector<Ticks> key_;
  std::vector<int> sent_;  // in this round
  std::vector<Transfer> found_;
  std::int64_t operations_ = 0;
};

}  // namespace

void run_pairing_heaps(const Pattern& pattern, RoundSink& sink) { PairingHeaps(pattern).run(sink); }

std::int64_t heap_operations(const Pattern& pattern) {
  PairingHeaps heaps(pattern);
  Nowhere nowhere;
  heaps.run(nowhere);
  return heaps.operations();
}

}  // namespace starling::arrival
