// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// One reduce, run along the steps that its schedule gives to this rank, on whatever moves its messages.
//
// Every segment moves as soon as what it waits for is there: receives are posted ahead (receive_queue.hpp), a segment
// is sent on when all that had to be combined into it has come, and nobody waits for a round as such. So a process that
// is later than predicted delays only what depends on it, and the arithmetic of one segment overlaps the transfers of
// others.
//
// A Port has the messages that are under way, by number from 0, the newest last:
//   static constexpr bool kInOrder;  messages of a pair match in the order in which they are posted, not by segment
//   int rank(); int send(const void*, int count, int peer, int segment); int receive(void*, ...);   post one more
//   void drop(std::size_t number);   it is complete: the last takes its number
//   int combine(const void* in, void* inout, int count); int copy(const void* from, void* to, int count);
//   std::byte* room(std::size_t bytes);
// All that return int return 0 or an error, which ends the run.
//
// Thread safety: none; one owner.
// Invariants: two transfers of one segment between the same two ranks depend on each other, so they cannot overtake.
// The earliest unposted send is always posted when it is ready, whatever the limit on sends in flight, so the earliest
// incomplete transfer of all ranks can always complete.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "arrival/run/receive_queue.hpp"
#include "arrival/run/send_queue.hpp"
#include "arrival/schedule/schedule.hpp"

namespace starling::arrival {

/// Where the elements of a vector lie.
struct Elements {
  std::int64_t extent = 0;
  std::int64_t true_lower = 0;
  std::int64_t true_extent = 0;

  /// From the first byte to the last of so many.
  [[nodiscard]] std::size_t bytes(int count) const {
    return count == 0 ? 0 : static_cast<std::size_t>((count - 1) * extent + true_extent);
  }
};

/// `count` elements in `segments` pieces that differ by at most one element.
struct Cut {
  int count;
  int segments;

  [[nodiscard]] int first(int segment) const {
    return static_cast<int>(static_cast<std::int64_t>(count) * segment / segments);
  }
  [[nodiscard]] int length(int segment) const { return first(segment + 1) - first(segment); }
  [[nodiscard]] int longest() const { return (count + segments - 1) / segments; }
};

/// What one rank brings and takes.
struct Vectors {
  const void* own;  ///< never written, but at the root if it is `result`
  void* result;     ///< counts at the root only: elsewhere it is whatever the program passed, its input for one
  bool is_root;
};

template <typename Port>
class ReduceRun {
 public:
  /// The root's steps must contain no send (RootRole::kOnlyTakes).
  ReduceRun(Port& port, std::span<const Step> steps, Cut cut, const Elements& elements, const Vectors& vectors)
      : port_(port), steps_(steps), cut_(cut), elements_(elements), vectors_(vectors) {
    auto* own = static_cast<std::byte*>(const_cast<void*>(vectors.own));
    state_.resize(at(cut.segments));
    for (int s = 0; s < cut.segments; ++s) {
      state_[at(s)].at = own + cut.first(s) * elements.extent;
      state_[at(s)].own = !vectors.is_root || vectors.own != vectors.result;
    }
    order_steps();
    // A segment that has come needs a place until it is combined or has been sent on.
    slot_bytes_ = (elements.bytes(cut.longest()) + kAlignment - 1) / kAlignment * kAlignment;
    receives_.make_slots(vectors.is_root ? 0 : at(cut.segments));
    slots_ = port.room(receives_.slots() * slot_bytes_ + kAlignment);
    if (slots_ == nullptr) return;
    slots_ += (kAlignment - reinterpret_cast<std::uintptr_t>(slots_) % kAlignment) % kAlignment;
  }

  /// Whether there was memory.
  [[nodiscard]] bool has_room() const noexcept { return slots_ != nullptr; }

  /// Posts what can be posted now.
  int post() {
    const int code = post_receives();
    return code == 0 ? post_sends() : code;
  }

  /// Whether messages are under way; if none are after post(), the run is over.
  [[nodiscard]] bool waits() const noexcept { return !pending_.empty(); }

  /// Message `number` is complete: combines what came, and posts what that allows.
  int complete(std::size_t number) {
    const Pending pending = pending_[number];
    pending_[number] = pending_.back();
    pending_.pop_back();
    port_.drop(number);
    const int code = take(pending);
    return code == 0 ? post() : code;
  }

 private:
  // Enough to fill a link whose latency is as long as a segment takes; more would share it among segments.
  static constexpr std::size_t kSendsInFlight = 4;
  static constexpr std::size_t kAlignment = 64;
  static constexpr int kNoSlot = -1;
  static constexpr std::size_t kNone = ~std::size_t{0};

  /// A step, and what it has to wait for among this rank's steps with the same segment.
  struct Task {
    int sends_before = 0;           // that must have been posted
    int receives_needed = 0;        // of a send: those since the send before, to be combined first
    std::size_t number = kNone;     // of a send: in sends_
    std::size_t next_send = kNone;  // of a send: the step that next sends the segment
  };
  /// A segment as this rank has it now.
  struct Segment {
    std::byte* at = nullptr;        // its value, at any address: the input may begin at MPI_BOTTOM
    bool away = false;              // it has been sent away
    bool own = true;                // `at` is the user's input, which is not to be changed
    int slot = kNoSlot;             // that `at` lies in
    int sends = 0;                  // posted so far
    int combined = 0;               // receives since the last send
    std::size_t next_send = kNone;  // the step that sends it away
  };
  struct Pending {
    std::size_t step = 0;
    int slot = kNoSlot;
  };

  static std::size_t at(int index) { return static_cast<std::size_t>(index); }

  void order_steps() {
    struct Seen {  // of a segment so far
      int sends = 0;
      int receives = 0;  // since the last send
      std::size_t last_send = kNone;
    };
    std::vector<Seen> seen(state_.size());
    tasks_.resize(steps_.size());
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const std::uint16_t index = steps_[i].segment;
      Seen& segment = seen[index];
      tasks_[i] = {.sends_before = segment.sends, .receives_needed = segment.receives};
      if (steps_[i].direction == Direction::kReceive) {
        ++segment.receives;
        receives_.add(i, steps_[i].peer);
        continue;
      }
      tasks_[i].number = sends_.add(i, steps_[i].peer);
      (segment.sends == 0 ? state_[index].next_send : tasks_[segment.last_send].next_send) = i;
      segment = {segment.sends + 1, 0, i};
    }
    for (const Segment& segment : state_) look_at(segment);
  }

  [[nodiscard]] std::byte* slot(int index) const { return slots_ + at(index) * slot_bytes_ - elements_.true_lower; }

  int post_receives() {
    for (ReceiveQueue::Receive receive; receives_.next(&receive);) {
      const Step& step = steps_[receive.step];
      pending_.push_back({receive.step, receive.slot});
      const int code = port_.receive(slot(receive.slot), cut_.length(step.segment), step.peer, step.segment);
      if (code != 0) return code;
    }
    return 0;
  }

  int post_sends() {
    for (std::size_t step = 0; sends_.next(sends_in_flight_ >= kSendsInFlight, &step);) {
      if (const int code = send(step); code != 0) return code;
    }
    return 0;
  }

  /// Whether all that belongs into the segment before its next send is there.
  void look_at(const Segment& segment) {
    if (segment.next_send == kNone) return;
    const Task& task = tasks_[segment.next_send];
    if (segment.combined == task.receives_needed) sends_.ready(task.number);
  }

  int send(std::size_t index) {
    const Step& step = steps_[index];
    Segment& segment = state_[step.segment];
    ++sends_in_flight_;
    pending_.push_back({index, segment.slot});
    int code = port_.send(segment.at, cut_.length(step.segment), step.peer, step.segment);
    segment = {.at = nullptr,
               .away = true,
               .own = false,
               .slot = kNoSlot,
               .sends = segment.sends + 1,
               .combined = 0,
               .next_send = tasks_[index].next_send};
    // What came too early for this send is the segment's next value.
    for (std::size_t i = 0; code == 0 && i < early_.size();) {
      const Pending early = early_[i];
      if (steps_[early.step].segment != step.segment || tasks_[early.step].sends_before > segment.sends) {
        ++i;
        continue;
      }
      early_.erase(early_.begin() + static_cast<std::ptrdiff_t>(i));
      code = combine(early);
    }
    return code;
  }

  int take(const Pending& pending) {
    const Step& step = steps_[pending.step];
    if (step.direction == Direction::kSend) {
      --sends_in_flight_;
      if (pending.slot != kNoSlot) receives_.release(pending.slot);
      return 0;
    }
    receives_.came(step.peer, pending.slot);
    if (tasks_[pending.step].sends_before > state_[step.segment].sends) {
      early_.push_back(pending);
      return 0;
    }
    return combine(pending);
  }

  int combine(const Pending& pending) {
    const int index = steps_[pending.step].segment;
    Segment& segment = state_[at(index)];
    std::byte* arrived = slot(pending.slot);
    ++segment.combined;
    look_at(segment);
    if (segment.away) {  // so this is all there is
      segment.at = arrived;
      segment.away = false;
      segment.slot = pending.slot;
      return 0;
    }
    if (segment.own && !vectors_.is_root) {
      const int code = port_.combine(segment.at, arrived, cut_.length(index));
      segment.at = arrived;
      segment.slot = pending.slot;
      segment.own = false;
      return code;
    }
    if (segment.own) {
      if (const int code = copy_own(&segment, index); code != 0) return code;
    }
    receives_.release(pending.slot);
    return port_.combine(arrived, segment.at, cut_.length(index));
  }

  /// The root's own part goes where the result belongs.
  int copy_own(Segment* segment, int index) {
    auto* result = static_cast<std::byte*>(vectors_.result) + cut_.first(index) * elements_.extent;
    const std::byte* from = segment->at;
    segment->at = result;
    segment->own = false;
    return port_.copy(from, result, cut_.length(index));
  }

  Port& port_;
  std::span<const Step> steps_;
  Cut cut_;
  Elements elements_;
  Vectors vectors_;
  std::size_t slot_bytes_ = 0;
  std::byte* slots_ = nullptr;
  ReceiveQueue receives_;
  SendQueue sends_{Port::kInOrder};
  std::vector<Segment> state_;
  std::vector<Task> tasks_;  // for each step
  std::size_t sends_in_flight_ = 0;
  std::vector<Pending> early_;  // received before a send that the schedule has first
  std::vector<Pending> pending_;
};

}  // namespace starling::arrival
