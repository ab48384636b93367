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
// member has the new communicator. Where mpiexec started several programs (./one : ./two), a dead process is replaced
// by one of its own program; when none of that is left, by a spare only.
//
// Needs a job that goes on when ranks die (mpiexec --survive) and dynamic processes. The program restores the state
// that a rank has lost (from a buddy's checkpoint, for example). Errors: std::runtime_error when no process can be
// started, or the job does not go on. More deaths meanwhile are no error: the replacement starts again. Thread safety:
// that of MPI calls; collective over the living members.
#pragma once

#include <mpi-ext.h>
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "starling/programs_of_ranks.hpp"
#include "starling/spares.hpp"

namespace starling {
namespace internal {

/// Survivors and new processes in the order of the ranks that they have in the whole. Collective over merged, whose
/// first rank tells the others which ranks the new processes take, and what program each rank of the whole runs: lost
/// and programs count on the survivors. MPI_COMM_NULL when a member died meanwhile.
inline MPI_Comm put_in_order(MPI_Comm merged, int survivors, int my_rank, std::vector<int> lost, Programs programs) {
  int me = 0;
  int size = 0;
  MPI_Comm_rank(merged, &me);
  MPI_Comm_size(merged, &size);
  lost.resize(static_cast<std::size_t>(size - survivors));
  programs.resize(static_cast<std::size_t>(size));
  MPI_Comm whole = MPI_COMM_NULL;
  int code = MPI_Bcast(lost.data(), static_cast<int>(lost.size()), MPI_INT, 0, merged);
  if (code == MPI_SUCCESS) code = MPI_Bcast(programs.data(), size, MPI_INT, 0, merged);
  if (code == MPI_SUCCESS) {
    const int rank = me < survivors ? my_rank : lost[static_cast<std::size_t>(me - survivors)];
    code = MPI_Comm_split(merged, 0, rank, &whole);
  }
  if (succeeded_everywhere(merged, code)) {
    remember_programs(whole, programs);
    return whole;
  }
  if (whole != MPI_COMM_NULL) MPI_Comm_free(&whole);
  return MPI_COMM_NULL;
}

using Words = std::vector<std::string>;

/// What the words of the root are, on everybody. Collective; an error class.
inline int broadcast_words(MPI_Comm comm, int root, Words* words) {
  std::string text;
  for (const std::string& word : *words) text += word + '\0';
  int bytes = static_cast<int>(text.size());
  int code = MPI_Bcast(&bytes, 1, MPI_INT, root, comm);
  if (code != MPI_SUCCESS) return code;
  text.resize(static_cast<std::size_t>(bytes));
  code = MPI_Bcast(text.data(), bytes, MPI_CHAR, root, comm);
  words->clear();
  for (std::size_t at = 0; at < text.size(); at = text.find('\0', at) + 1) words->emplace_back(text.c_str() + at);
  return code;
}

/// New processes of one program.
struct Request {
  int program;
  Words command;
  int count;
};

/// Starts them, whose communicator with the survivors is `between`, and merges both groups. Collective over the
/// survivors; an error class.
inline int spawn_and_merge(MPI_Comm survivors, std::vector<Request> requests, MPI_Comm* between, MPI_Comm* merged) {
  std::vector<std::vector<char*>> words;
  std::vector<char*> programs;
  std::vector<char**> arguments;
  std::vector<int> counts;
  for (Request& request : requests) {
    programs.push_back(request.command.front().data());
    words.emplace_back();
    for (std::size_t i = 1; i < request.command.size(); ++i) words.back().push_back(request.command[i].data());
    words.back().push_back(nullptr);
    counts.push_back(request.count);
  }
  for (std::vector<char*>& each : words) arguments.push_back(each.data());
  const std::vector<MPI_Info> infos(requests.size(), MPI_INFO_NULL);
  const int code = MPI_Comm_spawn_multiple(static_cast<int>(requests.size()), programs.data(), arguments.data(),
                                           counts.data(), infos.data(), 0, survivors, between, MPI_ERRCODES_IGNORE);
  if (code == MPI_ERR_SPAWN) {
    char why[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, why, &length);
    throw std::runtime_error(std::string("no process can be started to replace the dead: ") + why);
  }
  return code == MPI_SUCCESS ? MPI_Intercomm_merge(*between, 0, merged) : code;
}

/// The processes that are to be started in the place of the lost ranks, in their order. ranks: those of the survivors.
/// Each program's command comes from the first survivor that runs it. Collective over the survivors; an error class.
inline int make_requests(MPI_Comm survivors, const std::vector<int>& ranks, const Programs& programs,
                         const std::vector<int>& lost, const Words& command, std::vector<Request>* requests) {
  int code = MPI_SUCCESS;
  for (const int rank : lost) {
    const int program = programs[static_cast<std::size_t>(rank)];
    if (!requests->empty() && requests->back().program == program) {
      ++requests->back().count;
      continue;
    }
    const auto runs_it = [&](int one) { return programs[static_cast<std::size_t>(one)] == program; };
    const auto found = std::find_if(ranks.begin(), ranks.end(), runs_it);
    if (found == ranks.end())
      throw std::runtime_error("program " + std::to_string(program) +
                               " of the command line has no process and no spare left, so nobody can start it again; "
                               "give it a spare (--spares 1 behind its ':')");
    requests->push_back({program, command, 1});
    if (code == MPI_SUCCESS)
      code = broadcast_words(survivors, static_cast<int>(found - ranks.begin()), &requests->back().command);
    if (code == MPI_SUCCESS && requests->back().command.empty())
      throw std::runtime_error(
          "no spare is left for the dead, and replace_dead() got no command to start others by; "
          "give it the program and its arguments, or more spares (mpiexec --spares)");
  }
  return code;
}

/// One attempt to replace the dead members of comm, whose ranks ran these programs, by new processes. MPI_COMM_NULL
/// when a process died meanwhile.
inline MPI_Comm try_to_replace(MPI_Comm comm, const Programs& programs, int my_rank, const Words& command) {
  MPI_Comm survivors = MPI_COMM_NULL;
  if (MPIX_Comm_shrink(comm, &survivors) != MPI_SUCCESS) throw std::runtime_error("the survivors cannot be found");
  MPI_Comm_set_errhandler(survivors, MPI_ERRORS_RETURN);
  int count = 0;
  MPI_Comm_size(survivors, &count);
  if (count == static_cast<int>(programs.size())) {  // nobody is missing
    remember_programs(survivors, programs);
    return survivors;
  }
  std::vector<int> ranks(static_cast<std::size_t>(count));
  int code = MPI_Allgather(&my_rank, 1, MPI_INT, ranks.data(), 1, MPI_INT, survivors);
  std::vector<int> lost;
  std::vector<Request> requests;
  if (code == MPI_SUCCESS) {
    lost = missing_ranks(ranks, programs);
    code = make_requests(survivors, ranks, programs, lost, command, &requests);
  }
  MPI_Comm between = MPI_COMM_NULL;
  MPI_Comm merged = MPI_COMM_NULL;
  if (code == MPI_SUCCESS) code = spawn_and_merge(survivors, requests, &between, &merged);
  MPI_Comm whole = MPI_COMM_NULL;
  if (succeeded_everywhere(survivors, code)) {
    MPI_Comm_set_errhandler(merged, MPI_ERRORS_RETURN);
    whole = put_in_order(merged, count, my_rank, lost, programs);
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

/// comm is freed unless it is MPI_COMM_WORLD. command: the program and its arguments for the new processes; where
/// mpiexec started several programs, each survivor says its own, and the dead of each program are replaced by it.
/// Empty: by spares only; where they do not suffice every survivor throws.
inline MPI_Comm replace_dead(MPI_Comm comm, const std::vector<std::string>& command) {
  int my_rank = 0;
  MPI_Comm_rank(comm, &my_rank);
  const internal::Programs programs = internal::programs_of(comm);
  MPIX_Comm_revoke(comm);
  MPI_Comm whole = MPI_COMM_NULL;
  if (internal::spare_pool() != MPI_COMM_NULL)
    whole = internal::assign_ranks({my_rank, static_cast<int>(programs.size()), 0}, programs);
  while (whole == MPI_COMM_NULL) whole = internal::try_to_replace(comm, programs, my_rank, command);
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
    whole = internal::put_in_order(merged, survivors, 0, {}, {});
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
  std::vector<internal::Start> starts;
  int code = internal::gather_starts(&starts);
  MPI_Comm comm = MPI_COMM_NULL;
  bool waits = false;
  if (code == MPI_SUCCESS) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    waits = internal::is_spare(starts, static_cast<std::size_t>(rank));
    code = MPI_Comm_split(MPI_COMM_WORLD, waits ? MPI_UNDEFINED : 0, rank, &comm);
  }
  const auto has_spares = [](const internal::Start& one) { return one.spares > 0; };
  if (code == MPI_SUCCESS && std::any_of(starts.begin(), starts.end(), has_spares)) code = internal::open_spare_pool();
  if (code != MPI_SUCCESS) throw std::runtime_error("a process died before all had joined");
  if (!waits) {
    internal::remember_programs(comm, internal::programs_at_work(starts));
    return {comm, false};
  }
  while (comm == MPI_COMM_NULL && internal::spare_pool() != MPI_COMM_NULL)
    comm = internal::assign_ranks({internal::kSpare, 0, internal::my_start().program});
  return {comm, true};
}

}  // namespace starling
