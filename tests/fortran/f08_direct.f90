! SPDX-FileCopyrightText: 2026 The Starling authors
! SPDX-License-Identifier: BSD-3-Clause
! The same messages by every way through an entry: handles that are predefined or not, buffers of no, one and two dimensions,
! with gaps and at an absolute address, with and without ierror.
program f08_direct
  use mpi_f08
  use check
  implicit none
  type(MPI_Comm) :: comms(2)
  type(MPI_Datatype) :: types(2)
  type(MPI_Status) :: status
  integer, target :: one, row(6), table(2, 3), got(6)
  integer(MPI_ADDRESS_KIND) :: place(1)
  integer(MPI_COUNT_KIND) :: counts(1)
  integer :: rank, ierr, i, j, bytes
  type(MPI_Datatype) :: absolute

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  comms(1) = MPI_COMM_SELF
  call MPI_Comm_dup(MPI_COMM_SELF, comms(2))
  types(1) = MPI_INTEGER
  call MPI_Type_contiguous(1, MPI_INTEGER, types(2))
  call MPI_Type_commit(types(2))
  row = [1, 2, 3, 4, 5, 6]
  table = reshape(row, [2, 3])
  one = 7
  do i = 1, 2
    do j = 1, 2
      call MPI_Sendrecv(one, 1, types(j), 0, 0, got, 1, types(j), 0, 0, comms(i), status, ierr)
      call expect(ierr == MPI_SUCCESS .and. got(1) == 7, 'MPI_Sendrecv with ierror')
      call to_oneself(comms(i))
      call MPI_Send(one, 1, types(j), 0, 1, comms(i))
      call receive(comms(i), types(j), 1)
      call expect(got(1) == 7, 'a scalar')
      call MPI_Send(row, 6, types(j), 0, 1, comms(i))
      call receive(comms(i), types(j), 6)
      call expect(all(got == row), 'an array')
      call MPI_Send(table, 6, types(j), 0, 1, comms(i))
      call receive(comms(i), types(j), 6)
      call expect(all(got == row), 'an array of two dimensions')
      call MPI_Send(row(2:6:2), 3, MPI_INTEGER, 0, 1, comms(i))
      call receive(comms(i), types(j), 3)
      call expect(all(got(1:3) == [2, 4, 6]), 'an array with gaps')
      ierr = -1
      call MPI_Send(table, 6, types(j), 0, 1, comms(i), ierr)
      call expect(ierr == MPI_SUCCESS, 'ierror of MPI_Send')
      call receive(comms(i), types(j), 6)
      call expect(all(got == row), 'an array of two dimensions, with ierror')
      call MPI_Allreduce(one, got, 1, types(1), MPI_SUM, comms(i))
      call expect(got(1) == 7, 'MPI_Allreduce')
      got(1) = 8
      call MPI_Allreduce(MPI_IN_PLACE, got, 1, types(1), MPI_SUM, comms(i), ierr)
      call expect(ierr == MPI_SUCCESS .and. got(1) == 8, 'MPI_Allreduce in place')
    end do
  end do

  call MPI_Get_address(row, place(1))
  call MPI_Type_create_hindexed(1, [6], place, MPI_INTEGER, absolute)
  call MPI_Type_commit(absolute)
  got = 0
  call to_oneself(MPI_COMM_SELF)
  call MPI_Send(MPI_BOTTOM, 1, absolute, 0, 1, MPI_COMM_SELF)
  call receive(MPI_COMM_SELF, MPI_INTEGER, 6)
  call expect(all(got == [1, 2, 3, 4, 5, 6]), 'MPI_BOTTOM with a datatype')
  ! From the beginning of memory in bytes: the only way to use MPI_BOTTOM with a datatype that is predefined.
  bytes = 24
  counts = bytes
  got = 0
  call MPI_Get_address(got, place(1))
  call MPI_Gatherv(row, counts(1), MPI_BYTE, MPI_BOTTOM, counts, place, MPI_BYTE, 0, MPI_COMM_SELF)
  call expect(all(got == row), 'MPI_BOTTOM with a place in bytes')

  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
  call MPI_Comm_set_errhandler(comms(2), MPI_ERRORS_RETURN)
  do i = 1, 2
    ierr = MPI_SUCCESS
    call MPI_Send(one, 1, MPI_INTEGER, 99, 1, comms(i), ierr)
    call expect(ierr /= MPI_SUCCESS, 'the code of an error')
  end do
  call MPI_Type_free(types(2))
  call MPI_Type_free(absolute)
  call MPI_Comm_free(comms(2))
  call MPI_Finalize()
  call finish(rank)
contains
  subroutine to_oneself(comm)
    type(MPI_Comm), intent(in) :: comm
    call MPI_Barrier(comm)
    got = 0
  end subroutine
  subroutine receive(comm, datatype, count)
    type(MPI_Comm), intent(in) :: comm
    type(MPI_Datatype), intent(in) :: datatype
    integer, intent(in) :: count
    integer :: number
    got = 0
    status%MPI_TAG = -1
    call MPI_Recv(got, count, datatype, 0, 1, comm, status)
    call MPI_Get_count(status, datatype, number)
    call expect(number == count .and. status%MPI_TAG == 1, 'the status of a message')
  end subroutine
end program
