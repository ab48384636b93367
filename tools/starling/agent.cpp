// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// starling agent: the ranks of one host of a job. mpiexec starts it there and talks to it over standard input and
// output; nobody types it.
#include "launch/agent/agent.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <string_view>

#include "commands.hpp"
#include "launch/start/limits.hpp"
#include "launch/supervise/guardian.hpp"
#include "launcher_process.hpp"

namespace starling::tools {
namespace {

/// Takes a standard descriptor away, so that nothing but the link reads or writes it.
Descriptor take_descriptor(int number, int replacement) {
  Descriptor taken(fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  dup2(replacement, number);
  return taken;
}

}  // namespace

int agent_command(Arguments arguments) {
  open_missing_standard_descriptors();
  // mpiexec gives it no words. To whoever asks it answers in words, not in the link's bytes.
  const std::string_view first = arguments.size() > 1 ? arguments[1] : "";
  const bool asks = first == "-h" || first == "--help";
  if (arguments.size() > 1 || isatty(STDIN_FILENO) != 0) {
    std::fputs("starling: mpiexec starts the agents of a job itself, on each of its hosts: mpiexec --host a,b ...\n",
               asks ? stdout : stderr);
    return asks ? 0 : kExitUsage;
  }
  const Descriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  Descriptor from_head = take_descriptor(STDIN_FILENO, nothing.get());
  Descriptor to_head = take_descriptor(STDOUT_FILENO, STDERR_FILENO);
  close_outer_job();
  const auto work = [&](launch::GuardianChannel& guardian, const launch::Inherited& inherited) {
    take_worker_title(arguments);
    launch::allow_all_files();  // of this process; what it starts gets its own limit back
    const launch::Greeting greeting = launch::Greeting::of_this_program(STARLING_VERSION);
    return launch::Agent(std::move(from_head), std::move(to_head), greeting, guardian, inherited).run();
  };
  return launch::run_guarded(launch::Typing::kLeave, work, {&from_head, &to_head});
}

}  // namespace starling::tools
