// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// graph: even loads, and as little as possible between processes. It has two plans: one stays near to what is there:
// processes above the tolerated load give away what its links miss least for the load that it takes along, which is at
// their borders; one begins from a partition of the whole graph (partition.cpp). In both, elements then move to the
// process that they talk to most where that leaves the load even, until a pass gains nothing. The second is taken if
// what it saves between processes is more than a tenth, and twice what its moves cost: the next period's loads and
// links are others. Without links it is refine. Limits: links are what the last period had. Cost: a few times elements
// + links. Sources: C. Fiduccia, R. Mattheyses, A Linear-Time Heuristic for Improving Network Partitions, DAC 1982
// (single moves); K. Schloegel, G. Karypis, V. Kumar, Multilevel Diffusion Schemes for Repartitioning of Adaptive
// Meshes, J. Parallel Distrib. Comput. 1997 (what stays near).
#include <algorithm>
#include <map>
#include <queue>
#include <set>

#include "strategy.hpp"

namespace starling::array::balancing {

namespace {

/// Moves of single elements by what their links cost.
class Cut {
 public:
  explicit Cut(const Problem& problem)
      : problem_(problem),
        partners_(problem.elements.size()),
        anchors_(problem.elements.size()),
        tolerated_(average_load(problem) * std::max(problem.tolerated, 1.0)) {
    for (const Problem::Link& each : problem.links) {
      partners_[each.from].emplace_back(each.to, cost_of(problem, each));
      partners_[each.to].emplace_back(each.from, cost_of(problem, each));
    }
    for (const Problem::Anchor& each : problem.anchors) {
      anchors_[each.element].emplace_back(each.process, cost_of(problem, each));
    }
  }

  /// From how elements lie: processes above the tolerated load, and those that take none, give away what is cheapest
  /// for its load, as long as it finds room below that load.
  Moves even() {
    begin({});
    limit_ = tolerated_;
    for (int process = 0; process < problem_.processes; ++process) {
      if (takes(problem_, process)) order_.emplace(loads_[static_cast<std::size_t>(process)], process);
    }
    std::priority_queue<Offer> offers;
    const auto offer = [&](std::uint32_t element) {
      Offer its;
      if (must_give(element) && best_offer(element, its)) offers.push(its);
    };
    for (std::uint32_t i = 0; i < at_.size(); ++i) offer(i);
    while (!offers.empty()) {
      const Offer top = offers.top();
      offers.pop();
      Offer now;
      if (!must_give(top.element) || !best_offer(top.element, now)) continue;
      if (now < top) {  // others took the place, or a partner left
        offers.push(now);
        continue;
      }
      move(top.element, now.to);
      for (const auto& [partner, cost] : partners_[top.element]) offer(partner);
    }
    order_.clear();
    return moves_to(problem_, at_);
  }

  /// From a plan to a better one, by moves that make the links cheaper and the load no less even.
  Moves improve(const Moves& plan) {
    begin(plan);
    limit_ = std::max(*std::max_element(loads_.begin(), loads_.end()), tolerated_);
    constexpr int kPasses = 8;
    for (int i = 0; i < kPasses && pass(); ++i) {
    }
    return moves_to(problem_, at_);
  }

 private:
  /// What it costs that an element moves, for the load that it takes along.
  struct Offer {
    double price = 0;
    std::uint32_t element = 0;
    int to = 0;
    bool operator<(const Offer& other) const {  // the cheapest first, of those the first
      return price != other.price ? price > other.price : element > other.element;
    }
  };

  void begin(const Moves& plan) {
    at_ = places(problem_, plan);
    loads_ = process_loads(problem_, plan);
  }

  double& load_at(int process) { return loads_[static_cast<std::size_t>(process)]; }

  bool has_room(int process, double load) { return takes(problem_, process) && load_at(process) + load <= limit_; }

  bool must_give(std::uint32_t element) {
    if (problem_.elements[element].is_fixed) return false;
    const int process = at_[element];
    if (!takes(problem_, process)) return true;
    return load_at(process) > limit_ && problem_.elements[element].load > 0;
  }

  /// What an element's links and anchors save with each process.
  const std::map<int, double>& costs_of(std::uint32_t element) {
    costs_.clear();
    for (const auto& [other, cost] : partners_[element]) costs_[at_[other]] += cost;
    for (const auto& [process, cost] : anchors_[element]) costs_[process] += cost;
    costs_[problem_.elements[element].process] += problem_.cost_of_move;  // where it is now, so what a move there saves
    return costs_;
  }

  bool best_offer(std::uint32_t element, Offer& offer) {
    const double load = problem_.elements[element].load;
    costs_of(element);
    if (!order_.empty()) costs_.emplace(order_.begin()->second, 0);
    const double stays = costs_[at_[element]];
    bool found = false;
    for (const auto& [process, cost] : costs_) {
      if (process == at_[element] || !has_room(process, load)) continue;
      const double price = (stays - cost) / std::max(load, 1e-6 * tolerated_);
      if (found && price >= offer.price) continue;
      offer = {price, element, process};
      found = true;
    }
    return found;
  }

  bool pass() {
    bool better = false;
    for (std::uint32_t i = 0; i < at_.size(); ++i) {
      const Problem::Element& element = problem_.elements[i];
      if (element.is_fixed || (partners_[i].empty() && anchors_[i].empty())) continue;
      costs_of(i);
      int best = at_[i];
      double most = costs_[at_[i]];
      for (const auto& [process, cost] : costs_) {
        if (cost > most && has_room(process, element.load)) {
          most = cost;
          best = process;
        }
      }
      if (best == at_[i]) continue;
      move(i, best);
      better = true;
    }
    return better;
  }

  void move(std::uint32_t element, int to) {
    const double load = problem_.elements[element].load;
    change(at_[element], -load);
    change(to, load);
    at_[element] = to;
  }

  void change(int process, double by) {
    const bool is_listed = order_.erase({load_at(process), process}) != 0;
    load_at(process) += by;
    if (is_listed) order_.emplace(load_at(process), process);
  }

  const Problem& problem_;
  std::vector<std::vector<std::pair<std::uint32_t, double>>> partners_;
  std::vector<std::vector<std::pair<int, double>>> anchors_;
  double tolerated_;
  std::vector<int> at_;
  std::vector<double> loads_;
  double limit_ = 0;
  std::map<int, double> costs_;             // of one element
  std::set<std::pair<double, int>> order_;  // of processes by their load, while they are evened
};

/// What places leave uneven, as a partition knows nothing of fixed elements, and loads are not fine, refine evens out.
Moves evened(const Problem& problem, const std::vector<int>& at) {
  Problem there = problem;
  there.links.clear();
  there.anchors.clear();
  for (std::size_t i = 0; i < at.size(); ++i) there.elements[i].process = at[i];
  return moves_to(problem, places(there, refine(there)));
}

double imbalance(const Problem& problem, const Moves& moves) {
  const std::vector<double> loads = process_loads(problem, moves);
  const double average = average_load(problem);
  return average > 0 ? std::max(*std::max_element(loads.begin(), loads.end()) / average, problem.tolerated) : 1;
}

}  // namespace

Moves graph(const Problem& problem) {
  if (!anybody_talks(problem) || takers(problem).empty()) return refine(problem);
  Cut cut(problem);
  Moves near = cut.improve(evened(problem, places(problem, cut.even())));
  const std::vector<int> at = partition(problem);
  if (at.empty()) return near;
  Moves anew = cut.improve(evened(problem, at));
  constexpr double kAsEven = 1.01;
  if (imbalance(problem, anew) > kAsEven * imbalance(problem, near)) return near;
  constexpr double kBetter = 0.9;
  constexpr double kSurely = 2;
  const double cost_near = cost_of_links(problem, near);
  const double cost_anew = cost_of_links(problem, anew);
  const double cost_moves =
      (static_cast<double>(anew.size()) - static_cast<double>(near.size())) * problem.cost_of_move;
  return cost_anew < kBetter * cost_near && cost_anew + kSurely * cost_moves < cost_near ? anew : near;
}

}  // namespace starling::array::balancing
