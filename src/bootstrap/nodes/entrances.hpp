// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What a job on several nodes needs of the network, which is above this component: its callers hand it in.
// Thread safety: called while a process joins its job, by that thread.
#pragma once

#include <functional>
#include <vector>

#include "base/status.hpp"
#include "bootstrap/nodes/job_card.hpp"

namespace starling::bootstrap {

struct OpenEntrances {
  std::vector<Entrance> entrances;
  std::vector<int> listeners;  ///< their descriptors, in the same order
};

/// Null functions: there is no network, and a job on several nodes cannot be joined.
struct NetworkHooks {
  /// Listens at every address of this host that may be offered.
  std::function<Result<OpenEntrances>()> open;
  /// Takes out the entrances that cannot tell their host from others; the same on all nodes.
  std::function<Status(JobCard& card)> choose;
};

}  // namespace starling::bootstrap
