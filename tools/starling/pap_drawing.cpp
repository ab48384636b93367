// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "pap_drawing.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/format.hpp"

namespace starling::tools {
namespace {

constexpr double kRoundWidth = 34;
constexpr double kLaneHeight = 26;
constexpr double kLeft = 70;
constexpr double kTop = 46;
constexpr double kLongestGap = 2;  // rounds drawn for a stretch in which nothing happens

/// Where each moment lies across, in rounds: idle stretches between rounds are cut to kLongestGap.
class Axis {
 public:
  explicit Axis(const arrival::Schedule& schedule) {
    double at = 0;
    std::int64_t last = -1;
    for (const arrival::Round& round : schedule.rounds) {
      at += std::min(static_cast<double>(round.number - last - 1), kLongestGap);
      if (static_cast<double>(round.number - last - 1) > kLongestGap) breaks_.push_back(at - kLongestGap / 2);
      knots_.push_back({static_cast<double>(round.number), at});
      at += 1;
      last = round.number;
    }
    end_ = at;
  }

  /// `rounds` since the first arrival.
  [[nodiscard]] double across(double rounds) const {
    Knot before{0, 0};
    for (const Knot& knot : knots_) {
      if (knot.rounds > rounds) {
        const double share = (rounds - before.rounds) / (knot.rounds - before.rounds);
        return before.at + share * (knot.at - before.at);
      }
      before = knot;
    }
    return std::min(before.at + (rounds - before.rounds), end_);
  }
  [[nodiscard]] double end() const { return end_; }
  [[nodiscard]] const std::vector<double>& breaks() const { return breaks_; }

 private:
  struct Knot {
    double rounds;
    double at;
  };
  std::vector<Knot> knots_;
  std::vector<double> breaks_;
  double end_ = 0;
};

/// Neighbouring segments far apart on the colour wheel.
std::string colour(int segment) {
  return formatted("hsl({:.0f},65%,48%)", segment * 137.508 - 360 * (segment * 137 / 360));
}

double x_of(double rounds) { return kLeft + rounds * kRoundWidth; }
double y_of(int process) { return kTop + process * kLaneHeight; }

void draw_lanes(const arrival::Pattern& pattern, const Axis& axis, std::string* svg) {
  const arrival::Ticks first = *std::min_element(pattern.arrivals.begin(), pattern.arrivals.end());
  for (int process = 0; process < pattern.processes(); ++process) {
    const double rounds = static_cast<double>(pattern.arrivals[static_cast<std::size_t>(process)] - first) /
                          static_cast<double>(pattern.round_length);
    const double y = y_of(process);
    *svg += formatted("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}{}</text>\n", kLeft - 8, y + 4, process,
                      process == pattern.root ? " root" : "");
    *svg += formatted(
        "<line x1=\"{0:.1f}\" y1=\"{2:.1f}\" x2=\"{1:.1f}\" y2=\"{2:.1f}\" stroke=\"#bbb\"/>"
        "<path d=\"M{0:.1f} {2:.1f}l-5 -5v10z\" fill=\"#333\"><title>{3} arrives at {4}</title></path>\n",
        x_of(axis.across(rounds)), x_of(axis.end()), y, process, pattern.arrivals[static_cast<std::size_t>(process)]);
  }
}

void draw_transfer(const arrival::Transfer& transfer, std::int64_t number, double at, std::string* svg) {
  const double x = x_of(at);
  const std::string fill = colour(transfer.segment);
  *svg += formatted(
      "<g stroke=\"{0}\" fill=\"{0}\"><line x1=\"{1:.1f}\" y1=\"{2:.1f}\" x2=\"{3:.1f}\" y2=\"{4:.1f}\" "
      "stroke-width=\"2\"/><circle cx=\"{1:.1f}\" cy=\"{2:.1f}\" r=\"3\"/>"
      "<rect x=\"{5:.1f}\" y=\"{6:.1f}\" width=\"8\" height=\"8\"/>"
      "<title>round {7}: {8} to {9}, segment {10}</title></g>\n",
      fill, x + 6, y_of(transfer.sender), x + kRoundWidth - 8, y_of(transfer.receiver), x + kRoundWidth - 12,
      y_of(transfer.receiver) - 4, number, transfer.sender, transfer.receiver, transfer.segment);
}

void draw_rounds(const arrival::Schedule& schedule, const Axis& axis, double bottom, std::string* svg) {
  for (std::size_t index = 0; index < schedule.rounds.size(); ++index) {
    const std::int64_t number = schedule.rounds[index].number;
    const double at = axis.across(static_cast<double>(number));
    *svg += formatted(
        "<line x1=\"{0:.1f}\" y1=\"{1}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\" stroke=\"#eee\"/>"
        "<text x=\"{3:.1f}\" y=\"{4}\" text-anchor=\"middle\" fill=\"#777\">{5}</text>\n",
        x_of(at), kTop - 14, bottom, x_of(at + 0.5), kTop - 20, number);
    for (const arrival::Transfer& transfer : schedule.of(index)) draw_transfer(transfer, number, at, svg);
  }
  for (const double at : axis.breaks()) {
    *svg +=
        formatted("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\" fill=\"#777\">//</text>\n", x_of(at), kTop - 20);
  }
}

void draw_legend(int segments, double y, std::string* svg) {
  for (int segment = 0; segment < std::min(segments, 24); ++segment) {
    *svg += formatted(
        "<rect x=\"{0}\" y=\"{1:.1f}\" width=\"10\" height=\"10\" fill=\"{2}\"/>"
        "<text x=\"{3}\" y=\"{4:.1f}\">s{5}</text>\n",
        kLeft + segment * 44, y - 9, colour(segment), kLeft + segment * 44 + 14, y, segment);
  }
}

}  // namespace

std::string draw_schedule(const arrival::Pattern& pattern, const arrival::Schedule& schedule) {
  const Axis axis(schedule);
  const double bottom = y_of(pattern.processes());
  const double width = std::max(x_of(axis.end()) + 20, kLeft + 44.0 * std::min(pattern.segments, 24) + 20);
  std::string svg = formatted(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      "<text x=\"8\" y=\"{2}\" fill=\"#777\">round</text>\n",
      width, bottom + 30, kTop - 20);
  draw_lanes(pattern, axis, &svg);
  draw_rounds(schedule, axis, bottom - kLaneHeight / 2, &svg);
  draw_legend(pattern.segments, bottom + 14, &svg);
  return svg + "</svg>\n";
}

}  // namespace starling::tools
