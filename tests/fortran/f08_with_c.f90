! SPDX-FileCopyrightText: 2026 The Starling authors
! SPDX-License-Identifier: BSD-3-Clause
! Handles and statuses handed to C, which knows the conversions from our mpi.h or by their names only (with_c.c).
program f08_with_c
  use mpi_f08
  use check
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  abstract interface
    ! The first of its checks that fails; 0: none.
    integer(c_int) function c_check(comm, type, file, group, info, op, win, request, errhandler, status, ignored) bind(C)
      import
      integer(c_int), value :: comm, type, file, group, info, op, win, request, errhandler
      type(MPI_Status) :: status, ignored
    end function
  end interface
  procedure(c_check), bind(C, name="with_our_header") :: with_our_header
  procedure(c_check), bind(C, name="with_names_only") :: with_names_only
  type(MPI_Comm) :: comm
  type(MPI_Datatype) :: type
  type(MPI_File) :: file
  type(MPI_Group) :: group
  type(MPI_Info) :: info
  type(MPI_Win) :: win
  type(MPI_Request) :: request
  type(MPI_Status) :: status
  integer :: rank, n, room(4)

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_dup(MPI_COMM_SELF, comm)
  call MPI_Type_contiguous(3, MPI_INTEGER, type)
  call MPI_File_open(MPI_COMM_SELF, '/dev/null', MPI_MODE_WRONLY, MPI_INFO_NULL, file)
  call MPI_Comm_group(comm, group)
  call MPI_Info_create(info)
  call MPI_Win_create(room, 16_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, comm, win)
  call MPI_Irecv(n, 1, MPI_INTEGER, 0, 9, comm, request)
  status%MPI_SOURCE = 1
  status%MPI_TAG = 2
  status%MPI_ERROR = 3
  call MPI_Status_set_elements(status, MPI_BYTE, 12)
  call expect(with_our_header(comm%MPI_VAL, type%MPI_VAL, file%MPI_VAL, group%MPI_VAL, info%MPI_VAL, MPI_SUM%MPI_VAL, &
                              win%MPI_VAL, request%MPI_VAL, MPI_ERRORS_RETURN%MPI_VAL, status, MPI_STATUS_IGNORE) == 0, &
              'conversions of mpi.h')
  call expect(with_names_only(comm%MPI_VAL, type%MPI_VAL, file%MPI_VAL, group%MPI_VAL, info%MPI_VAL, MPI_SUM%MPI_VAL, &
                              win%MPI_VAL, request%MPI_VAL, MPI_ERRORS_RETURN%MPI_VAL, status, MPI_STATUS_IGNORE) == 0, &
              'conversions of the library')
  call MPI_Cancel(request)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call MPI_Win_free(win)
  call MPI_Info_free(info)
  call MPI_Group_free(group)
  call MPI_File_close(file)
  call MPI_Type_free(type)
  call MPI_Comm_free(comm)
  call MPI_Finalize()
  call finish(rank)
end program
