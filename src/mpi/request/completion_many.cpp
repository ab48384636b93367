// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Completion of several requests. The calls that report more than one write MPI_ERROR into every status and return
// MPI_ERR_IN_STATUS when one of them failed; the error handler gets the first failure's own code.
// Source: MPI-5.0, chapters 3.7.5 and 9.3.1.
#include <string>

#include "api/calls.hpp"
#include "base/format.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/fail.hpp"
#include "mpi/request/arrays.hpp"
#include "resilience/fault_tolerance.hpp"

namespace starling::mpi {
namespace {

bool any_in_vain(Context& context, RequestHandles requests) {
  for (MPI_Request handle : requests) {
    const RequestEntry* entry = live_request(context, handle);
    if (entry != nullptr && is_in_vain(*entry->request)) return true;
  }
  return false;
}

/// Waits for one of several requests, but not when another is in vain. False in that case.
bool wait_unless_in_vain(Context& context, RequestHandles requests, const p2p::Request& request) {
  context.progress->wait([&] { return request.settled() || any_in_vain(context, requests); },
                         [&] { return describe(context, requests, observe::WaitKind::kAll); });
  return request.settled();
}

/// Gathers the failures of several operations into the one that the call reports.
class Failures {
 public:
  void add(std::size_t index, const Status& failure, const ErrorOwner& owner) {
    if (count_++ > 0) return;
    owner_ = owner;
    class_ = failure.error_class();
    text_ = formatted("operation {} failed: {}", index, failure.message());
  }
  int report() {
    if (count_ == 0) return MPI_SUCCESS;
    if (count_ > 1) text_ += formatted(" (and {} more)", count_ - 1);
    static_cast<void>(fail(Status::error(class_, std::move(text_)), owner_));
    return MPI_ERR_IN_STATUS;
  }

 private:
  int count_ = 0;
  ErrorClass class_ = ErrorClass::kSuccess;
  ErrorOwner owner_;
  std::string text_;
};

void conclude_at(Context& context, RequestHandles requests, std::size_t index, RequestEntry& entry, MPI_Status* status,
                 Failures& failures) {
  const ErrorOwner owner = entry.owner;
  const Status failure = conclude(context, &requests[index], entry, status);
  set_status_error(status, static_cast<int>(failure.error_class()));
  if (!failure.ok()) failures.add(index, failure, owner);
}

/// Reports each request as soon as it and those before it are complete.
int wait_and_conclude(Context& context, RequestHandles requests, MPI_Status* statuses) {
  Failures failures;
  for (std::size_t index = 0; index < requests.size(); ++index) {
    MPI_Status* status = status_at(statuses, index);
    if (requests[index] == MPI_REQUEST_NULL) {
      write_empty_status(status);
      continue;
    }
    RequestEntry& entry = *context.request(requests[index]);
    if (!is_done(entry)) {
      context.progress->wait([&] { return entry.request->settled(); },
                             [&] { return describe(context, requests.subspan(index), observe::WaitKind::kAll); });
    }
    conclude_at(context, requests, index, entry, status, failures);
  }
  return failures.report();
}

/// Waits until all are settled or one is in vain, and reports those that are settled: where jobs go on after deaths,
/// what is awaited beside a dead process may never come.
int wait_and_conclude_settled(Context& context, RequestHandles requests, MPI_Status* statuses) {
  for (MPI_Request handle : requests) {
    const RequestEntry* entry = live_request(context, handle);
    if (entry == nullptr || entry->request->settled()) continue;
    if (!wait_unless_in_vain(context, requests, *entry->request)) break;
  }
  Failures failures;
  for (std::size_t index = 0; index < requests.size(); ++index) {
    MPI_Status* status = status_at(statuses, index);
    if (requests[index] == MPI_REQUEST_NULL) {
      write_empty_status(status);
      continue;
    }
    RequestEntry& entry = *context.request(requests[index]);
    if (is_done(entry)) {
      conclude_at(context, requests, index, entry, status, failures);
    } else {
      set_status_error(status, MPI_ERR_PENDING);
    }
  }
  return failures.report();
}

/// Waits until one of the requests is complete, or none is left that could be.
FirstDone wait_for_first(Context& context, RequestHandles requests, observe::WaitKind kind) {
  FirstDone found;
  context.progress->wait(
      [&] {
        found = find_done_request(context, requests);
        return found.done != MPI_UNDEFINED || !found.any_live;
      },
      [&] { return describe(context, requests, kind); });
  return found;
}

int conclude_one(Context& context, RequestHandles requests, int index, MPI_Status* status) {
  RequestEntry& entry = *context.request(requests[static_cast<std::size_t>(index)]);
  const ErrorOwner owner = entry.owner;
  return done(conclude(context, &requests[static_cast<std::size_t>(index)], entry, status), owner);
}

int conclude_some(Context& context, RequestHandles requests, int* outcount, int* indices, MPI_Status* statuses) {
  Failures failures;
  int found = 0;
  for (std::size_t index = 0; index < requests.size(); ++index) {
    RequestEntry* entry = live_request(context, requests[index]);
    if (entry == nullptr || !entry->request->settled()) continue;
    conclude_at(context, requests, index, *entry, status_at(statuses, static_cast<std::size_t>(found)), failures);
    indices[found++] = static_cast<int>(index);
  }
  *outcount = found;
  return failures.report();
}

}  // namespace

int waitall(int count, MPI_Request array_of_requests[], MPI_Status array_of_statuses[]) {
  Context& context = *current();
  const RequestHandles requests = request_handles(count, array_of_requests);
  if (context.resilience->survives()) [[unlikely]]
    return wait_and_conclude_settled(context, requests, array_of_statuses);
  return wait_and_conclude(context, requests, array_of_statuses);
}

int testall(int count, MPI_Request array_of_requests[], int* flag, MPI_Status array_of_statuses[]) {
  Context& context = *current();
  const RequestHandles requests = request_handles(count, array_of_requests);
  *flag = requests_done_by_now(context, requests) ? 1 : 0;
  if (*flag == 0) return MPI_SUCCESS;
  return wait_and_conclude(context, requests, array_of_statuses);
}

int waitany(int count, MPI_Request array_of_requests[], int* indx, MPI_Status* status) {
  Context& context = *current();
  const RequestHandles requests = request_handles(count, array_of_requests);
  const FirstDone found = wait_for_first(context, requests, observe::WaitKind::kAny);
  *indx = found.done;
  if (found.done != MPI_UNDEFINED) return conclude_one(context, requests, found.done, status);
  write_empty_status(status);
  return MPI_SUCCESS;
}

int testany(int count, MPI_Request array_of_requests[], int* indx, int* flag, MPI_Status* status) {
  Context& context = *current();
  const RequestHandles requests = request_handles(count, array_of_requests);
  const FirstDone found = find_done_request_by_now(context, requests);
  *indx = found.done;
  *flag = found.done != MPI_UNDEFINED || !found.any_live ? 1 : 0;
  if (found.done != MPI_UNDEFINED) return conclude_one(context, requests, found.done, status);
  if (*flag != 0) write_empty_status(status);
  return MPI_SUCCESS;
}

int waitsome(int incount, MPI_Request array_of_requests[], int* outcount, int array_of_indices[],
             MPI_Status array_of_statuses[]) {
  Context& context = *current();
  const RequestHandles requests = request_handles(incount, array_of_requests);
  const FirstDone found = wait_for_first(context, requests, observe::WaitKind::kSome);
  if (!found.any_live) {
    *outcount = MPI_UNDEFINED;
    return MPI_SUCCESS;
  }
  return conclude_some(context, requests, outcount, array_of_indices, array_of_statuses);
}

int testsome(int incount, MPI_Request array_of_requests[], int* outcount, int array_of_indices[],
             MPI_Status array_of_statuses[]) {
  Context& context = *current();
  const RequestHandles requests = request_handles(incount, array_of_requests);
  const FirstDone found = find_done_request_by_now(context, requests);
  if (!found.any_live) {
    *outcount = MPI_UNDEFINED;
    return MPI_SUCCESS;
  }
  return conclude_some(context, requests, outcount, array_of_indices, array_of_statuses);
}

}  // namespace starling::mpi
