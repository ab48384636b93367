! SPDX-FileCopyrightText: 2026 The Starling authors
! SPDX-License-Identifier: BSD-3-Clause
! The sum of all ranks by each of two interfaces.
subroutine by_module(total)
  use mpi
  implicit none
  integer, intent(out) :: total
  integer :: rank, code
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
end subroutine

program consumer
  use mpi_f08
  implicit none
  integer :: rank, ranks, total, again
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call by_module(again)
  if (rank == 0 .and. again == total) print '(a, i0, a, i0)', 'fortran: ', ranks, ' ranks, sum ', total
  call MPI_Finalize()
end program
