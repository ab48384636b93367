// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Shrink, respawn, merge, restore the ranks: after deaths, a communicator as large as before, in which each survivor
// has the rank that it had and each dead member's rank belongs to a new process, or to a spare (mpiexec --spares N).
//
//   every process, after MPI_Init:  starling::Joined joined = starling::join();   // joined.comm to work in
//   survivors, after an error:      comm = starling::replace_dead(comm, {"./program", "--option"});
//
// Spares come first, as long as there are enough of them for all lost ranks; after that the spares are let go and new
// processes are spawned. A spare waits asleep in join(); so does a process that replace_dead() spawned, until every
// member has the new communicator.
//
// Needs a job that goes on when ranks die (mpiexec --survive) and dynamic processes. The program restores the state
// that a rank has lost (from a buddy's checkpoint, for example). Errors: std::runtime_error when no process can be
// started, or the job does not go on. More deaths meanwhile are no error: the replacement starts again. Thread safety:
// that of MPI calls; collective over the living members.
#pragma once

#include <mpi-ext.h>
#include <mpi.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "starling/spares.hpp"

namespace starling {
namespace internal {

/// Survivors and new processes in the order of the ranks that they have in the whole. Collective over merged, whose
/// first rank tells the others which ranks the new processes take. MPI_COMM_NULL when a member died meanwhile.
inline MPI_Comm put_in_order(MPI_Comm merged, int survivors, int my_rank, std::vector<int>& lost) {
  int me = 0;
  int size = 0;
  MPI_Comm_rank(merged, &me);
  MPI_Comm_size(merged, &size);
  lost.resize(static_cast<std::size_t>(size - survivors));
  MPI_Comm whole = MPI_COMM_NULL;
  int code = MPI_Bcast(lost.data(), static_cast<int>(lost.size()), MPI_INT, 0, merged);
  if (code == MPI_SUCCESS) {
    const int rank = me < survivors ? my_rank : lost[static_cast<std::size_t>(me - survivors)];
    code = MPI_Comm_split(merged, 0, rank, &whole);
  }
  if (succeeded_everywhere(merged, code)) return whole;
  if (whole != MPI_COMM_NULL) MPI_Comm_free(&whole);
  return MPI_COMM_NULL;
}

/// The ranks below `size` that no survivor has. The survivors' ranks are in ascending order, as shrink leaves them.
inline std::vector<int> missing_ranks(const std::vector<int>& survivors, int size) {
  std::vector<int> missing;
  auto next = survivors.begin();
  for (int rank = 0; rank < size; ++rank) {
    if (next != survivors.end() && *next == rank) {
      ++next;
    } else {
      missing.push_back(rank);
    }
  }
  return missing;
}

/// Spawns `count` processes, whose communicator with the survivors is `between`, and merges both groups. Collective
/// over the survivors; an error class.
inline int spawn_and_merge(MPI_Comm survivors, const std::vector<std::string>& command, int count, MPI_Comm* between,
                           MPI_Comm* merged) {
  std::vector<std::string> words(command.begin() + 1, command.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const int code = MPI_Comm_spawn(command.front().c_str(), arguments.data(), count, MPI_INFO_NULL, 0, survivors,
                                  between, MPI_ERRCODES_IGNORE);
  if (code == MPI_ERR_SPAWN) {
    char why[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, why, &length);
    throw std::runtime_error(std::string("no process can be started to replace the dead: ") + why);
  }
  return code == MPI_SUCCESS ? MPI_Intercomm_merge(*between, 0, merged) : code;
}

/// One attempt to replace the dead members of comm, which had `size` members, by new processes. MPI_COMM_NULL when a
/// process died meanwhile.
inline MPI_Comm try_to_replace(MPI_Comm comm, int size, int my_rank, const std::vector<std::string>& command) {
  MPI_Comm survivors = MPI_COMM_NULL;
  if (MPIX_Comm_shrink(comm, &survivors) != MPI_SUCCESS) throw std::runtime_error("the survivors cannot be found");
  MPI_Comm_set_errhandler(survivors, MPI_ERRORS_RETURN);
  int count = 0;
  MPI_Comm_size(survivors, &count);
  if (count == size) return survivors;  // nobody is missing
  std::vector<int> ranks(static_cast<std::size_t>(count));
  int code = MPI_Allgather(&my_rank, 1, MPI_INT, ranks.data(), 1, MPI_INT, survivors);
  MPI_Comm between = MPI_COMM_NULL;
  MPI_Comm merged = MPI_COMM_NULL;
  if (code == MPI_SUCCESS) code = spawn_and_merge(survivors, command, size - count, &between, &merged);
  MPI_Comm whole = MPI_COMM_NULL;
  if (succeeded_everywhere(survivors, code)) {
    MPI_Comm_set_errhandler(merged, MPI_ERRORS_RETURN);
    std::vector<int> lost = missing_ranks(ranks, size);
    whole = put_in_order(merged, count, my_rank, lost);
  } else if (merged != MPI_COMM_NULL) {
    MPIX_Comm_revoke(merged);
  } else if (between != MPI_COMM_NULL) {
    MPIX_Comm_revoke(between);
  }
  for (MPI_Comm* done : {&merged, &between, &survivors}) {
    if (*done != MPI_COMM_NULL) MPI_Comm_free(done);
  }
  return whole;
}

}  // namespace internal

/// comm is freed unless it is MPI_COMM_WORLD. command: the program and its arguments for the new processes.
inline MPI_Comm replace_dead(MPI_Comm comm, const std::vector<std::string>& command) {
  int size = 0;
  int my_rank = 0;
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &my_rank);
  MPIX_Comm_revoke(comm);
  MPI_Comm whole = MPI_COMM_NULL;
  if (internal::spare_pool() != MPI_COMM_NULL) whole = internal::assign_ranks({my_rank, size});
  while (whole == MPI_COMM_NULL) whole = internal::try_to_replace(comm, size, my_rank, command);
  if (comm != MPI_COMM_WORLD) MPI_Comm_free(&comm);
  return whole;
}

/// A program that replace_dead() may have started calls this first after MPI_Init. The communicator of survivors and
/// new processes; MPI_COMM_NULL in a process that was not spawned. When a death interrupted the replacement, this
/// process is not needed any more: the result is MPI_COMM_NULL as well, and *superfluous is true.
inline MPI_Comm join_as_replacement(bool* superfluous = nullptr) {
  if (superfluous != nullptr) *superfluous = false;
  MPI_Comm parent = MPI_COMM_NULL;
  MPI_Comm_get_parent(&parent);
  if (parent == MPI_COMM_NULL) return MPI_COMM_NULL;
  MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN);
  int survivors = 0;
  MPI_Comm_remote_size(parent, &survivors);
  MPI_Comm merged = MPI_COMM_NULL;
  MPI_Comm whole = MPI_COMM_NULL;
  if (MPI_Intercomm_merge(parent, 1, &merged) == MPI_SUCCESS) {
    MPI_Comm_set_errhandler(merged, MPI_ERRORS_RETURN);
    std::vector<int> lost;
    whole = internal::put_in_order(merged, survivors, 0, lost);
    MPI_Comm_free(&merged);
  }
  MPI_Comm_free(&parent);
  if (superfluous != nullptr) *superfluous = whole == MPI_COMM_NULL;
  return whole;
}

struct Joined {
  MPI_Comm comm;        ///< to work in; MPI_COMM_NULL: this process is not needed and goes to MPI_Finalize
  bool is_replacement;  ///< of a dead process, whose state is to be brought back
};

/// A program calls this first after MPI_Init. The first processes get a communicator of all of MPI_COMM_WORLD but the
/// spares; spares and spawned processes wait until they are members of what replace_dead() makes. Collective. It throws
/// std::runtime_error when a process dies before all have joined.
inline Joined join() {
  bool superfluous = false;
  const MPI_Comm replaced = join_as_replacement(&superfluous);
  if (replaced != MPI_COMM_NULL || superfluous) return {replaced, true};
  const int spares = internal::count_spares();
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm comm = MPI_COMM_NULL;
  const bool waits = rank >= size - spares;
  int code = MPI_Comm_split(MPI_COMM_WORLD, waits ? MPI_UNDEFINED : 0, rank, &comm);
  if (code == MPI_SUCCESS && spares > 0) code = internal::open_spare_pool();
  if (code != MPI_SUCCESS) throw std::runtime_error("a process died before all had joined");
  if (!waits) return {comm, false};
  while (comm == MPI_COMM_NULL && internal::spare_pool() != MPI_COMM_NULL)
    comm = internal::assign_ranks({internal::kSpare, 0});
  return {comm, true};
}

}  // namespace starling
