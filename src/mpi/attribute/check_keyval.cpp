// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/attribute/check_keyval.hpp"

#include "base/format.hpp"
#include "mpi/boundary/fail.hpp"
#include "mpi/boundary/refusals.hpp"

namespace starling::mpi {

int internal::refuse_keyval(int keyval, const char* name, KeyvalKind kind) {
  if (keyval == MPI_KEYVAL_INVALID) {
    return fail(Status::error(ErrorClass::kKeyval, formatted("{} is MPI_KEYVAL_INVALID; create a key first", name)));
  }
  const char* what = kind == KeyvalKind::kComm       ? "communicators"
                     : kind == KeyvalKind::kDatatype ? "datatypes"
                                                     : "windows";
  return fail(
      Status::error(ErrorClass::kKeyval, formatted("{} {} is not a live attribute key of {}", name, keyval, what)));
}

}  // namespace starling::mpi
