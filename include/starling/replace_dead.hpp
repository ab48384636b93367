// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Shrink, respawn, merge, the same ranks: after deaths, a communicator as large as before, in which each survivor has
// the rank that it had and each dead member's rank belongs to a new process, or to a spare (mpiexec --spares N).
//
//   everybody, after MPI_Init:  starling::Joined joined = starling::join();   // joined.comm to work in
//   survivors, after an error:  comm = starling::replace_dead(comm, {"./program", "--option"});
//
// Spares come first, as long as there are enough of them for all that are lost; then they are let go and new processes
// are spawned. A spare waits asleep in join(), as does a process that replace_dead() spawned until all have it.
//
// Needs a job that goes on when ranks die (mpiexec --survive) and dynamic processes. What a rank has lost of its state
// is the program's to bring back (a buddy's checkpoint). Errors: std::runtime_error when no process can be started, or
// the job does not go on. More deaths meanwhile are no error: it starts again. Thread safety: that of MPI calls;
// collective over the living members.
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
/// first rank tells the others which ranks the new ones take. MPI_COMM_NULL when somebody died meanwhile.
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
  if (code != MPI_SUCCESS) MPIX_Comm_revoke(merged);
  int everywhere = code == MPI_SUCCESS ? 1 : 0;
  code = MPIX_Comm_agree(merged, &everywhere);
  if (code == MPI_SUCCESS && everywhere != 0) return whole;
  if (whole != MPI_COMM_NULL) MPI_Comm_free(&whole);
  return MPI_COMM_NULL;
}

}  // namespace internal

/// comm is freed unless it is MPI_COMM_WORLD. command: the program and its arguments for the new processes.
inline MPI_Comm replace_dead(MPI_Comm comm, const std::vector<std::string>& command) {
  int size = 0;
  int my_rank = 0;
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &my_rank);
  MPIX_Comm_revoke(comm);
  if (internal::roster().comm != MPI_COMM_NULL) {
    const MPI_Comm whole = internal::meet({my_rank, size});
    if (whole != MPI_COMM_NULL) {
      if (comm != MPI_COMM_WORLD) MPI_Comm_free(&comm);
      return whole;
    }
  }
  while (true) {
    MPI_Comm left = MPI_COMM_NULL;
    if (MPIX_Comm_shrink(comm, &left) != MPI_SUCCESS) throw std::runtime_error("the survivors cannot be found");
    MPI_Comm_set_errhandler(left, MPI_ERRORS_RETURN);
    int survivors = 0;
    MPI_Comm_size(left, &survivors);
    if (survivors == size) {  // nobody is missing
      if (comm != MPI_COMM_WORLD) MPI_Comm_free(&comm);
      return left;
    }
    std::vector<int> ranks(static_cast<std::size_t>(survivors));
    int code = MPI_Allgather(&my_rank, 1, MPI_INT, ranks.data(), 1, MPI_INT, left);
    std::vector<int> lost;
    for (int rank = 0, next = 0; rank < size; ++rank) {
      if (next < survivors && ranks[static_cast<std::size_t>(next)] == rank) {
        ++next;
      } else {
        lost.push_back(rank);
      }
    }
    std::vector<std::string> words(command.begin() + 1, command.end());
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    MPI_Comm between = MPI_COMM_NULL;
    MPI_Comm merged = MPI_COMM_NULL;
    if (code == MPI_SUCCESS) {
      code = MPI_Comm_spawn(command.front().c_str(), arguments.data(), size - survivors, MPI_INFO_NULL, 0, left,
                            &between, MPI_ERRCODES_IGNORE);
    }
    if (code == MPI_ERR_SPAWN) throw std::runtime_error("no process can be started to replace the dead");
    if (code == MPI_SUCCESS) code = MPI_Intercomm_merge(between, 0, &merged);
    if (code != MPI_SUCCESS) MPIX_Comm_revoke(left);
    int everywhere = code == MPI_SUCCESS ? 1 : 0;
    code = MPIX_Comm_agree(left, &everywhere);
    MPI_Comm whole = MPI_COMM_NULL;
    if (code == MPI_SUCCESS && everywhere != 0) {
      MPI_Comm_set_errhandler(merged, MPI_ERRORS_RETURN);
      whole = internal::put_in_order(merged, survivors, my_rank, lost);
    } else if (merged != MPI_COMM_NULL) {
      MPIX_Comm_revoke(merged);
    } else if (between != MPI_COMM_NULL) {
      MPIX_Comm_revoke(between);
    }
    for (MPI_Comm* done : {&merged, &between, &left}) {
      if (*done != MPI_COMM_NULL) MPI_Comm_free(done);
    }
    if (whole == MPI_COMM_NULL) continue;
    if (comm != MPI_COMM_WORLD) MPI_Comm_free(&comm);
    return whole;
  }
}

/// What a program that may have been started by replace_dead() calls first after MPI_Init. When a death interrupted the
/// replacement this process is not wanted any more: the result is MPI_COMM_NULL as well, and *superfluous is true.
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

/// What a program calls first after MPI_Init: the first processes get a duplicate of MPI_COMM_WORLD without the spares,
/// spares and spawned processes wait until they are members of what replace_dead() makes. Collective. After a death
/// before all have joined it throws std::runtime_error.
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
  if (code == MPI_SUCCESS && spares > 0) code = internal::open_roster();
  if (code != MPI_SUCCESS) throw std::runtime_error("a process died before all had joined");
  if (!waits) return {comm, false};
  while (comm == MPI_COMM_NULL && internal::roster().comm != MPI_COMM_NULL)
    comm = internal::meet({internal::kSpare, 0});
  return {comm, true};
}

}  // namespace starling
