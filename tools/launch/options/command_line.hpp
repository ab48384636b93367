// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The command line of mpiexec as data. Understands the options of the standard's mpiexec and the common ones of Open
// MPI and MPICH; what would need other machines or another library is refused with the reason. Thread safety: a pure
// function of its arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"
#include "topology/binding.hpp"

namespace starling::launch {

struct EnvironmentSetting {
  std::string name;
  std::string value;
};

/// One part of a command with ':' (MPMD): some ranks of one program.
struct Part {
  std::uint32_t ranks = 1;
  std::vector<std::string> command;  ///< program and its arguments
  std::vector<EnvironmentSetting> environment;
  std::string folder;  ///< where the program runs; empty: here
};

struct JobSpec {
  std::vector<Part> parts;
  bool label_lines = false;
  bool quiet = false;
  bool help = false;
  bool survive = false;            ///< the job goes on when ranks die
  std::uint32_t spares = 0;        ///< among the ranks
  bool empty_environment = false;  ///< ranks inherit nothing from ours
  std::optional<double> timeout_s;
  topology::BindingRequest binding;
  [[nodiscard]] std::uint32_t ranks() const noexcept;
};

/// Parses what stands after the name of the command. A failure's message is complete and starts with what is wrong.
Result<JobSpec> parse_command_line(std::span<const char* const> arguments);

/// Whether every host of a list is this machine; if not, the message says what to do.
Status check_hosts(std::string_view list);

/// The text of mpiexec -h.
[[nodiscard]] std::string usage();

}  // namespace starling::launch
