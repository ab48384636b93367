// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Enumerations of the tool interface, and the numbers of its categories.
// Thread safety: no state. Source: MPI-5.0, chapters 15.3.5 and 15.3.9.
#pragma once

#include <mpi.h>

#include <span>

#include "config/config.hpp"

namespace starling::mpi {

/// One value of an enumeration.
struct ToolEnumItem {
  int value;
  const char* name;
};

/// An enumeration; its address is its handle.
struct ToolEnum {
  const char* name = nullptr;
  std::span<const ToolEnumItem> items;
};

[[nodiscard]] inline MPI_T_enum handle_of(const ToolEnum& one) noexcept {
  return reinterpret_cast<MPI_T_enum>(const_cast<ToolEnum*>(&one));
}

/// The category that holds all others.
inline constexpr int kAllCategory = 0;
[[nodiscard]] constexpr int category_index(config::Category category) noexcept {
  return kAllCategory + 1 + static_cast<int>(category);
}

}  // namespace starling::mpi
