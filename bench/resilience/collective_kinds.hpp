// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The collective operations that plans A and B may run, as calls on any communicator. Thread safety: as its owner.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace starling::bench {

/// One kind of collective of so many bytes a member, with the buffers that it needs.
class Collective {
 public:
  static const std::vector<std::string>& names() {
    static const std::vector<std::string> all{"allreduce", "barrier", "bcast", "reduce", "allgather", "alltoall"};
    return all;
  }

  /// `name` is one of names(). members: of the largest communicator that it runs on.
  Collective(std::string name, int bytes, int members)
      : name_(std::move(name)),
        bytes_(bytes),
        from_(static_cast<std::size_t>(bytes) * static_cast<std::size_t>(members) + 1),
        to_(from_.size()) {}

  /// The error class of the call, whose communicator returns errors.
  int operator()(MPI_Comm comm) {
    if (name_ == "barrier") return MPI_Barrier(comm);
    if (name_ == "bcast") return MPI_Bcast(from_.data(), bytes_, MPI_BYTE, 0, comm);
    if (name_ == "reduce") return MPI_Reduce(from_.data(), to_.data(), bytes_, MPI_BYTE, MPI_BOR, 0, comm);
    if (name_ == "allgather") return MPI_Allgather(from_.data(), bytes_, MPI_BYTE, to_.data(), bytes_, MPI_BYTE, comm);
    if (name_ == "alltoall") return MPI_Alltoall(from_.data(), bytes_, MPI_BYTE, to_.data(), bytes_, MPI_BYTE, comm);
    return MPI_Allreduce(from_.data(), to_.data(), bytes_, MPI_BYTE, MPI_BOR, comm);
  }

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] int bytes() const noexcept { return bytes_; }

 private:
  std::string name_;
  int bytes_;
  std::vector<std::byte> from_;
  std::vector<std::byte> to_;
};

}  // namespace starling::bench
