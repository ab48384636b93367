! SPDX-FileCopyrightText: 2026 The Starling authors
! SPDX-License-Identifier: BSD-3-Clause
! A program that starts MPI with a session only: the library knows the compiler, sections work in one session after another,
! and what only Fortran has is there by both names.
program f08_session
  use mpi_f08
  use check
  implicit none
  type(MPI_Session) :: session
  type(MPI_Info) :: info
  type(MPI_Group) :: group
  type(MPI_Comm) :: comm
  character(len=8) :: text
  integer :: rank, round, length, n, array(6), seen(6)
  logical :: flag

  do round = 1, 2
    call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, session)
    call MPI_Abi_get_fortran_info(info)
    call expect(info /= MPI_INFO_NULL, 'what a session knows of the compiler')
    if (info /= MPI_INFO_NULL) then
      length = 8
      call MPI_Info_get_string(info, 'mpi_double_precision_size', length, text, flag)
      call expect(flag .and. text == '8', 'how many bytes a DOUBLE PRECISION has')
      call MPI_Info_free(info)
    end if
    call MPI_Group_from_session_pset(session, 'mpi://WORLD', group)
    call MPI_Comm_create_from_group(group, 'f08_session', MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, comm)
    call MPI_Comm_rank(comm, rank)
    array = [1, 2, 3, 4, 5, 6]
    seen = 0
    call MPI_Sendrecv(array(1:6:2), 3, MPI_INTEGER, rank, 1, seen(2:6:2), 3, MPI_INTEGER, rank, 1, comm, MPI_STATUS_IGNORE)
    call expect(all(seen == [0, 1, 0, 3, 0, 5]), 'a section in a session')
    call MPI_Comm_free(comm)
    call MPI_Group_free(group)
    call MPI_Session_finalize(session)
  end do
  call MPI_Sizeof(1.0d0, n)
  call expect(n == 8, 'MPI_Sizeof')
  call PMPI_Sizeof(array, n)
  call expect(n == 4, 'PMPI_Sizeof')
  call MPI_F_sync_reg(array(1:6:2))
  call PMPI_F_sync_reg(array)
  call expect(MPI_ASYNC_PROTECTS_NONBLOCKING .and. MPI_SUBARRAYS_SUPPORTED, 'what mpi_f08 promises')
  call finish(rank)
end program
