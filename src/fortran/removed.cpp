// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What MPI-3.0 removed and old programs still call, as mpi_compat.h has it for C: each by its successor, with addresses
// that are INTEGERs. No module declares them. Source: MPI-5.0, chapter 17.
#include <vector>

#include "fortran/entry.hpp"

using namespace starling::fortran;

namespace {

using Widened = std::vector<MPI_Aint>;

Widened widened(const int* numbers, int count) { return count > 0 ? Widened(numbers, numbers + count) : Widened(); }

void give_type(MPI_Datatype made, int* type, int code, int* ierror) {
  if (code == MPI_SUCCESS) *type = to(made);
  give(ierror, code);
}

/// What begin and extent say of where a datatype begins, ends, and how long it is.
template <typename Wanted>
void give_bound(const int* type, int* bound, int* ierror, Wanted wanted) {
  MPI_Aint begin = 0;
  MPI_Aint extent = 0;
  const int code = MPI_Type_get_extent(from<MPI_Datatype>(*type), &begin, &extent);
  if (code == MPI_SUCCESS) *bound = static_cast<int>(wanted(begin, extent));
  give(ierror, code);
}

}  // namespace

extern "C" {

STARLING_PUBLIC void mpi_address_(void* location, int* address, int* ierror) {
  MPI_Aint found = 0;
  const int code = MPI_Get_address(buffer(location), &found);
  if (code == MPI_SUCCESS) *address = static_cast<int>(found);
  give(ierror, code);
}

STARLING_PUBLIC void mpi_type_extent_(const int* type, int* extent, int* ierror) {
  give_bound(type, extent, ierror, [](MPI_Aint, MPI_Aint length) { return length; });
}
STARLING_PUBLIC void mpi_type_lb_(const int* type, int* begin, int* ierror) {
  give_bound(type, begin, ierror, [](MPI_Aint first, MPI_Aint) { return first; });
}
STARLING_PUBLIC void mpi_type_ub_(const int* type, int* end, int* ierror) {
  give_bound(type, end, ierror, [](MPI_Aint first, MPI_Aint length) { return first + length; });
}

STARLING_PUBLIC void mpi_type_hvector_(const int* count, const int* length, const int* stride, const int* old,
                                       int* type, int* ierror) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  const int code = MPI_Type_create_hvector(*count, *length, *stride, from<MPI_Datatype>(*old), &made);
  give_type(made, type, code, ierror);
}
STARLING_PUBLIC void mpi_type_hindexed_(const int* count, const int* lengths, const int* places, const int* old,
                                        int* type, int* ierror) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  const int code =
      MPI_Type_create_hindexed(*count, lengths, widened(places, *count).data(), from<MPI_Datatype>(*old), &made);
  give_type(made, type, code, ierror);
}
STARLING_PUBLIC void mpi_type_struct_(const int* count, const int* lengths, const int* places, const int* types,
                                      int* type, int* ierror) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  Handles<MPI_Datatype> parts(types, *count);
  const int code = MPI_Type_create_struct(*count, lengths, widened(places, *count).data(), parts.data(), &made);
  give_type(made, type, code, ierror);
}

STARLING_PUBLIC void pmpi_comm_create_errhandler_(void (*function)(int*, int*), int* errhandler, int* ierror);
STARLING_PUBLIC void mpi_errhandler_create_(void (*function)(int*, int*), int* errhandler, int* ierror) {
  pmpi_comm_create_errhandler_(function, errhandler, ierror);
}
STARLING_PUBLIC void mpi_errhandler_get_(const int* comm, int* errhandler, int* ierror) {
  MPI_Errhandler found = MPI_ERRHANDLER_NULL;
  const int code = MPI_Comm_get_errhandler(from<MPI_Comm>(*comm), &found);
  if (code == MPI_SUCCESS) *errhandler = to(found);
  give(ierror, code);
}
STARLING_PUBLIC void mpi_errhandler_set_(const int* comm, const int* errhandler, int* ierror) {
  give(ierror, MPI_Comm_set_errhandler(from<MPI_Comm>(*comm), from<MPI_Errhandler>(*errhandler)));
}

}  // extern "C"
