// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/two_phase/two_phase_request.hpp"

namespace starling::io {

TwoPhaseRequest::TwoPhaseRequest(OperationRunner& runner, std::unique_ptr<Operation> operation,
                                 const CollectiveHints& hints, Status planning)
    : Request(p2p::RequestKind::kCollective),
      runner_(runner),
      operation_(std::move(operation)),
      access_(runner, *operation_, hints),
      planning_(std::move(planning)) {}

Result<p2p::Request*> TwoPhaseRequest::start(OperationRunner& runner, comm::Communicator& comm,
                                             std::unique_ptr<Operation> operation, const CollectiveHints& hints,
                                             Status planning) {
  auto* request = new TwoPhaseRequest(runner, std::move(operation), hints, std::move(planning));
  Result<p2p::Request*> inner = runner.world().collectives().start(comm, request->access_);
  if (!inner.ok()) {
    delete request;
    return std::move(inner).status();
  }
  request->inner_ = inner.value();
  if (request->inner_->complete()) {
    request->end();
  } else {
    request->inner_->set_continuation(
        [](p2p::Request& /*inner*/, void* self) { static_cast<TwoPhaseRequest*>(self)->end(); }, request);
  }
  return request;
}

void TwoPhaseRequest::end() {
  failure = operation_->conclude(&completion.bytes);
  if (!inner_->failure.ok()) failure = std::move(inner_->failure);
  if (!planning_.ok()) failure = std::move(planning_);
  finish();
}

void TwoPhaseRequest::dispose() {
  if (!complete()) {
    runner_.keep(*this, operation_->file());
    return;
  }
  inner_->dispose();
  delete this;
}

}  // namespace starling::io
