// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "reduce_run.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "shape.hpp"

namespace starling::pap {
namespace {

using arrival::Direction;
using arrival::Step;

constexpr std::size_t kReceivesAhead = 32;
// Enough to fill a link whose latency is as long as a segment takes; more would share it among segments.
constexpr std::size_t kSendsInFlight = 4;
constexpr std::size_t kSendsLookedAt = 64;
constexpr std::size_t kAlignment = 64;
constexpr int kNoSlot = -1;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// A step, and what it has to wait for among this rank's steps with the same segment.
struct Task {
  int sends_before = 0;     // that must have been posted
  int receives_needed = 0;  // of a send: those since the send before, to be combined first
};

/// A segment as this rank has it now.
struct Segment {
  std::byte* at = nullptr;  // its value; nullptr when it has been sent away
  bool own = true;          // `at` is the user's input, which is not to be changed
  int slot = kNoSlot;       // that `at` lies in
  int sends = 0;            // posted so far
  int combined = 0;         // receives since the last send
};

struct Pending {
  std::size_t step = 0;
  int slot = kNoSlot;
};

class Run {
 public:
  Run(const ReduceCall& call, std::span<const Step> steps, int segments, Workspace& workspace)
      : call_(call), steps_(steps), cut_{call.count, segments}, workspace_(workspace) {}

  int run() {
    int code = prepare();
    if (code != MPI_SUCCESS) return code;
    code = post();
    while (code == MPI_SUCCESS && !requests_.empty()) {
      code = wait();
      if (code == MPI_SUCCESS) code = post();
    }
    if (code != MPI_SUCCESS) abandon();
    return code;
  }

 private:
  int prepare() {
    if (const int code = PMPI_Comm_rank(call_.channel, &rank_); code != MPI_SUCCESS) return code;
    if (const int code = shape_.read(call_.type); code != MPI_SUCCESS) return code;
    const bool in_place = call_.send == MPI_IN_PLACE;
    auto* own = static_cast<std::byte*>(in_place ? call_.receive : const_cast<void*>(call_.send));
    state_.resize(at(cut_.segments));
    for (int s = 0; s < cut_.segments; ++s) {
      state_[at(s)].at = own + cut_.first(s) * shape_.extent;
      state_[at(s)].own = !in_place;
    }
    order_steps();
    // A segment that has come needs a place until it is combined or has been sent on.
    slot_bytes_ = (shape_.bytes(cut_.longest()) + kAlignment - 1) / kAlignment * kAlignment;
    const std::size_t slots = kReceivesAhead + (is_root() ? 0 : at(cut_.segments));
    slots_ = workspace_.room(slots * slot_bytes_ + kAlignment);
    slots_ += (kAlignment - reinterpret_cast<std::uintptr_t>(slots_) % kAlignment) % kAlignment;
    for (std::size_t i = slots; i > 0; --i) free_slots_.push_back(static_cast<int>(i) - 1);
    return MPI_SUCCESS;
  }

  void order_steps() {
    std::vector<Task> last(state_.size());
    tasks_.resize(steps_.size());
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      Task& now = last[steps_[i].segment];
      if (steps_[i].direction == Direction::kReceive) {
        ++now.receives_needed;
        receives_.push_back(i);
      } else {
        sends_.push_back(i);
      }
      tasks_[i] = now;
      if (steps_[i].direction == Direction::kSend) now = {now.sends_before + 1, 0};
    }
  }

  [[nodiscard]] bool is_root() const { return rank_ == call_.root; }
  [[nodiscard]] std::byte* slot(int index) const { return slots_ + at(index) * slot_bytes_ - shape_.true_lower; }

  int post() {
    const int code = post_receives();
    return code == MPI_SUCCESS ? post_sends() : code;
  }

  int post_receives() {
    while (next_receive_ < receives_.size() && receives_in_flight_ < kReceivesAhead && !free_slots_.empty()) {
      const std::size_t index = receives_[next_receive_++];
      const Step& step = steps_[index];
      const int place = free_slots_.back();
      free_slots_.pop_back();
      const int code = PMPI_Irecv(slot(place), cut_.length(step.segment), call_.type, step.peer, step.segment,
                                  call_.channel, add_request({index, place}));
      if (code != MPI_SUCCESS) return code;
      ++receives_in_flight_;
    }
    return MPI_SUCCESS;
  }

  /// In the order of the schedule, but past those that still wait for something.
  int post_sends() {
    std::size_t kept = first_send_;
    const std::size_t end = std::min(sends_.size(), first_send_ + kSendsLookedAt);
    for (std::size_t i = first_send_; i < end; ++i) {
      const std::size_t index = sends_[i];
      const bool allowed = sends_in_flight_ < kSendsInFlight || i == first_send_;
      if (index == kPosted || !allowed || !is_ready(index)) continue;
      if (const int code = send(index); code != MPI_SUCCESS) return code;
      sends_[i] = kPosted;
    }
    while (kept < end && sends_[kept] == kPosted) ++kept;
    const bool again = kept != first_send_ && sends_in_flight_ < kSendsInFlight && kept < sends_.size();
    first_send_ = kept;
    return again ? post_sends() : MPI_SUCCESS;
  }

  [[nodiscard]] bool is_ready(std::size_t index) const {
    const Segment& segment = state_[steps_[index].segment];
    const Task& task = tasks_[index];
    return segment.sends == task.sends_before && segment.combined == task.receives_needed;
  }

  int send(std::size_t index) {
    const Step& step = steps_[index];
    Segment& segment = state_[step.segment];
    ++sends_in_flight_;
    int code = PMPI_Isend(segment.at, cut_.length(step.segment), call_.type, step.peer, step.segment, call_.channel,
                          add_request({index, segment.slot}));
    segment = {.at = nullptr, .own = false, .slot = kNoSlot, .sends = segment.sends + 1, .combined = 0};
    // What came too early for this send is the segment's next value.
    for (std::size_t i = 0; code == MPI_SUCCESS && i < early_.size();) {
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

  MPI_Request* add_request(const Pending& pending) {
    pending_.push_back(pending);
    return &requests_.emplace_back(MPI_REQUEST_NULL);
  }

  /// Waits until something has completed and deals with it.
  int wait() {
    int index = MPI_UNDEFINED;
    const int code = PMPI_Waitany(static_cast<int>(requests_.size()), requests_.data(), &index, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS) return code;
    const Pending pending = pending_[at(index)];
    pending_[at(index)] = pending_.back();
    requests_[at(index)] = requests_.back();
    pending_.pop_back();
    requests_.pop_back();
    return complete(pending);
  }

  int complete(const Pending& pending) {
    const Step& step = steps_[pending.step];
    if (step.direction == Direction::kSend) {
      --sends_in_flight_;
      if (pending.slot != kNoSlot) free_slots_.push_back(pending.slot);
      return MPI_SUCCESS;
    }
    --receives_in_flight_;
    if (tasks_[pending.step].sends_before > state_[step.segment].sends) {
      early_.push_back(pending);
      return MPI_SUCCESS;
    }
    return combine(pending);
  }

  int combine(const Pending& pending) {
    const int index = steps_[pending.step].segment;
    Segment& segment = state_[at(index)];
    std::byte* arrived = slot(pending.slot);
    ++segment.combined;
    if (segment.at == nullptr) {  // sent away before, so this is all there is
      segment.at = arrived;
      segment.slot = pending.slot;
      return MPI_SUCCESS;
    }
    if (segment.own && !is_root()) {
      const int code = PMPI_Reduce_local(segment.at, arrived, cut_.length(index), call_.type, call_.op);
      segment.at = arrived;
      segment.slot = pending.slot;
      segment.own = false;
      return code;
    }
    if (segment.own) {
      if (const int code = copy_own(&segment, index); code != MPI_SUCCESS) return code;
    }
    free_slots_.push_back(pending.slot);
    return PMPI_Reduce_local(arrived, segment.at, cut_.length(index), call_.type, call_.op);
  }

  /// The root's own part goes where the result belongs.
  int copy_own(Segment* segment, int index) {
    auto* result = static_cast<std::byte*>(call_.receive) + cut_.first(index) * shape_.extent;
    const int length = cut_.length(index);
    const std::byte* from = segment->at;
    segment->at = result;
    segment->own = false;
    if (shape_.contiguous) {
      std::memcpy(result, from, shape_.bytes(length));
      return MPI_SUCCESS;
    }
    return PMPI_Sendrecv(from, length, call_.type, rank_, index, result, length, call_.type, rank_, index,
                         call_.channel, MPI_STATUS_IGNORE);
  }

  /// After an error: what is still under way shall not touch memory that is gone.
  void abandon() {
    for (MPI_Request& request : requests_) {
      if (request == MPI_REQUEST_NULL) continue;
      PMPI_Cancel(&request);
      PMPI_Request_free(&request);
    }
  }

  static constexpr std::size_t kPosted = ~std::size_t{0};

  const ReduceCall& call_;
  std::span<const Step> steps_;
  Cut cut_;
  Workspace& workspace_;
  int rank_ = 0;
  Shape shape_;
  std::size_t slot_bytes_ = 0;
  std::byte* slots_ = nullptr;
  std::vector<int> free_slots_;
  std::vector<Segment> state_;
  std::vector<Task> tasks_;            // for each step
  std::vector<std::size_t> receives_;  // steps
  std::vector<std::size_t> sends_;     // steps, or kPosted
  std::size_t next_receive_ = 0;
  std::size_t first_send_ = 0;  // in sends_, not posted yet
  std::size_t receives_in_flight_ = 0;
  std::size_t sends_in_flight_ = 0;
  std::vector<Pending> early_;  // received before a send that the schedule has first
  std::vector<MPI_Request> requests_;
  std::vector<Pending> pending_;
};

}  // namespace

std::byte* Workspace::room(std::size_t bytes) {
  if (bytes > size_) {
    memory_.reset(new std::byte[bytes]);
    size_ = bytes;
  }
  return memory_.get();
}

int run_reduce(const ReduceCall& call, std::span<const arrival::Step> steps, int segments, Workspace& workspace) {
  return Run(call, steps, segments, workspace).run();
}

}  // namespace starling::pap
