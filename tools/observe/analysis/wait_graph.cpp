// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/analysis/wait_graph.hpp"

#include <algorithm>
#include <limits>

namespace starling::observe {
namespace {

/// Strongly connected components of the nodes that are in. Source: R. Tarjan, "Depth-first search and linear graph
/// algorithms", 1972; with a stack of its own in place of recursion.
class Components {
 public:
  Components(const WaitGraph& graph, const std::vector<bool>& in)
      : graph_(graph), in_(in), number_(graph.size(), 0), lowest_(graph.size(), 0), component_(graph.size(), kNone) {
    for (WaitGraph::Node node = 0; node < graph.size(); ++node) {
      if (in[node] && number_[node] == 0) visit(node);
    }
  }

  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  /// kNone: the node is not in.
  [[nodiscard]] std::size_t of(WaitGraph::Node node) const noexcept { return component_[node]; }

 private:
  struct Frame {
    WaitGraph::Node node;
    std::size_t next_target;
  };

  void enter(WaitGraph::Node node) {
    number_[node] = lowest_[node] = ++visited_;
    open_.push_back(node);
    path_.push_back({node, 0});
  }

  void visit(WaitGraph::Node first) {
    enter(first);
    while (!path_.empty()) {
      Frame& frame = path_.back();
      const WaitGraph::Node node = frame.node;
      const WaitGraph::Nodes& targets = graph_[node].targets;
      if (frame.next_target == targets.size()) {
        leave(node);
        continue;
      }
      const WaitGraph::Node target = targets[frame.next_target++];
      if (!in_[target] || component_[target] != kNone) continue;
      if (number_[target] == 0)
        enter(target);
      else
        lowest_[node] = std::min(lowest_[node], number_[target]);
    }
  }

  void leave(WaitGraph::Node node) {
    path_.pop_back();
    if (!path_.empty()) lowest_[path_.back().node] = std::min(lowest_[path_.back().node], lowest_[node]);
    if (lowest_[node] != number_[node]) return;
    WaitGraph::Node member;
    do {
      member = open_.back();
      open_.pop_back();
      component_[member] = count_;
    } while (member != node);
    ++count_;
  }

  const WaitGraph& graph_;
  const std::vector<bool>& in_;
  std::vector<std::size_t> number_;  ///< in the order of visits, from 1
  std::vector<std::size_t> lowest_;
  std::vector<std::size_t> component_;
  std::vector<WaitGraph::Node> open_;
  std::vector<Frame> path_;
  std::size_t visited_ = 0;
  std::size_t count_ = 0;
};

}  // namespace

std::vector<bool> WaitGraph::stuck_within(const std::vector<bool>& waiting) const {
  std::vector<bool> stuck(size(), false);
  std::vector<std::size_t> missing(size(), 0);
  std::vector<Nodes> waiters(size());
  for (Node node = 0; node < size(); ++node) {
    const Entry& entry = nodes_[node];
    if (entry.kind == NodeKind::kRuns || !waiting[node]) continue;
    stuck[node] = true;
    missing[node] = entry.kind == NodeKind::kWaitsForAll ? entry.targets.size() : 1;
    for (const Node target : entry.targets) waiters[target].push_back(node);
  }
  Nodes released;
  for (Node node = 0; node < size(); ++node) {
    if (missing[node] == 0) stuck[node] = false;
    if (!stuck[node]) released.push_back(node);
  }
  while (!released.empty()) {
    const Node node = released.back();
    released.pop_back();
    for (const Node waiter : waiters[node]) {
      if (!stuck[waiter] || nodes_[waiter].kind == NodeKind::kStuck || --missing[waiter] > 0) continue;
      stuck[waiter] = false;
      released.push_back(waiter);
    }
  }
  return stuck;
}

std::vector<WaitGraph::Nodes> WaitGraph::knots(const std::vector<bool>& stuck) const {
  const Components components(*this, stuck);
  std::vector<bool> has_way_out(components.count(), false);
  for (Node node = 0; node < size(); ++node) {
    if (!stuck[node]) continue;
    for (const Node target : nodes_[node].targets) {
      if (stuck[target] && components.of(target) != components.of(node)) has_way_out[components.of(node)] = true;
    }
  }
  std::vector<Nodes> by_component(components.count());
  for (Node node = 0; node < size(); ++node) {
    if (stuck[node] && !has_way_out[components.of(node)]) by_component[components.of(node)].push_back(node);
  }
  std::erase_if(by_component, [](const Nodes& nodes) { return nodes.empty(); });
  std::ranges::sort(by_component);
  return by_component;
}

WaitGraph::Nodes WaitGraph::smallest_part(const Nodes& knot) const {
  std::vector<bool> part(size(), false);
  for (const Node node : knot) part[node] = true;
  part = stuck_within(part);
  for (auto node = knot.rbegin(); node != knot.rend(); ++node) {
    if (!part[*node]) continue;
    std::vector<bool> without = part;
    without[*node] = false;
    without = stuck_within(without);
    if (std::ranges::find(without, true) != without.end()) part = std::move(without);
  }
  Nodes nodes;
  for (Node node = 0; node < size(); ++node) {
    if (part[node]) nodes.push_back(node);
  }
  return nodes;
}

}  // namespace starling::observe
