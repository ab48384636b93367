// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Group: an ordered set of processes, named by the numbers that this process gives them. Immutable once it has its
// origin.
// Source: MPI-5.0, chapter 7.
#pragma once

#include <cstdint>
#include <ranges>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/id.hpp"
#include "base/ref.hpp"

namespace starling::comm {

/// How two groups, or two communicators, relate.
enum class Comparison : std::uint8_t { kIdentical, kCongruent, kSimilar, kUnequal };

class Group final : public RefCounted<Group> {
 public:
  static constexpr std::int32_t kNotMember = -1;

  explicit Group(const std::vector<ProcessId>& processes);

  [[nodiscard]] std::int32_t size() const noexcept { return static_cast<std::int32_t>(numbers_.size()); }
  [[nodiscard]] ProcessId process(std::int32_t rank) const noexcept {
    return ProcessId(numbers_[static_cast<std::size_t>(rank)]);
  }
  /// A range, by rank.
  [[nodiscard]] auto processes() const noexcept {
    return std::views::transform(numbers_, [](std::int32_t number) { return ProcessId(number); });
  }

  /// The rank of a process in this group, or kNotMember. O(1).
  [[nodiscard]] std::int32_t rank_of(ProcessId process) const noexcept;

  [[nodiscard]] Comparison compare(const Group& other) const;

  /// Where mpi/ says that the group comes from: a session's handle, or 0 for the World. What is made from a group has
  /// the origin of the first one that it is made from.
  [[nodiscard]] std::uintptr_t origin() const noexcept { return origin_; }
  void set_origin(std::uintptr_t origin) noexcept { origin_ = origin; }

 private:
  std::uintptr_t origin_ = 0;
  friend class Communicator;  // which gives the same numbers to peers of its own job

  std::vector<std::int32_t> numbers_;  ///< of the processes
  bool identity_;                      ///< process(r) has the number r for all r: no map needed
  std::unordered_map<ProcessId, std::int32_t> rank_of_;
};

/// The set operations of MPI_Group_union, _intersection, _difference, _incl, _excl. The caller has checked the ranks.
Ref<Group> group_union(const Group& a, const Group& b);
Ref<Group> group_intersection(const Group& a, const Group& b);
Ref<Group> group_difference(const Group& a, const Group& b);
Ref<Group> group_include(const Group& group, std::span<const std::int32_t> ranks);
Ref<Group> group_exclude(const Group& group, std::span<const std::int32_t> ranks);

}  // namespace starling::comm
