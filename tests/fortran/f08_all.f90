! SPDX-FileCopyrightText: 2026 The Starling authors
! SPDX-License-Identifier: BSD-3-Clause
! mpi_f08: types of handles, optional error codes, large counts, procedures, and sections with gaps, each compared with what
! Fortran itself takes out of the array.
module f08_all_procedures
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: deleted = 0
contains
  subroutine add(invec, inoutvec, len, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: a(:), b(:)
    if (datatype /= MPI_INTEGER) return
    call c_f_pointer(invec, a, [len])
    call c_f_pointer(inoutvec, b, [len])
    b = a + b
  end subroutine
  subroutine delete_attribute(comm, keyval, attribute_val, extra_state, ierror)
    type(MPI_Comm) :: comm
    integer :: keyval, ierror
    integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
    if (attribute_val == 77 .and. extra_state == 5) deleted = deleted + 1
    ierror = MPI_SUCCESS
  end subroutine
end module

program f08_all
  use mpi_f08
  use check
  use f08_all_procedures
  implicit none
  integer :: rank, size, right, left, a(6, 5), b(6, 5), line(12), other(12), i, j, sum, keyval, code
  type(MPI_Status) :: status
  type(MPI_Request) :: requests(2)
  type(MPI_Op) :: op
  type(MPI_Comm) :: copy, beside(3)
  type(MPI_Datatype) :: pair
  integer(MPI_COUNT_KIND) :: large
  integer(MPI_ADDRESS_KIND) :: value
  logical :: flag

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  right = mod(rank + 1, size)
  left = mod(rank + size - 1, size)
  a = reshape([(1000 * rank + i, i = 1, 30)], [6, 5])

  ! One dimension with gaps, and the same array in another form at the receiver.
  line = [(100 * rank + i, i = 1, 12)]
  other = -1
  call MPI_Sendrecv(line(1:11:2), 6, MPI_INTEGER, right, 1, other(2:12:2), 6, MPI_INTEGER, left, 1, MPI_COMM_WORLD, status)
  call expect(all(other(2:12:2) == [(100 * left + i, i = 1, 11, 2)]), 'a section of one dimension')
  call expect(all(other(1:11:2) == -1), 'what lies between its elements')
  call MPI_Get_count(status, MPI_INTEGER, large)
  call expect(large == 6 .and. status%MPI_SOURCE == left, 'a large count of a status')
  call MPI_Sendrecv(line(12:1:-1), 12, MPI_INTEGER, right, 1, other, 12, MPI_INTEGER, left, 1, MPI_COMM_WORLD, status)
  call expect(all(other == [(100 * left + i, i = 12, 1, -1)]), 'a section that runs backwards')

  ! Two dimensions, and fewer elements than the section has.
  b = -1
  call MPI_Irecv(b(2:6:2, 1:5:2), 9, MPI_INTEGER, left, 2, MPI_COMM_WORLD, requests(1))
  call MPI_Isend(a(1:3, 2:4), 9_MPI_COUNT_KIND, MPI_INTEGER, right, 2, MPI_COMM_WORLD, requests(2))
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  do j = 1, 3
    call expect(all(b(2:6:2, 2 * j - 1) == [(1000 * left + 6 * j + i, i = 1, 3)]), 'a section of two dimensions')
  end do
  call expect(count(b == -1) == 21, 'what lies around it')
  b = -1
  call MPI_Sendrecv(a(1:3, 2:4), 7, MPI_INTEGER, right, 1, b(1:3, 1:3), 7, MPI_INTEGER, left, 1, MPI_COMM_WORLD, status)
  call expect(b(1, 3) == 1000 * left + 19 .and. b(2, 3) == -1, 'a part of a section')

  b = -1
  call MPI_Sendrecv(a(3:2, 1:5:2), 0, MPI_INTEGER, right, 1, b(3:2, 1:5:2), 0, MPI_INTEGER, left, 1, MPI_COMM_WORLD, status)
  call expect(all(b == -1), 'a section of nothing')

  ! Reductions and gathers.
  call MPI_Op_create(add, .true., op)
  b = 0
  call MPI_Allreduce(a(1:6:5, :), b(2:3, :), 10, MPI_INTEGER, op, MPI_COMM_WORLD)
  call expect(b(3, 5) == size * 30 + 1000 * (size * (size - 1) / 2), 'a reduction of sections')
  call expect(all(b(4:6, :) == 0), 'what lies around a reduction')
  call MPI_Op_free(op)
  other = -1
  call MPI_Allgather(rank, 1, MPI_INTEGER, other(1:12:3), 1, MPI_INTEGER, MPI_COMM_WORLD)
  call expect(all(other(1:12:3) == [(i, i = 0, 3)]), 'MPI_Allgather into a section')
  b = -1
  call MPI_Allgather(a(1:4:3, 1), 2, MPI_INTEGER, b(1:2, 1:4), 2, MPI_INTEGER, MPI_COMM_WORLD)
  call expect(all(b(2, 1:4) == [(1000 * i + 4, i = 0, 3)]), 'blocks into two dimensions')

  ! Derived datatypes on a section, and a pair of integers as one element.
  call MPI_Type_contiguous(2, MPI_INTEGER, pair)
  call MPI_Type_commit(pair)
  other = -1
  call MPI_Sendrecv(line(1:12:3), 2, pair, right, 3, other(1:8:2), 4, MPI_INTEGER, left, 3, MPI_COMM_WORLD, status)
  call expect(all(other(1:8:2) == [(100 * left + i, i = 1, 10, 3)]), 'a derived datatype on a section')
  call MPI_Type_free(pair)

  call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_attribute, keyval, 5_MPI_ADDRESS_KIND)
  call MPI_Comm_dup(MPI_COMM_WORLD, copy)
  call expect(copy /= MPI_COMM_WORLD, 'handles compared')
  value = 77
  call MPI_Comm_set_attr(copy, keyval, value)
  call MPI_Comm_get_attr(copy, keyval, value, flag)
  call expect(flag .and. value == 77, 'MPI_Comm_get_attr')
  call MPI_Comm_free(copy, code)
  call expect(code == MPI_SUCCESS .and. deleted == 1 .and. copy == MPI_COMM_NULL, 'a delete procedure')

  ! A communicator that comes when its request is complete, and the integers beside it.
  beside = [MPI_COMM_SELF, MPI_COMM_NULL, MPI_COMM_SELF]
  if (rank == 0) then  ! the others have begun by then, and cannot be done
    do i = 1, size - 1
      call MPI_Recv(j, 1, MPI_INTEGER, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    end do
  end if
  call MPI_Comm_idup(MPI_COMM_WORLD, beside(2), requests(1))
  if (rank > 0) call MPI_Send(rank, 1, MPI_INTEGER, 0, 5, MPI_COMM_WORLD)
  call MPI_Comm_idup_with_info(MPI_COMM_SELF, MPI_INFO_NULL, copy, requests(2))
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  call expect(beside(1) == MPI_COMM_SELF .and. beside(3) == MPI_COMM_SELF, 'what lies beside a communicator that comes')
  call MPI_Comm_compare(beside(2), MPI_COMM_WORLD, i)
  call MPI_Comm_compare(copy, MPI_COMM_SELF, j)
  call expect(i == MPI_CONGRUENT .and. j == MPI_CONGRUENT, 'MPI_Comm_idup')
  call MPI_Comm_free(beside(2))
  call MPI_Comm_free(copy)
  call MPI_Reduce(rank, sum, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD)
  if (rank == 0) call expect(sum == size * (size - 1) / 2, 'MPI_Reduce')
  call expect(MPI_SUBARRAYS_SUPPORTED, 'MPI_SUBARRAYS_SUPPORTED')
  call MPI_Finalize()
  call finish(rank)
end program
