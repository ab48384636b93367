// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// WorldLock: the world's lock for a scope, in a call that the boundary lets in without it, or perhaps with it.
// Callbacks within the scope may call MPI. Thread safety: belongs to the thread that made it. Invariants: MPI runs when
// it is made.
#pragma once

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

}  // namespace starling::mpi
