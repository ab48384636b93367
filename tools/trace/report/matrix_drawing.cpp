// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/format.hpp"
#include "trace/profile/quantities.hpp"
#include "trace/report/drawings.hpp"

namespace starling::trace::report {
namespace {

constexpr std::int32_t kMostSquares = 64;
constexpr double kSide = 512;
constexpr double kLeft = 56;
constexpr double kTop = 24;

/// Ranks in squares.
struct Grid {
  std::int32_t ranks = 0;
  std::int32_t together = 1;  ///< ranks that share a square
  [[nodiscard]] std::int32_t squares() const { return (ranks + together - 1) / together; }
  [[nodiscard]] double size() const { return kSide / std::max(squares(), 1); }
  [[nodiscard]] std::string name(std::int32_t square) const {
    const std::int32_t first = square * together, last = std::min(first + together, ranks) - 1;
    return first == last ? formatted("rank {}", first) : formatted("ranks {} to {}", first, last);
  }
};

using Squares = std::map<std::pair<std::int32_t, std::int32_t>, Traffic>;

std::string axes(const Grid& grid) {
  std::string svg = formatted(
      "<text x=\"0\" y=\"{3}\" class=\"axis\">from / to</text>\n"
      "<rect x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{2}\" class=\"field\"/>\n",
      kLeft, kTop, kSide, kTop - 6);
  const std::int32_t step = std::max(1, (grid.squares() + 15) / 16);
  for (std::int32_t square = 0; square < grid.squares(); square += step) {
    const double at = (square + 0.5) * grid.size();
    svg += formatted("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>", kLeft + at, kTop - 6,
                     square * grid.together);
    svg += formatted("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", kLeft - 6, kTop + at + 4,
                     square * grid.together);
  }
  return svg;
}

/// From the least to the most by powers, so that small messages show beside large ones.
double darkness(std::uint64_t bytes, std::uint64_t most) {
  if (bytes == 0) return 0.08;
  if (most <= 1) return 1;
  return 0.12 + 0.88 * std::log2(static_cast<double>(bytes)) / std::log2(static_cast<double>(most));
}

}  // namespace

std::string matrix_drawing(const Profile& profile) {
  Grid grid;
  grid.ranks = static_cast<std::int32_t>(profile.ranks().size());
  grid.together = std::max(1, (grid.ranks + kMostSquares - 1) / kMostSquares);
  Squares squares;
  std::uint64_t most = 0;
  for (const auto& [pair, traffic] : profile.traffic()) {
    Traffic& square = squares[{pair.first / grid.together, pair.second / grid.together}];
    square.messages += traffic.messages;
    square.bytes += traffic.bytes;
    most = std::max(most, square.bytes);
  }
  if (squares.empty()) return "<p>No rank sent a message to another that is recorded.</p>\n";
  const double legend = kLeft + kSide + 24;
  std::string svg = formatted(
      "<svg viewBox=\"0 0 {0:.0f} {1:.0f}\" style=\"max-width:{0:.0f}px\" role=\"img\" "
      "aria-label=\"communication matrix\">\n",
      legend + 110, kTop + kSide + 8);
  svg += axes(grid);
  for (const auto& [at, traffic] : squares) {
    svg += formatted(
        "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" class=\"heat\" fill-opacity=\"{:.2f}\">"
        "<title>{} to {}: {}, {} messages</title></rect>\n",
        kLeft + at.second * grid.size(), kTop + at.first * grid.size(), grid.size(), grid.size(),
        darkness(traffic.bytes, most), grid.name(at.first), grid.name(at.second), bytes_text(traffic.bytes),
        count_text(traffic.messages));
  }
  constexpr int kSteps = 5;
  for (int step = 0; step < kSteps; ++step) {
    const auto bytes = static_cast<std::uint64_t>(
        std::pow(static_cast<double>(std::max<std::uint64_t>(most, 1)), static_cast<double>(kSteps - step) / kSteps));
    svg += formatted(
        "<rect x=\"{0:.0f}\" y=\"{1}\" width=\"18\" height=\"18\" class=\"heat\" fill-opacity=\"{2:.2f}\"/>"
        "<text x=\"{3:.0f}\" y=\"{4}\">{5}</text>\n",
        legend, kTop + step * 24, darkness(bytes, most), legend + 26, kTop + step * 24 + 14, bytes_text(bytes));
  }
  return svg + "</svg>\n";
}

}  // namespace starling::trace::report
