// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bootstrap/pmi/exchange.hpp"

#include "base/format.hpp"

namespace starling::bootstrap {

Status Exchange::others_are_missing(std::string_view step, std::string_view call) const {
  return Status::error(
      ErrorClass::kProcFailed,
      formatted("it has waited {} s for the other ranks to {} ({}): one of them has died or was not started. 'srun "
                "--kill-on-bad-exit=1' ends such a job at once; where ranks may come later, set "
                "STARLING_INIT_DEADLINE_MS to more milliseconds",
                static_cast<double>(deadline_ms_) / 1e3, step, call));
}

}  // namespace starling::bootstrap
