// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "array/virtual_job.hpp"

#include <sys/personality.h>

namespace starling::tests {

namespace {

thread_local Job* here = nullptr;

}  // namespace

// Not inlined, so that no rank keeps the address of a thread's variable while it moves.
__attribute__((noinline)) Job& job_here() { return *here; }

bool addresses_are_same() { return (personality(0xffffffff) & ADDR_NO_RANDOMIZE) != 0; }

VirtualJob::VirtualJob(Job& world) : session(everybody()), world_(world) { here = &world; }
VirtualJob::~VirtualJob() { here = nullptr; }

void VirtualJob::expect_moves(const array::VirtualRanks& ranks) {
  Job& world = world_;
  if (world.ranks_are == RanksAre::kThreads || addresses_are_same() || world.size == 1) {
    CHECK_EQ(ranks.why_not(), "");
  } else {
    CHECK(ranks.why_not().find("setarch -R") != std::string::npos);
  }
}

std::string VirtualJob::error_of(array::VirtualRanks& ranks) {
  try {
    ranks.run();
  } catch (const array::Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace starling::tests
