// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/figures/traffic_matrix.hpp"

#include <algorithm>
#include <string_view>

#include "base/format.hpp"
#include "observe/figures/rank_table.hpp"

namespace starling::observe {
namespace {

/// From few bytes to many; nothing at all is a dot.
constexpr std::string_view kShades = ":-=+*#%@";
constexpr char kNothing = '.';

/// The last shade is for the most, and each one before it for half as much; the first one for all that is less.
class Shades {
 public:
  explicit Shades(const std::vector<std::uint64_t>& values) : most_(std::ranges::max(values)) {}

  [[nodiscard]] char of(std::uint64_t value) const {
    if (value == 0) return kNothing;
    std::size_t shade = kShades.size() - 1;
    for (std::uint64_t bound = most_ / 2; shade > 0 && value <= bound; bound /= 2) --shade;
    return kShades[shade];
  }
  [[nodiscard]] std::string key() const {
    if (most_ == 0) return "no rank has sent anything yet";
    return formatted("{} is up to {} bytes, and each shade of {} half as much as the next; {} is nothing",
                     kShades.back(), short_number(static_cast<double>(most_)), kShades.substr(0, kShades.size() - 1),
                     kNothing);
  }

 private:
  std::uint64_t most_;
};

}  // namespace

TrafficMatrix matrix_of(const JobEvidence& evidence, std::size_t ranks) {
  TrafficMatrix matrix(ranks);
  for (const RankEvidence& rank : evidence.ranks) {
    for (const SentTo& sent : rank.sent) {
      const auto from = static_cast<std::size_t>(rank.rank);
      const auto to = static_cast<std::size_t>(sent.rank);
      if (from < ranks && to < ranks) matrix.at(from, to) = {sent.messages, sent.bytes};
    }
  }
  return matrix;
}

std::vector<std::string> matrix_picture(const TrafficMatrix& matrix, std::size_t columns, std::size_t lines) {
  constexpr std::size_t kOtherLines = 3;
  constexpr std::size_t kLabel = 6;
  if (matrix.size == 0) return {"there are no ranks"};
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
