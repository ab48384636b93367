! SPDX-FileCopyrightText: 2026 The Starling authors
! SPDX-License-Identifier: BSD-3-Clause
! message.c with mpif.h.
      program message_mpif
      implicit none
      include 'mpif.h'
      character*20 given
      integer messages, i, ierr
      double precision sent, got
      call get_command_argument(1, given)
      read (given, *) messages
      sent = 1
      call MPI_INIT(ierr)
      do 10 i = 1, messages
        call MPI_SEND(sent, 1, MPI_DOUBLE_PRECISION, 0, 0,
     &    MPI_COMM_SELF, ierr)
        call MPI_RECV(got, 1, MPI_DOUBLE_PRECISION, 0, 0,
     &    MPI_COMM_SELF, MPI_STATUS_IGNORE, ierr)
10    continue
      call MPI_FINALIZE(ierr)
      if (messages .gt. 0 .and. got .ne. sent) error stop 1
      end
