// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The statuses of several requests that stay as they are (MPI_Request_get_status_all and its kin).
// Source: MPI-5.0, chapter 3.7.6.
#include "api/calls.hpp"
#include "mpi/boundary/fail.hpp"
#include "mpi/request/arrays.hpp"

namespace starling::mpi {
namespace {

/// The status of a request that stays, with its MPI_ERROR; the empty one for a request that is not live.
void write_or_empty(const RequestEntry* entry, MPI_Status* status) {
  if (entry == nullptr) return write_empty_status(status);
  const Status queried = write_outcome(*entry->request, status);
  const Status& failure = entry->request->failure.ok() ? queried : entry->request->failure;
  set_status_error(status, static_cast<int>(failure.error_class()));
}

}  // namespace

int request_get_status_all(int count, const MPI_Request array_of_requests[], int* flag,
                           MPI_Status array_of_statuses[]) {
  Context& context = *current();
  const RequestHandles requests = request_handles(count, array_of_requests);
  *flag = requests_done_by_now(context, requests) ? 1 : 0;
  if (*flag == 0) return MPI_SUCCESS;
  for (std::size_t index = 0; index < requests.size(); ++index) {
    const RequestEntry* entry = live_request(context, requests[index]);
    MPI_Status* status = status_at(array_of_statuses, index);
    write_or_empty(entry, status);
  }
  return MPI_SUCCESS;
}

int request_get_status_any(int count, const MPI_Request array_of_requests[], int* indx, int* flag, MPI_Status* status) {
  Context& context = *current();
  const RequestHandles requests = request_handles(count, array_of_requests);
  const FirstDone found = find_done_request_by_now(context, requests);
  *indx = found.done;
  *flag = found.done != MPI_UNDEFINED || !found.any_live ? 1 : 0;
  if (*flag == 0) return MPI_SUCCESS;
  const RequestEntry* entry =
      found.done != MPI_UNDEFINED ? context.request(requests[static_cast<std::size_t>(found.done)]) : nullptr;
  if (entry == nullptr) {
    write_empty_status(status);
    return MPI_SUCCESS;
  }
  return done(write_outcome(*entry->request, status), entry->owner);
}

int request_get_status_some(int incount, const MPI_Request array_of_requests[], int* outcount, int array_of_indices[],
                            MPI_Status array_of_statuses[]) {
  Context& context = *current();
  const RequestHandles requests = request_handles(incount, array_of_requests);
  const FirstDone found = find_done_request_by_now(context, requests);
  if (!found.any_live) {
    *outcount = MPI_UNDEFINED;
    return MPI_SUCCESS;
  }
  int written = 0;
  for (std::size_t index = 0; index < requests.size(); ++index) {
    const RequestEntry* entry = live_request(context, requests[index]);
    if (entry == nullptr || !entry->request->complete()) continue;
    MPI_Status* status = status_at(array_of_statuses, static_cast<std::size_t>(written));
    write_or_empty(entry, status);
    array_of_indices[written++] = static_cast<int>(index);
  }
  *outcount = written;
  return MPI_SUCCESS;
}

}  // namespace starling::mpi
