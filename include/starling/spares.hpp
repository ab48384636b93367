// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Spares: processes that were started with the others (mpiexec --spares N) and wait, asleep, until they take the places
// of dead ones. What programs call is in replace_dead.hpp; this is how those who work and the spares meet.
//
// The roster is a communicator of all of them. A spare waits in a shrink of it, which is over when all others that live
// have come there: to replace dead ones, or because the program ends. Then everybody tells what it is, and the spares
// get the lost ranks in their order. Whatever goes wrong on the way goes wrong for all, who then meet again.
// Thread safety: that of MPI calls. Invariants: everybody who lives has the same roster, or none has one.
#pragma once

#include <mpi-ext.h>
#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <vector>

namespace starling::internal {

struct Roster {
  MPI_Comm comm = MPI_COMM_NULL;
};
inline Roster& roster() {
  static Roster one;
  return one;
}

/// What somebody is who comes to a meeting: a rank of the communicator that lost members, or one of these.
constexpr int kSpare = -1;
constexpr int kLeaves = -2;

struct Arrival {
  int role;
  int size;  ///< of the communicator that lost members
};

/// The rank that the arrival at `me` has from now on, or MPI_UNDEFINED for a spare that goes on waiting.
inline int new_rank(const std::vector<Arrival>& arrivals, int me) {
  const Arrival mine = arrivals[static_cast<std::size_t>(me)];
  if (mine.role >= 0) return mine.role;
  int size = 0;
  for (const Arrival& one : arrivals) size = std::max(size, one.size);
  auto before =
      std::count_if(arrivals.begin(), arrivals.begin() + me, [](const Arrival& a) { return a.role == kSpare; });
  for (int rank = 0; rank < size; ++rank) {
    const bool lives = std::any_of(arrivals.begin(), arrivals.end(), [&](const Arrival& a) { return a.role == rank; });
    if (!lives && before-- == 0) return rank;
  }
  return MPI_UNDEFINED;
}

/// Whether the spares can replace all that are lost. Otherwise, or when the program ends, they are let go.
inline bool spares_suffice(const std::vector<Arrival>& arrivals) {
  int size = 0;
  for (const Arrival& one : arrivals) {
    if (one.role == kLeaves) return false;
    size = std::max(size, one.size);
  }
  return size <= static_cast<int>(arrivals.size());
}

inline void close_roster() {
  if (roster().comm != MPI_COMM_NULL) MPI_Comm_free(&roster().comm);
}

/// Collective over the living of the roster. The whole communicator; MPI_COMM_NULL for a spare that is not needed, and
/// for all when the spares are let go: then there is no roster any more.
inline MPI_Comm meet(const Arrival& mine) {
  while (true) {
    MPI_Comm pool = MPI_COMM_NULL;
    if (MPIX_Comm_shrink(roster().comm, &pool) != MPI_SUCCESS) throw std::runtime_error("the spares cannot be found");
    MPI_Comm_set_errhandler(pool, MPI_ERRORS_RETURN);
    int me = 0;
    int count = 0;
    MPI_Comm_rank(pool, &me);
    MPI_Comm_size(pool, &count);
    std::vector<Arrival> arrivals(static_cast<std::size_t>(count));
    int code = MPI_Allgather(&mine, 2, MPI_INT, arrivals.data(), 2, MPI_INT, pool);
    MPI_Comm whole = MPI_COMM_NULL;
    const bool suffice = code == MPI_SUCCESS && spares_suffice(arrivals);
    if (suffice) {
      const int rank = new_rank(arrivals, me);
      code = MPI_Comm_split(pool, rank == MPI_UNDEFINED ? MPI_UNDEFINED : 0, rank, &whole);
    }
    if (code != MPI_SUCCESS) MPIX_Comm_revoke(pool);
    int everywhere = code == MPI_SUCCESS ? 1 : 0;
    code = MPIX_Comm_agree(pool, &everywhere);
    if (code != MPI_SUCCESS || everywhere == 0) {
      if (whole != MPI_COMM_NULL) MPI_Comm_free(&whole);
      MPI_Comm_free(&pool);
      continue;
    }
    close_roster();
    if (suffice) {
      roster().comm = pool;
    } else {
      MPI_Comm_free(&pool);
    }
    return whole;
  }
}

/// When those who work come to MPI_Finalize the spares go with them.
inline int leave_at_the_end(MPI_Comm, int, void*, void*) {
  if (roster().comm != MPI_COMM_NULL) meet({kLeaves, 0});
  return MPI_SUCCESS;
}

/// The first call: makes the roster of MPI_COMM_WORLD. Collective; an error class.
inline int open_roster() {
  const int code = MPI_Comm_dup(MPI_COMM_WORLD, &roster().comm);
  if (code != MPI_SUCCESS) return code;
  MPI_Comm_set_errhandler(roster().comm, MPI_ERRORS_RETURN);
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, leave_at_the_end, &key, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
  MPI_Comm_free_keyval(&key);
  return MPI_SUCCESS;
}

/// Of this job's last ranks.
inline int count_spares() {
  const char* text = std::getenv("STARLING_JOB_SPARES");
  return text != nullptr ? std::atoi(text) : 0;
}

}  // namespace starling::internal
