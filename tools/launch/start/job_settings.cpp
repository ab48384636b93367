// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/start/job_settings.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "bootstrap/environment.hpp"
#include "bootstrap/job.hpp"
#include "bootstrap/launcher_settings.hpp"
#include "launch/hosts/this_machine.hpp"
#include "transport/shm/geometry.hpp"
#include "tuning/settings.hpp"

namespace starling::launch {

/// All rings of a node take no more than 64 MiB.
std::uint32_t trace_events_for(std::uint32_t ranks) noexcept {
  constexpr std::uint32_t kMost = 32 * 1024;
  constexpr std::uint32_t kFewest = 1024;
  constexpr std::uint32_t kOfNode = 1024 * 1024;
  return std::clamp(std::bit_floor(kOfNode / std::max(ranks, 1U)), kFewest, kMost);
}

namespace {

/// What a host's agent reads before it starts ranks, for it opens the listeners of all of them.
constexpr std::string_view kOfListeners[] = {"STARLING_NET_PORTS", "STARLING_NET_INTERFACES"};

/// The value with which an application starts, where the command line sets one; the last of several holds.
const std::string* setting_of(const Application& application, std::string_view name) {
  const std::string* value = nullptr;
  for (const EnvironmentSetting& setting : application.environment) {
    if (setting.name == name) value = &setting.value;
  }
  return value;
}

/// Settings of a later application would be read by nobody.
Status check_later_applications(const JobSpec& spec) {
  for (const std::string_view name : kOfListeners) {
    const std::string* const first = setting_of(spec.applications.front(), name);
    for (std::size_t i = 1; i < spec.applications.size(); ++i) {
      const std::string* const later = setting_of(spec.applications[i], name);
      if (later == nullptr || (first != nullptr && *first == *later)) continue;
      return Status::error(
          ErrorClass::kArg,
          formatted("{}={} stands with application {} alone, and holds for all ranks of a host, whose listeners are "
                    "opened together. Set it for all of them: -genv {} {}",
                    name, *later, i, name, *later));
    }
  }
  return {};
}

}  // namespace

Result<config::Store> read_settings(const JobSpec& spec) {
  STARLING_TRY(check_later_applications(spec));
  config::Store store;
  std::vector<std::string> warnings;  // each rank says them
  STARLING_TRY(store.read_environment(&warnings));
  for (const EnvironmentSetting& setting : spec.applications.front().environment) {
    // Names that are not ours fail here and are none of our business.
    if (setting.name.starts_with("STARLING_")) (void)store.set(setting.name, setting.value).ok();
  }
  return store;
}

std::vector<std::string> tuning_names(const HostRequest& request) {
  const ThisMachine machine = ThisMachine::ask();
  std::vector<std::string> names;
  for (const Host& host : request.hosts) {
    const bool is_here = machine.is(host.name) && !ThisMachine::own_name().empty();
    names.push_back(is_here ? ThisMachine::own_name() : host.name);
  }
  return names;
}

void pass_tuning(JobSpec& spec, config::Store store) {
  std::vector<std::string> warnings;
  tuning::take_file(store, &warnings, tuning_names(spec.hosts));
  for (const std::string& warning : warnings) std::fprintf(stderr, "starling: %s\n", warning.c_str());
  for (Application& application : spec.applications) {
    application.environment.push_back({bootstrap::kTuningVariable, tuning::told_to_others(store)});
  }
}

Result<WatchSettings> watch_settings(const JobSpec& spec, const config::Store& store) {
  Result<OnDeadlock> configured = parse_on_deadlock(bootstrap::on_deadlock(store), "STARLING_LAUNCH_ON_DEADLOCK");
  if (!configured.ok()) return std::move(configured).status();
  WatchSettings settings;
  settings.on_deadlock = spec.on_deadlock.value_or(configured.value());
  settings.note_after_ms = spec.note_after_ms.value_or(bootstrap::note_after_ms(store));
  settings.still_after_ms = bootstrap::still_after_ms(store);
  settings.quiet = spec.quiet;
  return settings;
}

NodeJob node_job(const JobSpec& spec, memory::Placement::Node members, const config::Store& store) {
  NodeJob job;
  job.members = std::move(members);
  job.geometry = transport::shm::geometry(job.ranks(), store);
  job.geometry.world_ranks = spec.ranks();
  if (spec.trace.wanted()) job.geometry.trace_events = trace_events_for(job.ranks());
  const bool goes_on = spec.survive || bootstrap::survives_deaths(store);
  job.on_death = goes_on ? OnDeath::kGoOn : OnDeath::kEndJob;
  job.grace_ms = bootstrap::grace_ms(store);
  return job;
}

}  // namespace starling::launch
