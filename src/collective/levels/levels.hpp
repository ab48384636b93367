// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Levels: the groups that a communicator on several nodes falls into: the ranks of this node, one rank of each node
// (the leaders), and what calls in levels keep for each.
//
// The groups are communicators that no program sees. They have the context id of the whole, so that what ends the
// messages of the whole ends theirs, and their messages have tags of their own (level_call.hpp). A node's leader is its
// first rank, or the root of the call: then no node is entered twice and the root passes nothing on within its node.
// Of a scan it is the last one, which has what the ranks of the node come to.
//
// Thread safety: the holder of the world's lock. Invariants: nodes are counted in the order of their first ranks, the
// same on every rank; the ranks of a group keep their order. Calls go through the levels one at a time, in the order in
// which they were made.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "collective/choose/choice_cache.hpp"
#include "collective/choose/selector.hpp"
#include "collective/coroutine/call.hpp"
#include "collective/coroutine/executor.hpp"
#include "collective/node/node_memory.hpp"
#include "comm/communicator.hpp"
#include "memory/placement.hpp"

namespace starling::collective {

/// How the groups of the levels choose their algorithms.
struct LevelSelectors {
  const Selector& on_node;
  const Selector& across_nodes;
};

/// How the ranks of one of several lanes that are under way at once see the machine.
struct LaneMachine {
  Machine whole;         ///< with the cores of all nodes
  Machine of_each_node;  ///< with those of one
};

/// A group, and what is kept for the calls of its ranks.
struct LevelGroup {
  explicit LevelGroup(const Selector& its, std::uint32_t instance) noexcept : selector(its), memory(instance) {}

  Ref<comm::Communicator> comm;
  const Selector& selector;
  NodeMemory memory;
  ChoiceCache choices;
  std::optional<LaneMachine> lane{};  ///< where it is one
  /// Of ranks on this node: the root of the call before if that was one in which a root gives and waits for nobody.
  std::int32_t giving_root = kNoRoot;
  static constexpr std::int32_t kNoRoot = -1;
};

class Levels final : public comm::Extension {
 public:
  /// Which place this rank has in a call.
  struct Place {
    bool leads;             ///< it speaks for its node
    std::int32_t leader;    ///< who does, as a rank of the node
    std::int32_t top_node;  ///< the node of the root
  };

  /// Of a communicator with members on several nodes. placement: of this job. domain: of this node. instance: as that
  /// of its NodeMemory. selectors: outlive it.
  Levels(const comm::Communicator& whole, const memory::Placement& placement, const Ref<comm::SharedDomain>& domain,
         const LevelSelectors& selectors, const NodeSpread& spread, std::uint32_t instance);

  /// Of a call that goes in levels.
  [[nodiscard]] static Levels& of(const Call& call) noexcept {
    return static_cast<Levels&>(*call.node_memory().levels());
  }

  [[nodiscard]] std::int32_t nodes() const noexcept { return static_cast<std::int32_t>(firsts_.size()); }
  /// Counted like the leaders.
  [[nodiscard]] std::int32_t node_of(std::int32_t rank) const { return node_of_[static_cast<std::size_t>(rank)]; }
  /// All ranks, node by node, and where those of each node begin, with the end of all as the last.
  [[nodiscard]] const std::vector<std::int32_t>& by_node() const noexcept { return by_node_; }
  [[nodiscard]] const std::vector<std::int32_t>& begins() const noexcept { return begins_; }
  /// Of the ranks of a node.
  [[nodiscard]] std::int32_t ranks_on(std::int32_t node) const {
    const auto index = static_cast<std::size_t>(node);
    return begins_[index + 1] - begins_[index];
  }
  [[nodiscard]] std::int32_t own_node() const noexcept { return own_node_; }
  /// Whether the ranks of each node follow each other.
  [[nodiscard]] bool in_order() const noexcept { return (spread_.levels & kInNodeOrder) != 0; }
  [[nodiscard]] bool even() const noexcept { return (spread_.levels & kEvenNodes) != 0; }

  /// Whether there are others on this node.
  [[nodiscard]] bool has_company() const noexcept { return node_.comm->size() > 1; }

  /// In a call with this root.
  [[nodiscard]] Place place(std::int32_t root) const;
  /// In a call without.
  [[nodiscard]] Place place() const { return place(firsts_.front()); }

  [[nodiscard]] LevelGroup& node() noexcept { return node_; }
  /// Of a call with this root; its members only.
  [[nodiscard]] LevelGroup& leaders(std::int32_t root);
  [[nodiscard]] LevelGroup& leaders() { return leaders(firsts_.front()); }

  /// The last rank of each node; its members only.
  [[nodiscard]] LevelGroup& closers();
  /// Whether this rank is the last of its node.
  [[nodiscard]] bool closes() const noexcept { return node_.comm->rank() + 1 == node_.comm->size(); }

  /// Only on even nodes: the ranks that have this rank's place on each node, counted like the nodes.
  [[nodiscard]] LevelGroup& lane();
  /// The rank with a place on a node. place: less than ranks_on(node).
  [[nodiscard]] std::int32_t rank_at(std::int32_t node, std::int32_t place) const {
    return by_node_[static_cast<std::size_t>(begins_[static_cast<std::size_t>(node)] + place)];
  }

  /// Held by the one call that goes through the levels.
  [[nodiscard]] Gate& gate() noexcept { return gate_; }

 private:
  /// The group of one rank of each node, made when it is first asked for. place_on(node): which rank of the node.
  template <typename PlaceOn>
  LevelGroup& one_of_each_node(LevelGroup& group, PlaceOn&& place_on);

  const comm::Communicator& whole_;
  NodeSpread spread_;
  std::int32_t own_node_ = 0;
  std::vector<std::int32_t> node_of_;  ///< of each rank
  std::vector<std::int32_t> firsts_;   ///< the first rank of each node
  std::vector<std::int32_t> by_node_;
  std::vector<std::int32_t> begins_;
  LevelGroup node_;
  LevelGroup leaders_;
  LevelGroup closers_;
  LevelGroup lane_;
  std::int32_t leaders_root_ = -1;  ///< for whose calls leaders_ has its communicator; -1: there is none yet
  Gate gate_;
};

/// How the ranks of a communicator lie on nodes. nodes = 0: on one, or there are two groups. placement: of this job.
[[nodiscard]] NodeSpread spread_of(const comm::Communicator& comm, const memory::Placement& placement);

}  // namespace starling::collective
