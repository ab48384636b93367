// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// WaitGraph: who waits for whom. A node waits for all of its targets or for any of them. What can never go on, whatever
// the running ranks do, is found by reduction: nodes that run are released, then those whose wait they may end, and so
// on; the rest is stuck.
//
// The first nodes are the ranks. Others stand for what several ranks have in common, as the members that a collective
// lacks, so that the graph stays small with a thousand ranks.
//
// Thread safety: none for a graph that grows; const calls from any thread. Source: AND/OR wait-for graphs, and a
// deadlock as what a reduction leaves: Hilbrich et al., "MPI runtime error detection with MUST: advances in deadlock
// detection", SC 2012.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace starling::observe {

enum class NodeKind : std::uint8_t {
  kRuns,         ///< may end anybody's wait
  kWaitsForAll,  ///< without targets it goes on
  kWaitsForAny,  ///< without targets it never goes on
  kStuck,        ///< never goes on: it has ended, or waits for what cannot be
};

class WaitGraph {
 public:
  using Node = std::size_t;
  using Nodes = std::vector<Node>;

  struct Entry {
    NodeKind kind;
    Nodes targets;
  };

  Node add(NodeKind kind) {
    nodes_.push_back({kind, {}});
    return nodes_.size() - 1;
  }
  void set_kind(Node node, NodeKind kind) { nodes_[node].kind = kind; }
  void wait_for(Node node, Node target) { nodes_[node].targets.push_back(target); }

  [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }
  [[nodiscard]] const Entry& operator[](Node node) const noexcept { return nodes_[node]; }

  /// For each node whether it is stuck.
  [[nodiscard]] std::vector<bool> stuck() const { return stuck_within(std::vector<bool>(size(), true)); }
  /// The same where only these nodes wait, and all others run.
  [[nodiscard]] std::vector<bool> stuck_within(const std::vector<bool>& waiting) const;

  /// The parts of the stuck nodes that wait for nobody outside themselves, each in order: strongly connected components
  /// without a way out. All other stuck nodes wait for these.
  [[nodiscard]] std::vector<Nodes> knots(const std::vector<bool>& stuck) const;

  /// A smallest part of a knot that would be stuck by itself; it keeps low nodes rather than high ones.
  [[nodiscard]] Nodes smallest_part(const Nodes& knot) const;

 private:
  std::vector<Entry> nodes_;
};

}  // namespace starling::observe
