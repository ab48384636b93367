// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// 'starling tune --host': measures the network between hosts by a job of a rank on each.
// Thread safety: for single-threaded processes.
#pragma once

#include <string>
#include <vector>

#include "base/status.hpp"
#include "tuning/file.hpp"

namespace starling::tools {

/// Hosts between which the network can be measured, by the options that name them. kArg: they cannot be read, or are
/// fewer than two different ones; kOther: one is named twice.
[[nodiscard]] Result<std::vector<std::string>> hosts_to_tune(const std::vector<std::string>& host_options);

/// Puts the network's constants, and between whom they were measured, in place of what the file has of the network.
/// Says on standard error what each pair has given.
Status measure_network(const std::vector<std::string>& host_options, const std::vector<std::string>& hosts,
                       double seconds, tuning::File& file);

}  // namespace starling::tools
