/* SPDX-FileCopyrightText: 2026 The Starling authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Names that programs use and that the MPI-5.0 ABI does not hold: the Fortran integer MPI_Fint with its handle and
 * status conversions, and what MPI-3.0 removed from MPI-1. All of it is written in terms of the ABI, so a program that
 * uses it still runs on every library with that ABI. mpi.h includes this file; STARLING_NO_COMPAT leaves it out.
 * Sources: MPI-5.0, 19.3 (language interoperability) and chapter 17 (removed interfaces).
 */
#ifndef STARLING_MPI_COMPAT_H
#define STARLING_MPI_COMPAT_H

#include "mpi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Handles as Fortran integers */
typedef int MPI_Fint;

#define STARLING_MPI_FORTRAN_HANDLE(type, prefix)                                               \
  static inline MPI_Fint prefix##_c2f(type handle) { return (MPI_Fint)prefix##_toint(handle); } \
  static inline type prefix##_f2c(MPI_Fint handle) { return prefix##_fromint((int)handle); }
STARLING_MPI_FORTRAN_HANDLE(MPI_Comm, MPI_Comm)
STARLING_MPI_FORTRAN_HANDLE(MPI_Errhandler, MPI_Errhandler)
STARLING_MPI_FORTRAN_HANDLE(MPI_File, MPI_File)
STARLING_MPI_FORTRAN_HANDLE(MPI_Group, MPI_Group)
STARLING_MPI_FORTRAN_HANDLE(MPI_Info, MPI_Info)
STARLING_MPI_FORTRAN_HANDLE(MPI_Message, MPI_Message)
STARLING_MPI_FORTRAN_HANDLE(MPI_Op, MPI_Op)
STARLING_MPI_FORTRAN_HANDLE(MPI_Request, MPI_Request)
STARLING_MPI_FORTRAN_HANDLE(MPI_Session, MPI_Session)
STARLING_MPI_FORTRAN_HANDLE(MPI_Datatype, MPI_Type)
STARLING_MPI_FORTRAN_HANDLE(MPI_Win, MPI_Win)
#undef STARLING_MPI_FORTRAN_HANDLE

/* Statuses as Fortran arrays of MPI_F_STATUS_SIZE integers, and as the derived type of mpi_f08, which is laid out as in
 * C */
typedef MPI_Status MPI_F08_status;

#define MPI_STATUS_SIZE MPI_F_STATUS_SIZE
/* What Fortran passes for MPI_STATUS_IGNORE is the address of a variable in its library; null where there is none. */
extern MPI_Status mpi_fortran_status_ignore_ __attribute__((weak));
extern MPI_Status mpi_fortran_statuses_ignore_ __attribute__((weak));
#define MPI_F_STATUS_IGNORE ((MPI_Fint*)&mpi_fortran_status_ignore_)
#define MPI_F_STATUSES_IGNORE ((MPI_Fint*)&mpi_fortran_statuses_ignore_)
#define MPI_F08_STATUS_IGNORE ((MPI_F08_status*)&mpi_fortran_status_ignore_)
#define MPI_F08_STATUSES_IGNORE ((MPI_F08_status*)&mpi_fortran_statuses_ignore_)

static inline int MPI_Status_c2f(const MPI_Status* c_status, MPI_Fint* f_status) {
  int i;
  f_status[MPI_F_SOURCE] = c_status->MPI_SOURCE;
  f_status[MPI_F_TAG] = c_status->MPI_TAG;
  f_status[MPI_F_ERROR] = c_status->MPI_ERROR;
  for (i = 0; i < MPI_F_STATUS_SIZE - 3; i++) f_status[3 + i] = c_status->MPI_internal[i];
  return MPI_SUCCESS;
}
static inline int MPI_Status_f2c(const MPI_Fint* f_status, MPI_Status* c_status) {
  int i;
  c_status->MPI_SOURCE = f_status[MPI_F_SOURCE];
  c_status->MPI_TAG = f_status[MPI_F_TAG];
  c_status->MPI_ERROR = f_status[MPI_F_ERROR];
  for (i = 0; i < MPI_F_STATUS_SIZE - 3; i++) c_status->MPI_internal[i] = f_status[3 + i];
  return MPI_SUCCESS;
}
static inline int MPI_Status_c2f08(const MPI_Status* c_status, MPI_F08_status* f08_status) {
  *f08_status = *c_status;
  return MPI_SUCCESS;
}
static inline int MPI_Status_f082c(const MPI_F08_status* f08_status, MPI_Status* c_status) {
  *c_status = *f08_status;
  return MPI_SUCCESS;
}
static inline int MPI_Status_f2f08(const MPI_Fint* f_status, MPI_F08_status* f08_status) {
  return MPI_Status_f2c(f_status, f08_status);
}
static inline int MPI_Status_f082f(const MPI_F08_status* f08_status, MPI_Fint* f_status) {
  return MPI_Status_c2f(f08_status, f_status);
}

/* MPI-1 functions that MPI-3.0 removed, each by its successor */
typedef MPI_Comm_errhandler_function MPI_Handler_function;

static inline int MPI_Address(void* location, MPI_Aint* address) { return MPI_Get_address(location, address); }
static inline int MPI_Type_hindexed(int count, int array_of_blocklengths[], MPI_Aint array_of_displacements[],
                                    MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return MPI_Type_create_hindexed(count, array_of_blocklengths, array_of_displacements, oldtype, newtype);
}
static inline int MPI_Type_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
                                   MPI_Datatype* newtype) {
  return MPI_Type_create_hvector(count, blocklength, stride, oldtype, newtype);
}
static inline int MPI_Type_struct(int count, int array_of_blocklengths[], MPI_Aint array_of_displacements[],
                                  MPI_Datatype array_of_types[], MPI_Datatype* newtype) {
  return MPI_Type_create_struct(count, array_of_blocklengths, array_of_displacements, array_of_types, newtype);
}
static inline int MPI_Type_extent(MPI_Datatype datatype, MPI_Aint* extent) {
  MPI_Aint lb;
  return MPI_Type_get_extent(datatype, &lb, extent);
}
static inline int MPI_Type_lb(MPI_Datatype datatype, MPI_Aint* displacement) {
  MPI_Aint extent;
  return MPI_Type_get_extent(datatype, displacement, &extent);
}
static inline int MPI_Type_ub(MPI_Datatype datatype, MPI_Aint* displacement) {
  MPI_Aint lb;
  int code = MPI_Type_get_extent(datatype, &lb, displacement);
  if (code == MPI_SUCCESS) *displacement += lb;
  return code;
}
static inline int MPI_Errhandler_create(MPI_Handler_function* function, MPI_Errhandler* errhandler) {
  return MPI_Comm_create_errhandler(function, errhandler);
}
static inline int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler* errhandler) {
  return MPI_Comm_get_errhandler(comm, errhandler);
}
static inline int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler) {
  return MPI_Comm_set_errhandler(comm, errhandler);
}

/* The bound markers have no successor that could stand in their place, so their use says what to write instead. */
#ifdef __has_attribute
#if __has_attribute(unavailable)
extern MPI_Datatype MPI_LB
    __attribute__((unavailable("MPI-3.0 removed MPI_LB; set the lower bound with MPI_Type_create_resized")));
extern MPI_Datatype MPI_UB
    __attribute__((unavailable("MPI-3.0 removed MPI_UB; set the extent with MPI_Type_create_resized")));
#endif
#endif

#ifdef __cplusplus
}
#endif

#endif
