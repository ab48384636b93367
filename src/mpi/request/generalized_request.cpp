// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/request/generalized_request.hpp"

#include <string>

#include "api/calls.hpp"
#include "base/format.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/fail.hpp"
#include "mpi/boundary/status.hpp"

namespace starling::mpi {
namespace {

Status outcome(int code, const char* which) {
  if (code == MPI_SUCCESS) return {};
  return Status::error(static_cast<ErrorClass>(code),
                       formatted("the {} function of a generalized request returned code {}", which, code));
}

}  // namespace

Status GeneralizedRequest::query(MPI_Status* status) {
  MPI_Status answer{};
  write_status(&answer, kEmptyCompletion);
  const int code = functions_.query == nullptr ? MPI_SUCCESS : functions_.query(functions_.extra_state, &answer);
  if (status != MPI_STATUS_IGNORE) {
    answer.MPI_ERROR = status->MPI_ERROR;
    *status = answer;
  }
  return outcome(code, "query");
}

Status GeneralizedRequest::ask_to_cancel() {
  if (functions_.cancel == nullptr) return {};
  return outcome(functions_.cancel(functions_.extra_state, complete() ? 1 : 0), "cancel");
}

Status GeneralizedRequest::release() {
  const Functions functions = functions_;
  delete this;
  if (functions.free == nullptr) return {};
  return outcome(functions.free(functions.extra_state), "free");
}

int grequest_start(MPI_Grequest_query_function* query_fn, MPI_Grequest_free_function* free_fn,
                   MPI_Grequest_cancel_function* cancel_fn, void* extra_state, MPI_Request* request) {
  auto* made = new GeneralizedRequest({query_fn, free_fn, cancel_fn, extra_state});
  return current()->add_request(made, MPI_COMM_SELF, request);
}

int grequest_complete(MPI_Request request) {
  Context& context = *current();
  p2p::Request& completed = *context.request(request)->request;
  if (completed.kind() != p2p::RequestKind::kGeneralized || completed.complete()) {
    return fail(Status::error(ErrorClass::kRequest,
                              completed.complete() ? "the generalized request is complete already; complete it once"
                                                   : "the request was not made by MPI_Grequest_start"));
  }
  auto& generalized = static_cast<GeneralizedRequest&>(completed);
  generalized.finish();
  // Whoever waits for it may be another thread that sleeps.
  context.progress->wake_own_threads();
  if (!generalized.abandoned()) return MPI_SUCCESS;
  context.requests.erase(request);
  return done(generalized.release());
}

}  // namespace starling::mpi
