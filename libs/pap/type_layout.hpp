// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Where the elements of a datatype lie.
//
// Thread safety: value types.
#pragma once

#include <mpi.h>

#include "arrival/run/reduce_run.hpp"

namespace starling::pap {

struct TypeLayout {
  arrival::Elements elements;
  bool contiguous = false;  ///< elements lie side by side without holes

  int read(MPI_Datatype type) {
    MPI_Aint lower = 0;
    MPI_Aint extent = 0;
    MPI_Aint true_lower = 0;
    MPI_Aint true_extent = 0;
    int size = 0;
    int code = PMPI_Type_get_extent(type, &lower, &extent);
    if (code == MPI_SUCCESS) code = PMPI_Type_get_true_extent(type, &true_lower, &true_extent);
    if (code == MPI_SUCCESS) code = PMPI_Type_size(type, &size);
    elements = {extent, true_lower, true_extent};
    contiguous = true_lower == 0 && true_extent == extent && size == extent;
    return code;
  }
};

}  // namespace starling::pap
