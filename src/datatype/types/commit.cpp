// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Committing a datatype: its plan is compiled from its parts.
#include <unordered_map>
#include <utility>

#include "datatype/plan/plan_builder.hpp"
#include "datatype/types/datatype.hpp"
#include "datatype/types/parts.hpp"

namespace starling::datatype {
namespace {

class PlanCompiler {
 public:
  PlanRef node(const Datatype& type) {
    if (type.layout().one_run) return plan_of_run(type.true_lb(), type.size());
    if (const auto known = known_.find(&type); known != known_.end()) return known->second;
    PlanRef made = type.is_predefined() ? pair_node() : parts_node(type);
    known_.emplace(&type, made);
    return made;
  }

 private:
  // MPI_SHORT_INT is the only predefined type with a gap inside.
  static PlanRef pair_node() {
    PlanSequence sequence;
    const PlanRef value = plan_of_run(0, sizeof(std::int16_t));
    const PlanRef index = plan_of_run(alignof(std::int32_t), sizeof(std::int32_t));
    sequence.add(0, 1, 0, value);
    sequence.add(0, 1, 0, index);
    return sequence.finish();
  }

  PlanRef parts_node(const Datatype& type) {
    PlanSequence sequence;
    const Arguments arguments(type.contents());
    for (std::int64_t i = 0; i < arguments.part_count(); ++i) {
      const TypePart part = arguments.part(i);
      if (part.count == 0 || part.block_length == 0 || part.type->size() == 0) continue;
      const PlanRef body = node(*part.type);
      if (part.count == 1) {
        sequence.add(part.displacement, part.block_length, part.type->extent(), body);
      } else {
        const PlanRef block = plan_of_repetition(part.block_length, part.type->extent(), body);
        sequence.add(part.displacement, part.count, part.stride, block);
      }
    }
    return sequence.finish();
  }

  std::unordered_map<const Datatype*, PlanRef> known_;
};

/// The plan of one element of the type, which has data.
std::unique_ptr<const PlanNode> compile(const Datatype& type) {
  return std::make_unique<const PlanNode>(*PlanCompiler().node(type));
}

/// The plan of a predefined type whose elements leave gaps (some pair types).
const PlanNode& predefined_plan(Basic type) noexcept {
  // Never destroyed, as the predefined types themselves.
  static const PlanNode* const short_int = compile(predefined(Basic::kShortInt)).release();
  static const PlanNode* const double_int = compile(predefined(Basic::kDoubleInt)).release();
  static const PlanNode* const long_int = compile(predefined(Basic::kLongInt)).release();
  static const PlanNode* const long_double_int = compile(predefined(Basic::kLongDoubleInt)).release();
  switch (type) {
    case Basic::kShortInt: return *short_int;
    case Basic::kDoubleInt: return *double_int;
    case Basic::kLongInt: return *long_int;
    default: return *long_double_int;
  }
}

}  // namespace

void Datatype::commit() {
  if (committed()) return;
  if (!is_contiguous() && size() != 0) {
    std::unique_ptr<const PlanNode> plan = compile(*this);
    const PlanNode* none = nullptr;
    // Two threads may commit at once: the first plan stays, the other is dropped.
    if (plan_.compare_exchange_strong(none, plan.get(), std::memory_order_acq_rel)) (void)plan.release();
  }
  committed_.store(true, std::memory_order_release);
}

const PlanNode& Datatype::plan() const noexcept {
  const PlanNode* plan = plan_.load(std::memory_order_acquire);
  return plan ? *plan : predefined_plan(predefined_);
}

}  // namespace starling::datatype
