// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/agent/preparation.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/format.hpp"
#include "bootstrap/launcher_settings.hpp"
#include "launch/start/environment.hpp"
#include "launch/start/job_settings.hpp"
#include "launch/start/program.hpp"
#include "transport/tcp/settings.hpp"

namespace starling::launch {
namespace {

Preparation not_ready(int exit_code, std::string problem) {
  Preparation failed;
  failed.exit_code = exit_code;
  failed.problem = std::move(problem);
  return failed;
}

bool runs_here(const Part& part, std::size_t application) {
  return std::ranges::find(part.app_numbers, static_cast<std::int32_t>(application)) != part.app_numbers.end();
}

/// mpiexec's folder, unless all that run here have one of their own.
bool enter_folder(const Part& part) {
  bool needed = false;
  for (std::size_t i = 0; i < part.spec.applications.size(); ++i) {
    needed = needed || (runs_here(part, i) && !part.spec.applications[i].folder.starts_with('/'));
  }
  return !needed || chdir(part.folder.c_str()) == 0;
}

Program find_programs(const Part& part, std::vector<std::string>& programs) {
  for (std::size_t i = 0; i < part.spec.applications.size(); ++i) {
    const Application& application = part.spec.applications[i];
    programs.emplace_back();
    if (!runs_here(part, i)) continue;
    Program program = find_program_of(application);
    if (program.exit_code != 0) return program;
    programs.back() = std::move(program.path);
  }
  return {};
}

Status open_all(const Part& part, const config::Store& store, Preparation& ready) {
  const Result<transport::tcp::PortRange> ports = transport::tcp::ports_of(store);
  if (!ports.ok()) return ports.status().copy();
  ready.ports = ports.value();
  for (std::size_t local = 0; local < part.ranks.size(); ++local) {
    auto entrances = transport::tcp::open_entrances(part.offered.addresses, ports.value());
    if (!entrances.ok()) return std::move(entrances).status();
    std::vector<int> listeners;
    for (const transport::tcp::OpenEntrance& entrance : entrances.value()) {
      listeners.push_back(entrance.listener.descriptor());
    }
    ready.job.listeners.push_back(std::move(listeners));
    ready.entrances.push_back(std::move(entrances).value());
  }
  return {};
}

}  // namespace

Listening Preparation::listening() const {
  Listening listening;
  for (const auto& of_rank : entrances) {
    listening.entrances.emplace_back();
    for (const transport::tcp::OpenEntrance& entrance : of_rank) {
      listening.entrances.back().push_back({entrance.address, entrance.interface});
    }
  }
  return listening;
}

Preparation prepare(const Part& part) {
  adopt_environment(part.environment);
  if (!enter_folder(part)) {
    return not_ready(EXIT_FAILURE, formatted("the folder '{}', where mpiexec was started, cannot be entered: {}. Make "
                                             "it there, or name another by -wdir",
                                             part.folder, std::strerror(errno)));
  }
  std::vector<std::string> programs;
  if (const Program missing = find_programs(part, programs); missing.exit_code != 0) {
    const bool says_more = missing.exit_code != kExitNotFound || missing.problem.ends_with('?');
    constexpr const char* kRemedy =
        "; it is looked up on each host: copy it there, or to a folder that all hosts share";
    return not_ready(missing.exit_code, missing.problem + (says_more ? "" : kRemedy));
  }
  Result<config::Store> store = read_settings(part.spec);
  if (!store.ok()) return not_ready(EXIT_FAILURE, store.status().message());
  const Result<std::int64_t> dead_after_ms = transport::tcp::dead_after_ms_of(store.value());
  if (!dead_after_ms.ok()) return not_ready(EXIT_FAILURE, dead_after_ms.status().message());
  Preparation ready;
  ready.dead_after_ms = dead_after_ms.value();
  ready.mute_after_ms = bootstrap::start_deadline_ms(store.value());
  ready.job = node_job(part.spec, {part.ranks, 1, part.app_numbers}, store.value());
  ready.job.usable_cores = part.usable_cores;
  ready.job.host = part.host;
  ready.job.watch.note_after_ms = part.spec.note_after_ms.value_or(0);
  ready.job.watch.quiet = part.spec.quiet;
  ready.job.programs = std::move(programs);
  ready.job.answers = part.answers;
  ready.job.to_terminal = part.to_terminal;
  if (const Status opened = open_all(part, store.value(), ready); !opened.ok()) {
    return not_ready(EXIT_FAILURE, opened.message());
  }
  return ready;
}

}  // namespace starling::launch
