// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Probes, matched probes and matched receives. Source: MPI-5.0, chapter 3.8.
#include "api/calls.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/fail.hpp"
#include "mpi/boundary/looking.hpp"
#include "mpi/boundary/status.hpp"
#include "mpi/p2p/messages.hpp"
#include "mpi/request/requests.hpp"

namespace starling::mpi {
namespace {

/// Whether find(), which looks for the pattern, has found it now or after a round. A program may probe in a loop and
/// make no other call; it may probe for each source in turn.
template <typename Find>
bool found_by_now(Context& context, const p2p::Message& pattern, const Find& find) {
  if (find()) return true;
  const std::int32_t sources = pattern.rank == MPI_ANY_SOURCE ? 1 : pattern.comm->addressed_size();
  // Nothing comes without a round that moves it.
  return context.progress->look(
      internal::looks, static_cast<std::size_t>(sources), [&](bool moved) { return moved && find(); },
      [&] { return observe::Wait(observe::WaitKind::kTestLoop, awaited_by(pattern)); });
}

int keep_message(Context& context, p2p::MatchedMessage* matched, MPI_Comm comm, MPI_Message* message) {
  *message = to_handle<MPI_Message>(context.messages.insert({matched, context.comm(comm)->comm, comm}));
  if (*message != nullptr) return MPI_SUCCESS;
  *message = MPI_MESSAGE_NULL;
  return fail(Status::error(ErrorClass::kIntern,
                            "more than four million matched messages wait to be received; receive some of them"));
}

/// A probe for MPI_PROC_NULL finds its message unless the communicator was revoked.
int check_comm_of_nobody(Context& context, MPI_Comm comm) {
  return done(context.p2p->check_probe(make_pattern(context, MPI_PROC_NULL, MPI_ANY_TAG, comm)));
}

/// Starts the receive of a matched message and ends its handle.
p2p::Request* receive_matched(Context& context, void* buf, MPI_Count count, MPI_Datatype datatype,
                              MPI_Message* message) {
  const MessageEntry entry = *context.messages.find(*message);
  const p2p::Message into{buf, count, context.datatype(datatype), MPI_ANY_SOURCE, MPI_ANY_TAG, entry.comm.get()};
  p2p::Request* request = context.p2p->imreceive(*entry.matched, into);
  context.messages.erase(*message);
  *message = MPI_MESSAGE_NULL;
  return request;
}

}  // namespace

int iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  Context& context = *current();
  p2p::Completion found = kProcNullCompletion;
  if (source == MPI_PROC_NULL) {
    if (const int code = check_comm_of_nobody(context, comm)) return code;
    *flag = 1;
  } else {
    const p2p::Message pattern = make_pattern(context, source, tag, comm);
    *flag = found_by_now(context, pattern, [&] { return context.p2p->iprobe(pattern, &found); }) ? 1 : 0;
    if (*flag == 0) {
      if (Status why = context.p2p->check_probe(pattern); !why.ok()) return fail(std::move(why));
    }
  }
  if (*flag != 0) write_status(status, found);
  return MPI_SUCCESS;
}

int probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  Context& context = *current();
  p2p::Completion found = kProcNullCompletion;
  if (source != MPI_PROC_NULL) {
    const p2p::Message pattern = make_pattern(context, source, tag, comm);
    bool there = false;
    Status why;
    context.progress->wait(
        [&] {
          there = context.p2p->iprobe(pattern, &found);
          if (!there) why = context.p2p->check_probe(pattern);
          return there || !why.ok();
        },
        [&] { return observe::Wait(observe::WaitKind::kOne, awaited_by(pattern)); });
    if (!there) return fail(std::move(why));
  } else if (const int code = check_comm_of_nobody(context, comm)) {
    return code;
  }
  write_status(status, found);
  return MPI_SUCCESS;
}

int improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
  Context& context = *current();
  p2p::Completion found = kProcNullCompletion;
  *flag = 1;
  if (source == MPI_PROC_NULL) {
    if (const int code = check_comm_of_nobody(context, comm)) return code;
    *message = MPI_MESSAGE_NO_PROC;
  } else {
    const p2p::Message pattern = make_pattern(context, source, tag, comm);
    p2p::MatchedMessage* matched = nullptr;
    const auto take = [&] { return (matched = context.p2p->improbe(pattern, &found)) != nullptr; };
    if (!found_by_now(context, pattern, take)) {
      *flag = 0;
      *message = MPI_MESSAGE_NULL;
      Status why = context.p2p->check_probe(pattern);
      if (!why.ok()) return fail(std::move(why));
      return MPI_SUCCESS;
    }
    if (const int code = keep_message(context, matched, comm, message)) return code;
  }
  write_status(status, found);
  return MPI_SUCCESS;
}

int mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  Context& context = *current();
  p2p::Completion found = kProcNullCompletion;
  if (source == MPI_PROC_NULL) {
    if (const int code = check_comm_of_nobody(context, comm)) return code;
    *message = MPI_MESSAGE_NO_PROC;
  } else {
    const p2p::Message pattern = make_pattern(context, source, tag, comm);
    p2p::MatchedMessage* matched = nullptr;
    Status why;
    // The wait may ask again after a yes, and a match must not be taken twice.
    const auto take = [&] {
      if (matched == nullptr) matched = context.p2p->improbe(pattern, &found);
      if (matched == nullptr) why = context.p2p->check_probe(pattern);
      return matched != nullptr || !why.ok();
    };
    context.progress->wait(take, [&] { return observe::Wait(observe::WaitKind::kOne, awaited_by(pattern)); });
    if (matched == nullptr) return fail(std::move(why));
    if (const int code = keep_message(context, matched, comm, message)) return code;
  }
  write_status(status, found);
  return MPI_SUCCESS;
}

int imrecv(void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Message* message, MPI_Request* request) {
  Context& context = *current();
  if (*message == MPI_MESSAGE_NO_PROC) {
    *message = MPI_MESSAGE_NULL;
    return context.add_request(new CompleteRequest(kProcNullCompletion), MPI_COMM_SELF, request);
  }
  const MPI_Comm owner = context.messages.find(*message)->owner;
  return context.add_request(receive_matched(context, buf, count, datatype, message), owner, request);
}

int mrecv(void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Message* message, MPI_Status* status) {
  Context& context = *current();
  if (*message == MPI_MESSAGE_NO_PROC) {
    *message = MPI_MESSAGE_NULL;
    write_status(status, kProcNullCompletion);
    return MPI_SUCCESS;
  }
  const MPI_Comm owner = context.messages.find(*message)->owner;
  p2p::Request* request = receive_matched(context, buf, count, datatype, message);
  context.p2p->wait(*request);
  write_status(status, request->completion);
  Status received = std::move(request->failure);
  request->dispose();
  return done(std::move(received), owner);
}

}  // namespace starling::mpi
