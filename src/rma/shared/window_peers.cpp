// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rma/shared/window_peers.hpp"

namespace starling::rma {

WindowPeers::WindowPeers(progress::Engine& progress, memory::JobSegment& segment, std::span<const LocalRank> ranks,
                         const comm::Communicator* comm)
    : progress_(progress), comm_(comm), sender_fences_(segment.header().sender_fences != 0) {
  for (const LocalRank rank : ranks) bells_.push_back(rank.is_none() ? nullptr : &segment.rank(rank).doorbell);
}

void WindowPeers::ring_all() noexcept {
  for (memory::Doorbell* bell : bells_) {
    if (bell != nullptr) memory::ring(*bell, sender_fences_);
  }
}

void WindowPeers::wait_for_exclusive(SharedLock& lock) {
  lock.waiting.fetch_add(1, std::memory_order_seq_cst);
  do {
    wait([&] { return lock.holders.load(std::memory_order_relaxed) == 0; });
  } while (!lock.try_exclusive() && !broken());
  lock.waiting.fetch_sub(1, std::memory_order_relaxed);
}

void WindowPeers::wait_for_shared(SharedLock& lock) {
  lock.waiting.fetch_add(1, std::memory_order_seq_cst);
  do {
    wait([&] { return lock.holders.load(std::memory_order_relaxed) < SharedLock::kExclusive; });
  } while (!lock.try_shared() && !broken());
  lock.waiting.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace starling::rma
