// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A communicator of the library's own, so that its messages and the program's never meet: a duplicate, or the two sides
// of an intercommunicator as one. It has one owner, which frees it.
//
// **Thread safety**: one thread at a time. **Invariants**: freeing is collective. So the destructor leaves the
// communicator to the end of MPI while an exception passes, for the other processes might never come to free it; where
// one of them has died the owner calls release(). **Source**: MPI-5.0, 7.4.2, 7.4.3 and 7.6.2.
#pragma once

#include <mpi.h>

#include <exception>
#include <utility>

#include "calls.hpp"

namespace starling::any_mpi {

template <class Calls>
class BasicOwnedCommunicator {
 public:
  BasicOwnedCommunicator() = default;
  /// Takes it over.
  explicit BasicOwnedCommunicator(MPI_Comm comm) noexcept : comm_(comm) {}
  BasicOwnedCommunicator(BasicOwnedCommunicator&& other) noexcept : comm_(other.release()) {}
  BasicOwnedCommunicator& operator=(BasicOwnedCommunicator&& other) {
    if (this == &other) return *this;
    reset();
    comm_ = other.release();
    return *this;
  }
  ~BasicOwnedCommunicator() {
    if (std::uncaught_exceptions() == 0) reset();
  }

  [[nodiscard]] MPI_Comm get() const noexcept { return comm_; }
  [[nodiscard]] bool is_null() const noexcept { return comm_ == MPI_COMM_NULL; }
  /// Frees it now. Collective.
  void reset() {
    if (!is_null()) Calls::comm_free(&comm_);
    comm_ = MPI_COMM_NULL;
  }
  /// Leaves it to the caller, or to the end of MPI.
  MPI_Comm release() noexcept { return std::exchange(comm_, MPI_COMM_NULL); }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

using OwnedCommunicator = BasicOwnedCommunicator<MpiCalls>;

/// A copy of `comm`, with its error handler. Collective. Gives back the code of MPI; after an error `copy` is as
/// before.
template <class Calls>
int duplicate(MPI_Comm comm, BasicOwnedCommunicator<Calls>& copy) {
  MPI_Comm made = MPI_COMM_NULL;
  const int code = Calls::comm_dup(comm, &made);
  if (code == MPI_SUCCESS) copy = BasicOwnedCommunicator<Calls>(made);
  return code;
}

/// Which ranks the processes of one side get when two sides become one.
enum class Side { kFirst, kLast };

/// Both sides of an intercommunicator as one; each side says the other of the two. Collective. Gives back the code of
/// MPI; after an error `all` is as before. The intercommunicator stays.
inline int merge(MPI_Comm between, Side own, OwnedCommunicator& all) {
  MPI_Comm made = MPI_COMM_NULL;
  const int code = MPI_Intercomm_merge(between, own == Side::kLast ? 1 : 0, &made);
  if (code == MPI_SUCCESS) all = OwnedCommunicator(made);
  return code;
}

}  // namespace starling::any_mpi
