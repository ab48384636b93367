// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/options/watch_options.hpp"

#include <charconv>
#include <cmath>

#include "base/format.hpp"

namespace starling::launch {

Result<OnDeadlock> parse_on_deadlock(const std::string& text, const std::string& origin) {
  if (text == "say") return OnDeadlock::kSay;
  if (text == "end") return OnDeadlock::kEnd;
  if (text == "nothing") return OnDeadlock::kNothing;
  return Status::error(ErrorClass::kArg, formatted("{} takes say, end or nothing, but got '{}'", origin, text));
}

Result<std::int64_t> parse_note_after(const std::string& text) {
  constexpr double kMost = 1e9;
  if (text == "never") return std::int64_t{0};
  double seconds = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, seconds);
  if (error == std::errc() && rest == end && seconds >= 0 && seconds <= kMost)
    return static_cast<std::int64_t>(std::ceil(seconds * 1e3));
  return Status::error(ErrorClass::kArg,
                       formatted("--note-after takes seconds, such as 90 or 0.5, 0 or never, but got '{}'", text));
}

}  // namespace starling::launch
