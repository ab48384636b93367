// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// For cases that expect errors: error handlers that return for a while, and what a code says.
#pragma once

#include <string>

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

/// While it lives, errors on MPI_COMM_WORLD and MPI_COMM_SELF come back as codes, and so do those of communicators made
/// from them meanwhile. Errors of calls without a communicator are raised on one of the two.
class ReturnErrors {
 public:
  ReturnErrors() {
    for (int i = 0; i < 2; ++i) {
      MPI_Comm_get_errhandler(comms_[i], &handlers_[i]);
      MPI_Comm_set_errhandler(comms_[i], MPI_ERRORS_RETURN);
    }
  }
  ~ReturnErrors() {
    for (int i = 0; i < 2; ++i) {
      MPI_Comm_set_errhandler(comms_[i], handlers_[i]);
      MPI_Errhandler_free(&handlers_[i]);
    }
  }
  ReturnErrors(const ReturnErrors&) = delete;
  ReturnErrors& operator=(const ReturnErrors&) = delete;

 private:
  MPI_Comm comms_[2] = {MPI_COMM_WORLD, MPI_COMM_SELF};
  MPI_Errhandler handlers_[2];
};

}  // namespace starling::tests
