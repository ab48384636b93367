// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/session/process_sets.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <set>

#include "base/format.hpp"

namespace starling::mpi {
namespace {

constexpr std::string_view kWorld = "mpi://WORLD";
constexpr std::string_view kSelf = "mpi://SELF";
constexpr std::string_view kNode = "starling://node";
constexpr std::string_view kApp = "starling://app/";

std::int32_t app_of(world::World& world, std::int32_t rank) {
  return world.job().segment->rank(static_cast<std::uint32_t>(rank)).app_number;
}

Ref<comm::Group> make_group(std::vector<std::int32_t> ranks) {
  return Ref<comm::Group>::adopt(new comm::Group(std::move(ranks)));
}

std::vector<std::int32_t> everyone(world::World& world) {
  std::vector<std::int32_t> ranks(static_cast<std::size_t>(world.size()));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

/// Names are URIs, and people write mpi://world as well.
bool same(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  });
}

std::string app_name(std::int32_t app) { return std::string(kApp) + std::to_string(app); }

}  // namespace

std::vector<std::string> process_set_names(world::World& world) {
  std::vector<std::string> names = {std::string(kWorld), std::string(kSelf), std::string(kNode)};
  std::set<std::int32_t> apps;
  for (const std::int32_t rank : everyone(world)) apps.insert(app_of(world, rank));
  for (const std::int32_t app : apps) names.push_back(app_name(app));
  return names;
}

Result<Ref<comm::Group>> process_set(world::World& world, std::string_view name) {
  std::vector<std::int32_t> ranks = everyone(world);
  // All processes of a job share one node.
  if (same(name, kWorld) || same(name, kNode)) return make_group(std::move(ranks));
  if (same(name, kSelf)) return make_group({world.rank()});
  std::erase_if(ranks, [&](std::int32_t rank) { return !same(app_name(app_of(world, rank)), name); });
  if (!ranks.empty()) return make_group(std::move(ranks));
  std::string known;
  for (const std::string& one : process_set_names(world)) known += (known.empty() ? "" : ", ") + one;
  return Status::error(ErrorClass::kArg, formatted("there is no process set \"{}\"; there are {}", name, known));
}

}  // namespace starling::mpi
