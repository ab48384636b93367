// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/hosts/host_name.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>

#include "base/format.hpp"

namespace starling::launch {
namespace {

Status bad_word(std::string message) { return Status::error(ErrorClass::kArg, std::move(message)); }

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

bool is_plain_name(std::string_view name) {
  return !name.empty() && name.front() != '-' && name.size() < 256 && std::all_of(name.begin(), name.end(), [](char c) {
    return is_letter_or_digit(c) || c == '.' || c == '-' || c == '_';
  });
}

/// Without brackets; "fe80::1%eth0" has the interface behind it.
bool is_ipv6(std::string_view name) {
  const std::size_t zone = name.find('%');
  if (zone != std::string_view::npos && !is_plain_name(name.substr(zone + 1))) return false;
  const std::string address(name.substr(0, zone));
  in6_addr ignored{};
  return inet_pton(AF_INET6, address.c_str(), &ignored) == 1;
}

struct NameAndSlots {
  std::string_view name;
  std::optional<std::string_view> slots;
};

/// "[2001:db8::2]:4"
Result<NameAndSlots> split_brackets(std::string_view word) {
  const std::size_t end = word.find(']');
  if (end == std::string_view::npos) return bad_word(formatted("'{}' has no ']'", shown_word(word)));
  const std::string_view name = word.substr(1, end - 1);
  if (!is_ipv6(name)) return bad_word(formatted("'{}' is no IPv6 address", shown_word(name)));
  const std::string_view rest = word.substr(end + 1);
  if (rest.empty()) return NameAndSlots{name, std::nullopt};
  if (rest.front() == ':') return NameAndSlots{name, rest.substr(1)};
  return bad_word(formatted("'{}' follows ']'; only ':' and a number of slots may", shown_word(rest)));
}

Result<NameAndSlots> split_name(std::string_view word) {
  if (word.starts_with('[')) return split_brackets(word);
  if (is_ipv6(word)) return NameAndSlots{word, std::nullopt};
  const std::size_t colon = word.find(':');
  const std::string_view name = word.substr(0, colon);
  std::optional<std::string_view> slots;
  if (colon != std::string_view::npos) slots = word.substr(colon + 1);
  if (slots && slots->find(':') != std::string_view::npos) {
    return bad_word(
        formatted("'{}' has several ':'; an IPv6 address with slots is written [2001:db8::2]:4", shown_word(word)));
  }
  if (is_plain_name(name)) return NameAndSlots{name, slots};
  return bad_word(
      formatted("'{}' is no name of a host: it may have letters, digits, '.', '-' and '_', and begins with no '-'",
                shown_word(name)));
}

}  // namespace

std::string shown_word(std::string_view word) {
  constexpr std::size_t kLongest = 80;
  std::string text(word.substr(0, kLongest));
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  }
  return word.size() > kLongest ? text + "..." : text;
}

Result<std::uint32_t> parse_slots(std::string_view text) {
  std::uint32_t slots = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, slots);
  const bool is_number = rest == end && !text.empty();
  if (is_number && (error == std::errc::result_out_of_range || (error == std::errc() && slots > kMostSlots))) {
    return bad_word(formatted("{} slots are too many: {} are the most", shown_word(text), kMostSlots));
  }
  if (is_number && error == std::errc() && slots > 0) return slots;
  return bad_word(formatted("'{}' is no number of slots, a whole number from 1", shown_word(text)));
}

Result<Host> parse_host(std::string_view word) {
  Host host;
  if (const std::size_t at = word.rfind('@'); at != std::string_view::npos) {
    host.user = word.substr(0, at);
    if (!is_plain_name(host.user)) return bad_word(formatted("'{}' is no name of a user", shown_word(host.user)));
    word.remove_prefix(at + 1);
  }
  Result<NameAndSlots> parts = split_name(word);
  if (!parts.ok()) return std::move(parts).status();
  host.name = parts.value().name;
  if (parts.value().slots) {
    Result<std::uint32_t> slots = parse_slots(*parts.value().slots);
    if (!slots.ok()) return std::move(slots).status();
    host.slots = slots.value();
  }
  return host;
}

}  // namespace starling::launch
