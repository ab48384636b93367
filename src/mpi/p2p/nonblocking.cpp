// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Nonblocking and persistent sends and receives. Source: MPI-5.0, chapters 3.7, 3.9 and 3.11.
#include <memory>

#include "api/calls.hpp"
#include "datatype/pack/pack.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/fail.hpp"
#include "mpi/p2p/messages.hpp"
#include "mpi/p2p/requests.hpp"
#include "mpi/request/requests.hpp"

namespace starling::mpi {
namespace {

inline int isend_with(p2p::SendMode mode, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                      MPI_Comm comm, MPI_Request* request) {
  Context& context = *current();
  p2p::Request* made = context.p2p->isend(make_message(context, buf, count, datatype, dest, tag, comm), mode);
  handle_events_at_times(context);
  return context.add_request(made, comm, request);
}

int persistent(PersistentMessage::Operation operation, const void* buf, MPI_Count count, MPI_Datatype datatype,
               int rank, int tag, MPI_Comm comm, MPI_Request* request) {
  Context& context = *current();
  const p2p::Message message = make_message(context, buf, count, datatype, rank, tag, comm);
  auto* made = new PersistentMessage(operation, message, *context.comm(comm),
                                     Ref<const datatype::Datatype>::share(message.type));
  return context.add_request(made, comm, request);
}

}  // namespace

int isend(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
          MPI_Request* request) {
  return isend_with(p2p::SendMode::kStandard, buf, count, datatype, dest, tag, comm, request);
}

int issend(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
           MPI_Request* request) {
  return isend_with(p2p::SendMode::kSynchronous, buf, count, datatype, dest, tag, comm, request);
}

int irsend(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
           MPI_Request* request) {
  return isend_with(p2p::SendMode::kReady, buf, count, datatype, dest, tag, comm, request);
}

int irecv(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  Context& context = *current();
  p2p::Request* made = context.p2p->ireceive(make_message(context, buf, count, datatype, source, tag, comm));
  return context.add_request(made, comm, request);
}

int isendrecv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf,
              MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
              MPI_Request* request) {
  Context& context = *current();
  context.reap_orphans();
  auto* made =
      new SendReceiveRequest(context, make_message(context, sendbuf, sendcount, sendtype, dest, sendtag, comm),
                             make_message(context, recvbuf, recvcount, recvtype, source, recvtag, comm), nullptr);
  return context.add_request(made, comm, request);
}

int isendrecv_replace(void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag,
                      MPI_Comm comm, MPI_Request* request) {
  Context& context = *current();
  context.reap_orphans();
  const p2p::Message receive = make_message(context, buf, count, datatype, source, recvtag, comm);
  const auto bytes = static_cast<std::size_t>(count * receive.type->size());
  auto packed = std::make_unique_for_overwrite<std::byte[]>(bytes);
  datatype::PackCursor(*receive.type, buf, count).pack(packed.get(), bytes);
  const p2p::Message send =
      make_message(context, packed.get(), static_cast<MPI_Count>(bytes), MPI_BYTE, dest, sendtag, comm);
  return context.add_request(new SendReceiveRequest(context, send, receive, std::move(packed)), comm, request);
}

int send_init(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return persistent(PersistentMessage::Operation::kSend, buf, count, datatype, dest, tag, comm, request);
}

int ssend_init(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return persistent(PersistentMessage::Operation::kSynchronousSend, buf, count, datatype, dest, tag, comm, request);
}

int rsend_init(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return persistent(PersistentMessage::Operation::kReadySend, buf, count, datatype, dest, tag, comm, request);
}

int bsend_init(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return persistent(PersistentMessage::Operation::kBufferedSend, buf, count, datatype, dest, tag, comm, request);
}

int recv_init(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return persistent(PersistentMessage::Operation::kReceive, buf, count, datatype, source, tag, comm, request);
}

int start(MPI_Request* request) {
  Context& context = *current();
  RequestEntry& entry = *context.request(*request);
  if (entry.request->kind() != p2p::RequestKind::kPersistent) {
    return fail(
        Status::error(
            ErrorClass::kRequest,
            "the request is not persistent, so it cannot be started; MPI_Send_init and its kin make persistent ones"),
        entry.owner);
  }
  Status started = static_cast<PersistentRequest*>(entry.request)->start(context);
  handle_events_at_times(context);
  return done(std::move(started), entry.owner);
}

int startall(int count, MPI_Request array_of_requests[]) {
  for (int index = 0; index < count; ++index) {
    if (const int code = start(&array_of_requests[index])) return code;
  }
  return MPI_SUCCESS;
}

}  // namespace starling::mpi
