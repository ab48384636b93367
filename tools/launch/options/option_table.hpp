// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The options of mpiexec, one row each: its names, its values, what it does, and what 'mpiexec -h' says of it. The
// parser (command_line.cpp), the help, the manual page and the completion of shells all read this table.
// Thread safety: constant data; functions of their arguments.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"
#include "launch/options/reading.hpp"

namespace starling::launch {

/// How often an option with a value may be said. Said again, it may only say the same.
enum class Said {
  kOnce,         ///< of a job
  kOncePerPart,  ///< of each program of a job
  kOften
};

struct Option {
  std::vector<std::string_view> names;  ///< without dashes
  std::string_view values;              ///< as the help names them, separated by spaces
  std::string_view help;
  Status (*apply)(Reading&, std::span<const std::string>);
  std::string_view choices = {};  ///< words that a shell may complete its value to, divided by spaces
  Said said = Said::kOnce;

  [[nodiscard]] std::size_t value_count() const noexcept;
};

[[nodiscard]] std::span<const Option> options() noexcept;

}  // namespace starling::launch
