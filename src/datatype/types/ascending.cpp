// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "datatype/types/ascending.hpp"

#include <algorithm>

#include "datatype/plan/plan.hpp"

namespace starling::datatype {
namespace {

/// Where the bytes of a node lie, and whether they lie in order.
struct Reach {
  bool ascending = true;
  bool never_back = true;  ///< no entry begins before the one before it
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::int64_t first = 0;  ///< where the first entry begins
  std::int64_t last = 0;   ///< where the last one does
};

/// Takes stretches in packed order.
class Line {
 public:
  void add(const Reach& next) noexcept {
    if (any_) {
      reach_.ascending = reach_.ascending && next.ascending && next.low >= reach_.high;
      reach_.never_back = reach_.never_back && next.never_back && next.first >= reach_.last;
      reach_.low = std::min(reach_.low, next.low);
      reach_.high = std::max(reach_.high, next.high);
      reach_.last = next.last;
    } else {
      reach_ = next;
      any_ = true;
    }
  }
  void add_repeated(std::int64_t offset, std::int64_t count, std::int64_t stride, const Reach& body) noexcept {
    const std::int64_t last = offset + (count - 1) * stride;
    add({body.ascending && (count <= 1 || stride >= body.high - body.low),
         body.never_back && (count <= 1 || stride >= body.last - body.first), std::min(offset, last) + body.low,
         std::max(offset, last) + body.high, offset + body.first, last + body.last});
  }
  [[nodiscard]] const Reach& reach() const noexcept { return reach_; }

 private:
  Reach reach_;
  bool any_ = false;
};

/// entry: bytes of each entry; 0: they differ.
Reach run(std::int64_t offset, std::int64_t bytes, std::int64_t entry) noexcept {
  return {true, true, offset, offset + bytes, offset, entry == 0 ? offset : offset + bytes - entry};
}

Reach reach_of(const PlanNode& node, std::int64_t entry) noexcept {
  Line line;
  switch (node.form) {
    case PlanNode::Form::kBlocks:
      line.add_repeated(node.offset, node.count, node.stride, run(0, node.block, entry));
      break;
    case PlanNode::Form::kOffsets:
      for (const std::int64_t offset : node.offsets) line.add(run(offset, node.block, entry));
      break;
    case PlanNode::Form::kRuns:
      for (const PlanRun& one : node.runs) line.add(run(one.offset, one.bytes, entry));
      break;
    case PlanNode::Form::kParts:
      for (const PlanPart& part : node.parts) {
        line.add_repeated(part.offset, part.count, part.stride, reach_of(*part.body, entry));
      }
      break;
  }
  return line.reach();
}

}  // namespace

DataOrder data_order(const Datatype& type) noexcept {
  if (type.size() == 0) return DataOrder::kAscending;
  const std::int64_t entry = type.basic() == Basic::kNone ? 0 : predefined(type.basic()).size();
  const Reach reach = type.is_contiguous() ? run(type.true_lb(), type.size(), entry) : reach_of(type.plan(), entry);
  if (reach.ascending) return DataOrder::kAscending;
  return reach.never_back ? DataOrder::kOverlapping : DataOrder::kMixed;
}

}  // namespace starling::datatype
