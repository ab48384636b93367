// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The constructors check their arguments and record them; the layout follows from the record (parts.hpp).
#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "datatype/types/datatype.hpp"
#include "datatype/types/parts.hpp"

namespace starling::datatype {
namespace {

using Integers = Datatype::Integers;

Status negative(ErrorClass error_class, std::string_view what, std::int64_t value) {
  return Status::error(error_class, formatted("{} is {}, but must not be negative", what, value));
}

Status check_lengths(Integers block_lengths) {
  const auto bad = std::ranges::find_if(block_lengths, [](std::int64_t length) { return length < 0; });
  if (bad == block_lengths.end()) return {};
  return negative(ErrorClass::kArg, formatted("block length {}", bad - block_lengths.begin()), *bad);
}

Status check_same_length(std::size_t a, std::size_t b) {
  if (a == b) return {};
  return Status::error(
      ErrorClass::kArg,
      formatted("the arrays that describe a datatype have {} and {} entries, but must have equally many", a, b));
}

Contents record(Combiner combiner, const Datatype& type) {
  Contents contents;
  contents.combiner = combiner;
  contents.types.push_back(Ref<const Datatype>::share(&type));
  return contents;
}

// Where the large-count constructors report numbers.
std::vector<std::int64_t>& numbers(Contents& contents, CountWidth width) {
  return width == CountWidth::kLarge ? contents.large_counts : contents.integers;
}

// Where byte displacements are reported.
std::vector<std::int64_t>& addresses(Contents& contents, CountWidth width) {
  return width == CountWidth::kLarge ? contents.large_counts : contents.addresses;
}

void append(std::vector<std::int64_t>& to, Integers from) { to.insert(to.end(), from.begin(), from.end()); }

Contents record_lists(Combiner combiner, Integers block_lengths, Integers displacements, CountWidth width) {
  Contents contents;
  contents.combiner = combiner;
  numbers(contents, width).push_back(static_cast<std::int64_t>(block_lengths.size()));
  append(numbers(contents, width), block_lengths);
  append(combiner == Combiner::kIndexed ? numbers(contents, width) : addresses(contents, width), displacements);
  return contents;
}

Contents record_block(Combiner combiner, std::int64_t block_length, Integers displacements, const Datatype& type,
                      CountWidth width) {
  Contents contents = record(combiner, type);
  numbers(contents, width) = {static_cast<std::int64_t>(displacements.size()), block_length};
  append(combiner == Combiner::kIndexedBlock ? numbers(contents, width) : addresses(contents, width), displacements);
  return contents;
}

// Plans are compiled and types released recursively; this keeps the stack they need small.
constexpr std::int32_t kMaxDepth = 1000;

}  // namespace

Datatype::Made Datatype::contiguous(std::int64_t count, const Datatype& type, CountWidth width) {
  if (count < 0) return negative(ErrorClass::kCount, "count", count);
  Contents contents = record(Combiner::kContiguous, type);
  numbers(contents, width) = {count};
  return make(std::move(contents));
}

Datatype::Made Datatype::vector(std::int64_t count, std::int64_t block_length, std::int64_t stride,
                                const Datatype& type, CountWidth width) {
  if (count < 0) return negative(ErrorClass::kCount, "count", count);
  if (block_length < 0) return negative(ErrorClass::kArg, "block length", block_length);
  Contents contents = record(Combiner::kVector, type);
  numbers(contents, width) = {count, block_length, stride};
  return make(std::move(contents));
}

Datatype::Made Datatype::hvector(std::int64_t count, std::int64_t block_length, std::int64_t stride,
                                 const Datatype& type, CountWidth width) {
  if (count < 0) return negative(ErrorClass::kCount, "count", count);
  if (block_length < 0) return negative(ErrorClass::kArg, "block length", block_length);
  Contents contents = record(Combiner::kHvector, type);
  numbers(contents, width) = {count, block_length};
  addresses(contents, width).push_back(stride);
  return make(std::move(contents));
}

Datatype::Made Datatype::indexed(Integers block_lengths, Integers displacements, const Datatype& type,
                                 CountWidth width) {
  STARLING_TRY(check_same_length(block_lengths.size(), displacements.size()));
  STARLING_TRY(check_lengths(block_lengths));
  Contents contents = record_lists(Combiner::kIndexed, block_lengths, displacements, width);
  contents.types.push_back(Ref<const Datatype>::share(&type));
  return make(std::move(contents));
}

Datatype::Made Datatype::hindexed(Integers block_lengths, Integers displacements, const Datatype& type,
                                  CountWidth width) {
  STARLING_TRY(check_same_length(block_lengths.size(), displacements.size()));
  STARLING_TRY(check_lengths(block_lengths));
  Contents contents = record_lists(Combiner::kHindexed, block_lengths, displacements, width);
  contents.types.push_back(Ref<const Datatype>::share(&type));
  return make(std::move(contents));
}

Datatype::Made Datatype::indexed_block(std::int64_t block_length, Integers displacements, const Datatype& type,
                                       CountWidth width) {
  if (block_length < 0) return negative(ErrorClass::kArg, "block length", block_length);
  return make(record_block(Combiner::kIndexedBlock, block_length, displacements, type, width));
}

Datatype::Made Datatype::hindexed_block(std::int64_t block_length, Integers displacements, const Datatype& type,
                                        CountWidth width) {
  if (block_length < 0) return negative(ErrorClass::kArg, "block length", block_length);
  return make(record_block(Combiner::kHindexedBlock, block_length, displacements, type, width));
}

Datatype::Made Datatype::structure(Integers block_lengths, Integers displacements,
                                   std::span<const Datatype* const> types, CountWidth width) {
  STARLING_TRY(check_same_length(block_lengths.size(), displacements.size()));
  STARLING_TRY(check_same_length(block_lengths.size(), types.size()));
  STARLING_TRY(check_lengths(block_lengths));
  Contents contents = record_lists(Combiner::kStruct, block_lengths, displacements, width);
  contents.types.reserve(types.size());
  for (const Datatype* type : types) contents.types.push_back(Ref<const Datatype>::share(type));
  return make(std::move(contents));
}

Datatype::Made Datatype::resized(const Datatype& type, std::int64_t lb, std::int64_t extent, CountWidth width) {
  std::int64_t ub = 0;
  if (!LayoutBuilder::bounds_fit(lb, extent, &ub)) {
    return Status::error(ErrorClass::kArg,
                         formatted("lower bound {} and extent {} of a resized datatype exceed 2^62 bytes", lb, extent));
  }
  Contents contents = record(Combiner::kResized, type);
  addresses(contents, width) = {lb, extent};
  return make(std::move(contents));
}

Datatype::Made Datatype::dup(const Datatype& type) {
  Result<Ref<Datatype>> made = make(record(Combiner::kDup, type));
  // A duplicate has the committed state of the original (MPI-5.0, 5.1.10).
  if (made.ok() && type.committed()) made.value()->commit();
  return made;
}

Datatype::Made Datatype::f90(Combiner combiner, Integers parameters, Basic type) {
  Contents contents;
  contents.combiner = combiner;
  contents.integers.assign(parameters.begin(), parameters.end());
  return Ref<Datatype>::adopt(new Datatype(datatype::predefined(type).layout(), type, std::move(contents)));
}

Datatype::Made Datatype::make(Contents contents) {
  LayoutBuilder builder;
  const Arguments arguments(contents);
  for (std::int64_t i = 0; i < arguments.part_count(); ++i) {
    const TypePart part = arguments.part(i);
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
    return Status::error(
        ErrorClass::kType,
        formatted("the datatype is nested more than {} deep; build it from its basic types in fewer steps", kMaxDepth));
  }
  return Ref<Datatype>::adopt(new Datatype(layout, Basic::kNone, std::move(contents)));
}

}  // namespace starling::datatype
