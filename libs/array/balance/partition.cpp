// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// partition: the graph of loads and links in as many parts as there are processes that take elements, by METIS, each
// named after the process that has most of it already and talks most with it. Anchors are links to a vertex for each
// process, without a load: they gather what belongs together. Limits: fixed elements stay where they are, whatever
// their part; METIS is not asked where there are few elements for each process. Cost: links, and a few times their
// number in memory. Sources: G. Karypis, V. Kumar, A Fast and High Quality Multilevel Scheme for Partitioning Irregular
// Graphs, SIAM J. Sci. Comput. 1998; L. Oliker, R. Biswas, PLUM: Parallel Load Balancing for Adaptive Unstructured
// Meshes, J. Parallel Distrib. Comput. 1998 (the names of the parts).
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

/// By process its place among those that take elements, or their number.
std::vector<std::size_t> places_of_takers(const Problem& problem, const std::vector<int>& to) {
  std::vector<std::size_t> place(static_cast<std::size_t>(problem.processes), to.size());
  for (std::size_t i = 0; i < to.size(); ++i) place[static_cast<std::size_t>(to[i])] = i;
  return place;
}

/// Both directions of each link and anchor, sorted, those of one pair added up.
std::vector<Half> halves(const Problem& problem, const std::vector<int>& to) {
  std::vector<Half> all;
  all.reserve(2 * (problem.links.size() + problem.anchors.size()));
  const auto add = [&](std::uint32_t one, std::uint32_t other, double cost) {
    if (one == other || !(cost > 0)) return;
    all.push_back({one, other, cost});
    all.push_back({other, one, cost});
  };
  for (const Problem::Link& each : problem.links) add(each.from, each.to, cost_of(problem, each));
  const std::vector<std::size_t> place = places_of_takers(problem, to);
  for (const Problem::Anchor& each : problem.anchors) {
    const std::size_t taker = place[static_cast<std::size_t>(each.process)];
    if (taker == to.size()) continue;
    add(each.element, static_cast<std::uint32_t>(problem.elements.size() + taker), cost_of(problem, each));
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

Graph graph_of(const Problem& problem, const std::vector<int>& to) {
  Graph graph;
  const std::vector<Half> all = halves(problem, to);
  double costs = 0;
  for (const Half& each : all) costs += each.cost;
  const std::size_t processes = problem.anchors.empty() ? 0 : to.size();
  graph.begins.assign(problem.elements.size() + processes + 1, 0);
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
    const double share = loads > 0 ? std::min(each.load / loads, 1.0 / static_cast<double>(to.size())) : 0;
    graph.weights.push_back(1 + static_cast<idx_t>(share * kSumOfWeights));
  }
  graph.weights.resize(graph.weights.size() + processes, 1);
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

/// The taker for each part: those first where most moves and links are saved, then by shared elements. Only among parts
/// that are to be as large.
std::vector<std::size_t> names_of(const Problem& problem, const std::vector<int>& to, const std::vector<idx_t>& part,
                                  const std::vector<real_t>& shares) {
  const std::vector<std::size_t> taker_of = places_of_takers(problem, to);
  struct Overlap {
    std::size_t taker, part;
    double saved;
    std::size_t elements;
  };
  std::vector<Overlap> all;
  const auto note = [&](int process, std::uint32_t element, double saved, std::size_t elements) {
    const std::size_t taker = taker_of[static_cast<std::size_t>(process)];
    if (taker < to.size()) all.push_back({taker, static_cast<std::size_t>(part[element]), saved, elements});
  };
  for (std::uint32_t i = 0; i < problem.elements.size(); ++i)
    note(problem.elements[i].process, i, problem.cost_of_move, 1);
  for (const Problem::Anchor& each : problem.anchors) note(each.process, each.element, cost_of(problem, each), 0);
  std::sort(all.begin(), all.end(),
            [](const Overlap& a, const Overlap& b) { return std::tie(a.taker, a.part) < std::tie(b.taker, b.part); });
  std::vector<Overlap> overlaps;
  for (const Overlap& each : all) {
    if (overlaps.empty() || overlaps.back().taker != each.taker || overlaps.back().part != each.part) {
      overlaps.push_back({each.taker, each.part, 0, 0});
    }
    overlaps.back().saved += each.saved;
    overlaps.back().elements += each.elements;
  }
  std::stable_sort(overlaps.begin(), overlaps.end(), [](const Overlap& a, const Overlap& b) {
    return std::tie(a.saved, a.elements) > std::tie(b.saved, b.elements);
  });
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
  Graph graph = graph_of(problem, to);
  if (graph.neighbours.empty()) return {};
  std::vector<real_t> shares = shares_of(problem, to);
  auto vertices = static_cast<idx_t>(graph.weights.size());
  auto parts = static_cast<idx_t>(to.size());
  idx_t constraints = 1;
  idx_t cut = 0;
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_UFACTOR] = std::max<idx_t>(1, static_cast<idx_t>(std::lround((problem.tolerated - 1) * 1000)));
  options[METIS_OPTION_NCUTS] = kTries;
  std::vector<idx_t> part(graph.weights.size());
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
