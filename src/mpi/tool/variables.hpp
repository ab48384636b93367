// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The variables, enumerations and categories that the tool interface shows, as lists.
// Thread safety: constants but for what PerformanceVariable::read looks at.
// Invariants: a list never changes, so that an index means the same for the whole run.
// Source: MPI-5.0, chapters 15.3.5 to 15.3.9.
#pragma once

#include <mpi.h>

#include <span>
#include <string>
#include <vector>

#include "mpi/tool/tool.hpp"

namespace starling::mpi {

/// Null for a handle that is none.
[[nodiscard]] const ToolEnum* find_enum(MPI_T_enum handle) noexcept;

/// In order of name.
[[nodiscard]] const std::vector<const config::Declaration*>& control_variables();
[[nodiscard]] std::span<const PerformanceVariable> performance_variables() noexcept;
[[nodiscard]] const ToolEnum* enum_of(const config::Declaration& variable) noexcept;

struct ToolCategory {
  std::string name;
  const char* sentence;
};
[[nodiscard]] const std::vector<ToolCategory>& tool_categories();
/// Indices of what belongs into a category; every variable is in one.
[[nodiscard]] std::vector<int> controls_in(int category);
[[nodiscard]] std::vector<int> performances_in(int category);
[[nodiscard]] std::vector<int> categories_in(int category);

}  // namespace starling::mpi
