// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// ReceiveQueue: which of a rank's receives are posted when, and into which slots what comes is put.
//
// Receives are posted in the order of the schedule. But a process that is later than predicted would keep those behind
// it waiting whose segments nobody receives, so one receive of every process is posted ahead, out of order: whoever
// comes is served, and the faster the more has come so since the order last went on. Those of one process keep their
// order.
//
// Thread safety: none; one owner.
// Invariants: what is posted ahead has slots of its own, so it never takes those that the order needs, and the earliest
// receive that is not posted can be posted as soon as what it depends on is complete.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace starling::arrival {

class ReceiveQueue {
 public:
  /// One receive: a step of the schedule, and where it goes.
  struct Receive {
    std::size_t step;
    int slot;
  };

  /// The next receive in the order of the schedule.
  void add(std::size_t step, std::uint16_t peer) {
    if (peer >= lanes_.size()) lanes_.resize(peer + std::size_t{1});
    Lane& lane = lanes_[peer];
    const std::size_t index = entries_.size();
    if (lane.next == kNone) {
      lane.next = index;
      open_.push_back(peer);
    } else {
      entries_[lane.last].next = index;
    }
    lane.last = index;
    entries_.push_back({step, kNone, peer, false});
  }

  /// After all have been added; `kept` segments that have come may have to be kept at a time.
  void make_slots(std::size_t kept) {
    std::reverse(open_.begin(), open_.end());  // the earliest is served first
    ordered_slots_ = static_cast<int>(kInOrder + kept);
    slots_ = ordered_slots_ + static_cast<int>(std::min({kMostAhead, kAheadOfPeer * open_.size(), entries_.size()}));
    for (int slot = ordered_slots_; slot > 0; --slot) free_.push_back(slot - 1);
    for (int slot = slots_; slot > ordered_slots_; --slot) free_ahead_.push_back(slot - 1);
  }
  [[nodiscard]] std::size_t slots() const noexcept { return static_cast<std::size_t>(slots_); }

  /// Whether one more can be posted now, and which.
  bool next(Receive* receive) {
    while (first_ < entries_.size() && entries_[first_].posted) ++first_;
    if (first_ < entries_.size() && in_order_ < kInOrder && !free_.empty()) {
      ++in_order_;
      *receive = post(first_, &free_);
      return true;
    }
    while (!open_.empty() && !free_ahead_.empty()) {
      Lane& lane = lanes_[open_.back()];
      if (lane.next != kNone && lane.flying < allowed_ahead()) {
        *receive = post(lane.next, &free_ahead_);
        return true;
      }
      lane.open = false;
      open_.pop_back();
    }
    return false;
  }

  /// It has come from `peer`; its slot stays taken.
  void came(std::uint16_t peer, int slot) {
    if (slot < ordered_slots_) {
      --in_order_;
      passed_ = 0;
    } else {
      ++passed_;
    }
    Lane& lane = lanes_[peer];
    --lane.flying;
    if (lane.open || lane.next == kNone) return;
    lane.open = true;
    open_.push_back(peer);  // first, as it is surely there
  }

  /// What lay in it is no longer needed.
  void release(int slot) { (slot < ordered_slots_ ? free_ : free_ahead_).push_back(slot); }

 private:
  static constexpr std::size_t kInOrder = 8;
  static constexpr std::size_t kAheadOfPeer = 8;
  static constexpr std::size_t kPassedForOneMore = 4;
  static constexpr std::size_t kMostAhead = 64;
  static constexpr std::size_t kNone = ~std::size_t{0};

  struct Entry {
    std::size_t step;
    std::size_t next;  // of the same process
    std::uint16_t peer;
    bool posted;
  };
  /// The receives of one process.
  struct Lane {
    std::size_t next = kNone;  // the first that is not posted
    std::size_t last = kNone;
    std::size_t flying = 0;
    bool open = true;  // listed in open_
  };

  /// Of one process. More than one would take links from what is needed first where everybody comes as predicted.
  [[nodiscard]] std::size_t allowed_ahead() const noexcept {
    return std::min(kAheadOfPeer, 1 + passed_ / kPassedForOneMore);
  }

  Receive post(std::size_t index, std::vector<int>* slots) {
    Entry& entry = entries_[index];
    entry.posted = true;
    Lane& lane = lanes_[entry.peer];
    lane.next = entry.next;
    ++lane.flying;
    const int slot = slots->back();
    slots->pop_back();
    return {entry.step, slot};
  }

  std::vector<Entry> entries_;       // in the order of the schedule
  std::vector<Lane> lanes_;          // by rank
  std::vector<std::uint16_t> open_;  // ranks some of whose receives may be posted ahead, the next one last
  std::size_t first_ = 0;            // in entries_; all before are posted
  std::size_t in_order_ = 0;         // under way in slots that the order needs
  std::size_t passed_ = 0;           // have come out of order since one came in order
  int ordered_slots_ = 0;
  int slots_ = 0;
  std::vector<int> free_;
  std::vector<int> free_ahead_;
};

}  // namespace starling::arrival
