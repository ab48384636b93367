// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Fields: the words of a PMI message, each "name=value". PMI-1 divides them by spaces, PMI-2 by semicolons, of which a
// value may have doubled ones. Thread safety: a value.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace starling::bootstrap {

/// What a launcher has sent, as a message may show it: cut, and without characters that print nothing.
[[nodiscard]] inline std::string printable(std::string_view text) {
  constexpr std::size_t kMostShown = 200;
  std::string shown(text.substr(0, kMostShown));
  for (char& letter : shown) {
    if (letter < ' ' || letter > '~') letter = '?';
  }
  return text.size() > kMostShown ? shown + "..." : shown;
}

class Fields {
 public:
  Fields(std::string_view message, char divider) {
    while (!message.empty()) add(take_field(message, divider));
  }

  /// The value of the first field of that name; names that nobody asks for are of no matter.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const {
    for (const auto& [key, value] : fields_) {
      if (key == name) return value;
    }
    return std::nullopt;
  }
  [[nodiscard]] bool has(std::string_view name, std::string_view value) const { return find(name) == value; }
  [[nodiscard]] std::optional<std::int32_t> number(std::string_view name) const {
    const std::string_view text = find(name).value_or(std::string_view());
    std::int32_t value = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || rest != text.data() + text.size()) return std::nullopt;
    return value;
  }

 private:
  static std::string take_field(std::string_view& rest, char divider) {
    std::string field;
    for (; !rest.empty(); rest.remove_prefix(1)) {
      if (rest.front() == divider) {
        rest.remove_prefix(1);
        const bool is_doubled = divider == ';' && rest.starts_with(divider);
        if (!is_doubled) return field;
      }
      field.push_back(rest.front());
    }
    return field;
  }
  void add(const std::string& field) {
    const std::size_t sign = field.find('=');
    if (sign != std::string::npos) fields_.emplace_back(field.substr(0, sign), field.substr(sign + 1));
  }

  std::vector<std::pair<std::string, std::string>> fields_;
};

}  // namespace starling::bootstrap
