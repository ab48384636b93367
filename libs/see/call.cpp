// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "call.hpp"

#include <optional>

namespace starling::see {
namespace {

using observe::Awaited;
using observe::AwaitedAs;
using observe::Wait;
using observe::WaitKind;

/// Requests of a long array that are looked at.
constexpr int kMostLookedAt = 1024;

Wait wait_for(const Requests& known, WaitKind kind, int count, const MPI_Request* requests) {
  Wait wait(kind);
  for (int i = 0; i < count; ++i) {
    if (requests[i] == MPI_REQUEST_NULL) continue;
    if (wait.awaited().size() == Wait::kMost || i >= kMostLookedAt) {
      wait.add_untold(1);
      continue;
    }
    const std::optional<Operation> found = known.find(requests[i]);
    wait.add(found ? found->awaited : Awaited());
  }
  return wait;
}

}  // namespace

void Call::leave() noexcept {
  record.end();
  observe::StatusCard& card = *seen_->seat.card;
  card.call.store(0, std::memory_order_relaxed);
  if (card.since_ns.load(std::memory_order_relaxed) != 0) card.since_ns.store(0, std::memory_order_relaxed);
  inside_call = false;
}

std::uint64_t Call::bytes_of(MPI_Count count, MPI_Datatype type) {
  if (seen_ == nullptr || communicator_ == nullptr || communicator_->is_inter || count <= 0) return 0;
  return static_cast<std::uint64_t>(count) * seen_->types.size(type);
}

void Call::describe(AwaitedAs as) {
  if (seen_ == nullptr) return;
  operation_ = {};
  operation_.function = number();
  if (shown_.peer == MPI_PROC_NULL || communicator_ == nullptr) return;
  operation_.awaited.peer = peer(shown_.peer);
  operation_.awaited.tag = shown_.tag == MPI_ANY_TAG ? -1 : shown_.tag;
  operation_.awaited.context_id = communicator_->context;
  operation_.awaited.as = as;
  // A process of another job may do anything.
  if (operation_.awaited.peer.is_none() && shown_.peer >= 0) operation_.awaited.as = AwaitedAs::kOther;
  const bool has_bytes = as == AwaitedAs::kSend || (as == AwaitedAs::kReceive && record.exists());
  if (has_bytes && shown_.count > 0)
    operation_.bytes = static_cast<std::uint64_t>(shown_.count) * seen_->types.size(shown_.type);
}

void Call::publish_operation() { publish(Wait(WaitKind::kOne, operation_.awaited)); }

void Call::publish(const Wait& wait) {
  seen_->publish(wait);
  record.waits(wait);
}

void Call::sent(const Operation& operation) {
  seen_->count_message(operation.awaited.peer, operation.bytes);
  record.sends(operation);
}

void Call::sends() {
  if (seen_ == nullptr || shown_.peer == MPI_PROC_NULL) return;
  describe(AwaitedAs::kSend);
  sent(operation_);
  publish_operation();
}

void Call::sends_buffered() {
  if (seen_ == nullptr || shown_.peer == MPI_PROC_NULL) return;
  describe(AwaitedAs::kSend);
  sent(operation_);
}

void Call::receives() {
  if (seen_ == nullptr || shown_.peer == MPI_PROC_NULL) return;
  describe(AwaitedAs::kReceive);
  record.expects(operation_, communicator_);
  publish_operation();
}

void Call::probes() {
  if (seen_ == nullptr || shown_.peer == MPI_PROC_NULL) return;
  describe(AwaitedAs::kProbe);
  publish_operation();
}

void Call::exchanges(int receive_tag) {
  if (seen_ == nullptr) return;
  Wait both(WaitKind::kAll);
  describe(AwaitedAs::kSend);
  if (shown_.peer != MPI_PROC_NULL) {
    sent(operation_);
    both.add(operation_.awaited);
  }
  shown_.peer = shown_.other;
  shown_.tag = receive_tag;
  describe(AwaitedAs::kReceive);
  if (shown_.peer != MPI_PROC_NULL) both.add(operation_.awaited);
  record.expects(operation_, communicator_);
  if (both.pending() > 0) publish(both);
}

void Call::exchanges_later(int receive_tag) {
  if (seen_ == nullptr) return;
  describe(AwaitedAs::kSend);
  if (shown_.peer != MPI_PROC_NULL) sent(operation_);
  shown_.peer = shown_.other;
  shown_.tag = receive_tag;
  describe(AwaitedAs::kReceive);
  record.expects(operation_, communicator_);
  operation_ = {};  // two operations of one request: nothing is known of its end
}

void Call::starts(AwaitedAs as) {
  describe(as);
  if (seen_ != nullptr && as == AwaitedAs::kSend) sent(operation_);
  if (as == AwaitedAs::kReceive) record.expects(operation_, communicator_);
}

void Call::made(int code, const MPI_Request* request) {
  if (seen_ == nullptr || code != MPI_SUCCESS || *request == MPI_REQUEST_NULL) return;
  operation_.function = number();
  seen_->requests.note(*request, operation_);
  record.keeps(*request);
}

void Call::kept(int code, const MPI_Request* request) {
  if (seen_ != nullptr && code == MPI_SUCCESS) seen_->requests.keep(*request, operation_);
}

void Call::begins(int count, const MPI_Request* requests) {
  if (seen_ == nullptr) return;
  for (int i = 0; i < count; ++i) {
    std::optional<Operation> operation = seen_->requests.find_persistent(requests[i]);
    if (!operation) continue;
    Awaited& awaited = operation->awaited;
    if (awaited.as == AwaitedAs::kSend) sent(*operation);
    if (awaited.as == AwaitedAs::kReceive && record.exists()) {
      record.expects(*operation, seen_->communicators.of_context(awaited.context_id));
      record.keeps(requests[i]);
    }
    if (awaited.as != AwaitedAs::kCollective) continue;
    Communicator* const communicator = seen_->communicators.of_context(awaited.context_id);
    if (communicator == nullptr) continue;
    const std::uint32_t sequence = seen_->begin(*communicator, {operation->function, -1, 0});
    awaited.tag = static_cast<std::int32_t>(sequence);
    seen_->requests.keep(requests[i], *operation);
    record.begins_collective(awaited.context_id, sequence, {operation->function, -1, 0});
  }
}

void Call::forgets(const MPI_Request* request) {
  if (seen_ == nullptr) return;
  seen_->requests.forget(*request);
  record.gives_up(*request);
}

void Call::starts_collective(int root, std::uint64_t bytes) {
  if (seen_ == nullptr || communicator_ == nullptr) return;
  operation_ = {};
  operation_.function = number();
  const BegunCollective collective{number(), root, bytes};
  const std::uint32_t sequence = seen_->begin(*communicator_, collective);
  record.begins_collective(communicator_->context, sequence, collective);
  if (communicator_->context == Awaited::kNoContext) return;
  operation_.awaited.tag = static_cast<std::int32_t>(sequence);
  operation_.awaited.context_id = communicator_->context;
  operation_.awaited.as = AwaitedAs::kCollective;
}

void Call::collective(int root, std::uint64_t bytes) {
  if (seen_ == nullptr || communicator_ == nullptr) return;
  starts_collective(root, bytes);
  publish(Wait(WaitKind::kCollective, operation_.awaited));
}

void Call::prepares_collective() {
  if (seen_ == nullptr || communicator_ == nullptr) return;
  operation_ = {};
  operation_.function = number();
  operation_.awaited.context_id = communicator_->context;
  if (communicator_->context != Awaited::kNoContext) operation_.awaited.as = AwaitedAs::kCollective;
}

void Call::waits(WaitKind kind, int count, const MPI_Request* requests) {
  if (seen_ == nullptr) return;
  const Wait wait = wait_for(seen_->requests, kind, count, requests);
  if (wait.pending() > 0) publish(wait);
  record.watches(count, requests);
}

void Call::tested(int code, bool found, int count, const MPI_Request* requests) {
  if (seen_ == nullptr) return;
  if (found || code != MPI_SUCCESS) return seen_->end_tests();
  if (seen_->tested_in_vain()) seen_->begin_tests(wait_for(seen_->requests, WaitKind::kTestLoop, count, requests));
}

void Call::probed(int code, bool found) {
  if (seen_ == nullptr) return;
  if (found || code != MPI_SUCCESS) return seen_->end_tests();
  if (!seen_->tested_in_vain()) return;
  describe(AwaitedAs::kProbe);
  seen_->begin_tests(Wait(WaitKind::kTestLoop, operation_.awaited));
}

void Call::matched(int code, bool found, const MPI_Message* message) {
  if (seen_ == nullptr || communicator_ == nullptr || !found || code != MPI_SUCCESS) return;
  describe(AwaitedAs::kReceive);
  record.matches(operation_, *communicator_, *message);
}

void Call::window(int target) {
  if (seen_ == nullptr) return;
  Awaited awaited;
  awaited.peer = peer(target);
  awaited.context_id = context();
  awaited.as = AwaitedAs::kWindow;
  publish(Wait(WaitKind::kWindow, awaited));
}

void Call::waits_as(WaitKind kind) {
  if (seen_ != nullptr) publish(Wait(kind));
}

void Call::made_comm(int code, const MPI_Comm* made) {
  if (seen_ == nullptr || code != MPI_SUCCESS || communicator_ == nullptr) return;
  seen_->communicators.make(*made, communicator_->context_of_child());
}

void Call::made_comm_by_members(int code, const MPI_Comm* made, int tag) {
  if (seen_ != nullptr && code == MPI_SUCCESS) seen_->communicators.make_by_members(*made, tag);
}

void Call::freed(int code, std::uintptr_t bits) {
  if (seen_ == nullptr || code != MPI_SUCCESS) return;
  record.frees(communicator_);
  seen_->communicators.forget(bits);
}

}  // namespace starling::see
