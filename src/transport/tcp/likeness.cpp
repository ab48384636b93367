// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tcp/likeness.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "base/format.hpp"

namespace starling::transport::tcp {
namespace {

using Values = std::map<std::string, std::string, std::less<>>;

/// A line that is cut is left out.
Values values_in(std::string_view lines) {
  Values values;
  for (std::size_t end = 0; (end = lines.find('\n')) != std::string_view::npos; lines.remove_prefix(end + 1)) {
    const std::string_view line = lines.substr(0, end);
    const std::size_t equals = std::min(line.find('='), line.size());
    values.emplace(line.substr(0, equals), line.substr(std::min(equals + 1, line.size())));
  }
  return values;
}

std::string text_of(const Values& values, const std::string& name) {
  const auto found = values.find(name);
  return found == values.end() ? "as by default" : formatted("'{}'", found->second);
}

/// The first setting that differs; empty where the text of the peer does not show it.
std::string difference(const Roster& roster, WorldRank own, WorldRank peer, const Likeness& peers) {
  const auto end = std::ranges::find(peers.settings, '\0');
  const bool is_whole = end != peers.settings.end();
  const Values here = values_in(roster.settings);
  const Values there = values_in({peers.settings.data(), static_cast<std::size_t>(end - peers.settings.begin())});
  std::string name;
  for (const auto& [each, value] : there) {
    if (name.empty() && (!here.contains(each) || here.at(each) != value)) name = each;
  }
  for (const auto& [each, value] : here) {
    if (name.empty() && is_whole && !there.contains(each)) name = each;
  }
  if (name.empty()) return {};
  return formatted(": STARLING_{} is {} on {}, and {} on {}", name, text_of(here, name), roster.text_of(own),
                   text_of(there, name), roster.text_of(peer));
}

}  // namespace

std::string text_of_unlikeness(const Roster& roster, WorldRank own, WorldRank peer, const Likeness& peers) {
  const std::string beginning =
      formatted("{} and {} cannot exchange messages: they have ", roster.text_of(own), roster.text_of(peer));
  if (roster.alike.library != peers.alike.library) {
    return beginning +
           "loaded different builds of the library. All ranks need the same libmpi_abi.so.1: 'ldd PROGRAM' names it on "
           "each host, and LD_LIBRARY_PATH or the program's rpath chooses it";
  }
  return formatted(
      "{}different settings where all ranks need the same{} ('starling info --config' marks these). Give all hosts the "
      "same, as mpiexec -genv does",
      beginning, difference(roster, own, peer, peers));
}

}  // namespace starling::transport::tcp
