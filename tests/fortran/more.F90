! SPDX-FileCopyrightText: 2026 The Starling authors
! SPDX-License-Identifier: BSD-3-Clause
! What only Fortran has, what MPI-3.0 removed (mpif.h), procedures of MPI that a program names, and PMPI names of each kind.
#define CHAPTER cover_more
#include "interface.inc"
  integer :: handled = 0
contains
subroutine chapter_more()
  call own_of_fortran()
  call copies()
  call profiled()
#ifdef MPIF
  call removed()
#endif
end subroutine

subroutine own_of_fortran()
  integer :: bytes, x(3)
  TSTATUS :: status
  TREQUEST :: r
#ifdef F08
  integer :: numbers(MPI_STATUS_SIZE)
  type(MPI_Status) :: again
#endif
#ifndef MPIF
  ! mpif.h names no generic procedure.
  call MPI_Sizeof(1.0d0, bytes IERR)
  CHECK(bytes == 8)
  call MPI_Sizeof(x, bytes IERR)
  CHECK(bytes == 4)
#endif
  x = -1
  call MPI_Irecv(x, N(3), int4, left, 3, world, r IERR)
  call MPI_Send([me, 8, 9], N(3), int4, right, 3, world IERR)
  call MPI_Wait(r, status IERR)
  call MPI_F_sync_reg(x)
  CHECK(all(x == [left, 8, 9]))
#ifdef F08
  call MPI_Status_f082f(status, numbers)
  CHECK(numbers(MPI_SOURCE) == left .and. numbers(MPI_TAG) == 3)
  call MPI_Status_f2f08(numbers, again)
  call MPI_Get_count(again, int4, bytes)
  CHECK(again%MPI_SOURCE == left .and. bytes == 3)
#endif
end subroutine

! Attributes that are copied as they are, or not at all.
#define COPYING(OBJECT, COPY, DUP, FREE, CREATE, SET, GET, FREE_KEYVAL, COPY_FN, DELETE_FN, STATE, IS_COPIED) \
  call CREATE(COPY_FN, DELETE_FN, keyval, STATE IERR); call SET(OBJECT, keyval, STATE + 5 IERR); call DUP(OBJECT, COPY IERR); \
  call GET(COPY, keyval, value, flag IERR); CHECK((flag .eqv. IS_COPIED) .and. (.not. flag .or. value == 5)); \
  call FREE(COPY IERR); call FREE_KEYVAL(keyval IERR); CHECK(keyval == MPI_KEYVAL_INVALID)
#define COMMS(COPY_FN, IS_COPIED) COPYING(MPI_COMM_SELF, comm, MPI_Comm_dup, MPI_Comm_free, MPI_Comm_create_keyval, \
  MPI_Comm_set_attr, MPI_Comm_get_attr, MPI_Comm_free_keyval, COPY_FN, MPI_COMM_NULL_DELETE_FN, 0_ak, IS_COPIED)
#define TYPES(COPY_FN, IS_COPIED) COPYING(MPI_REAL, type, MPI_Type_dup, MPI_Type_free, MPI_Type_create_keyval, \
  MPI_Type_set_attr, MPI_Type_get_attr, MPI_Type_free_keyval, COPY_FN, MPI_TYPE_NULL_DELETE_FN, 0_ak, IS_COPIED)
#define OLD(COPY_FN, IS_COPIED) COPYING(MPI_COMM_SELF, comm, MPI_Comm_dup, MPI_Comm_free, MPI_Keyval_create, \
  MPI_Attr_put, old_get, MPI_Keyval_free, COPY_FN, MPI_NULL_DELETE_FN, 0, IS_COPIED)
subroutine copies()
  TCOMM :: comm
  TTYPE :: type
  integer :: keyval
  integer(ak) :: value
  logical :: flag
  COMMS(MPI_COMM_DUP_FN, .true.)
  COMMS(MPI_COMM_NULL_COPY_FN, .false.)
  TYPES(MPI_TYPE_DUP_FN, .true.)
  TYPES(MPI_TYPE_NULL_COPY_FN, .false.)
#ifndef F08
  OLD(MPI_DUP_FN, .true.)
  OLD(MPI_NULL_COPY_FN, .false.)
#endif
  ! Windows are never copied.
  call MPI_Win_create_keyval(MPI_WIN_DUP_FN, MPI_WIN_NULL_DELETE_FN, keyval, 0_ak IERR)
  call MPI_Win_free_keyval(keyval IERR)
  CHECK(keyval == MPI_KEYVAL_INVALID)
end subroutine
#ifndef F08
subroutine old_get(comm, keyval, value, flag, ierror)
  integer :: comm, keyval, short, ierror
  integer(ak) :: value
  logical :: flag
  call MPI_Attr_get(comm, keyval, short, flag, ierror)
  if (flag) value = short
end subroutine
#endif

! One name of each kind of entry: plain, of handles, text, status, buffer, attribute, procedure, function.
subroutine profiled()
  integer :: number, x(2)
  TCOMM :: comm
  TSTATUS :: status
  TREQUEST :: r
  TERRHANDLER :: handler
  character(len=MPI_MAX_OBJECT_NAME) :: name
  integer(ak) :: value
  logical :: flag
  call PMPI_Comm_rank(world, number IERR)
  CHECK(number == me)
  call PMPI_Comm_dup(world, comm IERR)
  call PMPI_Comm_set_name(comm, 'a copy ' IERR)
  call PMPI_Comm_get_name(comm, name, number IERR)
  CHECK(name == 'a copy' .and. number == 6)
  call PMPI_Irecv(x, N(2), int4, left, 4, comm, r IERR)
  call PMPI_Send([me, 5], N(2), int4, right, 4, comm IERR)
  call PMPI_Wait(r, status IERR)
  CHECK(all(x == [left, 5]) .and. SOURCE(status) == left)
  call PMPI_Allreduce(1, number, N(1), int4, MPI_SUM, comm IERR)
  CHECK(number == np)
  call PMPI_Comm_get_attr(comm, MPI_TAG_UB, value, flag IERR)
  CHECK(flag .and. value >= 32767)
  call PMPI_Comm_create_errhandler(on_comm, handler IERR)
  call PMPI_Comm_set_errhandler(comm, handler IERR)
  call PMPI_Comm_call_errhandler(comm, MPI_ERR_OTHER IERR)
  CHECK(handled == MPI_ERR_OTHER)
  call PMPI_Errhandler_free(handler IERR)
  call PMPI_Comm_free(comm IERR)
  CHECK(comm == MPI_COMM_NULL .and. PMPI_Wtime() > 0)
  CHECK(PMPI_Aint_diff(PMPI_Aint_add(4096_ak, 8_ak), 4096_ak) == 8)
end subroutine
subroutine on_comm(comm, code)
  TCOMM :: comm
  integer :: code
  if (comm /= world) handled = code
end subroutine
#ifdef MPIF

subroutine removed()
  integer :: numbers(4), first, last, t, u, before, mine
  call MPI_Address(numbers(1), first IERR)
  call MPI_Address(numbers(4), last IERR)
  CHECK(last - first == 12)
  call MPI_Type_hvector(2, 1, 12, MPI_INTEGER, t IERR)
  call MPI_Type_extent(t, last IERR)
  CHECK(last == 16)
  call MPI_Type_free(t IERR)
  call MPI_Type_hindexed(2, [1, 1], [4, 20], MPI_INTEGER, t IERR)
  call MPI_Type_lb(t, first IERR)
  call MPI_Type_ub(t, last IERR)
  CHECK(first == 4 .and. last == 24)
  call MPI_Type_struct(2, [1, 1], [0, 8], [MPI_INTEGER, t], u IERR)
  call MPI_Type_ub(u, last IERR)
  CHECK(last == 32)
  call MPI_Type_free(t IERR)
  call MPI_Type_free(u IERR)
  call MPI_Errhandler_create(on_comm, mine IERR)
  call MPI_Errhandler_get(MPI_COMM_SELF, before IERR)
  call MPI_Errhandler_set(MPI_COMM_SELF, mine IERR)
  handled = 0
  call MPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_INTERN IERR)
  CHECK(handled == MPI_ERR_INTERN)
  call MPI_Errhandler_set(MPI_COMM_SELF, before IERR)
  call MPI_Errhandler_free(mine IERR)
end subroutine
#endif
end module
