// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "datatype/ascending.hpp"

#include <algorithm>

#include "datatype/plan.hpp"

namespace starling::datatype {
namespace {

/// Where the bytes of a node lie, and whether they lie in order.
struct Reach {
  bool ascending = true;
  std::int64_t low = 0;
  std::int64_t high = 0;
};

/// Takes stretches in packed order.
class Line {
 public:
  void add(std::int64_t low, std::int64_t high) noexcept {
    if (any_) {
      reach_.ascending = reach_.ascending && low >= reach_.high;
      reach_.low = std::min(reach_.low, low);
      reach_.high = std::max(reach_.high, high);
    } else {
      reach_.low = low;
      reach_.high = high;
      any_ = true;
    }
  }
  void add_repeated(std::int64_t offset, std::int64_t count, std::int64_t stride, const Reach& body) noexcept {
    const bool in_order = body.ascending && (count <= 1 || stride >= body.high - body.low);
    reach_.ascending = reach_.ascending && in_order;
    const std::int64_t last = offset + (count - 1) * stride;
    add(std::min(offset, last) + body.low, std::max(offset, last) + body.high);
  }
  [[nodiscard]] const Reach& reach() const noexcept { return reach_; }

 private:
  Reach reach_;
  bool any_ = false;
};

Reach reach_of(const PlanNode& node) noexcept {
  Line line;
  switch (node.kind) {
    case PlanNode::Kind::kBlocks: line.add_repeated(node.offset, node.count, node.stride, {true, 0, node.block}); break;
    case PlanNode::Kind::kOffsets:
      for (const std::int64_t offset : node.offsets) line.add(offset, offset + node.block);
      break;
    case PlanNode::Kind::kRuns:
      for (const PlanRun& run : node.runs) line.add(run.offset, run.offset + run.bytes);
      break;
    case PlanNode::Kind::kParts:
      for (const PlanPart& part : node.parts) {
        line.add_repeated(part.offset, part.count, part.stride, reach_of(*part.body));
      }
      break;
  }
  return line.reach();
}

}  // namespace

bool is_ascending(const Datatype& type) noexcept {
  if (type.size() == 0) return true;
  if (type.is_contiguous()) return type.extent() >= type.size();
  const Reach reach = reach_of(type.plan());
  return reach.ascending && type.extent() >= reach.high - reach.low;
}

}  // namespace starling::datatype
