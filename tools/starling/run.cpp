// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// starling run = mpiexec = mpirun.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "bootstrap/dynamic/spawn_request.hpp"
#include "bootstrap/job.hpp"
#include "bootstrap/launcher_settings.hpp"
#include "commands.hpp"
#include "launch/head/head.hpp"
#include "launch/hosts/remote_shell.hpp"
#include "launch/hosts/slurm.hpp"
#include "launch/options/command_line.hpp"
#include "launch/start/job_settings.hpp"
#include "launch/start/program.hpp"
#include "launch/start/self.hpp"
#include "launch/supervise/guardian.hpp"
#include "launch/supervise/local_job.hpp"
#include "launch/supervise/origin.hpp"
#include "launcher_process.hpp"
#include "trace/convert.hpp"

namespace starling::tools {
namespace {

int refuse(const std::string& message, int exit_code) {
  std::fprintf(stderr, "mpiexec: %s\n", message.c_str());
  return exit_code;
}

/// What the command asks for and does not get, and one note of all options that do nothing here.
void say_notes(const launch::JobSpec& spec) {
  if (spec.quiet) return;
  for (const std::string& note : spec.notes) std::fprintf(stderr, "starling: note: %s.\n", note.c_str());
  if (spec.without_effect.empty()) return;
  std::string names;
  for (const std::string& name : spec.without_effect) names += (names.empty() ? "" : ", ") + name;
  std::fprintf(stderr,
               "starling: note: without effect here: %s. 'mpiexec -h' says why; settings of Starling are STARLING_ "
               "variables, which 'starling info --config' lists.\n",
               names.c_str());
}

/// All of a job that is on this machine. Adds to the environment of its ranks.
Result<launch::NodeJob> whole_job(launch::JobSpec& spec, std::vector<std::string> programs) {
  Result<config::Store> store = launch::read_settings(spec);
  if (!store.ok()) return std::move(store).status();
  launch::pass_tuning(spec, store.value());
  Result<launch::WatchSettings> watch = launch::watch_settings(spec, store.value());
  if (!watch.ok()) return std::move(watch).status();
  launch::NodeJob job = launch::node_job(spec, launch::all_ranks_of(spec), store.value());
  job.watch = watch.value();
  job.programs = std::move(programs);
  job.to_terminal = isatty(STDOUT_FILENO) != 0;
  return job;
}

/// Runs the job under guard; the exit status.
int run_job(Arguments arguments, const launch::JobSpec& spec, launch::NodeJob job, launch::Origin* origin) {
  close_outer_job();
  // For the launchers of jobs that the ranks spawn.
  if (job.on_death == launch::OnDeath::kGoOn) setenv("STARLING_FT", "1", 1);
  const bool types = spec.ranks() > 1 && origin == nullptr && !spec.no_input;
  const launch::Typing typing = types ? launch::Typing::kForward : launch::Typing::kLeave;
  return launch::run_guarded(typing, [&](launch::GuardianChannel& guardian, const launch::Inherited& inherited) {
    take_worker_title(arguments);
    return launch::LocalJob(spec, std::move(job), guardian, inherited, origin).run();
  });
}

/// Starts the job on its hosts; the exit status. origin: of a spawned job, else null.
int run_on_hosts(Arguments arguments, launch::JobSpec& spec, launch::Origin* origin) {
  const auto refuse = [&](const std::string& problem, int code) {
    if (origin == nullptr) return tools::refuse(problem, code);
    origin->report(problem);
    return EXIT_FAILURE;
  };
  Result<config::Store> store = launch::read_settings(spec);
  if (!store.ok()) return refuse(store.status().message(), kExitUsage);
  const Status in_time = bootstrap::check_start_deadline(store.value());
  if (!in_time.ok()) return refuse(in_time.message(), kExitUsage);
  const Status plain = launch::check_remote_words({launch::own_path()});
  if (!plain.ok()) return refuse(plain.message(), kExitUsage);
  launch::choose_remote_shell(spec.hosts, store.value(), launch::in_slurm_here());
  Result<launch::HeadSettings> settings = launch::HeadSettings::of(spec, store.value(), STARLING_VERSION);
  if (!settings.ok()) return refuse(settings.status().message(), kExitUsage);
  launch::pass_tuning(spec, store.value());
  close_outer_job();
  // For the launchers of jobs that the ranks spawn.
  if (settings.value().goes_on) setenv("STARLING_FT", "1", 1);
  if (!spec.hosts.remote_shell.empty()) setenv("STARLING_RSH_AGENT", spec.hosts.remote_shell.c_str(), 1);
  const launch::Typing typing = origin == nullptr ? launch::Typing::kForward : launch::Typing::kLeave;
  return launch::run_guarded(typing, [&](launch::GuardianChannel& guardian, const launch::Inherited& inherited) {
    take_worker_title(arguments);
    return launch::Head(spec, std::move(settings).value(), guardian, inherited, origin).run();
  });
}

/// What a rank that spawns asks for; failures are its own to report.
int serve_spawn(Arguments arguments, const std::string& descriptor) {
  // The rank waits for us: let it go on, and fall to whoever adopts orphans.
  const pid_t child = fork();
  if (child != 0) _exit(child < 0 ? EXIT_FAILURE : 0);
  Result<std::unique_ptr<launch::Origin>> opened = launch::Origin::open(std::atoi(descriptor.c_str()));
  if (!opened.ok()) return refuse(opened.status().message(), EXIT_FAILURE);
  launch::Origin& origin = *opened.value();
  const auto give_up = [&](const std::string& problem) {
    origin.report(problem);
    return EXIT_FAILURE;
  };
  Result<launch::JobSpec> asked = origin.spec();
  if (!asked.ok()) return give_up(asked.status().message());
  launch::JobSpec spec = std::move(asked).value();
  if (!spec.hosts.hosts.empty()) return run_on_hosts(arguments, spec, &origin);
  std::vector<std::string> programs;
  for (const bootstrap::SpawnCommand& command : origin.request().commands) {
    launch::Program program = launch::find_program_in(command.path, command.argv[0], command.folder);
    if (program.exit_code != 0) return give_up(program.problem);
    programs.push_back(std::move(program.path));
  }
  Result<launch::NodeJob> job = whole_job(spec, std::move(programs));
  if (!job.ok()) return give_up(job.status().message());
  return run_job(arguments, spec, std::move(job).value(), &origin);
}

}  // namespace

int print_short_version() {
  std::puts("Starling " STARLING_VERSION "\nMPI-5.0 with the standard ABI; 'starling info' tells more");
  return 0;
}

int run_command(Arguments arguments) {
  open_missing_standard_descriptors();
  if (arguments.size() == 3 && std::string_view(arguments[1]) == bootstrap::kSpawnOption) {
    return serve_spawn(arguments, arguments[2]);
  }
  if (asks_for_option_list(arguments)) return std::fputs(launch::option_list().c_str(), stdout), 0;
  Result<launch::JobSpec> parsed = launch::parse_command_line(arguments.subspan(1));
  if (!parsed.ok()) return refuse(parsed.status().message(), kExitUsage);
  launch::JobSpec& spec = parsed.value();
  if (spec.help) return std::fputs(launch::usage().c_str(), stdout), 0;
  if (spec.version) return print_short_version();
  say_notes(spec);
  for (const std::string& file : {spec.trace.file, spec.trace.report}) {
    const Status can = file.empty() ? Status() : trace::check_trace_path(file);
    if (!can.ok()) return refuse(can.message(), kExitUsage);
  }
  if (!spec.hosts.hosts.empty()) return run_on_hosts(arguments, spec, nullptr);

  std::vector<std::string> programs;
  for (const launch::Application& application : spec.applications) {
    launch::Program program = launch::find_program_of(application);
    if (program.exit_code != 0) return refuse(program.problem, program.exit_code);
    programs.push_back(std::move(program.path));
  }
  Result<launch::NodeJob> job = whole_job(spec, std::move(programs));
  if (!job.ok()) return refuse(job.status().message(), kExitUsage);
  return run_job(arguments, spec, std::move(job).value(), nullptr);
}

}  // namespace starling::tools
