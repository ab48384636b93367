// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// refine: from processes above the tolerated load to those below the average, the fewest elements that do it. The most
// loaded process gives the element that comes closest to what it has too much and the least loaded one lacks.
// Limits: an element that is larger than the gap stays. Cost: n log n + moves * log n.
// Source: R. Brunner, L. Kalé, Adapting to Load on Workstation Clusters, Frontiers 1999.
#include <algorithm>
#include <map>
#include <set>

#include "strategy.hpp"

namespace starling::array::balancing {

namespace {

/// Elements of one process by load.
using Shelf = std::multimap<double, std::uint32_t>;

class Refinement {
 public:
  explicit Refinement(const Problem& problem)
      : problem_(problem), loads_(process_loads(problem)), shelves_(loads_.size()), average_(average_load(problem)) {
    for (std::uint32_t i = 0; i < problem.elements.size(); ++i) {
      const Problem::Element& each = problem.elements[i];
      at_.push_back(each.process);
      if (!each.is_fixed) shelves_[static_cast<std::size_t>(each.process)].emplace(each.load, i);
    }
    for (int process = 0; process < problem.processes; ++process) {
      if (takes(problem, process)) order_.emplace(loads_[static_cast<std::size_t>(process)], process);
    }
  }

  Moves run() {
    if (order_.empty()) return {};
    for (int process = 0; process < problem_.processes; ++process) {
      if (!takes(problem_, process)) empty(process);
    }
    for (std::size_t i = 0; i < problem_.elements.size() && step(); ++i) {
    }
    return moves_to(problem_, at_);
  }

 private:
  /// A process that must not keep any gives its largest first.
  void empty(int process) {
    Shelf& shelf = shelves_[static_cast<std::size_t>(process)];
    while (!shelf.empty()) move(std::prev(shelf.end()), process, order_.begin()->second);
  }

  bool step() {
    const auto [most, from] = *std::prev(order_.end());
    const auto [least, to] = *order_.begin();
    if (from == to || most <= average_ * problem_.tolerated) return false;
    const double gap = most - least;
    const double wanted = std::min(most - average_, gap / 2);
    Shelf& shelf = shelves_[static_cast<std::size_t>(from)];
    auto above = shelf.lower_bound(wanted);
    auto best = shelf.end();
    if (above != shelf.end() && above->first < gap) best = above;
    if (above != shelf.begin()) {
      const auto below = std::prev(above);
      const bool closer = best == shelf.end() || wanted - below->first <= best->first - wanted;
      if (closer && below->first > 0) best = below;
    }
    // A move that leaves the larger of the two where it was improves nothing.
    if (best == shelf.end() || best->first >= gap * (1 - 1e-9)) return false;
    move(best, from, to);
    return true;
  }

  void move(Shelf::iterator element, int from, int to) {
    const auto [load, which] = *element;
    shelves_[static_cast<std::size_t>(from)].erase(element);
    shelves_[static_cast<std::size_t>(to)].emplace(load, which);
    at_[which] = to;
    change(from, -load);
    change(to, load);
  }

  void change(int process, double by) {
    double& load = loads_[static_cast<std::size_t>(process)];
    const bool listed = order_.erase({load, process}) != 0;
    load += by;
    if (listed) order_.emplace(load, process);
  }

  const Problem& problem_;
  std::vector<double> loads_;
  std::vector<Shelf> shelves_;
  double average_;
  std::vector<int> at_;
  std::set<std::pair<double, int>> order_;
};

}  // namespace

Moves refine(const Problem& problem) { return Refinement(problem).run(); }

}  // namespace starling::array::balancing
