// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/figures/traffic_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/format.hpp"
#include "observe/figures/rank_table.hpp"

namespace starling::observe {
namespace {

/// From few bytes to many; nothing at all is a dot.
constexpr std::string_view kShades = ":-=+*#%@";
constexpr char kNothing = '.';

/// Powers of two from the least to the most are spread over the shades.
class Shades {
 public:
  explicit Shades(const std::vector<std::uint64_t>& values) {
    for (const std::uint64_t value : values) {
      if (value == 0) continue;
      least_ = least_ == 0 ? value : std::min(least_, value);
      most_ = std::max(most_, value);
    }
  }
  [[nodiscard]] char of(std::uint64_t value) const {
    if (value == 0) return kNothing;
    if (least_ == most_) return kShades.back();
    const double part = std::log2(static_cast<double>(value) / static_cast<double>(least_)) /
                        std::log2(static_cast<double>(most_) / static_cast<double>(least_));
    return kShades[static_cast<std::size_t>(std::lround(part * static_cast<double>(kShades.size() - 1)))];
  }
  [[nodiscard]] std::string key() const {
    if (most_ == 0) return "no rank has sent anything yet";
    const auto number = [](std::uint64_t value) { return short_number(static_cast<double>(value)); };
    if (least_ == most_) return formatted("{} nothing, {} {} bytes", kNothing, kShades.back(), number(most_));
    return formatted("{} nothing, {} {} bytes, to {} {} bytes; each shade is a factor", kNothing, kShades.front(),
                     number(least_), kShades.back(), number(most_));
  }

 private:
  std::uint64_t least_ = 0;
  std::uint64_t most_ = 0;
};

}  // namespace

std::vector<std::string> matrix_picture(const TrafficMatrix& matrix, std::size_t columns, std::size_t lines) {
  constexpr std::size_t kOtherLines = 3;
  constexpr std::size_t kLabel = 6;
  const std::size_t room = std::max<std::size_t>(
      std::min(columns > kLabel ? (columns - kLabel) / 2 : 1, lines > kOtherLines ? lines - kOtherLines : 1), 1);
  const std::size_t together = (matrix.size + room - 1) / room;
  const std::size_t cells = (matrix.size + together - 1) / together;
  std::vector<std::uint64_t> sums(cells * cells, 0);
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  for (std::size_t from = 0; from < matrix.size; ++from) {
    for (std::size_t to = 0; to < matrix.size; ++to) {
      const TrafficCount& count = matrix.at(from, to);
      sums[from / together * cells + to / together] += count.bytes;
      messages += count.messages;
      bytes += count.bytes;
    }
  }
  const Shades shades(sums);
  std::vector<std::string> picture;
  picture.push_back(
      formatted("sent so far: {} messages, {} bytes; a line for each sender, a column for each receiver{}",
                short_number(static_cast<double>(messages)), short_number(static_cast<double>(bytes)),
                together > 1 ? formatted("; {} ranks share one", together) : std::string()));
  picture.push_back(shades.key());
  for (std::size_t line = 0; line < cells; ++line) {
    std::string text = formatted("{:>4} ", line * together);
    for (std::size_t column = 0; column < cells; ++column) text += {' ', shades.of(sums[line * cells + column])};
    picture.push_back(text);
  }
  return picture;
}

}  // namespace starling::observe
