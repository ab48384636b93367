// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "core.hpp"

#include "base/format.hpp"
#include "program/registry.hpp"

namespace starling::array::detail {

namespace {

/// The session of this thread: a coroutine that ends by an exception has no other way to it.
thread_local Core* current_core = nullptr;

/// Of a process that joins: none where not all have made it, and then nobody is left waiting for it.
Communicator made_by_all(Communicator comm, Communicator from) {
  if (!comm.is_null()) {
    if (mpi::goes_on(comm)) mpi::return_errors(comm);
    if (mpi::barrier(from) == mpi::kNoError) return comm;
    mpi::revoke(comm);
    mpi::free(comm);
  }
  mpi::revoke(from);
  return {};
}

Communicator made(Communicator from, mpi::Side side) {
  Communicator comm = mpi::one_of(from, side);
  if (side == mpi::Side::kNew) comm = made_by_all(comm, from);
  if (comm.is_null()) throw Error("the session has no communicator: a process died while it was made");
  return comm;
}

}  // namespace

Core* running_core() { return current_core; }

Core::Core(Session& session, Communicator comm, mpi::Side side)
    : Host(*this, session, records_, queue_),
      records_(made(comm, side), *this),
      streams_(*this),
      arrays_(*this, streams_),
      collector_(*this, arrays_),
      executor_(*this, queue_, streams_, collector_),
      results_(*this, arrays_, futures_, executor_),
      pending_(*this, arrays_, streams_, futures_),
      survival_(*this, arrays_, *this),
      checkpoint_(*this, arrays_, *this),
      resize_(*this, arrays_, *this, survival_, side == mpi::Side::kNew ? comm : Communicator()),
      asked_resize_(*this, resize_, survival_),
      scheduler_(*this, arrays_, executor_, futures_, pending_, survival_, collector_) {
  current_core = this;
  Entry::must_have_room_for(size());
  seed(0);
  compare_programs();
  if (side == mpi::Side::kOld) find_nodes();
}

/// Where no run failed nothing is under way, and this process need not wait for the others.
Core::~Core() {
  if (scheduler_.has_failed()) records_.wire().drain();
  current_core = nullptr;
}

void Core::compare_programs() {
  bool same = false;
  const int error = mpi::all_same(records_.comm(), fingerprint(), same);
  if (error == mpi::kNoError && same) return;
  if (resize_.is_joining()) {
    if (error != mpi::kNoError) mpi::revoke(records_.comm());
    resize_.hear_whether_to_join(false);
  }
  if (error == mpi::kNoError) throw Error(kOtherProgram);
  throw Error(formatted("processes of the session cannot compare their programs: {}", mpi::error_text(error)));
}

/// After a loss, or with processes that joined, all count as equally far.
void Core::find_nodes() {
  std::vector<std::int32_t> nodes(static_cast<std::size_t>(size()));
  if (mpi::all_gather(records_.comm(), mpi::number_of_machine(), nodes) == mpi::kNoError) nodes_ = std::move(nodes);
}

void Core::fail(const std::string& text) {
  if (!settings.on_error) throw Error(text);
  settings.on_error(text);
}

bool Core::is_vacated() const { return is_vacated_ != (vacating_signals_.count() % 2 != 0); }

void Core::vacate(bool wanted) { is_vacated_ = wanted != (vacating_signals_.count() % 2 != 0); }

void Core::vacate_on(int signal) {
  const bool now = is_vacated();
  vacating_signals_.watch(signal);
  is_vacated_ = now;
}

void Core::run(const std::function<void()>& main) {
  resize_.take_part();
  if (survival_.is_on()) return survival_.run(main);
  scheduler_.run_once(main);
}

void Core::begin_anew(Communicator comm) {
  executor_.drop_all();
  futures_.clear();
  change_comm(comm);
  forget_elements();
  asked_resize_.change_ranks();
}

void Core::forget_elements() {
  arrays_.forget_all();
  marks.waiting = 0;
  records_.drop_own();
  streams_.clear();
}

void Core::change_comm(Communicator comm) {
  records_.change_comm(comm);
  nodes_.clear();
  scheduler_.renew();
}

Communicator Core::exchange_comm(Communicator comm) {
  const Communicator before = records_.exchange_comm(comm);
  nodes_.clear();
  scheduler_.renew();
  return before;
}

}  // namespace starling::array::detail
