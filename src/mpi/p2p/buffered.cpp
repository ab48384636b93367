// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Buffered sends and their buffers. A buffer of the communicator comes before that of its session, and that before the
// process's (3.6).
// Source: MPI-5.0, chapter 3.6.
#include <cstring>

#include "api/calls.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/fail.hpp"
#include "mpi/boundary/status.hpp"
#include "mpi/p2p/messages.hpp"
#include "mpi/p2p/send_buffer.hpp"
#include "mpi/request/requests.hpp"

namespace starling::mpi {
namespace {

int attach(SendBuffer& to, void* buffer, MPI_Count size) { return done(to.attach(buffer, size)); }

int detach(SendBuffer& from, void* buffer_addr, MPI_Count* size) {
  Result<SendBuffer::Memory> memory = from.detach(*current()->p2p);
  if (!memory.ok()) return fail(std::move(memory).status());
  // Through memcpy: buffer_addr points to the user's pointer, whatever its type.
  std::memcpy(buffer_addr, &memory.value().address, sizeof(void*));
  *size = memory.value().bytes;
  return MPI_SUCCESS;
}

int start_flush(SendBuffer& buffer, MPI_Comm owner, MPI_Request* request) {
  return current()->add_request(buffer.start_flush(), owner, request);
}

}  // namespace

int bsend(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  Context& context = *current();
  if (dest == MPI_PROC_NULL) {
    // Without a buffer, but not on a communicator that was revoked.
    return done(
        context.p2p->send(make_message(context, buf, count, datatype, dest, tag, comm), p2p::SendMode::kStandard));
  }
  return done(send_buffer_of(context, *context.comm(comm))
                  .send(*context.p2p, make_message(context, buf, count, datatype, dest, tag, comm)));
}

int ibsend(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
           MPI_Request* request) {
  if (const int code = bsend(buf, count, datatype, dest, tag, comm)) return code;
  return current()->add_request(new CompleteRequest(kEmptyCompletion), comm, request);
}

int buffer_attach(void* buffer, MPI_Count size) { return attach(*current()->send_buffer, buffer, size); }

int buffer_detach(void* buffer_addr, MPI_Count* size) { return detach(*current()->send_buffer, buffer_addr, size); }

int buffer_flush() {
  Context& context = *current();
  flush(context, context.send_buffer);
  return MPI_SUCCESS;
}

int buffer_iflush(MPI_Request* request) { return start_flush(*current()->send_buffer, MPI_COMM_SELF, request); }

int session_attach_buffer(MPI_Session session, void* buffer, MPI_Count size) {
  return attach(*current()->session(session)->buffer, buffer, size);
}

int session_detach_buffer(MPI_Session session, void* buffer_addr, MPI_Count* size) {
  return detach(*current()->session(session)->buffer, buffer_addr, size);
}

int session_flush_buffer(MPI_Session session) {
  Context& context = *current();
  flush(context, context.session(session)->buffer);
  return MPI_SUCCESS;
}

int session_iflush_buffer(MPI_Session session, MPI_Request* request) {
  return start_flush(*current()->session(session)->buffer, MPI_COMM_SELF, request);
}

int comm_attach_buffer(MPI_Comm comm, void* buffer, MPI_Count size) {
  return attach(*current()->comm(comm)->buffer, buffer, size);
}

int comm_detach_buffer(MPI_Comm comm, void* buffer_addr, MPI_Count* size) {
  return detach(*current()->comm(comm)->buffer, buffer_addr, size);
}

int comm_flush_buffer(MPI_Comm comm) {
  Context& context = *current();
  flush(context, context.comm(comm)->buffer);
  return MPI_SUCCESS;
}

int comm_iflush_buffer(MPI_Comm comm, MPI_Request* request) {
  return start_flush(*current()->comm(comm)->buffer, comm, request);
}

}  // namespace starling::mpi
