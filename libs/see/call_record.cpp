// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "call_record.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace starling::see {
namespace {

using observe::AwaitedAs;
using observe::Event;

/// The requests that this thread's call is about, as they were before it, and room for their statuses.
struct Watched {
  std::uintptr_t request = 0;
  std::optional<BegunReceive> receive;  ///< that the request stands for, until it is complete
};
thread_local std::vector<Watched> watched;
thread_local std::vector<MPI_Status> room_for_statuses;

/// Bytes of the message; fallback: where it does not tell.
std::uint64_t bytes_in(const MPI_Status& status, std::uint64_t fallback) {
  MPI_Count count = 0;
  const bool tells = PMPI_Get_elements_x(&status, MPI_BYTE, &count) == MPI_SUCCESS && count >= 0;
  return tells ? static_cast<std::uint64_t>(count) : fallback;
}

Envelope envelope_of(const observe::Awaited& awaited) noexcept {
  return {awaited.peer.is_none() ? -1 : awaited.peer.value, awaited.tag, awaited.context_id};
}

/// What a receive has got.
Envelope envelope_of(const BegunReceive& receive, const MPI_Status& status) {
  Envelope from = receive.wanted;
  if (from.peer < 0 && receive.communicator != nullptr) {
    const PeerId peer = receive.communicator->peer(status.MPI_SOURCE);
    from.peer = peer.is_none() ? -1 : peer.value;
  }
  if (from.tag < 0) from.tag = status.MPI_TAG;
  return from;
}

}  // namespace

void CallRecord::begin(Recorder& recorder, mpi::Function function, const void* site) {
  recorder_ = &recorder;
  call_ = recorder.begin(static_cast<std::uint16_t>(function), reinterpret_cast<std::uintptr_t>(site));
}

void CallRecord::waits(const observe::Wait& wait) {
  if (!call_) return;
  call_->wait_kind = wait.kind();
  call_->awaited = wait.awaited().empty() ? observe::Awaited() : wait.awaited().front();
}

void CallRecord::begins_collective(std::uint32_t context, std::uint32_t sequence,
                                   const BegunCollective& collective) noexcept {
  if (!call_) return;
  call_->is_told = true;
  call_->told.peer = collective.root;
  call_->told.bytes = collective.bytes;
  // One without a number cannot be joined with that of other ranks.
  if (context == Event::kNoContext) return;
  call_->told.flags = Event::kCollective;
  call_->told.context_id = context;
  call_->told.sequence = sequence;
}

void CallRecord::sends(const Operation& operation) {
  if (call_ && !operation.awaited.peer.is_none())
    recorder_->sent(*call_, envelope_of(operation.awaited), operation.bytes);
}

void CallRecord::expects(const Operation& operation, const Communicator* communicator) {
  if (!call_) return;
  BegunReceive receive;
  // From nobody, or from another job, of which nothing is told.
  receive.is_of_job = operation.awaited.as == AwaitedAs::kReceive;
  receive.wanted = envelope_of(operation.awaited);
  receive.communicator = communicator;
  receive.room = operation.bytes;
  call_->receive = recorder_->expects(*call_, receive);
}

void CallRecord::keeps(MPI_Request request) {
  if (call_ && call_->receive) recorder_->keep(any_mpi::bits_of(request), *call_->receive);
}

void CallRecord::gives_up(MPI_Request request) {
  if (!call_) return;
  // A message that comes for it is one of its lane.
  if (const std::optional<BegunReceive> freed = recorder_->take(any_mpi::bits_of(request)))
    recorder_->ends_unseen(*freed);
}

void CallRecord::matches(const Operation& operation, const Communicator& communicator, MPI_Message message) {
  if (!call_ || message == MPI_MESSAGE_NO_PROC) return;
  expects(operation, &communicator);
  BegunReceive receive = *call_->receive;
  receive.room = bytes_in(*statuses_, 0);
  const Envelope from = envelope_of(receive, *statuses_);
  if (receive.is_of_job && from.is_whole()) recorder_->matched(any_mpi::bits_of(message), receive, from);
}

void CallRecord::takes(const MPI_Message* message) {
  if (call_) call_->receive = recorder_->take_matched(any_mpi::bits_of(*message));
}

void CallRecord::complete(const BegunReceive& receive, const MPI_Status* status) {
  if (!receive.is_of_job) return;
  if (status == nullptr) return recorder_->received(*call_, receive, receive.wanted, receive.room);
  int cancelled = 0;
  PMPI_Test_cancelled(status, &cancelled);
  if (cancelled != 0) return recorder_->ends_without(receive);
  const Envelope from = envelope_of(receive, *status);
  if (from.is_whole()) recorder_->received(*call_, receive, from, bytes_in(*status, receive.room));
}

void CallRecord::received(int code) {
  if (call_ && call_->receive && code == MPI_SUCCESS) complete(*call_->receive, statuses_);
}

void CallRecord::watches(int count, const MPI_Request* requests) {
  if (!call_) return;
  watched.clear();
  if (!recorder_->keeps_any()) return;
  for (int i = 0; i < count; ++i) {
    const std::uintptr_t request = any_mpi::bits_of(requests[i]);
    watched.push_back({request, recorder_->watch(request)});
  }
}

void CallRecord::completed(int found, const int* which) {
  if (!call_ || watched.empty()) return;
  const bool has_statuses = statuses_ != MPI_STATUS_IGNORE && statuses_ != MPI_STATUSES_IGNORE;
  for (int i = 0; i < found; ++i) {
    const auto at = static_cast<std::size_t>(which != nullptr ? which[i] : i);
    if (at >= watched.size()) continue;
    Watched& each = watched[at];
    if (!each.receive) continue;
    recorder_->take_watched(each.request, *each.receive);
    complete(*std::exchange(each.receive, std::nullopt), has_statuses ? statuses_ + i : nullptr);
  }
}

void CallRecord::end() {
  if (!call_) return;
  for (const Watched& each : watched) {
    if (each.receive) recorder_->unwatch(each.request, *each.receive);
  }
  watched.clear();
  recorder_->end(*call_);
}

MPI_Status* CallRecord::status(MPI_Status* wanted) {
  statuses_ = call_ && wanted == MPI_STATUS_IGNORE ? &status_ : wanted;
  return statuses_;
}

MPI_Status* CallRecord::statuses(MPI_Status* wanted) {
  statuses_ = wanted;
  if (!call_ || wanted != MPI_STATUSES_IGNORE) return wanted;
  // With statuses an error is told in another way, so there are some only where a message cannot be known without.
  const auto is_open = [](const Watched& each) { return each.receive && !each.receive->wanted.is_whole(); };
  if (std::ranges::none_of(watched, is_open)) return wanted;
  room_for_statuses.resize(watched.size());
  statuses_ = room_for_statuses.data();
  return statuses_;
}

}  // namespace starling::see
