// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "settings.hpp"

#include <charconv>
#include <span>
#include <string_view>

#include "base/format.hpp"

namespace starling::pap {
namespace {

struct Variable {
  std::string_view name;
  std::string_view values;                               ///< for a person
  bool (*take)(std::string_view value, Settings& into);  ///< false if it is none of them
};

bool take_mode(std::string_view value, Settings& into) {
  if (value != "on" && value != "always" && value != "watch" && value != "off") return false;
  into.on = value != "off";
  into.watch_only = value == "watch";
  into.always = value == "always";
  return true;
}

bool take_table(std::string_view value, Settings& into) {
  if (value != "0" && value != "1") return false;
  into.table = value == "1";
  return true;
}

bool take_least_bytes(std::string_view value, Settings& into) {
  std::int64_t bytes = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), bytes);
  if (error != std::errc() || end != value.data() + value.size() || bytes < 0) return false;
  into.least_bytes = bytes;
  return true;
}

constexpr Variable kVariables[] = {{"PAP_MODE", "on, always, watch or off", &take_mode},
                                   {"PAP_TABLE", "0 or 1", &take_table},
                                   {"PAP_LEAST_BYTES", "a number of bytes", &take_least_bytes}};

std::string take(std::string_view name, std::string_view value, Settings& into) {
  for (const Variable& each : kVariables) {
    if (each.name != name) continue;
    if (each.take(value, into)) return "";
    return formatted("{}={} is none of its values: {}; it counts as not set", name, value, each.values);
  }
  std::string text = formatted("{} is not known: there are", name);
  for (const Variable& each : kVariables) text += formatted("{} {}", &each == kVariables ? "" : ",", each.name);
  return text;
}

}  // namespace

Settings Settings::from(const char* const* environment) {
  Settings settings;
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const std::string_view entry = *environment;
    const std::size_t equals = entry.find('=');
    if (!entry.starts_with("PAP_") || equals == std::string_view::npos) continue;
    const std::string mistake = take(entry.substr(0, equals), entry.substr(equals + 1), settings);
    if (!mistake.empty()) settings.mistakes += "pap: " + mistake + "\n";
  }
  return settings;
}

}  // namespace starling::pap
