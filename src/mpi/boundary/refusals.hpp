// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The slow half of the checks, which finds the words for what is wrong with an argument. Never inlined.
// Thread safety: reads the context of the calling thread.
#pragma once

#include <mpi.h>

#include "comm/communicator.hpp"

namespace starling::mpi {

/// Whether the boundary checks the arguments of a call; the build option STARLING_CHECKS turns it off for programs that
/// are known to pass none that are wrong.
#ifdef STARLING_UNCHECKED
inline constexpr bool kChecked = false;
#else
inline constexpr bool kChecked = true;
#endif

enum class RankKind {
  kDestination,  ///< 0..size-1 or MPI_PROC_NULL
  kSource,       ///< also MPI_ANY_SOURCE
  kMember,       ///< 0..size-1 only
};
enum class TagKind { kSend, kReceive };         ///< kReceive also takes MPI_ANY_TAG
enum class NullHandle { kRefused, kAccepted };  ///< whether MPI_..._NULL is a legal argument

namespace internal {

// Each notes the failure and returns its code.
[[gnu::cold]] int refuse_comm(MPI_Comm comm, const char* name);
[[gnu::cold]] int refuse_win(MPI_Win win, const char* name);
[[gnu::cold]] int refuse_file(MPI_File file, const char* name);
[[gnu::cold]] int refuse_session(MPI_Session session, const char* name);
[[gnu::cold]] int refuse_group(MPI_Group group, const char* name);
[[gnu::cold]] int refuse_info(MPI_Info info, const char* name);
[[gnu::cold]] int refuse_errhandler(MPI_Errhandler errhandler, const char* name);
[[gnu::cold]] int refuse_datatype(MPI_Datatype datatype, const char* name);
[[gnu::cold]] int refuse_op(MPI_Op op, const char* name);
[[gnu::cold]] int refuse_op_on(MPI_Op op, MPI_Datatype datatype);
[[gnu::cold]] int refuse_request(MPI_Request request, const char* name);
[[gnu::cold]] int refuse_request_of(int index, const char* name);
[[gnu::cold]] int refuse_message(MPI_Message message, const char* name);
[[gnu::cold]] int refuse_count(MPI_Count count, const char* name);
[[gnu::cold]] int refuse_negative(MPI_Count value, const char* name);
[[gnu::cold]] int refuse_not_positive(MPI_Count value, const char* name);
[[gnu::cold]] int refuse_count_of(MPI_Count index, MPI_Count count, const char* name);
[[gnu::cold]] int refuse_tag(int tag, const char* name, TagKind kind);
[[gnu::cold]] int refuse_root(int root, const comm::Communicator& comm, const char* name);
[[gnu::cold]] int refuse_null(const char* name);
[[gnu::cold]] int refuse_counts(const char* name);
/// The wildcards and MPI_PROC_NULL, or a refusal.
[[gnu::cold]] int check_special_rank(int size, int rank, const char* name, RankKind kind);
/// MPI_BOTTOM, sentinels and very large counts, or a refusal.
[[gnu::cold]] int check_special_buffer(const void* buffer, MPI_Count count, MPI_Datatype datatype, const char* name);

}  // namespace internal
}  // namespace starling::mpi
