// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// PmixExchange: PMIx, by its library, which is opened only here: srun --mpi=pmix, Open MPI's mpirun, prte and Flux are
// its servers. The deadline is kept here: Slurm's server does not keep PMIX_TIMEOUT.
// Thread safety: as Exchange; the library has a thread of its own.
#pragma once

#include <cstdint>
#include <memory>

#include "bootstrap/pmi/exchange.hpp"

namespace starling::bootstrap {

/// Asks the server that has set PMIX_NAMESPACE. An error says why there is no such server, or no library to speak to
/// it.
Result<std::unique_ptr<Exchange>> open_pmix(std::int64_t deadline_ms);

}  // namespace starling::bootstrap
