// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Communicator: an MPI_Comm in code that does not include <mpi.h>, which is compiled once for all MPIs and linked with
// one of them. Where <starling/array.hpp> is included MPI_Comm becomes one by itself, and nothing else does.
//
// **Thread safety**: a value. It owns nothing: the owner of the MPI_Comm frees it.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>

namespace starling::array {

namespace detail {

/// What MPI_Comm and MPI_COMM_NULL are: said by <starling/array/mpi.hpp>, unknown without.
template <class Here = void>
struct Mpi;

}  // namespace detail

class Communicator {
 public:
  /// No processes, as MPI_COMM_NULL.
  Communicator() = default;
  template <class Comm, class Here = void>
  requires std::same_as<Comm, typename detail::Mpi<Here>::Comm> Communicator(
      Comm comm) {  // NOLINT(google-explicit-constructor): programs pass an MPI_Comm
    static_assert(sizeof comm <= sizeof handle_);
    if (comm != detail::Mpi<Here>::null()) std::memcpy(&handle_, &comm, sizeof comm);
  }

  bool is_null() const { return handle_ == 0; }

  /// As the MPI of this program has it.
  template <class Here = void>
  typename detail::Mpi<Here>::Comm mpi() const {
    typename detail::Mpi<Here>::Comm comm = detail::Mpi<Here>::null();
    if (!is_null()) std::memcpy(&comm, &handle_, sizeof comm);
    return comm;
  }

 private:
  std::uintptr_t handle_ = 0;  // no MPI has a communicator of this value
};

}  // namespace starling::array
