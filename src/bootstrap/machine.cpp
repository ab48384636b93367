// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bootstrap/machine.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/small_files.hpp"
#include "base/usable_cores.hpp"
#include "tuning/machine.hpp"

namespace starling::bootstrap {

bool global_membarrier_works() noexcept {
  constexpr long kNeeded = MEMBARRIER_CMD_GLOBAL_EXPEDITED | MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED;
  const long commands = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
  return commands >= 0 && (commands & kNeeded) == kNeeded &&
         syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0) == 0;
}

void describe_machine(memory::JobHeader& header) {
  header.usable_cores = usable_cores();
  header.spread = static_cast<std::uint32_t>(tuning::spread_of(affinity_threads()));
  header.sender_fences = global_membarrier_works() ? 0 : 1;
}

}  // namespace starling::bootstrap
