// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>
#include <vector>

#include "base/format.hpp"
#include "trace/profile/quantities.hpp"
#include "trace/report/drawings.hpp"

namespace starling::trace::report {
namespace {

constexpr std::size_t kMostBars = 48;
constexpr double kNamesWidth = 86;
constexpr double kBarsWidth = 640;
constexpr double kBar = 18;
constexpr double kStep = 24;

std::string begin_svg(double width, double height, const char* label) {
  return formatted(
      "<svg viewBox=\"0 0 {0:.0f} {1:.0f}\" style=\"max-width:{0:.0f}px\" role=\"img\" aria-label=\"{2}\">\n", width,
      height, label);
}

std::string piece(double x, double y, double width, const std::string& style, const std::string& title) {
  return formatted(
      "<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{}\" class=\"{}\"><title>{}</title></rect>", x, y,
      std::max(width, 0.0), kBar, style, title);
}

/// The ranks in their order, or of many those that wait longest.
std::vector<std::size_t> drawn_ranks(const Profile& profile) {
  std::vector<std::size_t> order(profile.ranks().size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() <= kMostBars) return order;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t one, std::size_t other) {
    return profile.ranks()[one].mpi.waited_ns() > profile.ranks()[other].mpi.waited_ns();
  });
  order.resize(kMostBars);
  return order;
}

std::string time_bar(const RankProfile& rank, std::size_t number, double y, std::int64_t whole) {
  const double scale = kBarsWidth / static_cast<double>(std::max<std::int64_t>(whole, 1));
  std::string svg =
      formatted("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">rank {}</text>", kNamesWidth - 8, y + 13, number);
  const std::int64_t outside = std::max<std::int64_t>(rank.age_ns() - rank.mpi.ns, 0);
  double x = kNamesWidth;
  svg += piece(x, y, static_cast<double>(outside) * scale, "outside", formatted("outside MPI {}", time_text(outside)));
  x += static_cast<double>(outside) * scale;
  for (std::size_t step = 0; step < kCauses; ++step) {
    const std::size_t cause = (step + kCauses - 1) % kCauses;  // the library first, then the waits
    const std::int64_t ns = rank.mpi.by_cause_ns[cause];
    const double width = static_cast<double>(ns) * scale;
    if (ns <= 0) continue;
    svg += piece(x, y, width, formatted("cause{}", cause),
                 formatted("{} {}", cause_name(static_cast<Cause>(cause)), time_text(ns)));
    x += width;
  }
  return svg + "\n";
}

std::string time_legend(double y) {
  std::string svg;
  double x = kNamesWidth;
  const auto add = [&](const std::string& style, std::string_view name) {
    svg += formatted(
        "<rect x=\"{0:.0f}\" y=\"{1:.0f}\" width=\"12\" height=\"12\" class=\"{2}\"/><text x=\"{3:.0f}\" "
        "y=\"{4:.0f}\">{5}</text>",
        x, y, style, x + 17, y + 10.5, name);
    x += 32 + 6.6 * static_cast<double>(name.size());
  };
  add("outside", "outside MPI");
  for (std::size_t step = 0; step < kCauses; ++step) {
    const std::size_t cause = (step + kCauses - 1) % kCauses;
    add(formatted("cause{}", cause), cause_name(static_cast<Cause>(cause)));
  }
  return svg + "\n";
}

}  // namespace

std::string time_drawing(const Profile& profile) {
  const std::vector<std::size_t> order = drawn_ranks(profile);
  std::int64_t whole = 0;
  for (const RankProfile& rank : profile.ranks()) whole = std::max(whole, rank.age_ns());
  const double height = kStep * static_cast<double>(order.size());
  std::string svg = begin_svg(kNamesWidth + kBarsWidth + 10, height + 36, "time of each rank by cause");
  svg += time_legend(2);
  for (std::size_t at = 0; at < order.size(); ++at)
    svg += time_bar(profile.ranks()[order[at]], order[at], 26 + kStep * static_cast<double>(at), whole);
  svg += "</svg>\n";
  if (order.size() < profile.ranks().size())
    svg += formatted("<p class=\"more\">Drawn are the {} of {} ranks that wait longest.</p>\n", order.size(),
                     profile.ranks().size());
  return svg;
}

std::string size_drawing(const Profile& profile) {
  const auto& sizes = profile.sizes();
  const auto some = [](std::uint64_t count) { return count > 0; };
  const auto first = std::find_if(sizes.begin(), sizes.end(), some);
  if (first == sizes.end()) return "<p>No message is on the timeline.</p>\n";
  const auto last = std::find_if(sizes.rbegin(), sizes.rend(), some).base();
  const std::uint64_t most = *std::max_element(sizes.begin(), sizes.end());
  const auto rows = static_cast<double>(last - first);
  std::string svg = begin_svg(kNamesWidth + kBarsWidth + 100, rows * kStep + 6, "messages by size");
  for (auto at = first; at != last; ++at) {
    const auto power = static_cast<unsigned>(at - sizes.begin());
    const double y = kStep * static_cast<double>(at - first) + 2;
    const double width = kBarsWidth * static_cast<double>(*at) / static_cast<double>(most);
    const std::string name = bytes_text(std::uint64_t{1} << power);
    svg += formatted("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>", kNamesWidth - 8, y + 13, name);
    svg += piece(kNamesWidth, y, width, "heat", formatted("{} messages of {} or more", count_text(*at), name));
    svg += formatted("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", kNamesWidth + width + 6, y + 13, count_text(*at));
  }
  return svg + "</svg>\n";
}

}  // namespace starling::trace::report
