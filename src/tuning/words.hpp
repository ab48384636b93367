// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Words that make a text: constants, and names of hosts. Thread safety: a pure function.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace starling::tuning {

/// The words one after the other, `between` between them; empty ones are left out.
[[nodiscard]] inline std::string joined(const std::vector<std::string>& words, std::string_view between = " ") {
  std::string text;
  for (const std::string& word : words) {
    if (word.empty()) continue;
    if (!text.empty()) text += between;
    text += word;
  }
  return text;
}

}  // namespace starling::tuning
