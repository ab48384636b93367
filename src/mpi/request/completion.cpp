// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Completion of one request: wait, test, free, cancel, get_status. Source: MPI-5.0, chapters 3.7.3, 3.7.6 and 3.8.4.
#include "api/calls.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/fail.hpp"
#include "mpi/boundary/looking.hpp"
#include "mpi/boundary/status.hpp"
#include "mpi/request/generalized_request.hpp"
#include "mpi/request/requests.hpp"

namespace starling::mpi {
namespace {

/// The handle of a generalized request lives on until the user has completed the operation through it.
int give_up(Context& context, MPI_Request* request, p2p::Request& freed) {
  auto& generalized = static_cast<GeneralizedRequest&>(freed);
  Status released;
  if (generalized.complete()) {
    context.requests.erase(*request);
    released = generalized.release();
  } else {
    generalized.abandon();
  }
  *request = MPI_REQUEST_NULL;
  return done(std::move(released));
}

/// Whether the request is done now or after a round.
bool done_by_now(Context& context, const RequestEntry& entry) {
  return is_done(entry) || look_again(
                               context, places_of_requests(context, 1), [&] { return is_done(entry); },
                               [&] { return observe::Wait(observe::WaitKind::kTestLoop, entry.request->awaited()); });
}

}  // namespace

int wait(MPI_Request* request, MPI_Status* status) {
  if (*request == MPI_REQUEST_NULL) {
    write_empty_status(status);
    return MPI_SUCCESS;
  }
  Context& context = *current();
  RequestEntry& entry = *context.request(*request);
  if (!is_done(entry)) context.p2p->wait(*entry.request);
  const ErrorOwner owner = entry.owner;
  return done(conclude(context, request, entry, status), owner);
}

int test(MPI_Request* request, int* flag, MPI_Status* status) {
  *flag = 1;
  if (*request == MPI_REQUEST_NULL) {
    write_empty_status(status);
    return MPI_SUCCESS;
  }
  Context& context = *current();
  RequestEntry& entry = *context.request(*request);
  if (!done_by_now(context, entry)) {
    *flag = 0;
    return MPI_SUCCESS;
  }
  const ErrorOwner owner = entry.owner;
  return done(conclude(context, request, entry, status), owner);
}

int request_free(MPI_Request* request) {
  Context& context = *current();
  p2p::Request* freed = context.request(*request)->request;
  if (freed->kind() == p2p::RequestKind::kGeneralized) return give_up(context, request, *freed);
  context.requests.erase(*request);
  *request = MPI_REQUEST_NULL;
  freed->dispose();
  return MPI_SUCCESS;
}

int cancel(MPI_Request* request) {
  Context& context = *current();
  p2p::Request* cancelled = context.request(*request)->request;
  if (cancelled->kind() == p2p::RequestKind::kGeneralized) {
    return done(static_cast<GeneralizedRequest*>(cancelled)->ask_to_cancel());
  }
  // A receive whose message has arrived but was not looked at yet is complete rather than cancelled.
  if (!cancelled->complete()) context.progress->poll();
  if (cancelled->complete()) return MPI_SUCCESS;
  cancelled->cancel();
  // To take a send back is a question and an answer. To oneself each takes a round and then it is complete: a program
  // may ask once, by a call that does one round, and wait for nobody.
  for (int round = 0; round < 2 && !cancelled->complete(); ++round) context.progress->poll();
  return MPI_SUCCESS;
}

int request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  *flag = 1;
  if (request == MPI_REQUEST_NULL) {
    write_empty_status(status);
    return MPI_SUCCESS;
  }
  Context& context = *current();
  RequestEntry& entry = *context.request(request);
  if (!done_by_now(context, entry)) {
    *flag = 0;
    return MPI_SUCCESS;
  }
  if (!is_active(entry)) {
    write_empty_status(status);
    return MPI_SUCCESS;
  }
  return done(write_outcome(*entry.request, status), entry.owner);
}

}  // namespace starling::mpi
