// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What HTML is made of here.
// Thread safety: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace starling::trace::report {

/// Text that a browser shows as it is.
[[nodiscard]] std::string escaped(std::string_view text);

/// A table. The first column is of words, the others of numbers. The cells are HTML already.
class Table {
 public:
  explicit Table(const std::vector<std::string>& heads);
  void row(const std::vector<std::string>& cells);
  /// A line below the rows: "and 12 more".
  void below(const std::string& text);
  /// It may be long: on a screen it gets a place of its own, in which it scrolls below its heads; in print it is whole.
  void scroll() { classes_ = "wide tall"; }
  /// The last column is of words as well, which go on in a second line where there is no room.
  void end_in_words() { classes_ = "wide words"; }
  [[nodiscard]] std::string html() const;

 private:
  std::string head_;
  std::string rows_;
  std::size_t columns_;
  std::string_view classes_ = "wide";
};

[[nodiscard]] std::string section(std::string_view title, std::string_view explanation, std::string_view body);

}  // namespace starling::trace::report
