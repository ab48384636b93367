// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The compiled layout of one element of a type: where its bytes lie, in packed order, as loops and lists of runs.
// Internal to the component; types/commit.cpp makes them.
//
// Memory is proportional to the arguments of the constructors, never to the counts of contiguous and vector types:
// those stay loops. Types that share parts share their nodes.
// Thread safety: immutable once compiled.
// Invariants: no node but the root is empty; runs and parts have increasing positions, the first is 0; adjacent runs
// are merged.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <vector>

namespace starling::datatype {

struct PlanNode;
using PlanRef = std::shared_ptr<const PlanNode>;

/// One stretch of memory. Offsets are relative to the node's base.
struct PlanRun {
  std::int64_t offset;
  std::int64_t bytes;
  std::int64_t position;  ///< of its first byte in the node's packed bytes
};

/// count repetitions of a node, stride bytes apart.
struct PlanPart {
  std::int64_t offset;
  std::int64_t count;
  std::int64_t stride;
  std::int64_t position;
  PlanRef body;
};

struct PlanNode {
  enum class Form : std::uint8_t {
    kBlocks,   ///< count blocks of `block` bytes, stride bytes apart, the first at offset
    kOffsets,  ///< a list of blocks of `block` bytes
    kRuns,     ///< a list of runs
    kParts,    ///< a list of parts
  };
  Form form = Form::kBlocks;
  std::int64_t size = 0;  ///< packed bytes
  std::int64_t offset = 0;
  std::int64_t count = 0;
  std::int64_t stride = 0;
  std::int64_t block = 0;
  std::vector<std::int64_t> offsets;
  std::vector<PlanRun> runs;
  std::vector<PlanPart> parts;
};

/// The last run or part of a list that begins at or before a position.
template <typename Item>
[[nodiscard]] const Item* item_at(const std::vector<Item>& items, std::int64_t position) noexcept {
  const auto after = std::upper_bound(items.begin(), items.end(), position,
                                      [](std::int64_t p, const Item& item) { return p < item.position; });
  return &*std::prev(after);
}

}  // namespace starling::datatype
