// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Deletion: how elements of one array end. Their home keeps a tombstone of each for a while, so that messages to them
// are refused.
//
// **Thread safety**: none. **Invariants**: a home keeps the last 4096 tombstones; the oldest is reclaimed first.
#pragma once

#include <deque>
#include <vector>

#include "array_context.hpp"
#include "element/entry.hpp"
#include "wire/record.hpp"

namespace starling::array::detail {

class Deletion {
 public:
  explicit Deletion(const ArrayContext& context) : context_(context) {}

  /// An element here, with its object.
  void remove(Entry& entry);
  /// The same where the object is gone, or was never made.
  void mark_deleted(Entry& entry);
  void handle_died(const Record& record);

  // Other processes.

  /// The entries may be dropped from now on.
  void forget_tombstones();
  /// Which elements were deleted, for their homes to come.
  std::vector<Index> take_deleted();
  /// At the home: a process says that the element was deleted.
  void learn_at_home(const Index& index);
  void forget_all();

 private:
  void keep_tombstone(Entry& entry);
  void reclaim_oldest();

  const ArrayContext& context_;
  std::deque<Entry*> tombstones_;  // deleted elements whose home this is
  std::vector<Index> deleted_;     // of those whose homes change
};

}  // namespace starling::array::detail
