// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Handles between C and Fortran, where they are integers. Predefined ones are the same numbers in both (they are below
// the first page in this ABI); for the others the MPI library is asked. Arrays are widened, as an integer has 4 bytes
// and a handle 8. Thread safety: Kept has a lock, the rest has no state.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <vector>

namespace starling::fortran {

template <typename Handle>
struct Numbered;
#define STARLING_NUMBERED(type, prefix)                               \
  template <>                                                         \
  struct Numbered<type> {                                             \
    static type from(int number) { return prefix##_fromint(number); } \
    static int to(type handle) { return prefix##_toint(handle); }     \
  };
STARLING_NUMBERED(MPI_Comm, PMPI_Comm)
STARLING_NUMBERED(MPI_Datatype, PMPI_Type)
STARLING_NUMBERED(MPI_Errhandler, PMPI_Errhandler)
STARLING_NUMBERED(MPI_File, PMPI_File)
STARLING_NUMBERED(MPI_Group, PMPI_Group)
STARLING_NUMBERED(MPI_Info, PMPI_Info)
STARLING_NUMBERED(MPI_Message, PMPI_Message)
STARLING_NUMBERED(MPI_Op, PMPI_Op)
STARLING_NUMBERED(MPI_Request, PMPI_Request)
STARLING_NUMBERED(MPI_Session, PMPI_Session)
STARLING_NUMBERED(MPI_Win, PMPI_Win)
#undef STARLING_NUMBERED

inline constexpr std::uintptr_t kPredefined = 4096;  ///< every predefined handle is below

template <typename Handle>
Handle from(int number) {
  const auto value = static_cast<unsigned>(number);
  if (value < kPredefined) [[likely]]
    return reinterpret_cast<Handle>(static_cast<std::uintptr_t>(value));
  return Numbered<Handle>::from(number);
}

template <typename Handle>
int to(Handle handle) {
  const auto value = reinterpret_cast<std::uintptr_t>(handle);
  return value < kPredefined ? static_cast<int>(value) : Numbered<Handle>::to(handle);
}

/// An array of handles as C has it, for as long as a call lasts.
template <typename Handle>
class Handles {
 public:
  Handles(const int* numbers, MPI_Count count) : Handles(count) {
    for (MPI_Count i = 0; i < count; ++i) data_[i] = from<Handle>(numbers[i]);
  }
  /// For a call that fills it.
  explicit Handles(MPI_Count count) : count_(count < 0 ? 0 : count) {
    if (count_ > static_cast<MPI_Count>(few_.size())) {
      many_.resize(static_cast<std::size_t>(count_));
      data_ = many_.data();
    }
  }
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;

  Handle* data() { return data_; }
  /// Back into the program's array; what the call has left empty stays as it was.
  void give(int* numbers) const {
    for (MPI_Count i = 0; i < count_; ++i) {
      if (data_[i] != nullptr) numbers[i] = to(data_[i]);
    }
  }

 private:
  MPI_Count count_;
  std::array<Handle, 32> few_{};
  std::vector<Handle> many_;
  Handle* data_ = few_.data();
};

/// Datatypes that the library may read until an operation has completed, which nobody tells this layer: equal arrays
/// are one, and stay until the program ends.
template <typename Handle>
class Kept {
 public:
  Kept(const int* numbers, int count);
  Handle* data() { return data_; }

 private:
  Handle* data_;
};

enum class Neighbors { kSources, kDestinations };
/// How many neighbours a process has in a topology; 0 where there is none.
int neighbors(MPI_Comm comm, Neighbors side);
/// How many processes a collective exchanges with; 0 where the buffer is MPI_IN_PLACE, and its types mean nothing.
int peers(MPI_Comm comm, bool given);
/// Whether this process is the root of a collective, also of one between two groups.
bool is_root(MPI_Comm comm, int root);

}  // namespace starling::fortran
