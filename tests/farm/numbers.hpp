// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A farm's program for tests: numbers in, their squares with text out, and a count of how often each came out.
//
// Thread safety: as the farm's functions.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <string>

#include "starling/farm.hpp"

namespace starling::farm {

struct Square {
  long number = 0;
  std::string text;  // not trivially copyable
  template <class Archive>
  void serialize(Archive& archive) {
    archive(number, text);
  }
};

/// Input, Calculate and Output, and what Output saw.
class Numbers {
 public:
  explicit Numbers(long count, std::function<void(long)> before = {}) : count_(count), before_(std::move(before)) {}

  Summary run(const Options& options, const std::function<Summary(const Options&, Program&)>& runner) {
    const auto input = [this]() -> std::optional<long> {
      return next_ < count_ ? std::optional(next_++) : std::nullopt;
    };
    const auto calculate = [this](const long& number) {
      if (before_) before_(number);
      return Square{number, "square " + std::to_string(number * number)};
    };
    const auto output = [this](Square square, TaskInfo task) {
      if (square.number == static_cast<long>(task.number) &&
          square.text == "square " + std::to_string(square.number * square.number)) {
        order_.push_back(square.number);
        ++seen_[square.number];
      }
    };
    detail::TypedProgram program(input, calculate, output);
    return runner(options, program);
  }

  /// Every number came out once, those in quarantine not at all.
  bool exactly_once(const Summary& summary) const {
    std::map<long, int> expected;
    for (long number = 0; number < count_; ++number) expected[number] = 1;
    for (const Quarantined& task : summary.quarantine) expected.erase(static_cast<long>(task.number));
    return seen_ == expected;
  }
  const std::vector<long>& order() const { return order_; }

 private:
  const long count_;
  const std::function<void(long)> before_;
  long next_ = 0;
  std::map<long, int> seen_;
  std::vector<long> order_;
};

}  // namespace starling::farm
