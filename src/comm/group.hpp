// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Group: an ordered set of processes, named by the numbers that this process gives them. Immutable once it has its
// origin.
// Source: MPI-5.0, chapter 7.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/id.hpp"
#include "base/ref.hpp"

namespace starling::comm {

/// How two groups, or two communicators, relate.
enum class Comparison : std::uint8_t { kIdentical, kCongruent, kSimilar, kUnequal };

/// The processes of a group, one after the other.
class ProcessRange {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = ProcessId;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = ProcessId;

    explicit Iterator(const std::int32_t* number) noexcept : number_(number) {}
    ProcessId operator*() const noexcept { return ProcessId(*number_); }
    Iterator& operator++() noexcept { return ++number_, *this; }
    Iterator operator++(int) noexcept { return Iterator(number_++); }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const std::int32_t* number_;
  };

  explicit ProcessRange(std::span<const std::int32_t> numbers) noexcept : numbers_(numbers) {}
  [[nodiscard]] Iterator begin() const noexcept { return Iterator(numbers_.data()); }
  [[nodiscard]] Iterator end() const noexcept { return Iterator(numbers_.data() + numbers_.size()); }

 private:
  std::span<const std::int32_t> numbers_;
};

class Group final : public RefCounted<Group> {
 public:
  static constexpr std::int32_t kNotMember = -1;

  explicit Group(const std::vector<ProcessId>& processes);

  [[nodiscard]] std::int32_t size() const noexcept { return static_cast<std::int32_t>(numbers_.size()); }
  [[nodiscard]] ProcessId process(std::int32_t rank) const noexcept {
    return ProcessId(numbers_[static_cast<std::size_t>(rank)]);
  }
  /// A range, by rank.
  [[nodiscard]] ProcessRange processes() const noexcept { return ProcessRange(numbers_); }

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
