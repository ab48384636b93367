// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "datatype/types/datatype.hpp"

#include <string>
#include <utility>

#include "datatype/plan/plan.hpp"
#include "datatype/types/parts.hpp"

namespace starling::datatype {
namespace {

// Plans are compiled and types released recursively; this keeps the stack they need small.
constexpr std::int32_t kMaxDepth = 1000;

// Entries of the first `bytes` bytes of one element, 0 <= bytes < size.
std::int64_t elements_in_part_of(const Datatype& type, std::int64_t bytes) noexcept {
  if (bytes == 0) return 0;
  if (type.is_predefined()) {
    const Basic second = type.basic() == Basic::k2DoublePrecision ? Basic::kDoublePrecision : Basic::kInt;
    return type.element_count() == 2 && bytes + info(second).size == type.size() ? 1 : -1;
  }
  std::int64_t elements = 0;
  const Arguments arguments(type.contents());
  for (std::int64_t i = 0; i < arguments.part_count(); ++i) {
    const Part part = arguments.part(i);
    const std::int64_t items = part.count * part.block_length;
    const std::int64_t part_bytes = items * part.type->size();
    if (bytes < part_bytes) {
      const std::int64_t rest = part.type->elements_in(bytes);
      return rest < 0 ? rest : elements + rest;
    }
    elements += items * part.type->element_count();
    bytes -= part_bytes;
  }
  return elements;
}

}  // namespace

Datatype::Datatype(const Layout& layout, Basic predefined, Contents contents)
    : layout_(layout),
      predefined_(predefined),
      committed_(predefined != Basic::kNone),
      contents_(std::make_unique<const Contents>(std::move(contents))) {}

Datatype::~Datatype() { delete plan_.load(std::memory_order_acquire); }

Datatype::Made Datatype::make(Contents contents) {
  LayoutBuilder builder;
  const Arguments arguments(contents);
  for (std::int64_t i = 0; i < arguments.part_count(); ++i) {
    const Part part = arguments.part(i);
    builder.add_blocks(part.displacement, part.count, part.stride, part.block_length, part.type->layout());
  }
  if (builder.overflowed()) {
    return Status::error(ErrorClass::kArg,
                         "the datatype's size or span exceeds 2^62 bytes; check counts, strides and displacements");
  }
  Layout layout;
  if (contents.combiner == Combiner::kResized) {
    const std::vector<std::int64_t>& bounds = contents.addresses.empty() ? contents.large_counts : contents.addresses;
    layout = builder.finish_resized(bounds[0], bounds[0] + bounds[1]);
  } else {
    layout = builder.finish();
  }
  if (layout.depth > kMaxDepth) {
    return Status::error(ErrorClass::kType, "the datatype is nested more than " + std::to_string(kMaxDepth) +
                                                " deep; build it from its basic types in fewer steps");
  }
  return Ref<Datatype>::adopt(new Datatype(layout, Basic::kNone, std::move(contents)));
}

Datatype::Made Datatype::f90(Combiner combiner, Integers parameters, Basic type) {
  Contents contents;
  contents.combiner = combiner;
  contents.integers.assign(parameters.begin(), parameters.end());
  return Ref<Datatype>::adopt(new Datatype(datatype::predefined(type).layout(), type, std::move(contents)));
}

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

std::uint64_t Datatype::signature_hash(std::int64_t count) const noexcept {
  return repeat_signature(layout_.signature, layout_.elements, count);
}

std::int64_t Datatype::elements_in(std::int64_t bytes) const noexcept {
  if (size() == 0) return 0;
  const std::int64_t whole = bytes / size() * element_count();
  const std::int64_t rest = elements_in_part_of(*this, bytes % size());
  return rest < 0 ? rest : whole + rest;
}

const Contents& Datatype::contents() const noexcept {
  static const Contents named;
  return contents_ ? *contents_ : named;
}

void* Datatype::user_handle() const noexcept {
  if (user_handle_) return user_handle_;
  if (is_predefined()) {
    constexpr std::uintptr_t kFirstHandle = 0x200;
    return reinterpret_cast<void*>(kFirstHandle + info(predefined_).code);
  }
  return const_cast<Datatype*>(this);
}

const PlanNode& Datatype::plan() const noexcept {
  const PlanNode* plan = plan_.load(std::memory_order_acquire);
  return plan ? *plan : predefined_plan(predefined_);
}

}  // namespace starling::datatype
