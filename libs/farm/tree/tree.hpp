// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Tree: the parent and the children of each process. A process has its part of it: itself and all below, and the way up
// to the root, so that an orphan finds its grandparent by itself and a grandparent its orphans.
//
// Thread safety: plain data, not changed once made.
// Invariants: each rank but the root has one parent, or is not in this part; no cycles, also with the further parents.
#pragma once

#include <algorithm>
#include <optional>
#include <starling/farm/program.hpp>
#include <string>
#include <vector>

namespace starling::farm {

struct TreeNode {
  static constexpr int kNotHere = -2;  ///< As a parent: another part of the tree.

  std::string name;
  std::string host;        ///< Empty: any.
  unsigned host_line = 0;  ///< Where a file says so.
  int threads = -1;        ///< -1: from the options.
  int parent = -1;         ///< -1: the root.
  int sharers = 1;         ///< The processes that calculate on its host,
  int sharers_before = 0;  ///< and those of them with lower ranks.
  std::vector<int> children;
  std::vector<int> further_parents;   ///< For when the parent dies, the nearer first.
  std::vector<int> further_children;  ///< Whose further parent this is.
};

/// Indexed by rank.
struct Tree {
  std::vector<TreeNode> nodes;
  std::vector<int> input_nodes;   ///< Where Inputs run; empty: the root.
  std::vector<int> output_nodes;  ///< The same for Outputs.
  int spares = 0;                 ///< Processes behind those of the tree, which take the places of dead ones.
  int restarts = 0;               ///< How often that may be for one place.

  int root() const;
  /// A process that joined later is not in it.
  bool has(int rank) const { return static_cast<std::size_t>(rank) < nodes.size(); }
  /// The rank's parent, then its parent, up to the root.
  std::vector<int> ancestors(int rank) const;
  bool is_above(int place, int rank) const {
    const std::vector<int> all = ancestors(rank);
    return std::find(all.begin(), all.end(), place) != all.end();
  }
  /// Whether the children of `dead`, a process that was below `here`, come to `here` now. alive(rank): still below it.
  template <class Alive>
  bool inherits(int here, int dead, Alive&& alive) const {
    if (!has(dead)) return false;
    for (const int above : ancestors(dead)) {
      if (above == here) return true;
      if (alive(above)) return false;
    }
    return false;
  }
  std::vector<int> inputs() const { return input_nodes.empty() ? std::vector<int>{root()} : input_nodes; }
  std::vector<int> outputs() const { return output_nodes.empty() ? std::vector<int>{root()} : output_nodes; }
  /// Which Input or Output the rank has, if any.
  std::optional<Place> input_place(int rank) const { return place_of(rank, inputs()); }
  std::optional<Place> output_place(int rank) const { return place_of(rank, outputs()); }

 private:
  static std::optional<Place> place_of(int rank, const std::vector<int>& ranks);
};

/// How many spares the options want, and how often they may take one place, where the tree does not say it. Throws
/// std::invalid_argument where no process of so many is left for the tree.
void set_spares(Tree& tree, const Options& options, std::size_t processes);

/// Where the options want Inputs and Outputs, if they say. Throws std::invalid_argument for ranks that are not there.
void put_inputs_and_outputs(Tree& tree, const Options& options);

/// By the hosts of all ranks: one relay for each host, a binary tree of them, and the other ranks of a host below its
/// relay.
Tree default_tree(const std::vector<std::string>& hosts);

/// By the hosts of all ranks: who shares a host with whom. root_calculates: or leaves its cores to the others.
void count_sharers(Tree& tree, const std::vector<std::string>& hosts, bool root_calculates);

/// What the rank needs to know of the tree.
Tree part_of(const Tree& tree, int rank);
/// A tree as text, and back.
std::string text_of(const Tree& tree);
Tree tree_of_text(const std::string& text);

/// A tree file's nodes, the root first, before they have ranks: indices are places in the file's tree, breadth first.
/// Numbers of spares and restarts that it does not say are -1. Throws std::runtime_error that names the file, the line
/// and the cause.
Tree read_tree_file(const std::string& path);

/// The same tree by ranks: each node with a host gets a rank there. Throws if there is none, or if the numbers differ.
Tree place_tree(const Tree& tree, const std::vector<std::string>& hosts, const std::string& path);

}  // namespace starling::farm
