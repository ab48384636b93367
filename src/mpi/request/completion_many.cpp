// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Completion of several requests. The calls that report more than one write MPI_ERROR into every status and return
// MPI_ERR_IN_STATUS when one of them failed; the error handler gets the first failure's own code.
// Source: MPI-5.0, chapters 3.7.5 and 9.3.1.
#include <span>
#include <string>

#include "api/calls.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/fail.hpp"
#include "mpi/boundary/looking.hpp"
#include "mpi/boundary/status.hpp"
#include "mpi/request/requests.hpp"
#include "resilience/fault_tolerance.hpp"

namespace starling::mpi {
namespace {

using Handles = std::span<MPI_Request>;

Handles handles(int count, MPI_Request* requests) { return {requests, static_cast<std::size_t>(count)}; }

/// Read-only calls share the searches below, which change nothing.
Handles handles(int count, const MPI_Request* requests) { return handles(count, const_cast<MPI_Request*>(requests)); }

/// The entry of a request that can still complete, or null.
RequestEntry* live(Context& context, MPI_Request handle) {
  RequestEntry* entry = handle == MPI_REQUEST_NULL ? nullptr : context.request(handle);
  return entry != nullptr && is_active(*entry) ? entry : nullptr;
}

bool all_done(Context& context, Handles requests) {
  for (MPI_Request handle : requests) {
    const RequestEntry* entry = live(context, handle);
    if (entry != nullptr && !entry->request->settled()) return false;
  }
  return true;
}

/// What a look at an array finds.
struct Sight {
  int done = MPI_UNDEFINED;  ///< index of the first request that is complete
  bool any_live = false;
};

Sight look(Context& context, Handles requests) {
  Sight sight;
  for (std::size_t index = 0; index < requests.size(); ++index) {
    const RequestEntry* entry = live(context, requests[index]);
    if (entry == nullptr) continue;
    sight.any_live = true;
    if (entry->request->settled()) {
      sight.done = static_cast<int>(index);
      return sight;
    }
  }
  return sight;
}

/// Whether all requests are done now or after a round.
bool all_done_by_now(Context& context, Handles requests) {
  if (all_done(context, requests)) return true;
  return look_again(context, places_of_requests(context, requests.size()), [&] { return all_done(context, requests); });
}

/// look(), once more after a round where nothing is done.
Sight look_twice(Context& context, Handles requests) {
  Sight sight = look(context, requests);
  if (sight.done != MPI_UNDEFINED || !sight.any_live) return sight;
  look_again(context, places_of_requests(context, requests.size()), [&] {
    sight = look(context, requests);
    return sight.done != MPI_UNDEFINED;
  });
  return sight;
}

bool any_in_vain(Context& context, Handles requests) {
  for (MPI_Request handle : requests) {
    const RequestEntry* entry = live(context, handle);
    if (entry != nullptr && is_in_vain(*entry->request)) return true;
  }
  return false;
}

/// Waits for one of several requests, but not when another is in vain. False in that case.
bool wait_unless_in_vain(Context& context, Handles requests, const p2p::Request& request) {
  context.progress->wait([&] { return request.settled() || any_in_vain(context, requests); });
  return request.settled();
}

MPI_Status* status_at(MPI_Status* statuses, std::size_t index) {
  return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses + index;
}

void set_error(MPI_Status* status, int code) {
  if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = code;
}

/// Gathers the failures of several operations into the one that the call reports.
class Failures {
 public:
  void add(std::size_t index, const Status& failure, const ErrorOwner& owner) {
    if (count_++ > 0) return;
    owner_ = owner;
    class_ = failure.error_class();
    text_ = "operation " + std::to_string(index) + " failed: " + failure.message();
  }
  int report() {
    if (count_ == 0) return MPI_SUCCESS;
    if (count_ > 1) text_ += " (and " + std::to_string(count_ - 1) + " more)";
    static_cast<void>(fail(Status::error(class_, std::move(text_)), owner_));
    return MPI_ERR_IN_STATUS;
  }

 private:
  int count_ = 0;
  ErrorClass class_ = ErrorClass::kSuccess;
  ErrorOwner owner_;
  std::string text_;
};

void write_null(MPI_Status* status) {
  write_status(status, kEmptyCompletion);
  set_error(status, MPI_SUCCESS);
}

/// The status of a request that stays, with its MPI_ERROR; the empty one for a request that is not live.
void write_or_empty(const RequestEntry* entry, MPI_Status* status) {
  if (entry == nullptr) return write_null(status);
  const Status queried = write_outcome(*entry->request, status);
  const Status& failure = entry->request->failure.ok() ? queried : entry->request->failure;
  set_error(status, static_cast<int>(failure.error_class()));
}

void conclude_at(Context& context, Handles requests, std::size_t index, RequestEntry& entry, MPI_Status* status,
                 Failures& failures) {
  const ErrorOwner owner = entry.owner;
  const Status failure = conclude(context, &requests[index], entry, status);
  set_error(status, static_cast<int>(failure.error_class()));
  if (!failure.ok()) failures.add(index, failure, owner);
}

/// Reports each request as soon as it and those before it are complete.
int wait_and_conclude(Context& context, Handles requests, MPI_Status* statuses) {
  Failures failures;
  for (std::size_t index = 0; index < requests.size(); ++index) {
    MPI_Status* status = status_at(statuses, index);
    if (requests[index] == MPI_REQUEST_NULL) {
      write_null(status);
      continue;
    }
    RequestEntry& entry = *context.request(requests[index]);
    if (!is_done(entry)) context.p2p->wait(*entry.request);
    conclude_at(context, requests, index, entry, status, failures);
  }
  return failures.report();
}

/// Waits until all are settled or one is in vain, and reports those that are settled: where jobs go on after deaths,
/// what is awaited beside a dead process may never come.
int wait_and_conclude_settled(Context& context, Handles requests, MPI_Status* statuses) {
  for (MPI_Request handle : requests) {
    const RequestEntry* entry = live(context, handle);
    if (entry == nullptr || entry->request->settled()) continue;
    if (!wait_unless_in_vain(context, requests, *entry->request)) break;
  }
  Failures failures;
  for (std::size_t index = 0; index < requests.size(); ++index) {
    MPI_Status* status = status_at(statuses, index);
    if (requests[index] == MPI_REQUEST_NULL) {
      write_null(status);
      continue;
    }
    RequestEntry& entry = *context.request(requests[index]);
    if (is_done(entry)) {
      conclude_at(context, requests, index, entry, status, failures);
    } else {
      set_error(status, MPI_ERR_PENDING);
    }
  }
  return failures.report();
}

int conclude_one(Context& context, Handles requests, int index, MPI_Status* status) {
  RequestEntry& entry = *context.request(requests[static_cast<std::size_t>(index)]);
  const ErrorOwner owner = entry.owner;
  return done(conclude(context, &requests[static_cast<std::size_t>(index)], entry, status), owner);
}

int conclude_some(Context& context, Handles requests, int* outcount, int* indices, MPI_Status* statuses) {
  Failures failures;
  int found = 0;
  for (std::size_t index = 0; index < requests.size(); ++index) {
    RequestEntry* entry = live(context, requests[index]);
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
  const Handles requests = handles(count, array_of_requests);
  if (context.resilience->survives()) [[unlikely]]
    return wait_and_conclude_settled(context, requests, array_of_statuses);
  return wait_and_conclude(context, requests, array_of_statuses);
}

int testall(int count, MPI_Request array_of_requests[], int* flag, MPI_Status array_of_statuses[]) {
  Context& context = *current();
  const Handles requests = handles(count, array_of_requests);
  *flag = all_done_by_now(context, requests) ? 1 : 0;
  if (*flag == 0) return MPI_SUCCESS;
  return wait_and_conclude(context, requests, array_of_statuses);
}

int waitany(int count, MPI_Request array_of_requests[], int* indx, MPI_Status* status) {
  Context& context = *current();
  const Handles requests = handles(count, array_of_requests);
  Sight sight;
  context.progress->wait([&] {
    sight = look(context, requests);
    return sight.done != MPI_UNDEFINED || !sight.any_live;
  });
  *indx = sight.done;
  if (sight.done != MPI_UNDEFINED) return conclude_one(context, requests, sight.done, status);
  write_status(status, kEmptyCompletion);
  return MPI_SUCCESS;
}

int testany(int count, MPI_Request array_of_requests[], int* indx, int* flag, MPI_Status* status) {
  Context& context = *current();
  const Handles requests = handles(count, array_of_requests);
  const Sight sight = look_twice(context, requests);
  *indx = sight.done;
  *flag = sight.done != MPI_UNDEFINED || !sight.any_live ? 1 : 0;
  if (sight.done != MPI_UNDEFINED) return conclude_one(context, requests, sight.done, status);
  if (*flag != 0) write_status(status, kEmptyCompletion);
  return MPI_SUCCESS;
}

int waitsome(int incount, MPI_Request array_of_requests[], int* outcount, int array_of_indices[],
             MPI_Status array_of_statuses[]) {
  Context& context = *current();
  const Handles requests = handles(incount, array_of_requests);
  Sight sight;
  context.progress->wait([&] {
    sight = look(context, requests);
    return sight.done != MPI_UNDEFINED || !sight.any_live;
  });
  if (!sight.any_live) {
    *outcount = MPI_UNDEFINED;
    return MPI_SUCCESS;
  }
  return conclude_some(context, requests, outcount, array_of_indices, array_of_statuses);
}

int testsome(int incount, MPI_Request array_of_requests[], int* outcount, int array_of_indices[],
             MPI_Status array_of_statuses[]) {
  Context& context = *current();
  const Handles requests = handles(incount, array_of_requests);
  const Sight sight = look_twice(context, requests);
  if (!sight.any_live) {
    *outcount = MPI_UNDEFINED;
    return MPI_SUCCESS;
  }
  return conclude_some(context, requests, outcount, array_of_indices, array_of_statuses);
}

int request_get_status_all(int count, const MPI_Request array_of_requests[], int* flag,
                           MPI_Status array_of_statuses[]) {
  Context& context = *current();
  const Handles requests = handles(count, array_of_requests);
  *flag = all_done_by_now(context, requests) ? 1 : 0;
  if (*flag == 0) return MPI_SUCCESS;
  for (std::size_t index = 0; index < requests.size(); ++index) {
    const RequestEntry* entry = live(context, requests[index]);
    MPI_Status* status = status_at(array_of_statuses, index);
    write_or_empty(entry, status);
  }
  return MPI_SUCCESS;
}

int request_get_status_any(int count, const MPI_Request array_of_requests[], int* indx, int* flag, MPI_Status* status) {
  Context& context = *current();
  const Handles requests = handles(count, array_of_requests);
  const Sight sight = look_twice(context, requests);
  *indx = sight.done;
  *flag = sight.done != MPI_UNDEFINED || !sight.any_live ? 1 : 0;
  if (*flag == 0) return MPI_SUCCESS;
  const RequestEntry* entry =
      sight.done != MPI_UNDEFINED ? context.request(requests[static_cast<std::size_t>(sight.done)]) : nullptr;
  if (entry == nullptr) {
    write_status(status, kEmptyCompletion);
    return MPI_SUCCESS;
  }
  return done(write_outcome(*entry->request, status), entry->owner);
}

int request_get_status_some(int incount, const MPI_Request array_of_requests[], int* outcount, int array_of_indices[],
                            MPI_Status array_of_statuses[]) {
  Context& context = *current();
  const Handles requests = handles(incount, array_of_requests);
  const Sight sight = look_twice(context, requests);
  if (!sight.any_live) {
    *outcount = MPI_UNDEFINED;
    return MPI_SUCCESS;
  }
  int found = 0;
  for (std::size_t index = 0; index < requests.size(); ++index) {
    const RequestEntry* entry = live(context, requests[index]);
    if (entry == nullptr || !entry->request->complete()) continue;
    MPI_Status* status = status_at(array_of_statuses, static_cast<std::size_t>(found));
    write_or_empty(entry, status);
    array_of_indices[found++] = static_cast<int>(index);
  }
  *outcount = found;
  return MPI_SUCCESS;
}

}  // namespace starling::mpi
