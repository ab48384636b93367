// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Blocking sends and receives. Source: MPI-5.0, chapters 3.2, 3.4 and 3.11.
#include <array>
#include <cstddef>
#include <memory>

#include "api/calls.hpp"
#include "datatype/pack/pack.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/fail.hpp"
#include "mpi/boundary/status.hpp"
#include "mpi/p2p/messages.hpp"
#include "mpi/request/requests.hpp"

namespace starling::mpi {
namespace {

inline int send_with(p2p::SendMode mode, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                     MPI_Comm comm) {
  Context& context = *current();
  Status sent = context.p2p->send(make_message(context, buf, count, datatype, dest, tag, comm), mode);
  handle_events_at_times(context);
  if (sent.ok()) [[likely]]
    return MPI_SUCCESS;
  return fail(std::move(sent));
}

/// Receives into `receive` while sending `send`.
int exchange(Context& context, const p2p::Message& send, const p2p::Message& receive, MPI_Status* status) {
  p2p::Request* receiving = context.p2p->ireceive(receive);
  p2p::Request* sending = context.p2p->isend(send, p2p::SendMode::kStandard);
  handle_events_at_times(context);
  // When one half fails for a death, the other may never end.
  context.progress->wait(
      [&] { return (sending->complete() && receiving->complete()) || is_in_vain(*sending) || is_in_vain(*receiving); },
      [&] {
        observe::Wait wait(observe::WaitKind::kAll);
        for (const p2p::Request* half : {receiving, sending}) {
          if (!half->complete()) wait.add(half->awaited());
        }
        return wait;
      });
  if (!sending->complete() || !receiving->complete()) [[unlikely]] {
    const Status why = p2p::process_failed(p2p::kAnySource);
    receiving->give_up(why);
    sending->give_up(why);
  }
  write_status(status, receiving->completion);
  Status received = receiving->failure.copy();
  Status sent = sending->failure.copy();
  receiving->dispose();
  sending->dispose();
  if (sent.ok() && received.ok()) [[likely]]
    return MPI_SUCCESS;
  return fail(sent.ok() ? std::move(received) : std::move(sent));
}

}  // namespace

int send(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return send_with(p2p::SendMode::kStandard, buf, count, datatype, dest, tag, comm);
}

int ssend(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return send_with(p2p::SendMode::kSynchronous, buf, count, datatype, dest, tag, comm);
}

int rsend(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return send_with(p2p::SendMode::kReady, buf, count, datatype, dest, tag, comm);
}

int recv(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  Context& context = *current();
  const p2p::Message message = make_message(context, buf, count, datatype, source, tag, comm);
  p2p::Completion completion;
  Status received = context.p2p->receive(message, status == MPI_STATUS_IGNORE ? nullptr : &completion);
  write_status(status, completion);
  if (received.ok()) [[likely]]
    return MPI_SUCCESS;
  return fail(std::move(received));
}

int sendrecv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf,
             MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  Context& context = *current();
  return exchange(context, make_message(context, sendbuf, sendcount, sendtype, dest, sendtag, comm),
                  make_message(context, recvbuf, recvcount, recvtype, source, recvtag, comm), status);
}

int sendrecv_replace(void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag,
                     MPI_Comm comm, MPI_Status* status) {
  constexpr std::size_t kOnStack = 1024;
  Context& context = *current();
  const p2p::Message receive = make_message(context, buf, count, datatype, source, recvtag, comm);
  const auto bytes = static_cast<std::size_t>(count * receive.type->size());
  std::array<std::byte, kOnStack> small;
  std::unique_ptr<std::byte[]> large;
  if (bytes > kOnStack) large = std::make_unique_for_overwrite<std::byte[]>(bytes);
  std::byte* copy = large ? large.get() : small.data();
  datatype::PackCursor(*receive.type, buf, count).pack(copy, bytes);
  const p2p::Message send = make_message(context, copy, static_cast<MPI_Count>(bytes), MPI_BYTE, dest, sendtag, comm);
  return exchange(context, send, receive, status);
}

}  // namespace starling::mpi
