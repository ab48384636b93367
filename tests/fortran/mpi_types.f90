! SPDX-FileCopyrightText: 2026 The Starling authors
! SPDX-License-Identifier: BSD-3-Clause
! What the module mpi has of mpi_f08: types of handles and of statuses, with comparison and conversion. And what only Fortran
! has, by both of its names.
program mpi_types
  use mpi
  use check
  implicit none
  integer :: ierr, rank, plain(MPI_STATUS_SIZE), back(MPI_STATUS_SIZE), n, size, none(0)
  type(MPI_Status) :: status
  type(MPI_Comm) :: world, itself
  type(MPI_Datatype) :: type

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  world%MPI_VAL = MPI_COMM_WORLD
  itself = MPI_Comm(MPI_COMM_SELF)
  call expect(world /= itself .and. world == MPI_Comm(MPI_COMM_WORLD), 'handles compared')
  type = MPI_Datatype(MPI_INTEGER)
  call MPI_Type_size(type%MPI_VAL, size, ierr)
  call expect(size == 4, 'MPI_VAL')

  call MPI_Sendrecv(rank, 1, MPI_INTEGER, 0, 3, n, 1, MPI_INTEGER, 0, 3, MPI_COMM_SELF, plain, ierr)
  plain(MPI_ERROR) = 7
  call MPI_Status_f2f08(plain, status, ierr)
  call expect(status%MPI_SOURCE == 0 .and. status%MPI_TAG == 3 .and. status%MPI_ERROR == 7, 'MPI_Status_f2f08')
  call MPI_Status_f082f(status, back, ierr)
  call expect(all(back == plain), 'MPI_Status_f082f')
  back = 0
  call PMPI_Status_f2f08(plain, status)
  call PMPI_Status_f082f(status, back)
  call expect(all(back == plain), 'PMPI_Status_f2f08 and PMPI_Status_f082f')
  call MPI_Get_count(back, MPI_INTEGER, n, ierr)
  call expect(n == 1, 'a status that was converted twice')

  call MPI_Sizeof([1.0d0, 2.0d0], n, ierr)
  call expect(n == 8, 'MPI_Sizeof')
  call PMPI_Sizeof('a', n, ierr)
  call expect(n == 1, 'PMPI_Sizeof')
  call MPI_Sendrecv(rank, 1, MPI_INTEGER, 0, 3, n, 1, MPI_INTEGER, 0, 3, MPI_COMM_SELF, MPI_STATUS_IGNORE, ierr)
  call MPI_Waitall(0, none, MPI_STATUSES_IGNORE, ierr)
  call expect(ierr == MPI_SUCCESS .and. n == rank, 'MPI_STATUS_IGNORE beside the types')
  call MPI_F_sync_reg(n)
  call PMPI_F_sync_reg(n)
  call expect(.not. MPI_ASYNC_PROTECTS_NONBLOCKING .and. .not. MPI_SUBARRAYS_SUPPORTED, 'what mpi_f08 alone promises')
  call MPI_Finalize(ierr)
  call finish(rank)
end program
