// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "memory_checkpoints.hpp"

#include <algorithm>
#include <numeric>

namespace starling::array::detail {

MemoryCheckpoints MemoryCheckpoints::of(int rank, int size) {
  MemoryCheckpoints result;
  result.me = rank;
  result.ids.resize(static_cast<std::size_t>(size));
  std::iota(result.ids.begin(), result.ids.end(), 0);
  return result;
}

const MemoryCheckpoints::Generation* MemoryCheckpoints::generation(std::uint32_t number) const {
  for (const Generation& each : generations) {
    if (each.mark.number == number) return &each;
  }
  return nullptr;
}

const MemoryCheckpoints::Copy* MemoryCheckpoints::copy(std::uint32_t number, std::int32_t owner) const {
  for (const Copy& each : copies) {
    if (each.number == number && each.owner == owner) return &each;
  }
  return nullptr;
}

std::uint32_t MemoryCheckpoints::newest() const {
  std::uint32_t newest = 0;
  for (const auto& [mark, members, state] : generations) {
    const auto at = static_cast<std::size_t>(std::find(members.begin(), members.end(), me) - members.begin());
    const std::int32_t before = members[(at + members.size() - 1) % members.size()];
    if (copy(mark.number, me) != nullptr && copy(mark.number, before) != nullptr) {
      newest = std::max(newest, mark.number);
    }
  }
  return newest;
}

void MemoryCheckpoints::drop_before(std::uint32_t number) {
  std::erase_if(generations, [number](const Generation& each) { return each.mark.number < number; });
  std::erase_if(copies, [number](const Copy& each) { return each.number < number; });
}

void MemoryCheckpoints::drop_after(std::uint32_t number) {
  std::erase_if(generations, [number](const Generation& each) { return each.mark.number > number; });
  std::erase_if(copies, [number](const Copy& each) { return each.number > number; });
}

}  // namespace starling::array::detail
