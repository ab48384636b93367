// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "datatype/types/parts.hpp"

#include <limits>

#include "datatype/types/datatype.hpp"

namespace starling::datatype {
namespace {

// Out-of-range products become the nearest limit, which the layout builder then refuses as an overflow.
std::int64_t saturating_product(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return product;
  return (a < 0) == (b < 0) ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}

}  // namespace

Arguments::Arguments(const Contents& contents) noexcept
    : contents_(contents),
      numbers_(contents.large_counts.empty() ? contents.integers : contents.large_counts),
      displacements_(contents.large_counts.empty() ? contents.addresses : contents.large_counts) {
  const bool large = !contents.large_counts.empty();
  switch (contents.combiner) {
    case Combiner::kHvector:
    case Combiner::kHindexedBlock: first_displacement_ = large ? 2 : 0; break;
    case Combiner::kHindexed:
    case Combiner::kStruct: first_displacement_ = large ? number(0) + 1 : 0; break;
    default: break;
  }
  switch (contents.combiner) {
    case Combiner::kIndexed:
    case Combiner::kHindexed:
    case Combiner::kIndexedBlock:
    case Combiner::kHindexedBlock:
    case Combiner::kStruct: part_count_ = number(0); break;
    case Combiner::kNamed:
    case Combiner::kF90Real:
    case Combiner::kF90Complex:
    case Combiner::kF90Integer: part_count_ = 0; break;
    default: break;
  }
}

TypePart Arguments::part(std::int64_t index) const noexcept {
  const Datatype* type = contents_.types.empty() ? nullptr : contents_.types.front().get();
  const auto displacement = [&](std::int64_t i) {
    return displacements_[static_cast<std::size_t>(first_displacement_ + i)];
  };
  switch (contents_.combiner) {
    case Combiner::kContiguous: return {0, 1, 0, number(0), type};
    case Combiner::kVector: return {0, number(0), saturating_product(number(2), type->extent()), number(1), type};
    case Combiner::kHvector: return {0, number(0), displacement(0), number(1), type};
    case Combiner::kIndexed:
      return {saturating_product(number(part_count_ + 1 + index), type->extent()), 1, 0, number(1 + index), type};
    case Combiner::kHindexed: return {displacement(index), 1, 0, number(1 + index), type};
    case Combiner::kIndexedBlock: return {saturating_product(number(2 + index), type->extent()), 1, 0, number(1), type};
    case Combiner::kHindexedBlock: return {displacement(index), 1, 0, number(1), type};
    case Combiner::kStruct:
      return {displacement(index), 1, 0, number(1 + index), contents_.types[static_cast<std::size_t>(index)].get()};
    case Combiner::kSubarray:
    case Combiner::kDarray: return {0, 1, 0, 1, contents_.expansion.get()};
    default: return {0, 1, 0, 1, type};
  }
}

}  // namespace starling::datatype
