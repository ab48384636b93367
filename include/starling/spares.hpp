// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Spares: processes that were started with the others (mpiexec --spares N) and wait, asleep, until they take the places
// of dead ones. Programs call what is in replace_dead.hpp; this header is how working processes and spares come
// together.
//
// The spare pool is a communicator of all working processes and all spares. A spare waits in a shrink of it, which ends
// once every other living process has called it: to replace dead ones, or because the program ends. Then each process
// tells the others its role, the first that works tells which program each rank runs, and the spares get the lost ranks
// of their own program in ascending order. A failure on the way is a failure on every process, and all begin again.
// Thread safety: that of MPI calls. Invariants: either every living process has the same pool, or none has one.
#pragma once

#include <mpi-ext.h>
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include "starling/programs_of_ranks.hpp"

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
  int size;     ///< of the communicator that lost members
  int program;  ///< that a spare runs
};

using Participants = std::vector<Participant>;

/// The place of the first that works, or -1: only spares are left.
inline int first_that_works(const Participants& participants) {
  const auto works = [](const Participant& one) { return one.role >= 0; };
  const auto found = std::find_if(participants.begin(), participants.end(), works);
  return found != participants.end() ? static_cast<int>(found - participants.begin()) : -1;
}

/// The working processes come to the end, or none is left.
inline bool program_ends(const Participants& participants) {
  const auto leaves = [](const Participant& one) { return one.role == kLeaves; };
  return first_that_works(participants) < 0 || std::any_of(participants.begin(), participants.end(), leaves);
}

/// The rank that each participant has from now on: MPI_UNDEFINED for a spare that goes on waiting. Empty: the spares
/// cannot replace all that are lost, or the program ends, so they are let go.
inline std::vector<int> new_ranks(const Participants& participants, const Programs& programs) {
  std::vector<int> working;
  std::vector<int> ranks;
  for (const Participant& one : participants) {
    ranks.push_back(one.role >= 0 ? one.role : MPI_UNDEFINED);
    if (one.role >= 0) working.push_back(one.role);
  }
  for (const int lost : missing_ranks(working, programs)) {
    const int program = programs[static_cast<std::size_t>(lost)];
    std::size_t at = 0;
    while (at < ranks.size() &&
           (ranks[at] != MPI_UNDEFINED || (program != kAnyProgram && participants[at].program != program)))
      ++at;
    if (at == ranks.size()) return {};
    ranks[at] = lost;
  }
  return ranks;
}

/// One attempt. False: a process died meanwhile. What `whole` becomes: see assign_ranks().
inline bool try_to_assign_ranks(const Participant& mine, Programs programs, MPI_Comm* whole) {
  MPI_Comm living = MPI_COMM_NULL;
  if (MPIX_Comm_shrink(spare_pool(), &living) != MPI_SUCCESS) throw std::runtime_error("the spares cannot be found");
  MPI_Comm_set_errhandler(living, MPI_ERRORS_RETURN);
  int me = 0;
  int count = 0;
  MPI_Comm_rank(living, &me);
  MPI_Comm_size(living, &count);
  Participants participants(static_cast<std::size_t>(count));
  int code = MPI_Allgather(&mine, 3, MPI_INT, participants.data(), 3, MPI_INT, living);
  std::vector<int> ranks;
  if (code == MPI_SUCCESS && !program_ends(participants)) {
    const int first = first_that_works(participants);
    programs.resize(static_cast<std::size_t>(participants[static_cast<std::size_t>(first)].size));
    code = MPI_Bcast(programs.data(), static_cast<int>(programs.size()), MPI_INT, first, living);
    if (code == MPI_SUCCESS) ranks = new_ranks(participants, programs);
  }
  const bool suffice = !ranks.empty();
  if (suffice) {
    const int rank = ranks[static_cast<std::size_t>(me)];
    code = MPI_Comm_split(living, rank == MPI_UNDEFINED ? MPI_UNDEFINED : 0, rank, whole);
  }
  const bool done = succeeded_everywhere(living, code);
  if (!done && *whole != MPI_COMM_NULL) MPI_Comm_free(whole);
  if (*whole != MPI_COMM_NULL) remember_programs(*whole, programs);
  if (done) MPI_Comm_free(&spare_pool());
  if (done && suffice) {
    spare_pool() = living;
  } else {
    MPI_Comm_free(&living);
  }
  return done;
}

/// Collective over the living processes of the pool. programs: of the communicator that lost members. Returns the whole
/// communicator; MPI_COMM_NULL on a spare that is not needed, and on all when the spares are let go: then the pool is
/// gone.
inline MPI_Comm assign_ranks(const Participant& mine, const Programs& programs = {}) {
  MPI_Comm whole = MPI_COMM_NULL;
  while (!try_to_assign_ranks(mine, programs, &whole)) {
  }
  return whole;
}

/// When the working processes come to MPI_Finalize the spares go with them.
inline int leave_at_the_end(MPI_Comm, int, void*, void*) {
  if (spare_pool() != MPI_COMM_NULL) assign_ranks({kLeaves, 0, 0});
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

/// What a process of MPI_COMM_WORLD is started for.
struct Start {
  int program;  ///< its number on the command line
  int spares;   ///< how many of the last ranks of its program are spares
};

inline Start my_start() {
  int* program = nullptr;
  int is_set = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, static_cast<void*>(&program), &is_set);
  const char* const spares = std::getenv("STARLING_JOB_SPARES");
  return {is_set != 0 ? *program : 0, spares != nullptr ? std::atoi(spares) : 0};
}

/// The starts of all ranks of MPI_COMM_WORLD. Collective; an error class.
inline int gather_starts(std::vector<Start>* starts) {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  starts->resize(static_cast<std::size_t>(size));
  const Start mine = my_start();
  return MPI_Allgather(&mine, 2, MPI_INT, starts->data(), 2, MPI_INT, MPI_COMM_WORLD);
}

/// Whether that rank of MPI_COMM_WORLD is a spare.
inline bool is_spare(const std::vector<Start>& starts, std::size_t rank) {
  const auto behind = std::count_if(starts.begin() + static_cast<std::ptrdiff_t>(rank) + 1, starts.end(),
                                    [&](const Start& one) { return one.program == starts[rank].program; });
  return behind < starts[rank].spares;
}

/// The programs of those that are none, in the order of their ranks.
inline Programs programs_at_work(const std::vector<Start>& starts) {
  Programs programs;
  for (std::size_t rank = 0; rank < starts.size(); ++rank) {
    if (!is_spare(starts, rank)) programs.push_back(starts[rank].program);
  }
  return programs;
}

}  // namespace starling::internal
