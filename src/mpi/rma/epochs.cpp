// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Synchronization of windows. Source: MPI-5.0, chapter 12.5.
#include <cstdint>
#include <string>
#include <utility>

#include "api/calls.hpp"
#include "base/format.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/fail.hpp"
#include "mpi/boundary/looking.hpp"
#include "mpi/p2p/messages.hpp"
#include "mpi/rma/targets.hpp"
#include "mpi/rma/win_object.hpp"

namespace starling::mpi {
namespace {

rma::Window& window_of(MPI_Win win) { return *win_of(win).window; }

/// The same for the calls of passive targets, which seldom wait.
rma::Window& passive_window_of(MPI_Win win) {
  handle_events_at_times(*current());
  return window_of(win);
}

/// For the calls that wait for nobody, and that a rank may repeat until it sees in memory what a rank of another node
/// was to do there: serves it. Ranks of the same node need nobody's help.
void serve_far(rma::Window& window) {
  if (window.far_side() != nullptr) current()->world->progress().let_others_on();
}

/// The same where the call concerns the rank's own memory.
void serve_far_to_own(rma::Window& window, int rank) {
  if (rank == window.comm().rank()) serve_far(window);
}

/// What a flush completes. At the origin accesses to ranks of its node are complete when their calls return.
enum class Completes : std::uint8_t { kAtOrigin, kAtBothEnds };

/// MPI_ERR_ASSERT for a bit that the call does not know.
Status check_assertions(int given, int known) {
  if ((given & ~known) == 0) return {};
  return Status::error(ErrorClass::kAssert,
                       formatted("assert is {}, and this call does not take all of its bits; pass 0, or the MPI_MODE_ "
                                 "constants that the call takes, combined with |",
                                 given));
}

rma::LockCheck lock_check(int assertions) {
  return (assertions & MPI_MODE_NOCHECK) != 0 ? rma::LockCheck::kNobodyElse : rma::LockCheck::kTake;
}

Status no_such_lock(int lock_type) {
  return Status::error(ErrorClass::kLockType,
                       formatted("lock_type is {}; it must be MPI_LOCK_EXCLUSIVE or MPI_LOCK_SHARED", lock_type));
}

Status fence(rma::Window& window, int assertions) {
  STARLING_TRY(
      check_assertions(assertions, MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED));
  const bool last = (assertions & MPI_MODE_NOSUCCEED) != 0;
  return current()->world->rma().fence(window, last ? rma::Fence::kLast : rma::Fence::kOpens);
}

Status post(rma::Window& window, MPI_Group group, int assertions) {
  STARLING_TRY(check_assertions(assertions, MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT));
  return window.epochs().post(*current()->group(group));
}

Status start(rma::Window& window, MPI_Group group, int assertions) {
  STARLING_TRY(check_assertions(assertions, MPI_MODE_NOCHECK));
  return window.epochs().start(*current()->group(group));
}

Status lock(rma::Window& window, int lock_type, int rank, int assertions) {
  STARLING_TRY(check_assertions(assertions, MPI_MODE_NOCHECK));
  if (lock_type != MPI_LOCK_SHARED && lock_type != MPI_LOCK_EXCLUSIVE) return no_such_lock(lock_type);
  const auto kind = lock_type == MPI_LOCK_SHARED ? rma::LockKind::kShared : rma::LockKind::kExclusive;
  return window.epochs().lock(rank, kind, lock_check(assertions));
}

Status lock_all(rma::Window& window, int assertions) {
  STARLING_TRY(check_assertions(assertions, MPI_MODE_NOCHECK));
  return window.epochs().lock_all(lock_check(assertions));
}

/// What a call that completes puts returns: why it failed itself, or why a put has not reached its target.
int done_after(Status finished, Status ended) { return done(ended.ok() ? std::move(finished) : std::move(ended)); }

int flush_one(MPI_Win win, int rank, Completes completes) {
  rma::Window& window = passive_window_of(win);
  if (const int code = check_target(window, rank, "rank")) return code;
  serve_far_to_own(window, rank);
  Status finished = completes == Completes::kAtBothEnds ? window.finish(rank) : window.finish_here(rank);
  return done_after(std::move(finished), window.epochs().flush(rank));
}

int flush_all(MPI_Win win, Completes completes) {
  rma::Window& window = passive_window_of(win);
  serve_far(window);
  Status finished = completes == Completes::kAtBothEnds ? window.finish_all() : window.finish_here_all();
  return done_after(std::move(finished), window.epochs().flush_all());
}

}  // namespace

int refuse_target(const rma::Window& window, int rank, const char* name) {
  return fail(
      Status::error(ErrorClass::kRank, formatted("{} is {}; the window has ranks 0 to {}, and MPI_PROC_NULL is allowed",
                                                 name, rank, window.comm().size() - 1)));
}

int win_fence(int assertions, MPI_Win win) { return done(fence(window_of(win), assertions)); }

int win_post(MPI_Group group, int assertions, MPI_Win win) { return done(post(window_of(win), group, assertions)); }

int win_start(MPI_Group group, int assertions, MPI_Win win) { return done(start(window_of(win), group, assertions)); }

int win_complete(MPI_Win win) {
  rma::Window& window = window_of(win);
  Status finished = window.finish_all();
  return done_after(std::move(finished), window.epochs().complete());
}

int win_wait(MPI_Win win) { return done(window_of(win).epochs().wait()); }

int win_test(MPI_Win win, int* flag) {
  Context& context = *current();
  rma::Window& window = window_of(win);
  bool ended = false;
  Status tested = window.epochs().test(&ended);
  if (tested.ok() && !ended) {
    look_again(context, context.wins.alive(), [&] {
      tested = window.epochs().test(&ended);
      return ended || !tested.ok();
    });
  }
  *flag = ended ? 1 : 0;
  return done(std::move(tested));
}

int win_lock(int lock_type, int rank, int assertions, MPI_Win win) {
  rma::Window& window = passive_window_of(win);
  if (const int code = check_target(window, rank, "rank")) return code;
  serve_far_to_own(window, rank);
  return done(lock(window, lock_type, rank, assertions));
}

int win_unlock(int rank, MPI_Win win) {
  rma::Window& window = window_of(win);
  if (const int code = check_target(window, rank, "rank")) return code;
  Status finished = window.finish(rank);
  return done_after(std::move(finished), window.epochs().unlock(rank));
}

int win_lock_all(int assertions, MPI_Win win) {
  rma::Window& window = passive_window_of(win);
  serve_far(window);
  return done(lock_all(window, assertions));
}

int win_unlock_all(MPI_Win win) {
  rma::Window& window = window_of(win);
  Status finished = window.finish_all();
  return done_after(std::move(finished), window.epochs().unlock_all());
}

int win_flush(int rank, MPI_Win win) { return flush_one(win, rank, Completes::kAtBothEnds); }
int win_flush_local(int rank, MPI_Win win) { return flush_one(win, rank, Completes::kAtOrigin); }
int win_flush_all(MPI_Win win) { return flush_all(win, Completes::kAtBothEnds); }
int win_flush_local_all(MPI_Win win) { return flush_all(win, Completes::kAtOrigin); }

int win_sync(MPI_Win win) {
  serve_far(passive_window_of(win));
  rma::Epochs::sync();
  return MPI_SUCCESS;
}

}  // namespace starling::mpi
