// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "topology/binding.hpp"

#include <string>

namespace starling::topology {
namespace {

unsigned container(const Core& core, MapBy what) {
  switch (what) {
    case MapBy::kL3: return core.l3;
    case MapBy::kNuma: return core.numa;
    case MapBy::kPackage: return core.package;
    default: return 0;
  }
}

bool same_object(const Core& a, const Core& b, BindTo what) {
  switch (what) {
    case BindTo::kL3: return a.l3 == b.l3;
    case BindTo::kNuma: return a.numa == b.numa;
    case BindTo::kPackage: return a.package == b.package;
    default: return &a == &b;
  }
}

/// Each hardware thread as a core of its own.
std::vector<Core> split(std::span<const Core> cores) {
  std::vector<Core> threads;
  for (const Core& core : cores) {
    for (const unsigned thread : core.threads) {
      threads.push_back(core);
      threads.back().threads = {thread};
    }
  }
  return threads;
}

/// The cores of each object of the given kind, objects in the order of the machine.
std::vector<std::vector<std::size_t>> group(std::span<const Core> cores, MapBy what) {
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < cores.size(); ++i) {
    if (i == 0 || container(cores[i], what) != container(cores[i - 1], what)) groups.emplace_back();
    groups.back().push_back(i);
  }
  return groups;
}

/// The core around which each rank is placed.
std::vector<std::size_t> anchors(std::uint32_t ranks, MapBy map_by, std::span<const Core> cores) {
  std::vector<std::size_t> chosen(ranks);
  const std::vector<std::vector<std::size_t>> groups = group(cores, map_by);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    if (map_by == MapBy::kAutomatic && ranks <= cores.size()) {
      chosen[rank] = rank * cores.size() / ranks;
    } else {
      const auto& members = groups[rank % groups.size()];
      chosen[rank] = members[rank / groups.size() % members.size()];
    }
  }
  return chosen;
}

void append(std::vector<unsigned>& threads, const Core& core) {
  threads.insert(threads.end(), core.threads.begin(), core.threads.end());
}

BindingPlan equal_shares(std::uint32_t ranks, std::span<const Core> cores) {
  BindingPlan plan(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    for (std::size_t i = rank * cores.size() / ranks; i < (rank + 1) * cores.size() / ranks; ++i) {
      append(plan[rank], cores[i]);
    }
  }
  return plan;
}

template <typename Word>
struct Named {
  std::string_view word;
  Word value;
};
constexpr Named<BindTo> kBindWords[] = {{"none", BindTo::kNone},       {"hwthread", BindTo::kHardwareThread},
                                        {"core", BindTo::kCore},       {"l3", BindTo::kL3},
                                        {"l3cache", BindTo::kL3},      {"numa", BindTo::kNuma},
                                        {"package", BindTo::kPackage}, {"socket", BindTo::kPackage}};
constexpr Named<MapBy> kMapWords[] = {{"core", MapBy::kCore},     {"slot", MapBy::kCore}, {"l3", MapBy::kL3},
                                      {"l3cache", MapBy::kL3},    {"numa", MapBy::kNuma}, {"package", MapBy::kPackage},
                                      {"socket", MapBy::kPackage}};

template <typename Word>
Result<Word> parse(std::string_view option, std::string_view word, std::span<const Named<Word>> known) {
  std::string words;
  for (const auto& [name, value] : known) {
    if (name == word) return value;
    words += (words.empty() ? "" : ", ") + std::string(name);
  }
  return Status::error(ErrorClass::kArg,
                       std::string(option) + " does not know '" + std::string(word) + "'; it takes " + words);
}

}  // namespace

bool may_bind(std::uint32_t ranks, const BindingRequest& request, const CoreLimits& limits) noexcept {
  if (request.bind_to == BindTo::kNone) return false;
  if (request.bind_to != BindTo::kAutomatic) return true;
  // Under a quota other work runs on the same cores, and only the scheduler knows which are free.
  return ranks > 1 && ranks <= limits.usable() && limits.usable() == limits.affinity;
}

BindingPlan place_ranks(std::uint32_t ranks, const BindingRequest& request, std::span<const Core> cores) {
  if (request.bind_to == BindTo::kNone || cores.empty()) return {};
  BindTo bind_to = request.bind_to;
  std::vector<Core> threads;
  if (bind_to == BindTo::kHardwareThread || (bind_to == BindTo::kAutomatic && ranks > cores.size())) {
    threads = split(cores);
    cores = threads;
  }
  if (bind_to == BindTo::kAutomatic) {
    if (ranks > cores.size()) return {};
    if (request.map_by == MapBy::kAutomatic) return equal_shares(ranks, cores);
    bind_to = BindTo::kCore;
  }
  BindingPlan plan(ranks);
  const std::vector<std::size_t> chosen = anchors(ranks, request.map_by, cores);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    for (const Core& core : cores) {
      if (same_object(core, cores[chosen[rank]], bind_to)) append(plan[rank], core);
    }
  }
  return plan;
}

Result<BindTo> parse_bind_to(std::string_view word) { return parse<BindTo>("--bind-to", word, kBindWords); }
Result<MapBy> parse_map_by(std::string_view word) { return parse<MapBy>("--map-by", word, kMapWords); }

}  // namespace starling::topology
