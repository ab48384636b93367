! SPDX-FileCopyrightText: 2026 The Starling authors
! SPDX-License-Identifier: BSD-3-Clause
! Requests: completion calls, what they tell without completing, cancelling, statuses, and generalized requests.
#define CHAPTER cover_request
#include "interface.inc"
  integer :: queried = 0, freed = 0, cancelled = 0
contains
subroutine chapter_request()
  integer :: a(4), b(2, 3), indices(3), number, i
  logical :: flag
  TREQUEST :: r, rs(3), sends(3)
  TSTATUS :: status
  TSTATUSES(3) :: statuses
  integer(ck) :: count
  a = pattern(me)
#define POSTED() b = -1; call post(a, b, sends, rs)
#define FINISHED() CHECK(all(b(1, :) == 100 * left + 1) .and. all(b(2, :) == 100 * left + 2) .and. all(rs == MPI_REQUEST_NULL)); \
  call MPI_Waitall(3, sends, MPI_STATUSES_IGNORE IERR)
  POSTED()
  call MPI_Waitall(3, rs, statuses IERR)
  CHECK(all([(SOURCES(statuses, i), i = 1, 3)] == left))
  FINISHED()
  POSTED()
  flag = .false.
  do while (.not. flag)
    call MPI_Testall(3, rs, flag, statuses IERR)
  end do
  CHECK(SOURCES(statuses, 3) == left)
  FINISHED()
  POSTED()
  do i = 1, 3
    call MPI_Waitany(3, rs, number, status IERR)
    CHECK(number >= 1 .and. number <= 3 .and. TAG(status) == number)
  end do
  FINISHED()
  call MPI_Testany(3, rs, number, flag, status IERR)
  CHECK(flag .and. number == MPI_UNDEFINED)
  POSTED()
  flag = .false.
  do while (.not. flag)
    call MPI_Testany(3, rs, number, flag, status IERR)
  end do
  CHECK(number >= 1 .and. number <= 3 .and. TAG(status) == number .and. b(1, max(number, 1)) == 100 * left + 1)
  call MPI_Waitall(3, rs, statuses IERR)
  FINISHED()

  POSTED()
  call some_of(3, .true.)
  FINISHED()
  POSTED()
  call some_of(3, .false.)
  FINISHED()

  ! What is told without completing.
  POSTED()
  flag = .false.
  do while (.not. flag)
    call MPI_Request_get_status(rs(2), flag, status IERR)
  end do
  CHECK(TAG(status) == 2 .and. rs(2) /= MPI_REQUEST_NULL)
  flag = .false.
  do while (.not. flag)
    call MPI_Request_get_status_all(3, rs, flag, statuses IERR)
  end do
  CHECK(all([(SOURCES(statuses, i), i = 1, 3)] == left) .and. all(rs /= MPI_REQUEST_NULL))
  call MPI_Request_get_status_any(3, rs, number, flag, status IERR)
  CHECK(flag .and. number >= 1 .and. number <= 3 .and. TAG(status) == number)
  call MPI_Request_get_status_some(3, rs, number, indices, statuses IERR)
  CHECK(number == 3 .and. all(indices == [1, 2, 3]) .and. SOURCES(statuses, 1) == left)
  flag = .false.
  call MPI_Test(rs(1), flag, status IERR)
  CHECK(flag .and. rs(1) == MPI_REQUEST_NULL .and. SOURCE(status) == left)
  call MPI_Wait(rs(2), status IERR)
  CHECK(rs(2) == MPI_REQUEST_NULL .and. TAG(status) == 2)
  call MPI_Test(rs(3), flag, status IERR)
  FINISHED()

  ! A receive that nobody answers.
  call MPI_Irecv(b, N(2), int4, left, 99, world, r IERR)
  call MPI_Cancel(r IERR)
  call MPI_Wait(r, status IERR)
  call MPI_Test_cancelled(status, flag IERR)
  CHECK(flag)

  call MPI_Isend(a, N(3), int4, right, 5, world, r IERR)
  call MPI_Recv(b, N(4), int4, left, 5, world, status IERR)
  call MPI_Get_elements(status, int4, count IERR)
  CHECK(count == 3)
  call MPI_Wait(r, MPI_STATUS_IGNORE IERR)
  call MPI_Isend(a, N(1), int4, MPI_PROC_NULL, 5, world, r IERR)
  call MPI_Request_free(r IERR)
  CHECK(r == MPI_REQUEST_NULL)
  call statuses_set()
  call generalized()
contains
  subroutine some_of(all_of, waiting)
    integer, intent(in) :: all_of
    logical, intent(in) :: waiting
    integer :: got, now
    got = 0
    do while (got < all_of)
      if (waiting) then
        call MPI_Waitsome(3, rs, now, indices, statuses IERR)
        CHECK(now >= 1)
      else
        call MPI_Testsome(3, rs, now, indices, statuses IERR)
      end if
      do i = 1, now
        CHECK(SOURCES(statuses, i) == left .and. b(2, indices(i)) == 100 * left + 2)
      end do
      got = got + now
    end do
    CHECK(got == all_of)
  end subroutine
end subroutine

! Three messages of two numbers, with tags 1 to 3.
subroutine post(a, b, sends, rs)
  integer, asynchronous :: a(4), b(2, 3)
  TREQUEST :: sends(3), rs(3)
  integer :: i
  do i = 1, 3
    call MPI_Irecv(b(1, i), N(2), int4, left, i, world, rs(i) IERR)
    call MPI_Isend(a(1), N(2), int4, right, i, world, sends(i) IERR)
  end do
end subroutine

subroutine statuses_set()
  TSTATUS :: status
  TTYPE :: pair
  integer(ck) :: count
  integer(MPI_COUNT_KIND) :: elements
  integer :: number
  logical :: flag
  call MPI_Recv(number, N(1), int4, MPI_PROC_NULL, 0, world, status IERR)
  call MPI_Type_contiguous(N(2), int4, pair IERR)
  call MPI_Type_commit(pair IERR)
  call MPI_Status_set_elements(status, pair, N(5) IERR)
  call MPI_Get_elements(status, pair, count IERR)
  CHECK(count == 5)
  call MPI_Get_count(status, pair, count IERR)
  CHECK(count == MPI_UNDEFINED)
  call MPI_Status_set_elements_x(status, pair, 6_MPI_COUNT_KIND IERR)
  call MPI_Get_elements_x(status, pair, elements IERR)
  CHECK(elements == 6)
  call MPI_Type_free(pair IERR)
  call MPI_Status_set_cancelled(status, .true. IERR)
  call MPI_Test_cancelled(status, flag IERR)
  CHECK(flag)
  call MPI_Status_set_cancelled(status, .false. IERR)
  call MPI_Test_cancelled(status, flag IERR)
  CHECK(.not. flag)
  call MPI_Status_set_source(status, 12 IERR)
  call MPI_Status_get_source(status, number IERR)
  CHECK(number == 12 .and. SOURCE(status) == 12)
  call MPI_Status_set_tag(status, 13 IERR)
  call MPI_Status_get_tag(status, number IERR)
  CHECK(number == 13 .and. TAG(status) == 13)
  call MPI_Status_set_error(status, MPI_ERR_OTHER IERR)
  call MPI_Status_get_error(status, number IERR)
  CHECK(number == MPI_ERR_OTHER)
end subroutine

! A request that the program completes; its state counts what was called.
subroutine generalized()
  TREQUEST :: r
  TSTATUS :: status
  integer(ak) :: state
  integer(ck) :: count
  logical :: flag
  state = 40
  call MPI_Grequest_start(query, release, cancel, state, r IERR)
  call MPI_Test(r, flag, status IERR)
  CHECK(.not. flag .and. queried == 0)
  call MPI_Grequest_complete(r IERR)
  call MPI_Wait(r, status IERR)
  CHECK(r == MPI_REQUEST_NULL .and. queried == 1 .and. freed == 1 .and. SOURCE(status) == 17 .and. state == 42)
  call MPI_Get_count(status, int4, count IERR)
  CHECK(count == 3)
  call MPI_Grequest_start(query, release, cancel, state, r IERR)
  call MPI_Cancel(r IERR)
  call MPI_Grequest_complete(r IERR)
  call MPI_Wait(r, status IERR)
  call MPI_Test_cancelled(status, flag IERR)
  CHECK(cancelled == 1 .and. flag .and. freed == 2)
end subroutine

subroutine query(extra_state, status, ierror)
  integer(ak) :: extra_state
  TSTATUS :: status
  integer :: ierror
  queried = queried + 1
  extra_state = extra_state + 1
  call MPI_Status_set_elements(status, int4, N(3) IERR)
  call MPI_Status_set_cancelled(status, cancelled > 0 IERR)
  SOURCE(status) = 17
  ierror = MPI_SUCCESS
end subroutine
subroutine release(extra_state, ierror)
  integer(ak) :: extra_state
  integer :: ierror
  freed = freed + 1
  extra_state = extra_state + 1
  ierror = MPI_SUCCESS
end subroutine
subroutine cancel(extra_state, complete, ierror)
  integer(ak) :: extra_state
  logical :: complete
  integer :: ierror
  if (.not. complete .and. extra_state == 42) cancelled = cancelled + 1
  ierror = MPI_SUCCESS
end subroutine
end module
