// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "comm/group.hpp"

#include <algorithm>

namespace starling::comm {
namespace {

Ref<Group> make(std::vector<std::int32_t> world_ranks, const Group& from) {
  auto group = Ref<Group>::adopt(new Group(std::move(world_ranks)));
  group->set_origin(from.origin());
  return group;
}

bool is_identity(const std::vector<std::int32_t>& world_ranks) {
  for (std::size_t rank = 0; rank < world_ranks.size(); ++rank) {
    if (world_ranks[rank] != static_cast<std::int32_t>(rank)) return false;
  }
  return true;
}

}  // namespace

Group::Group(std::vector<std::int32_t> world_ranks)
    : world_ranks_(std::move(world_ranks)), identity_(is_identity(world_ranks_)) {
  if (identity_) return;
  rank_of_.reserve(world_ranks_.size());
  for (std::size_t rank = 0; rank < world_ranks_.size(); ++rank) {
    rank_of_.emplace(world_ranks_[rank], static_cast<std::int32_t>(rank));
  }
}

std::int32_t Group::rank_of(std::int32_t world_rank) const noexcept {
  if (identity_) return world_rank >= 0 && world_rank < size() ? world_rank : kNotMember;
  const auto found = rank_of_.find(world_rank);
  return found == rank_of_.end() ? kNotMember : found->second;
}

Comparison Group::compare(const Group& other) const {
  if (world_ranks_ == other.world_ranks_) return Comparison::kIdentical;
  if (size() != other.size()) return Comparison::kUnequal;
  const bool same_members = std::all_of(world_ranks_.begin(), world_ranks_.end(),
                                        [&](std::int32_t rank) { return other.rank_of(rank) != kNotMember; });
  return same_members ? Comparison::kSimilar : Comparison::kUnequal;
}

Ref<Group> group_union(const Group& a, const Group& b) {
  std::vector<std::int32_t> members(a.world_ranks().begin(), a.world_ranks().end());
  for (std::int32_t rank : b.world_ranks()) {
    if (a.rank_of(rank) == Group::kNotMember) members.push_back(rank);
  }
  return make(std::move(members), a);
}

Ref<Group> group_intersection(const Group& a, const Group& b) {
  std::vector<std::int32_t> members;
  for (std::int32_t rank : a.world_ranks()) {
    if (b.rank_of(rank) != Group::kNotMember) members.push_back(rank);
  }
  return make(std::move(members), a);
}

Ref<Group> group_difference(const Group& a, const Group& b) {
  std::vector<std::int32_t> members;
  for (std::int32_t rank : a.world_ranks()) {
    if (b.rank_of(rank) == Group::kNotMember) members.push_back(rank);
  }
  return make(std::move(members), a);
}

Ref<Group> group_include(const Group& group, std::span<const std::int32_t> ranks) {
  std::vector<std::int32_t> members;
  members.reserve(ranks.size());
  for (std::int32_t rank : ranks) members.push_back(group.world_rank(rank));
  return make(std::move(members), group);
}

Ref<Group> group_exclude(const Group& group, std::span<const std::int32_t> ranks) {
  std::vector<bool> left_out(static_cast<std::size_t>(group.size()));
  for (std::int32_t rank : ranks) left_out[static_cast<std::size_t>(rank)] = true;
  std::vector<std::int32_t> members;
  for (std::int32_t rank = 0; rank < group.size(); ++rank) {
    if (!left_out[static_cast<std::size_t>(rank)]) members.push_back(group.world_rank(rank));
  }
  return make(std::move(members), group);
}

}  // namespace starling::comm
