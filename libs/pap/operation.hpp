// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The collectives that the library takes.
//
// Thread safety: constants.
#pragma once

#include <cstdint>

namespace starling::pap {

enum class Operation : std::uint8_t { kReduce, kAllreduce, kBcast, kGather, kScatter, kAllgather, kBarrier, kAlltoall };

constexpr const char* name(Operation operation) {
  constexpr const char* kNames[] = {"Reduce",  "Allreduce", "Bcast",   "Gather",
                                    "Scatter", "Allgather", "Barrier", "Alltoall"};
  return kNames[static_cast<int>(operation)];
}

}  // namespace starling::pap
