// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Another launcher (Slurm, PMIx, Open MPI, Hydra, Flux) started this process as one of several: its exchange, through
// which the processes become one job, or the sentence that says why they do not. Each copy would otherwise silently be
// rank 0 of 1 and do the whole work.
// Thread safety: reads the environment.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "bootstrap/pmi/exchange.hpp"
#include "config/config.hpp"

namespace starling::bootstrap {

/// Null when no launcher that offers one started this process, or when it started this process alone. An error says why
/// the exchange cannot be used.
[[nodiscard]] Result<std::unique_ptr<Exchange>> exchange_of_foreign_launcher(const config::Store& config);

/// One warning for the foreign launcher whose traces say that this process is one of several, which runs alone now;
/// empty when there is none. why: the reason, as a clause; empty: the launcher offers no exchange.
[[nodiscard]] std::vector<std::string> foreign_launcher_warnings(const std::string& why);

}  // namespace starling::bootstrap
