// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/comm/release.hpp"

#include "mpi/p2p/send_buffer.hpp"
#include "resilience/fault_tolerance.hpp"

namespace starling::mpi {

void release_comm(Context& context, CommObject& comm) {
  flush(context, comm.buffer);
  if (context.listener != nullptr) {
    observe::Occurrence what;
    what.kind = observe::OccurrenceKind::kCommunicatorFreed;
    what.context_id = comm.comm->context_id();
    context.listener->hear(what);
  }
  context.resilience->retire(comm.comm);
  context.release_errhandler(comm.errhandler);
  context.erase_comm(comm.handle);
}

}  // namespace starling::mpi
