! SPDX-FileCopyrightText: 2026 The Starling authors
! SPDX-License-Identifier: BSD-3-Clause
! message.c with the module mpi.
program message_mpi
  use mpi
  implicit none
  character(len=20) :: given
  integer :: messages, i, ierr
  double precision :: sent, got
  call get_command_argument(1, given)
  read (given, *) messages
  sent = 1
  call MPI_Init(ierr)
  do i = 1, messages
    call MPI_Send(sent, 1, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_SELF, ierr)
    call MPI_Recv(got, 1, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE, ierr)
  end do
  call MPI_Finalize(ierr)
  if (messages > 0 .and. got /= sent) error stop 1
end program
