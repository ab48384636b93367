// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Whether numbers, pointers and buffers are fit for the call: the fast half of these checks, which every call runs.
//
// Each returns MPI_SUCCESS, or notes the failure (fail.hpp) and returns its class. `name` is the parameter that a
// message blames. The communicator has been checked. Thread safety: the holder of the world's lock. Invariants: a check
// that succeeds has read only the context of the calling thread.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <limits>

#include "mpi/boundary/context.hpp"
#include "mpi/boundary/counts.hpp"
#include "mpi/boundary/refusals.hpp"

namespace starling::mpi {

// Numbers. MPI_ERR_COUNT, MPI_ERR_ARG, MPI_ERR_RANK, MPI_ERR_ROOT, MPI_ERR_TAG.
[[nodiscard]] inline int check_count(MPI_Count count, const char* name) {
  return count >= 0 ? MPI_SUCCESS : internal::refuse_count(count, name);
}
/// MPI_ERR_ARG.
[[nodiscard]] inline int check_not_negative(MPI_Count value, const char* name) {
  return value >= 0 ? MPI_SUCCESS : internal::refuse_negative(value, name);
}
/// MPI_ERR_ARG.
[[nodiscard]] inline int check_positive(MPI_Count value, const char* name) {
  return value > 0 ? MPI_SUCCESS : internal::refuse_not_positive(value, name);
}
/// Ranks are those of the remote group on an intercommunicator.
[[nodiscard, gnu::always_inline]] inline int check_rank(MPI_Comm comm, int rank, const char* name, RankKind kind) {
  const std::int32_t size = current()->comm(comm)->comm->addressed_size();
  if (static_cast<std::uint32_t>(rank) < static_cast<std::uint32_t>(size)) [[likely]]
    return MPI_SUCCESS;
  return internal::check_special_rank(size, rank, name, kind);
}
/// Also MPI_ROOT and MPI_PROC_NULL on an intercommunicator.
[[nodiscard]] inline int check_root(MPI_Comm comm, int root, const char* name) {
  const comm::Communicator& communicator = *current()->comm(comm)->comm;
  const std::int32_t size = communicator.addressed_size();
  if (static_cast<std::uint32_t>(root) < static_cast<std::uint32_t>(size)) [[likely]]
    return MPI_SUCCESS;
  if (communicator.is_inter() && (root == MPI_ROOT || root == MPI_PROC_NULL)) return MPI_SUCCESS;
  return internal::refuse_root(root, communicator, name);
}
[[nodiscard]] inline int check_tag(int tag, const char* name, TagKind kind) {
  if (tag >= 0) [[likely]]
    return MPI_SUCCESS;
  if (tag == MPI_ANY_TAG && kind == TagKind::kReceive) return MPI_SUCCESS;
  return internal::refuse_tag(tag, name, kind);
}

namespace internal {
[[nodiscard]] inline int check_each_count(std::int32_t size, const Counts& counts, const char* name) {
  if (!counts.given()) return internal::refuse_counts(name);
  for (std::int32_t rank = 0; rank < size; ++rank) {
    if (counts[rank] < 0) [[unlikely]]
      return internal::refuse_count_of(rank, counts[rank], name);
  }
  return MPI_SUCCESS;
}
}  // namespace internal

/// The counts of a v-collective: given, and one for each rank of the (remote) group, not negative.
[[nodiscard]] inline int check_counts(MPI_Comm comm, const Counts& counts, const char* name) {
  return internal::check_each_count(current()->comm(comm)->comm->addressed_size(), counts, name);
}
/// The counts of a reduce_scatter: one for each rank of the local group.
[[nodiscard]] inline int check_local_counts(MPI_Comm comm, const Counts& counts, const char* name) {
  return internal::check_each_count(current()->comm(comm)->comm->size(), counts, name);
}
/// The displacements of a v-collective: given.
[[nodiscard]] inline int check_displs(const Displs& displs, const char* name) {
  return displs.given() ? MPI_SUCCESS : internal::refuse_counts(name);
}

// Pointers. MPI_ERR_ARG, MPI_ERR_BUFFER.
[[nodiscard]] inline int check_pointer(const void* pointer, const char* name) {
  return pointer != nullptr ? MPI_SUCCESS : internal::refuse_null(name);
}
/// Length 0: any pointer.
[[nodiscard]] inline int check_array(MPI_Count length, const void* array, const char* name) {
  return array != nullptr || length == 0 ? MPI_SUCCESS : internal::refuse_null(name);
}
/// A null buffer is refused when something would be read or written at it: count above 0 and a datatype that is not
/// laid out at absolute addresses. MPI_BOTTOM is the null pointer.
[[nodiscard]] inline int check_buffer(const void* buffer, MPI_Count count, MPI_Datatype datatype, const char* name) {
  constexpr std::uintptr_t kLastSentinel = 2;  // MPI_BUFFER_AUTOMATIC
  if (reinterpret_cast<std::uintptr_t>(buffer) > kLastSentinel && count <= std::numeric_limits<std::int32_t>::max())
      [[likely]] {
    return MPI_SUCCESS;
  }
  return internal::check_special_buffer(buffer, count, datatype, name);
}
/// MPI_IN_PLACE where the call does not know it.
[[nodiscard]] inline int check_not_in_place(const void* buffer, const char* name) {
  return buffer != MPI_IN_PLACE ? MPI_SUCCESS : internal::check_special_buffer(buffer, 0, MPI_BYTE, name);
}

// Which arguments of a rooted collective count here. An intracommunicator's root is a rank, an intercommunicator's root
// group says MPI_ROOT or MPI_PROC_NULL.
[[nodiscard]] inline bool is_intercomm(MPI_Comm comm) { return current()->comm(comm)->comm->is_inter(); }
[[nodiscard]] inline bool at_root(MPI_Comm comm, int root) {
  const comm::Communicator& communicator = *current()->comm(comm)->comm;
  return communicator.is_inter() ? root == MPI_ROOT : communicator.rank() == root;
}
[[nodiscard]] inline bool contributes(MPI_Comm comm, int root) { return root >= 0 || !is_intercomm(comm); }
[[nodiscard]] inline bool takes_part(MPI_Comm comm, int root) { return root != MPI_PROC_NULL || !is_intercomm(comm); }

}  // namespace starling::mpi
