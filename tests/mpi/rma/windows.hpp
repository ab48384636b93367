// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Windows of every kind over an array of T on each rank, so that a case runs the same on all of them.
//
// Thread safety: one object belongs to one rank. Invariants: the array is zero after creation and a barrier has passed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "support/mpi_cases.hpp"
#include "support/nodes.hpp"

namespace starling::tests {

enum class WindowKind { kCreate, kAllocate, kShared, kDynamic };

/// Those that the ranks of a case can make together; over several nodes no memory for loads and stores. Collective.
inline std::vector<WindowKind> kinds_of(const Context& world) {
  std::vector<WindowKind> kinds = {WindowKind::kCreate, WindowKind::kAllocate, WindowKind::kDynamic};
  if (!spans_nodes(world.comm)) kinds.push_back(WindowKind::kShared);
  return kinds;
}
/// ... and whose memory does not change.
inline std::vector<WindowKind> fixed_kinds_of(const Context& world) {
  std::vector<WindowKind> kinds = kinds_of(world);
  std::erase(kinds, WindowKind::kDynamic);
  return kinds;
}

template <typename T>
class WindowOver {
 public:
  WindowOver(Context& world, WindowKind kind, int elements, MPI_Info info = MPI_INFO_NULL)
      : kind_(kind),
        comm_(world.comm),
        own_(static_cast<std::size_t>(elements)),
        bases_(static_cast<std::size_t>(world.size)) {
    const auto bytes = static_cast<MPI_Aint>(own_.size() * sizeof(T));
    data_ = own_.data();
    constexpr int kUnit = sizeof(T);
    switch (kind) {
      case WindowKind::kCreate: MPI_Win_create(data_, bytes, kUnit, info, world.comm, &win_); break;
      case WindowKind::kAllocate:
#ifdef MPICH_VERSION  // 4.0.2: what is put into such a window is lost on every rank but the first
        MPI_Win_allocate_shared(bytes, kUnit, info, world.comm, &data_, &win_);
#else
        MPI_Win_allocate(bytes, kUnit, info, world.comm, &data_, &win_);
#endif
        break;
      case WindowKind::kShared: MPI_Win_allocate_shared(bytes, kUnit, info, world.comm, &data_, &win_); break;
      case WindowKind::kDynamic:
        MPI_Win_create_dynamic(info, world.comm, &win_);
        MPI_Win_attach(win_, data_, bytes);
        break;
    }
    std::fill_n(data_, own_.size(), T{});
    MPI_Aint here = 0;
    MPI_Get_address(data_, &here);
    MPI_Allgather(&here, 1, MPI_AINT, bases_.data(), 1, MPI_AINT, world.comm);
  }
  ~WindowOver() {
    if (kind_ == WindowKind::kDynamic) {
      MPI_Barrier(comm_);  // others may still access it
      MPI_Win_detach(win_, data_);
    }
    MPI_Win_free(&win_);
  }
  WindowOver(const WindowOver&) = delete;
  WindowOver& operator=(const WindowOver&) = delete;

  operator MPI_Win() const { return win_; }  // NOLINT(google-explicit-constructor)
  [[nodiscard]] T* data() const { return data_; }
  T& operator[](int index) const { return data_[index]; }

  /// The displacement of an element of a rank.
  [[nodiscard]] MPI_Aint at(int rank, int index) const {
    if (kind_ != WindowKind::kDynamic) return index;
    return MPI_Aint_add(bases_[static_cast<std::size_t>(rank)], static_cast<MPI_Aint>(sizeof(T)) * index);
  }

 private:
  WindowKind kind_;
  MPI_Comm comm_;
  std::vector<T> own_;
  std::vector<MPI_Aint> bases_;
  T* data_ = nullptr;
  MPI_Win win_ = MPI_WIN_NULL;
};

/// While it lives, errors on the window come back as codes.
class ReturnErrorsOn {
 public:
  explicit ReturnErrorsOn(MPI_Win win) { MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN); }
};

}  // namespace starling::tests
