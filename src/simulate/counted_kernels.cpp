// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The reduction kernels of the simulation: the baseline's, which first count what they combine.
// Thread safety: a constant, made before main.
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "datatype/op/kernels.hpp"
#include "datatype/types/basic.hpp"
#include "simulate/memory_costs.hpp"

namespace starling::datatype {
namespace {

constexpr std::size_t kColumns = kArithmeticCount + 1;

std::array<std::size_t, kColumns> bytes_of_elements() {
  std::array<std::size_t, kColumns> bytes{};
#define STARLING_BYTES(id, code, text, group, arithmetic) \
  bytes[static_cast<std::size_t>(Arithmetic::arithmetic)] = info(Basic::id).extent;
  STARLING_BASIC_TYPES(STARLING_BYTES)
#undef STARLING_BYTES
  return bytes;
}

template <std::size_t entry>
void counted(const void* in, void* inout, std::int64_t count) noexcept {
  constexpr std::size_t column = entry % kColumns;
  static const std::size_t element = bytes_of_elements()[column];
  simulate::count_bytes(static_cast<std::size_t>(count) * element);
  kBaselineKernels.entries[entry / kColumns][column](in, inout, count);
}

template <std::size_t... entries>
KernelTable counted_kernels(std::index_sequence<entries...> /*all*/) noexcept {
  KernelTable table{};
  const auto take = [&table](std::size_t entry, Kernel kernel) {
    const auto [op, column] = std::pair(entry / kColumns, entry % kColumns);
    if (kBaselineKernels.entries[op][column] != nullptr) table.entries[op][column] = kernel;
  };
  (take(entries, counted<entries>), ...);
  return table;
}

}  // namespace

const KernelTable& kernels_of_processor() noexcept {
  static const KernelTable table = counted_kernels(std::make_index_sequence<kKernelOpCount * kColumns>());
  return table;
}

}  // namespace starling::datatype
