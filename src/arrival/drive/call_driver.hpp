// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// CallDriver: which way the calls of one kind go, and what lateness cost them. It is told how each call went and asked
// before the next. Processes that tell it the same get the same answers, each from its own driver or all from one in
// shared memory.
//
// Thread safety: none; one owner at a time. Layout: lies in shared memory in collective/node/arrival_history.hpp.
#pragma once

#include <cstdint>
#include <span>

#include "arrival/predict/choice.hpp"
#include "arrival/record/lateness.hpp"
#include "arrival/schedule/pattern.hpp"

namespace starling::arrival {

/// When a call is over: when its last process leaves it; or, of calls beside which processes do something else, when
/// they do in the mean, for whoever comes late leaves late whichever way the call goes.
enum class End : std::uint8_t { kOfLast, kOfMean };

/// How a call went, in seconds of one clock.
struct PastCall {
  Choice::Way way;
  std::span<const double> entered_s;  ///< one for each process
  std::span<const double> left_s;     ///< likewise
  std::span<const Ticks> predicted;   ///< of the arrivals; empty where nobody looked
  double vector_s;                    ///< what a message as long as the vector takes
  End end = End::kOfLast;
};

class CallDriver {
 public:
  /// Which way the next calls go when the processes are expected so; `vector_s` is what a message as long as the vector
  /// takes, `longest_hold` the most calls that the answer may hold for.
  [[nodiscard]] Choice::Answer decide(std::span<const Ticks> arrivals, double vector_s,
                                      int longest_hold = Choice::kLongestHold);
  /// Notes how a call went, and in `lateness` when each process came and left, and who was the last to come.
  void learn(const PastCall& call, std::span<Lateness> lateness);

  /// What the plain way takes from the last arrival on.
  [[nodiscard]] double plain_s() const noexcept { return choice_.plain_s(); }
  /// What a process lost on average by waiting for the last, and what going around it saved, in all calls.
  [[nodiscard]] double lost_s() const noexcept { return lost_s_; }
  [[nodiscard]] double saved_s() const noexcept { return saved_s_; }
  [[nodiscard]] const Imbalance& imbalance() const noexcept { return imbalance_; }
  /// Whether nobody was late for the last call, nor expected late for the next.
  [[nodiscard]] bool is_calm() const noexcept { return choice_.is_calm(); }

 private:
  double lost_s_ = 0;
  double saved_s_ = 0;
  Imbalance imbalance_;
  Choice choice_;
};

}  // namespace starling::arrival
