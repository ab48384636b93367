// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Where the ranks of a node run, in words (--display-map). Thread safety: pure functions.
#pragma once

#include <string>

#include "launch/start/node_job.hpp"
#include "topology/binding.hpp"

namespace starling::launch {

/// Whole lines: ranks that follow each other and have the same program and cores share one.
[[nodiscard]] std::string describe_places(const JobSpec& spec, const NodeJob& job, const topology::BindingPlan& plan);

}  // namespace starling::launch
