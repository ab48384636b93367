// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "p2p/protocol/receive_requests.hpp"

#include "base/format.hpp"

namespace starling::p2p {

Status ReceiveRequests::truncated(const ReceiveRequest& request) {
  return Status::error(
      ErrorClass::kTruncate,
      formatted("a message of {} bytes from rank {} with tag {} does not fit the receive of {} bytes; "
                "the rest of it is lost. Receive with a larger count, or probe for the size",
                request.message_bytes, request.completion.source, request.completion.tag, request.capacity));
}

void ReceiveRequests::fail(ReceiveRequest& request, const Status& why) {
  request.message_bytes = 0;
  request.completion.bytes = 0;
  request.failure = why.copy();
  complete(request);
}

void ReceiveRequests::orphan(ReceiveRequest& request, const Status& why) {
  request.orphaned = true;
  request.failure = why.copy();
  request.completion.bytes = 0;
  request.type = {};
  request.finish();
}

void ReceiveRequests::end_orphan(ReceiveRequest& request) {
  request.orphaned = false;
  if (request.disposed) pool_.give(&request);
}

void ReceiveRequests::dispose(ReceiveRequest& request) {
  if (request.complete() && !request.orphaned) {
    pool_.give(&request);
  } else {
    request.disposed = true;
  }
}

bool ReceiveRequests::busy_in(std::uint32_t context_id) {
  bool busy = false;
  if (pool_.in_use() == 0) return busy;
  pool_.for_each(
      [&](const ReceiveRequest& request) { busy |= !request.complete() && request.pattern.context_id == context_id; });
  return busy;
}

}  // namespace starling::p2p
