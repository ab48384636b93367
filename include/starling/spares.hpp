// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Spares: processes that were started with the others (mpiexec --spares N) and wait, asleep, until they take the places
// of dead ones. Programs call what is in replace_dead.hpp; this header is how working processes and spares come
// together.
//
// The spare pool is a communicator of all working processes and all spares. A spare waits in a shrink of it, which ends
// once every other living process has called it: to replace dead ones, or because the program ends. Then each process
// tells the others its role, and the spares get the lost ranks in ascending order. A failure on the way is a failure on
// every process, and all begin again.
// Thread safety: that of MPI calls. Invariants: either every living process has the same pool, or none has one.
#pragma once

#include <mpi-ext.h>
#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <vector>

namespace starling::internal {

/// MPI_COMM_NULL: no pool, or none any more.
inline MPI_Comm& spare_pool() {
  static MPI_Comm pool = MPI_COMM_NULL;
  return pool;
}

/// Whether the step whose error class is `code` succeeded on every living member. A failure anywhere ends it
/// everywhere.
inline bool succeeded_everywhere(MPI_Comm comm, int code) {
  if (code != MPI_SUCCESS) MPIX_Comm_revoke(comm);
  int everywhere = code == MPI_SUCCESS ? 1 : 0;
  return MPIX_Comm_agree(comm, &everywhere) == MPI_SUCCESS && everywhere != 0;
}

/// The role of a process: its rank in the communicator that lost members, or one of these.
constexpr int kSpare = -1;
constexpr int kLeaves = -2;

struct Participant {
  int role;
  int size;  ///< of the communicator that lost members
};

/// The rank that the participant at `me` has from now on, or MPI_UNDEFINED for a spare that goes on waiting.
inline int new_rank(const std::vector<Participant>& participants, int me) {
  const Participant mine = participants[static_cast<std::size_t>(me)];
  if (mine.role >= 0) return mine.role;
  int size = 0;
  for (const Participant& one : participants) size = std::max(size, one.size);
  auto before = std::count_if(participants.begin(), participants.begin() + me,
                              [](const Participant& a) { return a.role == kSpare; });
  for (int rank = 0; rank < size; ++rank) {
    const bool lives =
        std::any_of(participants.begin(), participants.end(), [&](const Participant& a) { return a.role == rank; });
    if (!lives && before-- == 0) return rank;
  }
  return MPI_UNDEFINED;
}

/// Whether the spares can replace all that are lost. Otherwise, or when the program ends, they are let go.
inline bool spares_suffice(const std::vector<Participant>& participants) {
  int size = 0;
  for (const Participant& one : participants) {
    if (one.role == kLeaves) return false;
    size = std::max(size, one.size);
  }
  return size <= static_cast<int>(participants.size());
}

/// One attempt. False: a process died meanwhile. What `whole` becomes: see assign_ranks().
inline bool try_to_assign_ranks(const Participant& mine, MPI_Comm* whole) {
  MPI_Comm living = MPI_COMM_NULL;
  if (MPIX_Comm_shrink(spare_pool(), &living) != MPI_SUCCESS) throw std::runtime_error("the spares cannot be found");
  MPI_Comm_set_errhandler(living, MPI_ERRORS_RETURN);
  int me = 0;
  int count = 0;
  MPI_Comm_rank(living, &me);
  MPI_Comm_size(living, &count);
  std::vector<Participant> participants(static_cast<std::size_t>(count));
  int code = MPI_Allgather(&mine, 2, MPI_INT, participants.data(), 2, MPI_INT, living);
  const bool suffice = code == MPI_SUCCESS && spares_suffice(participants);
  if (suffice) {
    const int rank = new_rank(participants, me);
    code = MPI_Comm_split(living, rank == MPI_UNDEFINED ? MPI_UNDEFINED : 0, rank, whole);
  }
  const bool done = succeeded_everywhere(living, code);
  if (!done && *whole != MPI_COMM_NULL) MPI_Comm_free(whole);
  if (done) MPI_Comm_free(&spare_pool());
  if (done && suffice) {
    spare_pool() = living;
  } else {
    MPI_Comm_free(&living);
  }
  return done;
}

/// Collective over the living processes of the pool. Returns the whole communicator; MPI_COMM_NULL on a spare that is
/// not needed, and on all when the spares are let go: then the pool is gone.
inline MPI_Comm assign_ranks(const Participant& mine) {
  MPI_Comm whole = MPI_COMM_NULL;
  while (!try_to_assign_ranks(mine, &whole)) {
  }
  return whole;
}

/// When the working processes come to MPI_Finalize the spares go with them.
inline int leave_at_the_end(MPI_Comm, int, void*, void*) {
  if (spare_pool() != MPI_COMM_NULL) assign_ranks({kLeaves, 0});
  return MPI_SUCCESS;
}

/// The first call: makes the pool of MPI_COMM_WORLD. Collective; an error class.
inline int open_spare_pool() {
  const int code = MPI_Comm_dup(MPI_COMM_WORLD, &spare_pool());
  if (code != MPI_SUCCESS) return code;
  MPI_Comm_set_errhandler(spare_pool(), MPI_ERRORS_RETURN);
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, leave_at_the_end, &key, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
  MPI_Comm_free_keyval(&key);
  return MPI_SUCCESS;
}

/// How many of this job's last ranks are spares.
inline int count_spares() {
  const char* text = std::getenv("STARLING_JOB_SPARES");
  return text != nullptr ? std::atoi(text) : 0;
}

}  // namespace starling::internal
