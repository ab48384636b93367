// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Subarray and darray, expanded dimension by dimension into hvectors, from the fastest in memory to the slowest.
// Source: MPI-5.0 chapters 5.1.3 and 5.1.4.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "datatype/types/datatype.hpp"

namespace starling::datatype {
namespace {

using Integers = Datatype::Integers;

#define STARLING_DATATYPE_ASSIGN(variable, expression) \
  do {                                                 \
    Datatype::Made starling_made_ = (expression);      \
    if (!starling_made_.ok()) return starling_made_;   \
    (variable) = std::move(starling_made_).value();    \
  } while (false)

Status bad_array(std::string_view what, std::size_t dimension) {
  return Status::error(ErrorClass::kArg, formatted("{} in dimension {} of an array datatype", what, dimension));
}

// The dimensions from the fastest in memory to the slowest.
std::vector<std::size_t> by_speed(std::size_t dimensions, Order order) {
  std::vector<std::size_t> indices(dimensions);
  for (std::size_t i = 0; i < dimensions; ++i) indices[i] = order == Order::kC ? dimensions - 1 - i : i;
  return indices;
}

// Grows the type over an array one dimension at a time. check_span() has shown that no product overflows.
class Expansion {
 public:
  Expansion(const Datatype& element, Integers sizes)
      : type_(Ref<const Datatype>::share(&element)), sizes_(sizes), stride_(element.extent()) {}

  // Takes `count` steps from `start` in this dimension.
  Status take_range(std::size_t dimension, std::int64_t start, std::int64_t count) {
    Datatype::Made made = Datatype::hvector(count, 1, stride_, *type_);
    if (!made.ok()) return std::move(made).status();
    type_ = std::move(made).value();
    advance(dimension, start);
    return {};
  }

  // Takes blocks of `block` steps, `period` steps apart, from `start`.
  Status take_cyclic(std::size_t dimension, std::int64_t start, std::int64_t block, std::int64_t period) {
    Datatype::Made made = cyclic(std::max<std::int64_t>(sizes_[dimension] - start, 0), block, period);
    if (!made.ok()) return std::move(made).status();
    type_ = std::move(made).value();
    advance(dimension, start);
    return {};
  }

  // The whole, in its place, with the bounds of the full array.
  Datatype::Made finish() {
    Ref<const Datatype> placed;
    STARLING_DATATYPE_ASSIGN(placed, Datatype::hindexed_block(1, std::array{displacement_}, *type_));
    return Datatype::resized(*placed, 0, stride_);
  }

 private:
  // `room` is the number of steps from the first block's start to the end of the dimension.
  Datatype::Made cyclic(std::int64_t room, std::int64_t block, std::int64_t period) {
    const std::int64_t whole = room / period + (room % period >= block ? 1 : 0);
    const std::int64_t tail = room % period < block ? room % period : 0;
    Ref<const Datatype> one_block;
    Ref<const Datatype> blocks;
    Ref<const Datatype> rest;
    // With several blocks the period is less than the dimension, so this stays within the array.
    const std::int64_t step = whole > 1 ? period * stride_ : 0;
    STARLING_DATATYPE_ASSIGN(one_block, Datatype::hvector(std::min(block, room), 1, stride_, *type_));
    STARLING_DATATYPE_ASSIGN(blocks, Datatype::hvector(whole, 1, step, *one_block));
    STARLING_DATATYPE_ASSIGN(rest, Datatype::hvector(tail, 1, stride_, *type_));
    const std::array lengths{std::int64_t{1}, std::int64_t{1}};
    const std::array places{std::int64_t{0}, tail != 0 ? whole * period * stride_ : 0};
    const std::array<const Datatype*, 2> types{blocks.get(), rest.get()};
    return Datatype::structure(lengths, places, types);
  }

  void advance(std::size_t dimension, std::int64_t start) {
    displacement_ += start * stride_;
    stride_ *= sizes_[dimension];
  }

  Ref<const Datatype> type_;
  Integers sizes_;
  std::int64_t stride_;
  std::int64_t displacement_ = 0;
};

Status check_span(Integers sizes, const Datatype& type) {
  std::int64_t span = type.extent();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (__builtin_mul_overflow(span, sizes[i], &span)) return bad_array("the array exceeds 64-bit addresses", i);
  }
  return {};
}

Status check_subarray(Integers sizes, Integers subsizes, Integers starts) {
  if (sizes.empty() || subsizes.size() != sizes.size() || starts.size() != sizes.size()) {
    return Status::error(ErrorClass::kArg,
                         "a subarray needs at least one dimension and equally many sizes, subsizes and starts");
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 1) return bad_array(formatted("size {} is less than 1", sizes[i]), i);
    if (subsizes[i] < 1 || subsizes[i] > sizes[i]) {
      return bad_array(formatted("subsize {} is not within 1 and the size {}", subsizes[i], sizes[i]), i);
    }
    if (starts[i] < 0 || starts[i] > sizes[i] - subsizes[i]) {
      return bad_array(formatted("start {} puts the subarray outside the array", starts[i]), i);
    }
  }
  return {};
}

Status check_distribution(const Datatype::DarrayShape& shape, std::size_t i) {
  const std::int64_t kind = shape.distributions[i];
  const std::int64_t argument = shape.arguments[i];
  if (shape.global_sizes[i] < 1 || shape.process_sizes[i] < 1) {
    return bad_array("a size or number of processes is less than 1", i);
  }
  if (kind < static_cast<int>(Distribution::kNone) || kind > static_cast<int>(Distribution::kCyclic)) {
    return bad_array(formatted("distribution {} is unknown", kind), i);
  }
  if (kind == static_cast<int>(Distribution::kNone) && shape.process_sizes[i] != 1) {
    return bad_array("several processes share a dimension that is not distributed", i);
  }
  if (argument == kDefaultDistributionArgument) return {};
  if (argument < 1) return bad_array(formatted("distribution argument {} is less than 1", argument), i);
  std::int64_t room = 0;
  if (kind == static_cast<int>(Distribution::kBlock) &&
      !__builtin_mul_overflow(argument, shape.process_sizes[i], &room) && room < shape.global_sizes[i]) {
    return bad_array(formatted("blocks of {} do not cover the size", argument), i);
  }
  return {};
}

Status check_darray(const Datatype::DarrayShape& shape) {
  const std::size_t dimensions = shape.global_sizes.size();
  if (dimensions == 0 || shape.distributions.size() != dimensions || shape.arguments.size() != dimensions ||
      shape.process_sizes.size() != dimensions) {
    return Status::error(ErrorClass::kArg, "a darray needs at least one dimension and arrays of equal length");
  }
  std::int64_t processes = 1;
  for (std::size_t i = 0; i < dimensions; ++i) {
    STARLING_TRY(check_distribution(shape, i));
    if (__builtin_mul_overflow(processes, shape.process_sizes[i], &processes)) {
      return bad_array("the process grid exceeds 64 bits", i);
    }
  }
  if (processes != shape.size || shape.rank < 0 || shape.rank >= shape.size) {
    return Status::error(ErrorClass::kArg, formatted("rank {} of {} does not fit a grid of {} processes", shape.rank,
                                                     shape.size, processes));
  }
  return {};
}

Status take_dimension(Expansion& expansion, const Datatype::DarrayShape& shape, std::size_t i,
                      std::int64_t coordinate) {
  const std::int64_t size = shape.global_sizes[i];
  const std::int64_t processes = shape.process_sizes[i];
  const bool is_default = shape.arguments[i] == kDefaultDistributionArgument;
  switch (static_cast<Distribution>(shape.distributions[i])) {
    case Distribution::kBlock: {
      const std::int64_t block = is_default ? size / processes + (size % processes != 0) : shape.arguments[i];
      const std::int64_t start = coordinate > size / block ? size : std::min(size, coordinate * block);
      return expansion.take_range(i, start, std::min(block, size - start));
    }
    case Distribution::kCyclic: {
      const std::int64_t block = is_default ? 1 : std::min(shape.arguments[i], size);
      const std::int64_t start = coordinate > size / block ? size : std::min(size, coordinate * block);
      std::int64_t period = 0;
      if (__builtin_mul_overflow(block, processes, &period)) period = size;
      return expansion.take_cyclic(i, start, block, period);
    }
    case Distribution::kNone: break;
  }
  return expansion.take_range(i, 0, size);
}

}  // namespace

Datatype::Made Datatype::subarray(Integers sizes, Integers subsizes, Integers starts, Order order, const Datatype& type,
                                  CountWidth width) {
  STARLING_TRY(check_subarray(sizes, subsizes, starts));
  STARLING_TRY(check_span(sizes, type));
  Expansion expansion(type, sizes);
  for (const std::size_t i : by_speed(sizes.size(), order)) {
    STARLING_TRY(expansion.take_range(i, starts[i], subsizes[i]));
  }
  Contents contents;
  contents.combiner = Combiner::kSubarray;
  STARLING_DATATYPE_ASSIGN(contents.expansion, expansion.finish());
  contents.types.push_back(Ref<const Datatype>::share(&type));
  contents.integers.push_back(static_cast<std::int64_t>(sizes.size()));
  std::vector<std::int64_t>& numbers = width == CountWidth::kLarge ? contents.large_counts : contents.integers;
  for (const Integers list : {sizes, subsizes, starts}) numbers.insert(numbers.end(), list.begin(), list.end());
  contents.integers.push_back(static_cast<int>(order));
  return make(std::move(contents));
}

Datatype::Made Datatype::darray(const DarrayShape& shape, const Datatype& type, CountWidth width) {
  STARLING_TRY(check_darray(shape));
  const std::size_t dimensions = shape.global_sizes.size();
  std::vector<std::int64_t> coordinates(dimensions);
  for (std::size_t i = dimensions, rest = static_cast<std::size_t>(shape.rank); i-- > 0;) {
    const auto processes = static_cast<std::size_t>(shape.process_sizes[i]);
    coordinates[i] = static_cast<std::int64_t>(rest % processes);
    rest /= processes;
  }
  STARLING_TRY(check_span(shape.global_sizes, type));
  Expansion expansion(type, shape.global_sizes);
  for (const std::size_t i : by_speed(dimensions, shape.order)) {
    STARLING_TRY(take_dimension(expansion, shape, i, coordinates[i]));
  }
  Contents contents;
  contents.combiner = Combiner::kDarray;
  STARLING_DATATYPE_ASSIGN(contents.expansion, expansion.finish());
  contents.types.push_back(Ref<const Datatype>::share(&type));
  contents.integers = {shape.size, shape.rank, static_cast<std::int64_t>(dimensions)};
  std::vector<std::int64_t>& sizes = width == CountWidth::kLarge ? contents.large_counts : contents.integers;
  sizes.insert(sizes.end(), shape.global_sizes.begin(), shape.global_sizes.end());
  for (const Integers list : {shape.distributions, shape.arguments, shape.process_sizes}) {
    contents.integers.insert(contents.integers.end(), list.begin(), list.end());
  }
  contents.integers.push_back(static_cast<int>(shape.order));
  return make(std::move(contents));
}

}  // namespace starling::datatype
