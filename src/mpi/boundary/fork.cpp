// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/boundary/fork.hpp"

#include <pthread.h>

#include <atomic>

namespace starling::mpi {
namespace {

/// The rank whose process this is a fork of, in the child; handlers of pthread_atfork take no argument.
std::atomic<int> g_rank_of_process{-1};
std::atomic<int> g_forked_from{-1};
void (*g_in_child)() = nullptr;  // written once, before the handler is registered

/// The thread that forks is the only one that the child has.
void in_forked_child() {
  g_forked_from = g_rank_of_process.load();
  g_in_child();
}

}  // namespace

void watch_forks(int rank, void (*in_child)()) {
  if (g_rank_of_process.exchange(rank) >= 0) return;
  g_in_child = in_child;
  // Without memory for it forks go unnoticed, as with a bare clone().
  static_cast<void>(pthread_atfork(nullptr, nullptr, in_forked_child));
}

int forked_from() noexcept { return g_forked_from; }

}  // namespace starling::mpi
