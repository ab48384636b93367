// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Balancer: a balancing step of one array. Process 0 asks all for the loads that they measured since the last step,
// gives them to a strategy, and tells each process which of its elements move.
//
// **Thread safety**: none. **Invariants**: one step at a time, begun by main; loads count from zero after it.
#pragma once

#include <starling/array/balance.hpp>
#include <string>
#include <vector>

#include "entry.hpp"

namespace starling::array::detail {

struct Record;

class Balancer {
 public:
  explicit Balancer(ArrayCore& array, bool measures = false) : array_(array), measures_(measures) {}

  bool is_measuring() const { return measures_; }
  /// Process 0: everybody measures from now on, or not any more.
  void measure(bool on);
  /// Process 0, from main.
  BalanceReport step(const BalanceOptions& options);

  void handle_measured(const Record& record);
  void handle_moves(const Record& record);

 private:
  enum class Ask : std::uint8_t { kStop, kStart, kTell, kAnswer };
  void ask(Ask what);
  void answer(int to);
  bool is_worth_it(const balancing::Problem& problem, const balancing::Plan& plan, const BalanceOptions& options) const;
  std::size_t send_moves(const balancing::Problem& problem, const balancing::Plan& plan);

  ArrayCore& array_;
  bool measures_ = false;
  // At process 0, during a step.
  int answers_ = 0;
  balancing::Problem problem_;
  std::vector<std::string> names_;  // bytes of the indices of problem_.elements
};

}  // namespace starling::array::detail
