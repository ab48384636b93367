// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Addresses: whether the program and its libraries lie at the same addresses in all processes, on which a stack that
// moves depends: it has return addresses, and objects with virtual tables.
//
// **Thread safety**: any thread; same_addresses() before there are others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace starling::array::detail {

/// One address in each object that a rank's stack may refer to. `program` is a function of the program.
struct Addresses {
  static constexpr std::size_t kCount = 5;
  std::array<std::uint64_t, kCount> values;
  static Addresses of(const void* program);
  static const char* name(std::size_t which);
};

}  // namespace starling::array::detail
