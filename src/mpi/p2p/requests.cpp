// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/p2p/requests.hpp"

#include <utility>

#include "mpi/boundary/context.hpp"
#include "mpi/boundary/status.hpp"
#include "mpi/p2p/send_buffer.hpp"

namespace starling::mpi {

PersistentMessage::PersistentMessage(Operation operation, const p2p::Message& message, CommObject& comm,
                                     Ref<const datatype::Datatype> type)
    : operation_(operation), message_(message), comm_(Ref<CommObject>::share(&comm)), type_(std::move(type)) {}

Result<p2p::Request*> PersistentMessage::begin(Context& context) {
  switch (operation_) {
    case Operation::kBufferedSend: {
      STARLING_TRY(send_buffer_of(context, *comm_).send(*context.p2p, message_));
      return new CompleteRequest(kEmptyCompletion);
    }
    case Operation::kSend: return context.p2p->isend(message_, p2p::SendMode::kStandard);
    case Operation::kSynchronousSend: return context.p2p->isend(message_, p2p::SendMode::kSynchronous);
    case Operation::kReadySend: return context.p2p->isend(message_, p2p::SendMode::kReady);
    case Operation::kReceive: break;
  }
  return context.p2p->ireceive(message_);
}

SendReceiveRequest::SendReceiveRequest(Context& context, const p2p::Message& send, const p2p::Message& receive,
                                       std::unique_ptr<std::byte[]> packed)
    : Request(p2p::RequestKind::kReceive), context_(context), packed_(std::move(packed)) {
  receive_ = context.p2p->ireceive(receive);
  send_ = context.p2p->isend(send, p2p::SendMode::kStandard);
  pending_ = 1;  // until both are watched
  watch(receive_);
  watch(send_);
  if (!receive_->complete()) stand_for(receive_);
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

}  // namespace starling::mpi
