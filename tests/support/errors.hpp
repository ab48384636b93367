// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// For cases that expect errors: error handlers that return for a while, and what a code says.
#pragma once

#include <string>
#include <vector>

#include "support/mpi_cases.hpp"

namespace starling::tests {

inline int class_of(int code) {
  int error_class = -1;
  MPI_Error_class(code, &error_class);
  return error_class;
}

/// Whether an erroneous call failed. Where the standard names no class for it Starling has one of its own, which is not
/// asked of other libraries.
inline bool refused_as(int code, [[maybe_unused]] int error_class) {
#ifdef MPI_ABI_VERSION
  return class_of(code) == error_class;
#else
  return code != MPI_SUCCESS;
#endif
}

inline std::string text_of(int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  return std::string(text, static_cast<std::size_t>(length));
}

/// While it lives, errors on MPI_COMM_WORLD, MPI_COMM_SELF and another communicator come back as codes, and so do those
/// of communicators made from them meanwhile. Errors of calls without a communicator are raised on one of the first
/// two.
class ReturnErrors {
 public:
  explicit ReturnErrors(MPI_Comm other = MPI_COMM_NULL) {
    for (const MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF}) add(comm);
    if (other != MPI_COMM_NULL && other != MPI_COMM_WORLD) add(other);
  }
  ~ReturnErrors() {
    for (Changed& changed : changed_) {
      MPI_Comm_set_errhandler(changed.comm, changed.handler);
      MPI_Errhandler_free(&changed.handler);
    }
  }
  ReturnErrors(const ReturnErrors&) = delete;
  ReturnErrors& operator=(const ReturnErrors&) = delete;

 private:
  struct Changed {
    MPI_Comm comm;
    MPI_Errhandler handler;
  };

  void add(MPI_Comm comm) {
    MPI_Comm_get_errhandler(comm, &changed_.emplace_back(Changed{comm, MPI_ERRHANDLER_NULL}).handler);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  }

  std::vector<Changed> changed_;
};

}  // namespace starling::tests
