! SPDX-FileCopyrightText: 2026 The Starling authors
! SPDX-License-Identifier: BSD-3-Clause
! message.c with the module mpi_f08.
program message_f08
  use mpi_f08
  implicit none
  character(len=20) :: given
  integer :: messages, i
  double precision :: sent, got
  call get_command_argument(1, given)
  read (given, *) messages
  sent = 1
  call MPI_Init()
  do i = 1, messages
    call MPI_Send(sent, 1, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_SELF)
    call MPI_Recv(got, 1, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE)
  end do
  call MPI_Finalize()
  if (messages > 0 .and. got /= sent) error stop 1
end program
