// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Which running job a command is about: the one that the user names, or the only one of his that runs here.
// Thread safety: reads /proc.
#pragma once

#include <string>

#include "base/status.hpp"
#include "observe/job/found_job.hpp"

namespace starling::tools {

/// name: the number of an mpiexec, or of its worker; empty: none was named. A refusal says what runs instead.
[[nodiscard]] Result<observe::FoundJob> choose_job(const std::string& name);

}  // namespace starling::tools
