// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Call: an MPI call of the program, from its begin to its end, as the generated wrappers tell of it
// (api/generator/seen.py). Of a process that nobody sees, and within another call, it does nothing.
//
// What a call may wait for is published when it begins, from its arguments, for nothing can be learnt while it lasts.
// No clock is read: 'starling see' finds out which calls last. Of a job that is traced the recorder hears of both ends.
//
// **Thread safety**: one thread.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "api/functions.hpp"
#include "call_record.hpp"
#include "observe/show_call.hpp"
#include "observed.hpp"

#define STARLING_SEE_EXPORT extern "C" __attribute__((visibility("default")))

namespace starling::see {

/// What a call shows of its arguments (observe/last_calls.hpp).
struct Shown {
  int peer = 0;
  int other = 0;
  int tag = 0;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Count count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

enum class CallIs : bool { kOther, kTest };

class Call {
 public:
  /// site: where the program goes on after it.
  Call(mpi::Function function, const void* site) noexcept
      : seen_(inside_call ? nullptr : observed.load(std::memory_order_acquire)), function_(function) {
    if (seen_ == nullptr) return;
    inside_call = true;
    if (seen_->recorder) [[unlikely]]
      record.begin(*seen_->recorder, function, site);
  }
  ~Call() {
    if (seen_ != nullptr) leave();
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  /// First of all.
  template <observe::Tells tells, CallIs is = CallIs::kOther>
  void shows(const Shown& shown);
  /// The window or file that the call is about, in place of a communicator.
  template <typename Handle>
  void on(Handle handle) {
    if (seen_ != nullptr) communicator_ = seen_->communicators.find_other(handle);
  }
  /// The bytes of so many elements; 0 where the arguments need not count.
  [[nodiscard]] std::uint64_t bytes_of(MPI_Count count, MPI_Datatype type);

  // Blocking calls between two, about the peer that is shown.
  void sends();
  /// ... which does not wait for the receiver.
  void sends_buffered();
  void receives();
  void probes();
  void exchanges(int receive_tag);
  /// The same with a request.
  void exchanges_later(int receive_tag);
  /// A matched probe has found it.
  void matched(int code, bool found, const MPI_Message* message);
  // Nonblocking and persistent ones: what the request stands for, before the call, and the request, after it.
  void starts(observe::AwaitedAs as);
  void prepares(observe::AwaitedAs as) { describe(as); }
  void made(int code, const MPI_Request* request);
  void kept(int code, const MPI_Request* request);
  /// Persistent requests begin.
  void begins(int count, const MPI_Request* requests);
  void forgets(const MPI_Request* request);

  // Collectives of the communicator, window or file. root: negative: it has none.
  void collective(int root, std::uint64_t bytes);
  void starts_collective(int root, std::uint64_t bytes);
  void prepares_collective();

  // Completion.
  void waits(observe::WaitKind kind, int count, const MPI_Request* requests);
  void tested(int code, bool found, int count, const MPI_Request* requests);
  void probed(int code, bool found);

  // Other waits.
  void window(int target);
  void waits_as(observe::WaitKind kind);

  // What collectives have made, and what they free.
  void made_comm(int code, const MPI_Comm* made);
  void made_comm_by_members(int code, const MPI_Comm* made, int tag);
  /// With the members of the communicator of the call; it need not be complete.
  template <typename Handle>
  void made_like(int code, const Handle* made) {
    if (seen_ == nullptr || code != MPI_SUCCESS || communicator_ == nullptr) return;
    seen_->communicators.make_like(any_mpi::bits_of(*made), *communicator_, communicator_->context_of_child());
  }
  /// bits: of the handle, before the call.
  void freed(int code, std::uintptr_t bits);

  CallRecord record;

 private:
  void leave() noexcept;
  /// Sets operation_ to what is shown.
  void describe(observe::AwaitedAs as);
  void publish_operation();
  void publish(const observe::Wait& wait);
  /// A message leaves.
  void sent(const Operation& operation);
  [[nodiscard]] PeerId peer(int rank) const noexcept {
    return communicator_ != nullptr ? communicator_->peer(rank) : PeerId();
  }
  [[nodiscard]] std::uint32_t context() const noexcept {
    return communicator_ != nullptr ? communicator_->context : observe::Awaited::kNoContext;
  }
  [[nodiscard]] std::uint32_t number() const noexcept { return static_cast<std::uint32_t>(function_); }

  Observed* seen_;
  mpi::Function function_;
  Communicator* communicator_ = nullptr;
  Shown shown_;
  Operation operation_;
};

/// As the last calls have them (tools/launch/report/last_calls.cpp).
[[nodiscard]] inline std::int32_t shown_peer(int rank) noexcept {
  constexpr std::int32_t kAny = -1;
  constexpr std::int32_t kNobody = -3;
  if (rank >= 0) return rank;
  return rank == MPI_ANY_SOURCE ? kAny : kNobody;
}

[[nodiscard]] inline std::int32_t shown_tag(int tag) noexcept {
  constexpr std::int32_t kAny = -2;
  return tag == MPI_ANY_TAG ? kAny : tag;
}

template <observe::Tells tells, CallIs is>
void Call::shows(const Shown& shown) {
  if (seen_ == nullptr) return;
  shown_ = shown;
  observe::ShownCall told;
  constexpr observe::Tells kPeer = observe::kTellsDestination | observe::kTellsSource | observe::kTellsTarget;
  if constexpr ((tells & kPeer) != 0) told.peer = shown_peer(shown.peer);
  if constexpr ((tells & observe::kTellsRoot) != 0) told.peer = shown.peer;
  if constexpr ((tells & observe::kTellsSource) != 0) told.other = shown_peer(shown.other);
  if constexpr ((tells & observe::kTellsTag) != 0) told.tag = shown_tag(shown.tag);
  if constexpr ((tells & observe::kTellsComm) != 0) {
    communicator_ = seen_->communicators.find(shown.comm);
    if (communicator_ != nullptr) told.comm = communicator_->shown;
  }
  told.count = shown.count;
  if constexpr ((tells & observe::kTellsCount) != 0) told.type = seen_->types.shown(shown.type);
  if constexpr (is != CallIs::kTest) seen_->end_tests();
  observe::show_call<tells>(*seen_->seat.card, number(), told);
}

}  // namespace starling::see
