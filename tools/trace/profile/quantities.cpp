// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "trace/profile/quantities.hpp"

#include <algorithm>

#include "base/format.hpp"

namespace starling::trace {
namespace {

/// Two or three digits that count.
std::string rounded(double value) { return value < 9.95 ? formatted("{:.1f}", value) : formatted("{:.0f}", value); }

}  // namespace

std::string time_text(std::int64_t ns) {
  const auto value = static_cast<double>(std::max<std::int64_t>(ns, 0));
  if (ns <= 0) return "0";
  if (value < 999.5) return formatted("{:.0f} ns", value);
  if (value < 999.5e3) return rounded(value / 1e3) + " us";
  if (value < 999.5e6) return rounded(value / 1e6) + " ms";
  if (value < 600e9) return rounded(value / 1e9) + " s";
  if (value < 36e12) return rounded(value / 60e9) + " min";
  return rounded(value / 3600e9) + " h";
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return formatted("{} B", bytes);
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; value >= 1023.5 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  return formatted("{} {}", rounded(value), kUnits[unit]);
}

std::string count_text(std::uint64_t count) {
  const std::string digits = formatted("{}", count);
  std::string text;
  for (std::size_t at = 0; at < digits.size(); ++at) {
    if (at > 0 && (digits.size() - at) % 3 == 0) text += ',';
    text += digits[at];
  }
  return text;
}

std::string share_text(std::int64_t part, std::int64_t whole) {
  if (whole <= 0) return "-";
  const double share = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  if (share > 0 && share < 0.5) return "<1 %";
  return formatted("{:.0f} %", share);
}

}  // namespace starling::trace
