// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The subcommands of the `starling` program, one file each. Each takes the words of the command, its name
// first, and returns the exit status of the program.
#pragma once

#include <span>
#include <string_view>

namespace starling::tools {

using Arguments = std::span<const char* const>;

inline constexpr int kExitUsage = 2;  // of a command that was called wrongly

/// All subcommands, a line each: the name, whose function is <name>_command, and what it does. To add one, write
/// <name>.cpp beside this file, and a line here.
#define STARLING_COMMANDS(ROW)                                                                                 \
  ROW(run, "start a program as the ranks of a job (also called mpiexec and mpirun)")                           \
  ROW(info, "what this installation is; --config lists every setting, --collectives the algorithms")           \
  ROW(agent, "the part of mpiexec on another host of a job; mpiexec starts it itself")                         \
  ROW(explain, "net: at which addresses other hosts would call ranks here, and why no others")                 \
  ROW(ps, "the jobs that run on this machine, and whether they get on")                                        \
  ROW(why, "why a running job does not get on: who waits for whom, who is missing, what is a deadlock")        \
  ROW(top, "what each rank of a running job does and uses, twice a second")                                    \
  ROW(see, "start a job of Open MPI or MPICH such that ps, why, top and stack see it")                         \
  ROW(stack, "the stacks of all ranks of a running job, merged into one tree")                                 \
  ROW(resize, "asks a running job of object arrays to go on with another number of processes")                 \
  ROW(trace, "summary: what a trace of mpiexec --trace tells; convert: make a trace of a recording left over") \
  ROW(doctor, "what this machine offers and forbids; of a running job, what keeps it slow")                    \
  ROW(tune, "measures what communication costs on this machine, for the choice of collective algorithms")      \
  ROW(simulate, "what collective operations take on a cluster that is not here")                               \
  ROW(pap, "process arrival patterns: the schedule of a reduce that goes around late processes")

#define STARLING_DECLARE_COMMAND(name, sentence) int name##_command(Arguments arguments);
STARLING_COMMANDS(STARLING_DECLARE_COMMAND)
#undef STARLING_DECLARE_COMMAND

/// Whether a command is asked for its options as lines for programs: manual pages and the completion of shells are made
/// of them (tools/manual).
inline bool asks_for_option_list(Arguments arguments) {
  return arguments.size() == 2 && std::string_view(arguments[1]) == "--list-options";
}

/// "Starling X.Y.Z" and a line more; 0.
int print_short_version();

struct Command {
  std::string_view name;
  std::string_view sentence;
  int (*run)(Arguments);
};

inline constexpr Command kCommands[] = {
#define STARLING_LIST_COMMAND(name, sentence) {#name, sentence, name##_command},
    STARLING_COMMANDS(STARLING_LIST_COMMAND)
#undef STARLING_LIST_COMMAND
};

}  // namespace starling::tools
