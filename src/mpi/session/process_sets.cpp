// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/session/process_sets.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include "base/format.hpp"

namespace starling::mpi {
namespace {

constexpr std::string_view kWorld = "mpi://WORLD";
constexpr std::string_view kSelf = "mpi://SELF";
constexpr std::string_view kNode = "starling://node";
constexpr std::string_view kNodes = "starling://node/";
constexpr std::string_view kApp = "starling://app/";

/// The ranks of the job for which member(rank) holds.
template <typename Member>
Ref<comm::Group> group_of(const world::World& world, Member&& member) {
  std::vector<ProcessId> processes;
  for (WorldRank rank{0}; rank.value < world.size(); ++rank.value) {
    if (member(rank)) processes.push_back(process_of(rank));
  }
  return Ref<comm::Group>::adopt(new comm::Group(processes));
}

/// Names are URIs, and people write mpi://world as well.
bool same(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  });
}

std::string numbered(std::string_view prefix, std::int32_t number) { return formatted("{}{}", prefix, number); }

}  // namespace

std::vector<std::string> process_set_names(const world::World& world) {
  std::vector<std::string> names = {std::string(kWorld), std::string(kSelf), std::string(kNode)};
  for (std::int32_t node = 0; node < world.placement().nodes(); ++node) names.push_back(numbered(kNodes, node));
  std::set<std::int32_t> apps;
  for (WorldRank rank{0}; rank.value < world.size(); ++rank.value) apps.insert(world.app_number(rank));
  for (const std::int32_t app : apps) names.push_back(numbered(kApp, app));
  return names;
}

Result<Ref<comm::Group>> process_set(const world::World& world, std::string_view name) {
  if (same(name, kWorld)) return group_of(world, [](WorldRank) { return true; });
  if (same(name, kNode)) return group_of(world, [&](WorldRank rank) { return world.placement().is_here(rank); });
  if (same(name, kSelf)) return group_of(world, [&](WorldRank rank) { return rank == world.rank(); });
  Ref<comm::Group> found = group_of(world, [&](WorldRank rank) {
    return same(numbered(kNodes, world.placement().node_of(rank)), name) ||
           same(numbered(kApp, world.app_number(rank)), name);
  });
  if (found->size() > 0) return found;
  std::string known;
  for (const std::string& one : process_set_names(world)) known += (known.empty() ? "" : ", ") + one;
  return Status::error(ErrorClass::kArg, formatted("there is no process set \"{}\"; there are {}", name, known));
}

}  // namespace starling::mpi
