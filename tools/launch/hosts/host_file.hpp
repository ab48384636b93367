// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Host files, as Open MPI, MPICH and batch systems write them. A line names one host:
//
//   a slots=8 max_slots=16    # "max-slots", too
//   user@b:2                  # two slots
//   [2001:db8::2]:4
//   c                         # as many slots as c has usable cores
//
// A host that stands on several lines has the sum of their slots, one for a line without a number.
// Thread safety: parse_host_file is pure, read_host_file reads the file system.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"
#include "launch/hosts/host.hpp"

namespace starling::launch {

/// The hosts in order, each once; none of their own slots where the file has no number. An error names the file (as
/// `name`), the line, the word, and what is understood.
Result<std::vector<Host>> parse_host_file(std::string_view text, std::string_view name);

Result<std::vector<Host>> read_host_file(const std::string& path);

}  // namespace starling::launch
