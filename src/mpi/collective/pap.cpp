// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What starling::pap::progress (include/starling/pap.hpp) calls. A preloaded libstarling_pap comes before it.
#include "collective/collectives.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/world_lock.hpp"

extern "C" __attribute__((visibility("default"))) void starling_pap_progress(double fraction) {
  using namespace starling::mpi;
  Context& context = current() != nullptr ? *current() : *internal::bind_thread();
  if (!context.running()) return;  // nothing is predicted before MPI_Init and after MPI_Finalize
  const WorldLock lock(context);
  context.collectives->tell_progress(fraction);
}
