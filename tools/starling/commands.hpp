// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The subcommands of the `starling` program, one file each. Each takes the words of the command, its name
// first, and returns the exit status of the program.
#pragma once

#include <span>
#include <string_view>

namespace starling::tools {

using Arguments = std::span<const char* const>;

int run_command(Arguments arguments);
int info_command(Arguments arguments);
int doctor_command(Arguments arguments);
int pap_command(Arguments arguments);

struct Command {
  std::string_view name;
  std::string_view sentence;
  int (*run)(Arguments);
};

inline constexpr Command kCommands[] = {
    {"run", "start a program as the ranks of a job (also called mpiexec and mpirun)", run_command},
    {"info", "what this installation is; --config lists every setting, --collectives the algorithms", info_command},
    {"doctor", "what this machine offers and forbids, and what that means for a job", doctor_command},
    {"pap", "process arrival patterns: the schedule of a reduce that goes around late processes", pap_command},
};

}  // namespace starling::tools
