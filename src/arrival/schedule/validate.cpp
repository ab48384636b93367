// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "arrival/schedule/validate.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/format.hpp"

namespace starling::arrival {
namespace {

Status wrong(std::int64_t round, const Transfer& transfer, const std::string& what) {
  return Status::error(ErrorClass::kIntern, formatted("round {}, {} to {} with segment {}: {}", round, transfer.sender,
                                                      transfer.receiver, transfer.segment, what));
}

/// Which processes are at work in which round: all who are available before the round of the earliest is over.
class Clock {
 public:
  explicit Clock(const Pattern& pattern)
      : length_(pattern.round_length), available_(pattern.arrivals.begin(), pattern.arrivals.end()) {}

  /// Goes on to the start of a later round, in which nothing but waiting happens until then.
  void go_to(std::int64_t round) {
    while (round_ < round) {
      const Ticks start = earliest(0);
      const Ticks other = earliest(start + length_);
      // The same processes wait together until another arrives among them.
      const Ticks until = other == kNever ? round - round_ : std::max<Ticks>(1, (other - start) / length_);
      const Ticks rounds = std::min<Ticks>(round - round_, until);
      for (Ticks& time : available_) {
        if (time < start + length_) time += rounds * length_;
      }
      round_ += rounds;
    }
    end_ = earliest(0) + length_;
  }

  void complete(int process) { available_[static_cast<std::size_t>(process)] = kNever; }
  [[nodiscard]] bool at_work(int process) const { return available_[static_cast<std::size_t>(process)] < end_; }

 private:
  static constexpr Ticks kNever = std::numeric_limits<Ticks>::max();

  [[nodiscard]] Ticks earliest(Ticks from) const {
    Ticks best = kNever;
    for (const Ticks time : available_) {
      if (time >= from) best = std::min(best, time);
    }
    return best;
  }

  Ticks length_;
  std::vector<Ticks> available_;
  std::int64_t round_ = 0;
  Ticks end_ = 0;
};

class Judge {
 public:
  Judge(const Pattern& pattern, const Schedule& schedule)
      : pattern_(pattern),
        schedule_(schedule),
        segments_(static_cast<std::size_t>(pattern.segments)),
        weight_(pattern.arrivals.size() * segments_, 1),
        open_(pattern.arrivals.size(), pattern.segments),
        sent_in_(pattern.arrivals.size(), -1),
        received_in_(pattern.arrivals.size(), -1),
        received_(pattern.arrivals.size(), -1),
        clock_(pattern) {}

  Status run() {
    std::int64_t before = -1;
    for (std::size_t index = 0; index < schedule_.rounds.size(); ++index) {
      const std::int64_t number = schedule_.rounds[index].number;
      if (number <= before) {
        return Status::error(ErrorClass::kIntern, formatted("round {} stands after round {}", number, before));
      }
      before = number;
      clock_.go_to(number);
      STARLING_TRY(play(number, schedule_.of(index)));
    }
    return all_at_root();
  }

 private:
  Status play(std::int64_t round, std::span<const Transfer> transfers) {
    for (const Transfer& transfer : transfers) STARLING_TRY(check_one(round, transfer));
    for (const Transfer& transfer : transfers) {
      if (received_in_[transfer.sender] == round && received_[transfer.sender] == transfer.segment) {
        return wrong(round, transfer, "it was received in the same round");
      }
    }
    // All at once: what a sender had when the round began.
    for (const Transfer& transfer : transfers) moving_.push_back(take(transfer.sender, transfer.segment));
    for (std::size_t i = 0; i < transfers.size(); ++i) give(transfers[i].receiver, transfers[i].segment, moving_[i]);
    moving_.clear();
    for (const Transfer& transfer : transfers) {
      if (open_[transfer.sender] == 0 && transfer.sender != pattern_.root) clock_.complete(transfer.sender);
    }
    return {};
  }

  Status check_one(std::int64_t round, const Transfer& transfer) {
    const int processes = pattern_.processes();
    if (transfer.sender >= processes || transfer.receiver >= processes || transfer.segment >= pattern_.segments) {
      return wrong(round, transfer, "there is no such process or segment");
    }
    if (transfer.sender == transfer.receiver) return wrong(round, transfer, "a process sends to itself");
    if (!clock_.at_work(transfer.sender)) return wrong(round, transfer, "the sender is not at work");
    if (!clock_.at_work(transfer.receiver)) return wrong(round, transfer, "the receiver is not at work");
    if (sent_in_[transfer.sender] == round) return wrong(round, transfer, "the sender sends twice");
    if (received_in_[transfer.receiver] == round) return wrong(round, transfer, "the receiver receives twice");
    if (transfer.sender == pattern_.root && pattern_.root_role == RootRole::kOnlyTakes) {
      return wrong(round, transfer, "the root sends");
    }
    if (weight(transfer.sender, transfer.segment) == 0) return wrong(round, transfer, "the sender does not have it");
    sent_in_[transfer.sender] = round;
    received_in_[transfer.receiver] = round;
    received_[transfer.receiver] = transfer.segment;
    return {};
  }

  int take(int process, int segment) {
    --open_[static_cast<std::size_t>(process)];
    return std::exchange(weight(process, segment), 0);
  }

  void give(int process, int segment, int contributions) {
    if (weight(process, segment) == 0) ++open_[static_cast<std::size_t>(process)];
    weight(process, segment) += contributions;
  }

  Status all_at_root() {
    for (int segment = 0; segment < pattern_.segments; ++segment) {
      if (weight(pattern_.root, segment) != pattern_.processes()) {
        return Status::error(ErrorClass::kIntern,
                             formatted("segment {} ends at the root with {} of {} contributions", segment,
                                       weight(pattern_.root, segment), pattern_.processes()));
      }
    }
    return {};
  }

  int& weight(int process, int segment) {
    return weight_[static_cast<std::size_t>(process) * segments_ + static_cast<std::size_t>(segment)];
  }

  const Pattern& pattern_;
  const Schedule& schedule_;
  std::size_t segments_;
  std::vector<int> weight_;  // for each process and segment: how many contributions it holds
  std::vector<int> open_;    // for each process: how many segments it holds
  std::vector<std::int64_t> sent_in_;
  std::vector<std::int64_t> received_in_;
  std::vector<int> received_;
  std::vector<int> moving_;
  Clock clock_;
};

}  // namespace

Status validate(const Pattern& pattern, const Schedule& schedule) {
  STARLING_TRY(check(pattern));
  return Judge(pattern, schedule).run();
}

}  // namespace starling::arrival
