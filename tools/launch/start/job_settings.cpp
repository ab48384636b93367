// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/start/job_settings.hpp"

#include <utility>

#include "bootstrap/job.hpp"
#include "transport/shm/geometry.hpp"

namespace starling::launch {

Result<config::Store> read_settings(const JobSpec& spec) {
  config::Store store;
  std::vector<std::string> warnings;  // each rank says them
  STARLING_TRY(store.read_environment(&warnings));
  for (const EnvironmentSetting& setting : spec.applications.front().environment) {
    // Names that are not ours fail here and are none of our business.
    if (setting.name.starts_with("STARLING_")) (void)store.set(setting.name, setting.value).ok();
  }
  return store;
}

NodeJob node_job(const JobSpec& spec, memory::Placement::Node members, const config::Store& store) {
  NodeJob job;
  job.members = std::move(members);
  job.geometry = transport::shm::geometry(job.ranks(), store);
  job.geometry.world_ranks = spec.ranks();
  const bool goes_on = spec.survive || bootstrap::survives_deaths(store);
  job.on_death = goes_on ? OnDeath::kGoOn : OnDeath::kEndJob;
  job.grace_ms = bootstrap::grace_ms(store);
  return job;
}

}  // namespace starling::launch
