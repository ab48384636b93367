// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// starling run = mpiexec = mpirun.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "bootstrap/dynamic/spawn_request.hpp"
#include "bootstrap/environment.hpp"
#include "bootstrap/job.hpp"
#include "commands.hpp"
#include "config/config.hpp"
#include "launch/options/command_line.hpp"
#include "launch/options/hosts.hpp"
#include "launch/start/program.hpp"
#include "launch/supervise/guardian.hpp"
#include "launch/supervise/origin.hpp"
#include "launch/supervise/supervisor.hpp"
#include "transport/shm/geometry.hpp"

namespace starling::tools {
namespace {

constexpr int kExitUsage = 2;

int refuse(const std::string& message, int exit_code) {
  std::fprintf(stderr, "mpiexec: %s\n", message.c_str());
  return exit_code;
}

/// Else the first files that we open would become somebody's standard output.
void open_missing_standard_descriptors() {
  for (int descriptor = 0; descriptor <= STDERR_FILENO; ++descriptor) {
    if (fcntl(descriptor, F_GETFD) < 0) open("/dev/null", descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY);
  }
}

/// An outer job's descriptors, inherited through a script, are not for our ranks.
void close_outer_job() {
  for (const char* variable : {bootstrap::kSegmentVariable, bootstrap::kEventVariable}) {
    if (const char* text = std::getenv(variable)) fcntl(std::atoi(text), F_SETFD, FD_CLOEXEC);
  }
}

/// The settings that -x and -genv give the ranks hold for the layout of their job, too.
Status read_settings(const launch::JobSpec& spec, config::Store* store, std::vector<std::string>* warnings) {
  STARLING_TRY(store->read_environment(warnings));
  for (const launch::EnvironmentSetting& setting : spec.applications.front().environment) {
    // Names that are not ours fail here and are none of our business.
    if (setting.name.starts_with("STARLING_")) (void)store->set(setting.name, setting.value).ok();
  }
  return {};
}

/// What ps and pkill see of the worker: not the command line, so that killing by it spares one of the two processes.
void take_worker_title(Arguments arguments) {
  constexpr std::string_view kTitle = "starling-job";
  char* const begin = const_cast<char*>(arguments.front());  // the process's own argument memory, which main may change
  const char* const last = arguments.back();
  const std::size_t room = static_cast<std::size_t>(last + std::strlen(last) - begin);
  std::memset(begin, 0, room);
  std::memcpy(begin, kTitle.data(), std::min(room, kTitle.size()));
}

/// Runs the job under guard; the exit status.
int run_job(Arguments arguments, const launch::JobSpec& spec, std::vector<std::string> programs,
            const config::Store& store, launch::Origin* origin) {
  close_outer_job();
  const bool goes_on = spec.survive || bootstrap::survives_deaths(store);
  const launch::Settings settings{goes_on ? launch::OnDeath::kGoOn : launch::OnDeath::kEndJob,
                                  bootstrap::grace_ms(store), transport::shm::geometry(spec.ranks(), store)};
  // For the launchers of jobs that the ranks spawn.
  if (goes_on) setenv("STARLING_FT", "1", 1);
  const bool types = spec.ranks() > 1 && origin == nullptr;
  const launch::Typing typing = types ? launch::Typing::kForward : launch::Typing::kLeave;
  return launch::run_guarded(typing, [&](launch::GuardianChannel& guardian, const launch::Inherited& inherited) {
    take_worker_title(arguments);
    launch::Supervisor supervisor(spec, std::move(programs), settings, guardian, inherited, origin);
    return supervisor.run();
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
  std::vector<std::string> programs;
  for (const bootstrap::SpawnCommand& command : origin.request().commands) {
    if (const Status here = launch::check_hosts(command.host); !here.ok()) return give_up(here.message());
    launch::Program program = launch::find_program_in(command.path, command.argv[0], command.folder);
    if (program.exit_code != 0) return give_up(program.problem);
    programs.push_back(std::move(program.path));
  }
  const launch::JobSpec spec = origin.spec();
  config::Store store;
  std::vector<std::string> warnings;
  if (const Status status = read_settings(spec, &store, &warnings); !status.ok()) return give_up(status.message());
  return run_job(arguments, spec, std::move(programs), store, &origin);
}

}  // namespace

int run_command(Arguments arguments) {
  open_missing_standard_descriptors();
  if (arguments.size() == 3 && std::string_view(arguments[1]) == bootstrap::kSpawnOption) {
    return serve_spawn(arguments, arguments[2]);
  }
  Result<launch::JobSpec> parsed = launch::parse_command_line(arguments.subspan(1));
  if (!parsed.ok()) return refuse(parsed.status().message(), kExitUsage);
  const launch::JobSpec& spec = parsed.value();
  if (spec.help) return std::fputs(launch::usage().c_str(), stdout), 0;

  std::vector<std::string> programs;
  for (const launch::Application& application : spec.applications) {
    launch::Program program = launch::find_program(application.command[0], application.folder);
    if (program.exit_code != 0) return refuse(program.problem, program.exit_code);
    programs.push_back(std::move(program.path));
  }
  config::Store store;
  std::vector<std::string> warnings;
  if (const Status status = read_settings(spec, &store, &warnings); !status.ok()) {
    return refuse(status.message(), kExitUsage);
  }
  return run_job(arguments, spec, std::move(programs), store, nullptr);
}

}  // namespace starling::tools
