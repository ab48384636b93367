// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "random_type.hpp"

#include <utility>

#include "base/assert.hpp"

namespace starling::datatype::test {
namespace {

// Random arguments are always legal, so a failure here is a bug.
Ref<const Datatype> ref_of(Datatype::Made made) {
  STARLING_ASSERT(made.ok(), made.status().message().c_str());
  return std::move(made).value();
}

}  // namespace

std::vector<std::int64_t> RandomType::numbers(std::size_t count, std::int64_t low, std::int64_t high) {
  std::vector<std::int64_t> list(count);
  for (std::int64_t& item : list) item = number(low, high);
  return list;
}

Modelled RandomType::make(int depth) {
  for (;;) {
    Modelled pair = depth == 0 ? basic() : derived(depth);
    if (pair.map.entries().size() <= kMaxEntries) return pair;
  }
}

Modelled RandomType::basic() {
  const auto type = static_cast<Basic>(number(0, static_cast<std::int64_t>(kBasicCount) - 1));
  return {Ref<const Datatype>::share(&predefined(type)), Typemap(type)};
}

Modelled RandomType::derived(int depth) {
  const std::int64_t choice = number(0, 7);
  if (choice == 0) return structure(depth);
  Modelled part = make(static_cast<int>(number(0, depth - 1)));
  switch (choice) {
    case 1: return {ref_of(Datatype::dup(*part.type)), part.map};
    case 2: return resized(part);
    case 3: return subarray(part);
    case 4: return indexed(part);
    case 5: return indexed_block(part);
    default: return blocks(part);
  }
}

Modelled RandomType::blocks(const Modelled& part) {
  const std::int64_t kind = number(0, 2);
  const std::int64_t count = number(0, 5);
  if (kind == 0) {
    Typemap map;
    map.append_block(part.map, 0, count);
    return {ref_of(Datatype::contiguous(count, *part.type, width())), map};
  }
  const std::int64_t length = number(0, 3);
  const bool in_bytes = kind == 1;
  const std::int64_t stride = in_bytes ? number(-60, 60) : number(-4, 5);
  Typemap map;
  for (std::int64_t i = 0; i < count; ++i) {
    map.append_block(part.map, i * stride * (in_bytes ? 1 : part.map.extent()), length);
  }
  auto made = in_bytes ? Datatype::hvector(count, length, stride, *part.type, width())
                       : Datatype::vector(count, length, stride, *part.type, width());
  return {ref_of(std::move(made)), map};
}

Modelled RandomType::indexed(const Modelled& part) {
  const bool in_bytes = number(0, 1) != 0;
  const auto count = static_cast<std::size_t>(number(0, 12));
  const std::vector<std::int64_t> lengths = numbers(count, 0, 3);
  const std::vector<std::int64_t> places = in_bytes ? numbers(count, -99, 99) : numbers(count, -6, 9);
  Typemap map;
  for (std::size_t i = 0; i < count; ++i) {
    map.append_block(part.map, places[i] * (in_bytes ? 1 : part.map.extent()), lengths[i]);
  }
  auto made = in_bytes ? Datatype::hindexed(lengths, places, *part.type, width())
                       : Datatype::indexed(lengths, places, *part.type, width());
  return {ref_of(std::move(made)), map};
}

Modelled RandomType::indexed_block(const Modelled& part) {
  const bool in_bytes = number(0, 1) != 0;
  const auto count = static_cast<std::size_t>(number(0, 12));
  const std::int64_t length = number(0, 3);
  const std::vector<std::int64_t> places = in_bytes ? numbers(count, -99, 99) : numbers(count, -6, 9);
  Typemap map;
  for (const std::int64_t place : places) {
    map.append_block(part.map, place * (in_bytes ? 1 : part.map.extent()), length);
  }
  auto made = in_bytes ? Datatype::hindexed_block(length, places, *part.type, width())
                       : Datatype::indexed_block(length, places, *part.type, width());
  return {ref_of(std::move(made)), map};
}

Modelled RandomType::structure(int depth) {
  const auto count = static_cast<std::size_t>(number(0, 5));
  const std::vector<std::int64_t> lengths = numbers(count, 0, 3);
  const std::vector<std::int64_t> places = numbers(count, -50, 200);
  std::vector<Modelled> parts;
  std::vector<const Datatype*> types;
  Typemap map;
  for (std::size_t i = 0; i < count; ++i) {
    // Parts are often shared, as in real programs.
    const bool again = i > 0 && number(0, 2) == 0;
    parts.push_back(again ? parts.back() : make(static_cast<int>(number(0, depth - 1))));
    types.push_back(parts.back().type.get());
    map.append_block(parts.back().map, places[i], lengths[i]);
  }
  return {ref_of(Datatype::structure(lengths, places, types, width())), map};
}

Modelled RandomType::resized(const Modelled& part) {
  const std::int64_t lb = number(-20, 20);
  const std::int64_t extent = number(0, 3) == 0 ? number(-40, 0) : number(1, 90);
  Typemap map = part.map;
  map.resize(lb, extent);
  return {ref_of(Datatype::resized(*part.type, lb, extent, width())), map};
}

Modelled RandomType::subarray(const Modelled& part) {
  const auto dimensions = static_cast<std::size_t>(number(1, 3));
  const std::vector<std::int64_t> sizes = numbers(dimensions, 1, 5);
  std::vector<std::int64_t> subsizes(dimensions);
  std::vector<std::int64_t> starts(dimensions);
  for (std::size_t i = 0; i < dimensions; ++i) {
    subsizes[i] = number(1, sizes[i]);
    starts[i] = number(0, sizes[i] - subsizes[i]);
  }
  const Order order = number(0, 1) != 0 ? Order::kC : Order::kFortran;
  // Visits every cell of the array in memory order and keeps those inside.
  std::int64_t cells = 1;
  for (const std::int64_t size : sizes) cells *= size;
  Typemap map;
  for (std::int64_t cell = 0; cell < cells; ++cell) {
    std::int64_t rest = cell;
    bool inside = true;
    for (std::size_t step = 0; step < dimensions; ++step) {
      const std::size_t i = order == Order::kC ? dimensions - 1 - step : step;
      const std::int64_t index = rest % sizes[i];
      rest /= sizes[i];
      inside = inside && index >= starts[i] && index < starts[i] + subsizes[i];
    }
    if (inside) map.append(part.map, cell * part.map.extent());
  }
  map.resize(0, cells * part.map.extent());
  return {ref_of(Datatype::subarray(sizes, subsizes, starts, order, *part.type, width())), map};
}

}  // namespace starling::datatype::test
