// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tuning/constants.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/format.hpp"

namespace starling::tuning {
namespace {

constexpr Field<LinkCosts> kLinkFields[] = {
    {"message_ns", &LinkCosts::message_ns, "one small message, sent and received"},
    {"next_ns", &LinkCosts::next_ns, "each further small message of several that come at once"},
    {"send_ns", &LinkCosts::send_ns, "each further small message that goes to another rank at once"},
    {"byte_ns", &LinkCosts::byte_ns, "each byte of a message that is copied twice"},
    {"long_ns", &LinkCosts::long_ns, "the start of a message that is copied once"},
    {"long_byte_ns", &LinkCosts::long_byte_ns, "each byte of a message that is copied once"},
    {"line_ns", &LinkCosts::line_ns, "a cache line from the core that wrote it to one that waits"},
    {"copy_byte_ns", &LinkCosts::copy_byte_ns, "each byte copied into or out of shared memory"},
    {"fold_byte_ns", &LinkCosts::fold_byte_ns, "each byte folded in shared memory, piece by piece"},
};
constexpr Field<Constants> kMachineFields[] = {
    {"own_byte_ns", &Constants::own_byte_ns, "each byte that a rank copies within its own memory"},
    {"reduce_byte_ns", &Constants::reduce_byte_ns, "each byte of a whole vector combined with another"},
    {"turn_ns", &Constants::turn_ns, "a switch between ranks that share a core"},
};

constexpr LinkCosts kWithinNode = {270, 270, 270, 0.2, 1900, 0.045, 180, 0.05, 0.03};
constexpr LinkCosts kBetweenNodes = {8000, 1000, 1500, 0.25, 6000, 0.155, 180, 0.05, 0.03};
constexpr Constants kDefaults = {
    {kWithinNode, kWithinNode, kWithinNode, kWithinNode, kBetweenNodes}, 0.035, 0.15, 2500};

constexpr double kMost = 1e9;

std::string digits(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

template <typename Record>
bool assign(std::span<const Field<Record>> fields, Record& record, std::string_view name, double value) {
  const auto field = std::ranges::find(fields, name, &Field<Record>::name);
  if (field == fields.end()) return false;
  record.*(field->value) = value;
  return true;
}

}  // namespace

std::span<const Field<LinkCosts>> link_fields() noexcept { return kLinkFields; }
std::span<const Field<Constants>> machine_fields() noexcept { return kMachineFields; }

const Constants& default_constants() noexcept { return kDefaults; }

std::string text_of(const Constants& constants, const Measured& measured) {
  std::string text;
  const auto add = [&](std::string_view prefix, std::string_view name, double value) {
    text += formatted("{}{}{}={}", text.empty() ? "" : " ", prefix, name, digits(value));
  };
  for (std::size_t i = 0; i < kDistances; ++i) {
    if (!measured[i]) continue;
    const std::string prefix = std::string(kDistanceNames[i]) + ".";
    for (const Field<LinkCosts>& field : kLinkFields) add(prefix, field.name, constants.links[i].*(field.value));
  }
  for (const Field<Constants>& field : kMachineFields) add("", field.name, constants.*(field.value));
  return text;
}

namespace {

/// Reads one "name=value" or "distance.name=value".
Status take_word(std::string_view word, Constants& constants, Measured& measured) {
  const std::size_t equals = std::min(word.find('='), word.size());
  const std::string_view number = word.substr(std::min(equals + 1, word.size()));
  double value = 0;
  const auto [end, failed] = std::from_chars(number.data(), number.data() + number.size(), value);
  const bool is_number = failed == std::errc() && end == number.data() + number.size() && std::isfinite(value);
  if (!is_number || value <= 0 || value > kMost) {
    return Status::error(ErrorClass::kArg, formatted("'{}' gives no number above 0 and up to 1e9", word));
  }
  std::string_view name = word.substr(0, equals);
  const std::size_t dot = name.find('.');
  bool known = false;
  if (dot == std::string_view::npos) {
    known = assign(machine_fields(), constants, name, value);
  } else {
    const auto distance = std::ranges::find(kDistanceNames, name.substr(0, dot));
    const auto index = static_cast<std::size_t>(distance - kDistanceNames.begin());
    known =
        distance != kDistanceNames.end() && assign(link_fields(), constants.links[index], name.substr(dot + 1), value);
    if (known) measured[index] = true;
  }
  if (known) return {};
  return Status::error(ErrorClass::kArg, formatted("there is no constant '{}'", name));
}

}  // namespace

Result<Constants> parse_constants(std::string_view text) {
  Constants constants = kDefaults;
  Measured measured{};
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (!word.empty()) STARLING_TRY(take_word(word, constants, measured));
  }
  for (std::size_t i = 1; i < static_cast<std::size_t>(Distance::kNetwork); ++i) {
    if (measured[i] || !measured[i - 1]) continue;
    constants.links[i] = constants.links[i - 1];
    measured[i] = true;
  }
  return constants;
}

}  // namespace starling::tuning
