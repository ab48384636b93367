// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "comm/group.hpp"

#include <algorithm>

namespace starling::comm {
namespace {

Ref<Group> make(const std::vector<ProcessId>& processes, const Group& from) {
  auto group = Ref<Group>::adopt(new Group(processes));
  group->set_origin(from.origin());
  return group;
}

std::vector<std::int32_t> numbers_of(const std::vector<ProcessId>& processes) {
  std::vector<std::int32_t> numbers;
  numbers.reserve(processes.size());
  for (const ProcessId process : processes) numbers.push_back(process.value);
  return numbers;
}

bool is_identity(const std::vector<std::int32_t>& numbers) {
  for (std::size_t rank = 0; rank < numbers.size(); ++rank) {
    if (numbers[rank] != static_cast<std::int32_t>(rank)) return false;
  }
  return true;
}

}  // namespace

Group::Group(const std::vector<ProcessId>& processes)
    : numbers_(numbers_of(processes)), identity_(is_identity(numbers_)) {
  if (identity_) return;
  rank_of_.reserve(processes.size());
  for (std::size_t rank = 0; rank < processes.size(); ++rank) {
    rank_of_.emplace(processes[rank], static_cast<std::int32_t>(rank));
  }
}

std::int32_t Group::rank_of(ProcessId process) const noexcept {
  if (identity_) return process.value >= 0 && process.value < size() ? process.value : kNotMember;
  const auto found = rank_of_.find(process);
  return found == rank_of_.end() ? kNotMember : found->second;
}

Comparison Group::compare(const Group& other) const {
  if (numbers_ == other.numbers_) return Comparison::kIdentical;
  if (size() != other.size()) return Comparison::kUnequal;
  const auto all = processes();
  const bool same_members =
      std::all_of(all.begin(), all.end(), [&](ProcessId process) { return other.rank_of(process) != kNotMember; });
  return same_members ? Comparison::kSimilar : Comparison::kUnequal;
}

Ref<Group> group_union(const Group& a, const Group& b) {
  std::vector<ProcessId> members(a.processes().begin(), a.processes().end());
  for (const ProcessId process : b.processes()) {
    if (a.rank_of(process) == Group::kNotMember) members.push_back(process);
  }
  return make(members, a);
}

Ref<Group> group_intersection(const Group& a, const Group& b) {
  std::vector<ProcessId> members;
  for (const ProcessId process : a.processes()) {
    if (b.rank_of(process) != Group::kNotMember) members.push_back(process);
  }
  return make(members, a);
}

Ref<Group> group_difference(const Group& a, const Group& b) {
  std::vector<ProcessId> members;
  for (const ProcessId process : a.processes()) {
    if (b.rank_of(process) == Group::kNotMember) members.push_back(process);
  }
  return make(members, a);
}

Ref<Group> group_include(const Group& group, std::span<const std::int32_t> ranks) {
  std::vector<ProcessId> members;
  members.reserve(ranks.size());
  for (std::int32_t rank : ranks) members.push_back(group.process(rank));
  return make(members, group);
}

Ref<Group> group_exclude(const Group& group, std::span<const std::int32_t> ranks) {
  std::vector<bool> left_out(static_cast<std::size_t>(group.size()));
  for (std::int32_t rank : ranks) left_out[static_cast<std::size_t>(rank)] = true;
  std::vector<ProcessId> members;
  for (std::int32_t rank = 0; rank < group.size(); ++rank) {
    if (!left_out[static_cast<std::size_t>(rank)]) members.push_back(group.process(rank));
  }
  return make(members, group);
}

}  // namespace starling::comm
