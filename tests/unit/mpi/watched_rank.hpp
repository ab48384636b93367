// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How a rank that is a thread watches the status card of another rank of its node.
// Thread safety: any rank's thread.
#pragma once

#include <thread>

#include "api/functions.hpp"
#include "mpi/boundary/context.hpp"
#include "observe/card_sample.hpp"

namespace starling::mpi {

[[nodiscard]] inline observe::CardSample sample_of(int rank) {
  const memory::RankBlock& block = current()->progress->segment().rank(LocalRank(rank));
  return observe::sample(block.card, block.wait, block.doorbell.ticket);
}

/// Looks at a rank until it shows what is expected.
template <typename Expected>
observe::CardSample watch(int rank, const Expected& expected) {
  while (true) {
    const observe::CardSample sample = sample_of(rank);
    if (expected(sample)) return sample;
    std::this_thread::yield();
  }
}

/// Looks at a rank until it waits long in a call.
inline observe::CardSample watch_wait(int rank, Function call, observe::WaitKind kind) {
  return watch(rank, [&](const observe::CardSample& sample) {
    return sample.waits() && sample.call == static_cast<std::uint32_t>(call) && sample.wait->wait.kind() == kind;
  });
}

}  // namespace starling::mpi
