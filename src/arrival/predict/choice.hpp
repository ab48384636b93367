// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Whether the next call goes around late processes or runs plainly. All ranks feed it the same numbers, so all decide
// alike.
//
// It begins with the plain way and leaves it only for what it can afford to lose. A call's cost is its exposed time:
// from the last arrival to the last end. Of what plain calls take a small share is put by for tries (kShare), and so is
// all that going around saves; what it costs more than plain is taken off. A try needs as much as the worst try so far
// cost. Of the first nobody knows that: three quarters of a plain call must be there where calls have borne out the
// predictions so often that it cannot be chance (evidence.hpp), else three. So calls cost kShare more than plain
// ones at most, counted from the first, unless a try costs more than was put by for it.
//
// A call that went around and took longer than plain takes evidence away, and the next goes plainly. When that comes of
// right predictions, or before some calls in a row proved the way, a pause follows, each twice as long as the one
// before. The first call of either way is not judged: it makes connections and touches memory first. What a single call
// is charged is limited, for single calls differ much where ranks share cores.
//
// Arrivals are balanced where they are closer than half a vector's transfer, or than what a plain call takes: in less
// time the others could not have combined their vectors before the last comes. On a machine with more ranks than cores,
// whose scheduler makes every rank look late by some turns, that is most of the difference.
//
// Predictions that must be exchanged cost something themselves, so an answer says for how many calls it holds: a pause
// until it is over, and balanced arrivals, or predictions that were wrong, for 1, 2, 4 calls and so on, up to
// kLongestHold. Lateness that begins later is found within as many calls. Thread safety: none; one owner.
#pragma once

#include <algorithm>
#include <utility>

namespace starling::arrival {

class Choice {
 public:
  enum class Way { kPlain, kScheduled };
  struct Answer {
    Way way = Way::kPlain;
    int calls = 1;  ///< that may go this way before anybody looks at predictions again; the scheduled way is for one
  };
  /// How a call turned out.
  struct Outcome {
    Way way = Way::kPlain;
    double exposed_s = 0;
    double evidence = 0;  ///< what evidence() says of its prediction
  };
  static constexpr int kLongestHold = 64;

  /// Arrivals closer than this are balanced.
  [[nodiscard]] double least_spread_s(double vector_s) const noexcept {
    return std::max(kLeastSpread * vector_s, plain_s_);
  }

  /// For a predicted spread of the arrivals, and what a message as long as the vector takes. Plain answers are for
  /// `longest_hold` calls at most where lateness that nobody has seen may come: 1 where ranks can tell of it.
  [[nodiscard]] Answer choose(double spread_s, double vector_s, int longest_hold = kLongestHold) {
    calm_ = false;
    if (plain_calls_ < kLearningCalls) return {Way::kPlain, kLearningCalls - plain_calls_};
    if (pause_ > 0) return {Way::kPlain, std::min(pause_, kLongestHold)};
    const bool was_late = std::exchange(was_late_, false);
    if (spread_s < least_spread_s(vector_s)) {
      calm_ = !was_late;
      return {Way::kPlain, std::min(longest_hold, std::exchange(next_hold_, std::min(2 * next_hold_, kLongestHold)))};
    }
    if (!may_try()) {
      calm_ = refuted_ && !was_late;
      return {Way::kPlain, std::min(longest_hold, next_hold_)};
    }
    next_hold_ = 1;
    return {in_a_row_ == kLookAgain ? Way::kPlain : Way::kScheduled, 1};
  }

  void learn(const Outcome& call) {
    if (call.evidence > 0) next_hold_ = 1;
    if (call.way == Way::kPlain) {
      learn_plain(call);
    } else {
      learn_scheduled(call);
    }
    credit_s_ = std::min(credit_s_, std::max(kMostCredit * plain_s_, worst_s_));
  }

  /// Somebody was late whom nobody expected.
  void look_soon() noexcept {
    next_hold_ = 1;
    was_late_ = true;
  }

  [[nodiscard]] double plain_s() const noexcept { return plain_s_; }
  /// Whether the last answer was plain because arrivals are balanced, or what was predicted of them was wrong, and
  /// those of the call before were balanced.
  [[nodiscard]] bool is_calm() const noexcept { return calm_; }

 private:
  static constexpr int kLearningCalls = 3;
  static constexpr int kLookAgain = 64;  // scheduled calls, before plain is measured again
  static constexpr int kFirstPause = 8;
  static constexpr int kLongestPause = 1024;
  static constexpr int kProven = 4;            // judged calls of a try; fewer may have been lucky
  static constexpr double kLeastWeight = 0.1;  // single calls differ much where ranks share cores
  static constexpr double kLeastSpread = 0.5;  // of a vector's transfer
  static constexpr double kShare = 0.025;      // of what plain calls take
  // In plain calls' time.
  static constexpr double kSupportedRisk = 0.75;
  static constexpr double kUnsupportedRisk = 3;
  static constexpr double kMostCredit = 3;
  static constexpr double kMostCharged = 4;
  // In bits. Chance alone hardly gathers 18; a call that was lost leaves less.
  static constexpr double kEnough = 18;
  static constexpr double kMostEvidence = 26;
  static constexpr double kWonBits = 3;
  static constexpr double kLostBits = 10;
  static constexpr double kWrongBits = 5;  // of a plain call

  static double blend(double average, double value, int seen) {
    return average + std::max(1.0 / (seen + 1), kLeastWeight) * (value - average);
  }

  [[nodiscard]] bool may_try() const noexcept {
    if (evidence_ >= kEnough) return credit_s_ >= std::max(kSupportedRisk * plain_s_, worst_s_);
    return !refuted_ && credit_s_ >= std::max(kUnsupportedRisk * plain_s_, worst_s_);
  }

  void learn_plain(const Outcome& call) {
    plain_s_ = blend(plain_s_, call.exposed_s, std::max(0, plain_calls_ - 1));
    ++plain_calls_;
    in_a_row_ = 0;
    if (pause_ > 0) --pause_;
    credit_s_ += kShare * call.exposed_s;
    if (call.evidence > 0) {
      bear_out(call.evidence);
    } else if (call.evidence < 0) {
      refute(kWrongBits);
      next_hold_ = std::min(2 * next_hold_, kLongestHold);
    }
  }

  void learn_scheduled(const Outcome& call) {
    ++in_a_row_;
    const bool judged = std::exchange(tried_, true);
    const bool proven = scheduled_calls_ >= kProven && scheduled_s_ <= plain_s_;
    const double most_s = (judged && !proven ? kMostCharged : 1) * plain_s_;
    const double lost_s = std::min(call.exposed_s - plain_s_, most_s);
    credit_s_ += kShare * plain_s_ - lost_s;
    if (!judged) return;
    scheduled_s_ = blend(scheduled_s_, call.exposed_s, scheduled_calls_++);
    if (lost_s <= 0) {
      bear_out(kWonBits);
      if (scheduled_calls_ >= kProven && scheduled_s_ <= plain_s_) next_pause_ = std::max(kFirstPause, next_pause_ / 2);
      return;
    }
    worst_s_ = std::max(worst_s_ / 2, lost_s);
    refute(kLostBits);
    if (scheduled_s_ <= plain_s_ || (proven && call.evidence < 0)) return;
    pause_ = next_pause_;
    next_pause_ = std::min(2 * next_pause_, kLongestPause);
    scheduled_calls_ = 0;  // the next try starts afresh
  }

  void bear_out(double bits) noexcept {
    evidence_ = std::min(evidence_ + bits, kMostEvidence);
    refuted_ = false;
  }
  void refute(double bits) noexcept {
    evidence_ = std::max(evidence_ - bits, 0.0);
    refuted_ = true;
  }

  double plain_s_ = 0;
  double scheduled_s_ = 0;
  double worst_s_ = 0;   ///< that a judged call cost more than plain; half of it is forgotten with the next
  double credit_s_ = 0;  ///< what tries may cost
  double evidence_ = 0;
  int plain_calls_ = 0;
  int in_a_row_ = 0;  ///< scheduled calls
  int scheduled_calls_ = 0;
  int pause_ = 0;
  int next_pause_ = kFirstPause;
  int next_hold_ = 1;
  bool tried_ = false;
  bool calm_ = false;
  bool was_late_ = false;  ///< for a call since the last answer
  bool refuted_ = true;    ///< by the last call that said anything of its prediction
};

}  // namespace starling::arrival
