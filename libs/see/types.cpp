// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "types.hpp"

#include <atomic>

#include "mpi/handle.hpp"
#include "shown_handles.hpp"

namespace starling::see {

void Types::name(MPI_Datatype type, std::uint32_t shown) {
  if (type != MPI_DATATYPE_NULL) table_.insert(any_mpi::bits_of(type), {shown, -1});
}

std::uint32_t Types::shown(MPI_Datatype type) noexcept {
  const Type* const found = table_.find(any_mpi::bits_of(type));
  return found != nullptr ? found->shown : kFirstMadeHandle;
}

std::uint64_t Types::size(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL) return 0;
  Type* found = table_.find(any_mpi::bits_of(type));
  // Relaxed: whoever asks first stores what others would store.
  std::int64_t size = found != nullptr ? std::atomic_ref(found->size).load(std::memory_order_relaxed) : -1;
  if (size >= 0) return static_cast<std::uint64_t>(size);
  MPI_Count asked = 0;
  if (PMPI_Type_size_x(type, &asked) != MPI_SUCCESS || asked < 0) return 0;
  size = asked;
  const std::lock_guard guard(lock_);
  if (found == nullptr) found = table_.insert(any_mpi::bits_of(type), {kFirstMadeHandle, size});
  if (found != nullptr) std::atomic_ref(found->size).store(size, std::memory_order_relaxed);
  return static_cast<std::uint64_t>(size);
}

void Types::forget(MPI_Datatype type) {
  const std::lock_guard guard(lock_);
  table_.erase(any_mpi::bits_of(type));
}

}  // namespace starling::see
