// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The schedule of a reduce: which process sends which segment to which other in which round.
//
// The transfers lie in one flat array, those of a round together and in the order in which the algorithm found them;
// rounds without a transfer have no entry, so each round carries its number.
// Thread safety: value types.
// Source: J. Proficz, K. M. Ocetkiewicz, Improving Clairvoyant: reduction algorithm resilient to imbalanced process
// arrival patterns, J. Supercomput. 77 (2021), and D. Marendic et al., A novel MPI reduction algorithm resilient to
// imbalances in process arrival times, J. Supercomput. 72 (2016).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace starling::arrival {

struct Transfer {
  std::uint16_t receiver;
  std::uint16_t sender;
  std::uint16_t segment;

  friend bool operator==(const Transfer&, const Transfer&) = default;
};
static_assert(sizeof(Transfer) == 6, "the flat array of a large schedule is mostly this");

struct Round {
  std::int64_t number;
  std::uint32_t first;  ///< index of its first transfer; the next round's is its end

  friend bool operator==(const Round&, const Round&) = default;
};

struct Schedule {
  std::vector<Transfer> transfers;
  std::vector<Round> rounds;

  /// The transfers of rounds[index].
  [[nodiscard]] std::span<const Transfer> of(std::size_t index) const {
    const std::size_t end = index + 1 < rounds.size() ? rounds[index + 1].first : transfers.size();
    return std::span(transfers).subspan(rounds[index].first, end - rounds[index].first);
  }

  friend bool operator==(const Schedule&, const Schedule&) = default;
};

/// One rank's part in a transfer.
enum class Direction : std::uint8_t { kReceive, kSend };

struct Step {
  std::int64_t round;
  std::uint16_t peer;
  std::uint16_t segment;
  Direction direction;

  friend bool operator==(const Step&, const Step&) = default;
};

/// Takes the rounds of a schedule as they are found. What it is given lives until it returns.
class RoundSink {
 public:
  virtual ~RoundSink() = default;
  /// Where the transfers of the next round may be put, so that they need not be copied: at least so many.
  virtual Transfer* room(std::size_t most) {
    room_.resize(std::max(most, room_.size()));
    return room_.data();
  }
  virtual void take(std::int64_t number, std::span<const Transfer> transfers) = 0;

 private:
  std::vector<Transfer> room_;
};

/// Keeps nothing.
class Nowhere final : public RoundSink {
 public:
  void take(std::int64_t, std::span<const Transfer>) override {}
};

/// Keeps the whole schedule.
class WholeSchedule final : public RoundSink {
 public:
  WholeSchedule(std::size_t expected_transfers, std::size_t expected_rounds) {
    schedule_.transfers.reserve(expected_transfers);
    schedule_.rounds.reserve(expected_rounds);
  }

  Transfer* room(std::size_t most) override {
    schedule_.transfers.resize(taken_ + most);
    return schedule_.transfers.data() + taken_;
  }
  void take(std::int64_t number, std::span<const Transfer> transfers) override {
    schedule_.rounds.push_back({number, static_cast<std::uint32_t>(taken_)});
    if (transfers.data() != schedule_.transfers.data() + taken_) {
      schedule_.transfers.resize(taken_);
      schedule_.transfers.insert(schedule_.transfers.end(), transfers.begin(), transfers.end());
    }
    taken_ += transfers.size();
  }
  [[nodiscard]] Schedule&& release() {
    schedule_.transfers.resize(taken_);
    return std::move(schedule_);
  }

 private:
  std::size_t taken_ = 0;
  Schedule schedule_;
};

/// Keeps the two queues of one rank, in one list: in each round at most one receive, then at most one send.
class OwnSteps final : public RoundSink {
 public:
  explicit OwnSteps(int rank) : rank_(static_cast<std::uint16_t>(rank)) {}

  void take(std::int64_t number, std::span<const Transfer> transfers) override;
  [[nodiscard]] std::vector<Step>&& release() noexcept { return std::move(steps_); }

 private:
  std::uint16_t rank_;
  std::vector<Step> steps_;
};

}  // namespace starling::arrival
