// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/hosts/host_file.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "launch/hosts/host_merge.hpp"
#include "launch/hosts/host_name.hpp"
#include "launch/hosts/user_file.hpp"

namespace starling::launch {
namespace {

Status bad_file(std::string message) { return Status::error(ErrorClass::kArg, std::move(message)); }

/// The words between spaces; those around a '=' are one: "slots = 4".
std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  bool joins = false;
  while (true) {
    const std::size_t begin = line.find_first_not_of(" \t\r\v\f");
    if (begin == std::string_view::npos) return words;
    line.remove_prefix(begin);
    const std::string_view word = line.substr(0, line.find_first_of(" \t\r\v\f"));
    line.remove_prefix(word.size());
    if (!words.empty() && (joins || word.front() == '=')) {
      words.back() += word;
    } else {
      words.emplace_back(word);
    }
    joins = word.back() == '=';
  }
}

Status set_once(std::optional<std::uint32_t>& number, std::string_view key, std::string_view text) {
  if (number) return bad_file(formatted("'{}' is there twice", key));
  Result<std::uint32_t> parsed = parse_slots(text);
  if (!parsed.ok()) return bad_file(formatted("{}: {}", key, parsed.status().message()));
  number = parsed.value();
  return {};
}

Status apply_word(Host& host, std::string_view word) {
  const std::size_t equals = word.find('=');
  const std::string_view key = word.substr(0, equals);
  if (equals != std::string_view::npos && key == "slots") return set_once(host.slots, key, word.substr(equals + 1));
  if (equals != std::string_view::npos && (key == "max_slots" || key == "max-slots")) {
    return set_once(host.max_slots, key, word.substr(equals + 1));
  }
  return bad_file(formatted("'{}' is not understood", shown_word(word)));
}

/// Adds the host of a line; the error says what is wrong with it.
Status add_line(HostMerge& hosts, const std::vector<std::string>& words) {
  Result<Host> host = parse_host(words.front());
  if (!host.ok()) return std::move(host).status();
  for (std::size_t i = 1; i < words.size(); ++i) STARLING_TRY(apply_word(host.value(), words[i]));
  STARLING_TRY(hosts.add(host.value()));
  const Host& sum = hosts.sum_of(host.value().name);
  if (!sum.slots || !sum.max_slots || *sum.slots <= *sum.max_slots) return {};
  return bad_file(formatted("host '{}' has {} slots, which are more than its max_slots of {}", sum.name, *sum.slots,
                            *sum.max_slots));
}

}  // namespace

Result<std::vector<Host>> parse_host_file(std::string_view text, std::string_view name) {
  std::vector<Host> hosts;
  HostMerge merge(hosts);
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::vector<std::string> words = words_of(line.substr(0, line.find('#')));
    if (words.empty()) continue;
    if (const Status added = add_line(merge, words); !added.ok()) {
      return bad_file(
          formatted("host file '{}', line {}: {}. A line has a host, as in 'a', 'user@a', 'a:8' or "
                    "'[2001:db8::2]:8', and may have slots=N and max_slots=N behind it",
                    shown_word(name), number, added.message()));
    }
  }
  if (!hosts.empty()) return hosts;
  return bad_file(formatted("the host file '{}' names no host", shown_word(name)));
}

Result<std::vector<Host>> read_host_file(const std::string& path) {
  const Result<std::string> text = read_user_file(path);
  if (!text.ok()) return bad_file(formatted("the host file '{}' {}", shown_word(path), text.status().message()));
  return parse_host_file(text.value(), path);
}

}  // namespace starling::launch
