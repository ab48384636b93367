// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/start/node_job.hpp"

namespace starling::launch {

memory::Placement::Node all_ranks_of(const JobSpec& spec) {
  memory::Placement::Node all;
  for (std::size_t app = 0; app < spec.applications.size(); ++app) {
    for (std::uint32_t i = 0; i < spec.applications[app].ranks; ++i) {
      all.ranks.emplace_back(all.ranks.size());
      all.app_numbers.push_back(static_cast<std::int32_t>(app));
    }
  }
  return all;
}

}  // namespace starling::launch
