// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Recognises that another launcher (Slurm, PMIx, Open MPI, Hydra, Flux) started this process as one of several, while
// Starling can only run it alone. Each copy would otherwise silently be rank 0 of 1 and do the whole work.
// Thread safety: reads the environment.
#pragma once

#include <string>
#include <vector>

namespace starling::bootstrap {

/// One sentence for each foreign launcher whose traces say that this process is one of several; empty when alone.
[[nodiscard]] std::vector<std::string> foreign_launcher_warnings();

}  // namespace starling::bootstrap
