// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What every entry for Fortran uses, generated or by hand. The entries call MPI_ names, not PMPI_ ones, so that tools
// which stand between a C program and the library see a Fortran program as well.
#pragma once

#include <ISO_Fortran_binding.h>

#define STARLING_NO_COMPAT
#include <mpi.h>

#include <cstddef>

#include "fortran/handles.hpp"
#include "fortran/section.hpp"
#include "fortran/sentinels.hpp"
#include "fortran/text.hpp"

#define STARLING_PUBLIC __attribute__((visibility("default")))
/// The names of one entry: pmpi_x_ is defined; mpi_x_ is what tools replace, and mpi_f08 has the same under names of
/// its own.
#define STARLING_SAME(name, parameters)                                                    \
  STARLING_PUBLIC void name##_ parameters __attribute__((weak, alias("p" #name "_")));     \
  STARLING_PUBLIC void name##_f08_ parameters __attribute__((weak, alias("p" #name "_"))); \
  STARLING_PUBLIC void p##name##_f08_ parameters __attribute__((alias("p" #name "_")));

namespace starling::fortran {

/// mpi_f08 may leave ierror out.
inline void give(int* ierror, int code) {
  if (ierror != nullptr) *ierror = code;
}

/// Fortran counts places from one.
inline int from_one(int place) { return place == MPI_UNDEFINED ? place : place + 1; }
inline void count_from_one(int* places, int count) {
  for (int i = 0; i < count; ++i) ++places[i];
}

}  // namespace starling::fortran
