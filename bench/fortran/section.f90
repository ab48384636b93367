! SPDX-FileCopyrightText: 2026 The Starling authors
! SPDX-License-Identifier: BSD-3-Clause
! Every second of a million integers to itself: as a section, and as the MPI_Type_vector that it is. The best of 20 rounds.
program section
  use mpi_f08
  implicit none
  integer, parameter :: n = 500000
  integer, asynchronous :: sent(2 * n), got(2 * n)
  type(MPI_Datatype) :: vector
  type(MPI_Request) :: request
  double precision :: best(2), start
  integer :: round
  call MPI_Init()
  call MPI_Type_vector(n, 1, 2, MPI_INTEGER, vector)
  call MPI_Type_commit(vector)
  sent = 1
  got = 0
  best = huge(1d0)
  do round = 1, 20
    start = MPI_Wtime()
    call MPI_Irecv(got(::2), n, MPI_INTEGER, 0, 0, MPI_COMM_SELF, request)
    call MPI_Send(sent(::2), n, MPI_INTEGER, 0, 0, MPI_COMM_SELF)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    best(1) = min(best(1), MPI_Wtime() - start)
    start = MPI_Wtime()
    call MPI_Irecv(got, 1, vector, 0, 0, MPI_COMM_SELF, request)
    call MPI_Send(sent, 1, vector, 0, 0, MPI_COMM_SELF)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    best(2) = min(best(2), MPI_Wtime() - start)
  end do
  print '(a,f8.1,a,f8.1,a)', 'section ', 1d6 * best(1), ' us, MPI_Type_vector ', 1d6 * best(2), ' us'
  call MPI_Finalize()
end program
