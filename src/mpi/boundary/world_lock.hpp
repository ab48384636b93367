// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// WorldLock: the world's lock for a scope, in a call that the boundary lets in without it, or perhaps with it.
// Callbacks within the scope may call MPI. Thread safety: belongs to the thread that made it. Invariants: MPI runs when
// it is made. lock_from_now_on() turns the lock on in a program that runs.
#pragma once

#include <mutex>

#include "mpi/boundary/call.hpp"

namespace starling::mpi {

class WorldLock {
 public:
  explicit WorldLock(Context& context) : context_(context), is_needed_(context.threaded()) {
    if (is_needed_ && internal::call_depth++ == 0) context_.progress->lock();
  }
  ~WorldLock() {
    if (is_needed_ && --internal::call_depth == 0) context_.progress->unlock();
  }
  WorldLock(const WorldLock&) = delete;
  WorldLock& operator=(const WorldLock&) = delete;

 private:
  Context& context_;
  bool is_needed_;
};

/// Every call takes the lock from now on, and this one, which is a When::kMayLock, has it until its end. Below
/// MPI_THREAD_MULTIPLE no other thread is in a call, but for those that are legal at any time: they end first.
inline void lock_from_now_on(Context& context) {
  if (context.threaded()) return;
  const std::scoped_lock anytime(context.anytime_mutex);
  context.progress->set_locked();
  context.progress->lock();
  internal::call_depth = 1;
  context.set_manner(Context::kThreaded);
}

}  // namespace starling::mpi
