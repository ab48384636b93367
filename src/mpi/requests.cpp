// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/requests.hpp"

#include <utility>

namespace starling::mpi {

PersistentRequest::PersistentRequest(Operation operation, const p2p::Message& message, CommObject& comm,
                                     datatype::Ref<const datatype::Datatype> type)
    : Request(p2p::RequestKind::kPersistent),
      operation_(operation),
      message_(message),
      comm_(Ref<CommObject>::share(&comm)),
      type_(std::move(type)) {}

Status PersistentRequest::start(Context& context) {
  if (active_) {
    return Status::error(ErrorClass::kRequest,
                         "the persistent request is active already; complete it with MPI_Wait or MPI_Test first");
  }
  reset();
  switch (operation_) {
    case Operation::kBufferedSend: {
      SendBuffer& buffer = comm_->buffer.attached() ? comm_->buffer : context.send_buffer;
      STARLING_TRY(buffer.send(*context.p2p, message_));
      active_ = true;
      completion = kEmptyCompletion;
      finish();
      return {};
    }
    case Operation::kReceive: inner_ = context.p2p->ireceive(message_); break;
    case Operation::kSend: inner_ = context.p2p->isend(message_, p2p::SendMode::kStandard); break;
    case Operation::kSynchronousSend: inner_ = context.p2p->isend(message_, p2p::SendMode::kSynchronous); break;
    case Operation::kReadySend: inner_ = context.p2p->isend(message_, p2p::SendMode::kReady); break;
  }
  active_ = true;
  if (inner_->complete()) {
    absorb();
  } else {
    inner_->set_continuation(
        [](p2p::Request& /*inner*/, void* self) { static_cast<PersistentRequest*>(self)->absorb(); }, this);
  }
  return {};
}

void PersistentRequest::absorb() {
  completion = inner_->completion;
  failure = std::move(inner_->failure);
  finish();
}

void PersistentRequest::deactivate() {
  active_ = false;
  if (inner_) std::exchange(inner_, nullptr)->dispose();
}

void PersistentRequest::dispose() {
  if (inner_) {
    // The engine keeps what the operation needs until it completes.
    inner_->set_continuation(nullptr, nullptr);
    inner_->dispose();
  }
  delete this;
}

SendReceiveRequest::SendReceiveRequest(Context& context, const p2p::Message& send, const p2p::Message& receive,
                                       std::unique_ptr<std::byte[]> packed)
    : Request(p2p::RequestKind::kReceive), context_(context), packed_(std::move(packed)) {
  receive_ = context.p2p->ireceive(receive);
  send_ = context.p2p->isend(send, p2p::SendMode::kStandard);
  pending_ = 1;  // until both are watched
  watch(receive_);
  watch(send_);
  part_done();
}

void SendReceiveRequest::watch(p2p::Request* part) {
  if (part->complete()) return;
  ++pending_;
  part->set_continuation(
      [](p2p::Request& /*part*/, void* self) { static_cast<SendReceiveRequest*>(self)->part_done(); }, this);
}

void SendReceiveRequest::part_done() {
  if (--pending_ > 0) return;
  completion = receive_->completion;
  failure = std::move(receive_->failure.ok() ? send_->failure : receive_->failure);
  finish();
}

void SendReceiveRequest::dispose() {
  if (!complete()) {
    context_.orphans.push_back(this);
    return;
  }
  receive_->dispose();
  send_->dispose();
  delete this;
}

Status conclude(Context& context, MPI_Request* handle, RequestEntry& entry, MPI_Status* status) {
  p2p::Request& request = *entry.request;
  if (request.kind() == p2p::RequestKind::kPersistent) [[unlikely]] {
    auto& persistent = static_cast<PersistentRequest&>(request);
    if (!persistent.active()) {
      write_status(status, kEmptyCompletion);
      return {};
    }
    write_status(status, request.completion);
    Status failure = std::move(request.failure);
    persistent.deactivate();
    return failure;
  }
  write_status(status, request.completion);
  Status failure = std::move(request.failure);
  context.requests.erase(*handle);
  *handle = MPI_REQUEST_NULL;
  request.dispose();
  return failure;
}

}  // namespace starling::mpi
