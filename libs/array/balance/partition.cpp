// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// partition: the graph of loads and links in as many parts as there are processes that take elements, by METIS, each
// named after the process that has most of it already. Limits: fixed elements stay where they are, whatever their part;
// METIS is not asked where there are few elements for each process. Cost: links, and a few times their number in
// memory. Sources: G. Karypis, V. Kumar, A Fast and High Quality Multilevel Scheme for Partitioning Irregular Graphs,
// SIAM J. Sci. Comput. 1998; L. Oliker, R. Biswas, PLUM: Parallel Load Balancing for Adaptive Unstructured Meshes, J.
// Parallel Distrib. Comput. 1998 (the names of the parts).
#include <metis.h>
#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <tuple>

#include "strategy.hpp"

namespace starling::array::balancing {

namespace {

/// With fewer elements for each process METIS finds empty parts, and says so on the program's output.
constexpr std::size_t kLeastOfEach = 4;
/// METIS takes the best of so many cuts: what a first one leaves to gain, elements would move for in the next step.
constexpr idx_t kTries = 4;
/// METIS counts in 32 bits, and sums.
constexpr double kSumOfWeights = 1 << 28;

/// METIS draws from rand(), which belongs to the program: it gets a sequence of its own, always the same. One thread at
/// a time, as rand() has one state for all.
class OwnSequence {
 public:
  OwnSequence() : lock_(one_at_a_time()), before_(initstate(1, state_, sizeof state_)) {}
  ~OwnSequence() { setstate(before_); }
  OwnSequence(const OwnSequence&) = delete;
  OwnSequence& operator=(const OwnSequence&) = delete;

 private:
  static std::mutex& one_at_a_time() {
    static std::mutex mutex;
    return mutex;
  }

  std::lock_guard<std::mutex> lock_;
  char state_[128];
  char* before_;
};

/// Neighbours of each vertex in a row, as METIS wants them.
struct Graph {
  std::vector<idx_t> begins;
  std::vector<idx_t> neighbours;
  std::vector<idx_t> link_weights;
  std::vector<idx_t> weights;
};

struct Half {
  std::uint32_t from;
  std::uint32_t to;
  double cost;
};

/// Both directions of each link, sorted, those of one pair added up.
std::vector<Half> halves(const Problem& problem) {
  std::vector<Half> all;
  all.reserve(2 * problem.links.size());
  for (const Problem::Link& each : problem.links) {
    const double cost = cost_of(problem, each);
    if (each.from == each.to || !(cost > 0)) continue;
    all.push_back({each.from, each.to, cost});
    all.push_back({each.to, each.from, cost});
  }
  std::sort(all.begin(), all.end(),
            [](const Half& a, const Half& b) { return std::tie(a.from, a.to) < std::tie(b.from, b.to); });
  std::size_t kept = 0;
  for (const Half& each : all) {
    if (kept > 0 && all[kept - 1].from == each.from && all[kept - 1].to == each.to) {
      all[kept - 1].cost += each.cost;
    } else {
      all[kept++] = each;
    }
  }
  all.resize(kept);
  return all;
}

Graph graph_of(const Problem& problem, std::size_t parts) {
  Graph graph;
  const std::vector<Half> all = halves(problem);
  double costs = 0;
  for (const Half& each : all) costs += each.cost;
  graph.begins.assign(problem.elements.size() + 1, 0);
  for (const Half& each : all) {
    ++graph.begins[each.from + 1];
    graph.neighbours.push_back(static_cast<idx_t>(each.to));
    graph.link_weights.push_back(std::max<idx_t>(1, static_cast<idx_t>(each.cost / costs * kSumOfWeights)));
  }
  for (std::size_t i = 1; i < graph.begins.size(); ++i) graph.begins[i] += graph.begins[i - 1];
  double loads = 0;
  for (const Problem::Element& each : problem.elements) loads += each.load;
  for (const Problem::Element& each : problem.elements) {
    // More than a part's share is as a part's share: there is nothing to put beside it.
    const double share = loads > 0 ? std::min(each.load / loads, 1.0 / static_cast<double>(parts)) : 0;
    graph.weights.push_back(1 + static_cast<idx_t>(share * kSumOfWeights));
  }
  return graph;
}

/// The share of the elements' load that each of the takers should have, for all to have the same with the background.
std::vector<real_t> shares_of(const Problem& problem, const std::vector<int>& to) {
  const double average = average_load(problem);
  std::vector<real_t> shares(to.size(), 1);
  for (std::size_t i = 0; i < to.size() && !problem.background.empty() && average > 0; ++i) {
    const double other = problem.background[static_cast<std::size_t>(to[i])];
    shares[i] = static_cast<real_t>(std::max(0.01, 1 - other / average));
  }
  real_t sum = 0;
  for (const real_t each : shares) sum += each;
  for (real_t& each : shares) each /= sum;
  return shares;
}

/// The taker for each part: those first that share most elements. Only among parts that are to be as large.
std::vector<std::size_t> names_of(const Problem& problem, const std::vector<int>& to, const std::vector<idx_t>& part,
                                  const std::vector<real_t>& shares) {
  std::vector<std::size_t> taker_of(static_cast<std::size_t>(problem.processes), to.size());
  for (std::size_t i = 0; i < to.size(); ++i) taker_of[static_cast<std::size_t>(to[i])] = i;
  std::vector<std::pair<std::size_t, std::size_t>> pairs;  // taker and part of each element that is on a taker
  for (std::size_t i = 0; i < part.size(); ++i) {
    const std::size_t taker = taker_of[static_cast<std::size_t>(problem.elements[i].process)];
    if (taker < to.size()) pairs.emplace_back(taker, static_cast<std::size_t>(part[i]));
  }
  std::sort(pairs.begin(), pairs.end());
  struct Overlap {
    std::size_t elements, taker, part;
  };
  std::vector<Overlap> overlaps;
  for (const auto& [taker, its_part] : pairs) {
    if (overlaps.empty() || overlaps.back().taker != taker || overlaps.back().part != its_part) {
      overlaps.push_back({0, taker, its_part});
    }
    ++overlaps.back().elements;
  }
  std::stable_sort(overlaps.begin(), overlaps.end(),
                   [](const Overlap& a, const Overlap& b) { return a.elements > b.elements; });
  const auto alike = [&](std::size_t one, std::size_t other) {
    return std::lround(shares[one] * 1e4F) == std::lround(shares[other] * 1e4F);
  };
  std::vector<std::size_t> name(to.size(), to.size());
  std::vector<bool> is_taken(to.size());
  const auto give = [&](std::size_t its_part, std::size_t taker) {
    if (name[its_part] != to.size() || is_taken[taker] || !alike(its_part, taker)) return;
    name[its_part] = taker;
    is_taken[taker] = true;
  };
  for (const Overlap& each : overlaps) give(each.part, each.taker);
  for (std::size_t i = 0; i < to.size(); ++i) {
    for (std::size_t taker = 0; taker < to.size(); ++taker) give(i, taker);
  }
  return name;
}

}  // namespace

std::vector<int> partition(const Problem& problem) {
  const std::vector<int> to = takers(problem);
  if (to.size() < 2 || problem.elements.size() < kLeastOfEach * to.size()) return {};
  Graph graph = graph_of(problem, to.size());
  if (graph.neighbours.empty()) return {};
  std::vector<real_t> shares = shares_of(problem, to);
  auto vertices = static_cast<idx_t>(problem.elements.size());
  auto parts = static_cast<idx_t>(to.size());
  idx_t constraints = 1;
  idx_t cut = 0;
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_UFACTOR] = std::max<idx_t>(1, static_cast<idx_t>(std::lround((problem.tolerated - 1) * 1000)));
  options[METIS_OPTION_NCUTS] = kTries;
  std::vector<idx_t> part(problem.elements.size());
  constexpr idx_t kFew = 8;  // up to which METIS's manual recommends to bisect
  const auto divide = parts <= kFew ? METIS_PartGraphRecursive : METIS_PartGraphKway;
  const OwnSequence own;
  const int outcome =
      divide(&vertices, &constraints, graph.begins.data(), graph.neighbours.data(), graph.weights.data(), nullptr,
             graph.link_weights.data(), &parts, shares.data(), nullptr, options, &cut, part.data());
  if (outcome != METIS_OK) return {};
  const std::vector<std::size_t> name = names_of(problem, to, part, shares);
  std::vector<int> at = places(problem);
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (!problem.elements[i].is_fixed) at[i] = to[name[static_cast<std::size_t>(part[i])]];
  }
  return at;
}

}  // namespace starling::array::balancing
