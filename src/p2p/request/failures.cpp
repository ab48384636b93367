// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "p2p/request/failures.hpp"

#include "base/format.hpp"

namespace starling::p2p {

Status process_failed(std::int32_t rank) {
  const std::string who = rank >= 0 ? formatted("rank {} has died", rank) : "a process that the call needs has died";
  return Status::error(ErrorClass::kProcFailed,
                       formatted("{}; MPIX_Comm_get_failed names the dead, and MPIX_Comm_shrink makes a communicator "
                                 "of the survivors",
                                 who));
}

Status revoked() {
  return Status::error(ErrorClass::kRevoked,
                       "the communicator has been revoked; MPIX_Comm_shrink makes one of the survivors");
}

}  // namespace starling::p2p
