// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the calls on several requests share: searches of the array, and the statuses that they write.
// Thread safety: the holder of the world's lock. Source: MPI-5.0, chapter 3.7.5.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <span>

#include "mpi/boundary/context.hpp"
#include "mpi/boundary/looking.hpp"
#include "mpi/boundary/status.hpp"
#include "mpi/request/requests.hpp"

namespace starling::mpi {

using RequestHandles = std::span<MPI_Request>;

inline RequestHandles request_handles(int count, MPI_Request* requests) {
  return {requests, static_cast<std::size_t>(count)};
}

/// Read-only calls share the searches below, which change nothing.
inline RequestHandles request_handles(int count, const MPI_Request* requests) {
  return request_handles(count, const_cast<MPI_Request*>(requests));
}

/// The entry of a request that can still complete, or null.
inline RequestEntry* live_request(Context& context, MPI_Request handle) {
  RequestEntry* entry = handle == MPI_REQUEST_NULL ? nullptr : context.request(handle);
  return entry != nullptr && is_active(*entry) ? entry : nullptr;
}

inline bool requests_done(Context& context, RequestHandles requests) {
  for (MPI_Request handle : requests) {
    const RequestEntry* entry = live_request(context, handle);
    if (entry != nullptr && !entry->request->settled()) return false;
  }
  return true;
}

/// What a wait for several requests, or a row of tests, waits for. Of a long array only the first part is looked at.
inline observe::Wait describe(Context& context, RequestHandles requests, observe::WaitKind kind) {
  constexpr std::size_t kMostLookedAt = 1024;
  observe::Wait wait(kind);
  for (MPI_Request handle : requests.first(std::min(requests.size(), kMostLookedAt))) {
    const RequestEntry* entry = live_request(context, handle);
    if (entry != nullptr && !entry->request->settled()) wait.add(entry->request->awaited());
  }
  if (requests.size() > kMostLookedAt) wait.add_untold(static_cast<std::uint32_t>(requests.size() - kMostLookedAt));
  return wait;
}

/// What a search of an array finds.
struct FirstDone {
  int done = MPI_UNDEFINED;  ///< index of the first request that is complete
  bool any_live = false;
};

inline FirstDone find_done_request(Context& context, RequestHandles requests) {
  FirstDone found;
  for (std::size_t index = 0; index < requests.size(); ++index) {
    const RequestEntry* entry = live_request(context, requests[index]);
    if (entry == nullptr) continue;
    found.any_live = true;
    if (entry->request->settled()) {
      found.done = static_cast<int>(index);
      return found;
    }
  }
  return found;
}

/// Whether all requests are done now or after a round.
inline bool requests_done_by_now(Context& context, RequestHandles requests) {
  if (requests_done(context, requests)) return true;
  return look_again(
      context, places_of_requests(context, requests.size()), [&] { return requests_done(context, requests); },
      [&] { return describe(context, requests, observe::WaitKind::kTestLoop); });
}

/// find_done_request(), once more after a round where nothing is done.
inline FirstDone find_done_request_by_now(Context& context, RequestHandles requests) {
  FirstDone found = find_done_request(context, requests);
  if (found.done != MPI_UNDEFINED || !found.any_live) return found;
  look_again(
      context, places_of_requests(context, requests.size()),
      [&] {
        found = find_done_request(context, requests);
        return found.done != MPI_UNDEFINED;
      },
      [&] { return describe(context, requests, observe::WaitKind::kTestLoop); });
  return found;
}

inline MPI_Status* status_at(MPI_Status* statuses, std::size_t index) {
  return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses + index;
}

inline void set_status_error(MPI_Status* status, int code) {
  if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = code;
}

}  // namespace starling::mpi
