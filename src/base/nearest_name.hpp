// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Which of the names that there are is nearest to one that there is not, for messages that ask "did you mean ...?".
#pragma once

#include <cstddef>
#include <string_view>

namespace starling {

/// The nearest of the names that were offered; of equally near ones the first. They must outlive it. Thread safety:
/// none.
class NearestName {
 public:
  /// Any name, however far.
  explicit NearestName(std::string_view wanted);
  /// Only names that may be meant: not more than 2 characters apart, nor than half of those that are wanted.
  static NearestName within_reach(std::string_view wanted);

  void offer(std::string_view name);
  /// Empty where no name was near enough.
  [[nodiscard]] std::string_view found() const { return found_; }

 private:
  NearestName(std::string_view wanted, std::size_t farther_than_allowed)
      : wanted_(wanted), least_(farther_than_allowed) {}

  std::string_view wanted_;
  std::size_t least_;  // distance so far; a nearer name takes its place
  std::string_view found_;
};

}  // namespace starling
