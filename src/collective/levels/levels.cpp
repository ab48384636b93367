// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/levels/levels.hpp"

#include <algorithm>
#include <numeric>

#include "collective/choose/phases.hpp"
#include "collective/coroutine/part_of_whole.hpp"
#include "comm/node_numbers.hpp"

namespace starling::collective {
namespace {

/// The nodes of the members of a communicator, counted in the order of their first ranks.
std::vector<std::int32_t> nodes_of(const comm::Communicator& comm, const memory::Placement& placement) {
  const comm::NodeNumbers numbers(comm, placement);
  std::vector<std::int32_t> number(static_cast<std::size_t>(numbers.count()), -1);
  std::vector<std::int32_t> nodes;
  std::int32_t next = 0;
  for (const ProcessId process : comm.group()->processes()) {
    std::int32_t& node = number[static_cast<std::size_t>(numbers.of(process))];
    if (node < 0) node = next++;
    nodes.push_back(node);
  }
  return nodes;
}

/// The same context, so that what ends the messages of the whole ends those of the group.
Ref<comm::Communicator> group_of(const comm::Communicator& whole, const std::vector<std::int32_t>& ranks,
                                 const Ref<comm::SharedDomain>& domain) {
  std::vector<ProcessId> processes;
  for (const std::int32_t rank : ranks) processes.push_back(whole.process(rank));
  auto group = Ref<comm::Group>::adopt(new comm::Group(processes));
  const std::int32_t me = group->rank_of(whole.process(whole.rank()));
  auto made = Ref<comm::Communicator>::adopt(
      new comm::Communicator(whole.context_id(), std::move(group), me, {whole.connected_jobs(), domain}));
  made->collective_state = std::make_unique<PartOfWhole>(ranks);
  return made;
}

}  // namespace

NodeSpread spread_of(const comm::Communicator& comm, const memory::Placement& placement) {
  NodeSpread spread;
  if (comm.shared_domain() != nullptr || comm.is_inter()) return spread;
  const std::vector<std::int32_t> nodes = nodes_of(comm, placement);
  std::vector<std::int32_t> ranks;
  bool in_order = true;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto node = static_cast<std::size_t>(nodes[i]);
    if (node == ranks.size()) ranks.push_back(0);
    ++ranks[node];
    in_order = in_order && node + 1 == ranks.size();
  }
  if (ranks.size() < 2) return spread;
  const auto [least, most] = std::ranges::minmax(ranks);
  spread.nodes = static_cast<std::int32_t>(ranks.size());
  spread.node_ranks = most;
  if (most > 1) spread.levels |= kTwoLevels;
  if (in_order) spread.levels |= kInNodeOrder;
  if (least == most) spread.levels |= kEvenNodes;
  return spread;
}

Levels::Levels(const comm::Communicator& whole, const memory::Placement& placement,
               const Ref<comm::SharedDomain>& domain, const LevelSelectors& selectors, const NodeSpread& spread,
               std::uint32_t instance)
    : whole_(whole),
      spread_(spread),
      node_of_(nodes_of(whole, placement)),
      node_(selectors.on_node, instance),
      leaders_(selectors.across_nodes, instance),
      closers_(selectors.across_nodes, instance),
      lane_(selectors.across_nodes, instance) {
  own_node_ = node_of(whole.rank());
  for (std::int32_t rank = 0; rank < whole.size(); ++rank) {
    if (node_of(rank) == nodes()) firsts_.push_back(rank);
    by_node_.push_back(rank);
  }
  std::ranges::stable_sort(by_node_, {}, [this](std::int32_t rank) { return node_of(rank); });
  begins_.assign(static_cast<std::size_t>(nodes()) + 1, 0);
  for (const std::int32_t node : node_of_) ++begins_[static_cast<std::size_t>(node) + 1];
  std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
  const auto own = by_node_.begin() + begins_[static_cast<std::size_t>(own_node_)];
  node_.comm = group_of(whole, {own, own + ranks_on(own_node_)}, domain);
}

Levels::Place Levels::place(std::int32_t root) const {
  const std::int32_t top = node_of(root);
  const std::int32_t speaker = top == own_node_ ? root : firsts_[static_cast<std::size_t>(own_node_)];
  return {speaker == whole_.rank(), node_.comm->group()->rank_of(whole_.process(speaker)), top};
}

template <typename PlaceOn>
LevelGroup& Levels::one_of_each_node(LevelGroup& group, PlaceOn&& place_on) {
  if (group.comm) return group;
  std::vector<std::int32_t> ranks;
  for (std::int32_t node = 0; node < nodes(); ++node) ranks.push_back(rank_at(node, place_on(node)));
  group.comm = group_of(whole_, ranks, {});
  return group;
}

LevelGroup& Levels::closers() {
  return one_of_each_node(closers_, [this](std::int32_t node) { return ranks_on(node) - 1; });
}

LevelGroup& Levels::lane() {
  if (!lane_.lane) {
    const Machine all = lane_.selector.machine(tuning::Distance::kNetwork).on_nodes(nodes());
    const Machine whole = of_lane(all, node_.comm->size(), nodes());
    lane_.lane = LaneMachine{whole, whole};
    lane_.lane->of_each_node.cores = std::max(1, whole.cores / nodes());
  }
  return one_of_each_node(lane_, [this](std::int32_t) { return node_.comm->rank(); });
}

LevelGroup& Levels::leaders(std::int32_t root) {
  if (root == leaders_root_) return leaders_;
  std::vector<std::int32_t> ranks = firsts_;
  ranks[static_cast<std::size_t>(node_of(root))] = root;
  leaders_.comm = group_of(whole_, ranks, {});
  leaders_root_ = root;
  return leaders_;
}

}  // namespace starling::collective
