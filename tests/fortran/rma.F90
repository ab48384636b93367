! SPDX-FileCopyrightText: 2026 The Starling authors
! SPDX-License-Identifier: BSD-3-Clause
! One-sided communication: each operation on the right neighbor, so that what is found here comes from the left one; each kind of
! window and of synchronization.
#define CHAPTER cover_rma
#include "interface.inc"
  integer, asynchronous, save :: memory(8)
contains
! An operation between fences, after which the window's memory is looked at.
#define FENCED(CALL_OF_IT, RIGHT) memory = [10, 20, 30, 40, 50, 60, 70, 80]; got = -1; call MPI_Win_fence(0, win IERR); \
  call CALL_OF_IT; call MPI_Win_fence(0, win IERR); CHECK(RIGHT)
#define TO_RIGHT a, N(4), int4, right, 0_ak, N(4), int4
#define FROM_RIGHT got, N(4), int4, right, 2_ak, N(4), int4
#define BOTH_WAYS a, N(4), int4, got, N(4), int4, right, 0_ak, N(4), int4
#define SUMMED all(memory(1:4) == pattern(left) + [10, 20, 30, 40])

subroutine chapter_rma()
  integer, asynchronous :: a(4), got(4)
  TWIN :: win
  TREQUEST :: r
  a = pattern(me)
  call MPI_Win_create(memory, int(storage_size(memory) / 8 * 8, ak), N(4), no_info, world, win IERR)
  FENCED(MPI_Put(TO_RIGHT, win IERR), all(memory(1:4) == pattern(left)) .and. memory(5) == 50)
  FENCED(MPI_Get(FROM_RIGHT, win IERR), all(got == [30, 40, 50, 60]))
  FENCED(MPI_Accumulate(TO_RIGHT, MPI_SUM, win IERR), SUMMED)
  FENCED(MPI_Get_accumulate(BOTH_WAYS, MPI_SUM, win IERR), SUMMED .and. all(got == [10, 20, 30, 40]))
  FENCED(MPI_Fetch_and_op(a, got, int4, right, 7_ak, MPI_REPLACE, win IERR), memory(8) == 100 * left + 1 .and. got(1) == 80)
  FENCED(MPI_Compare_and_swap(a, [60], got, int4, right, 5_ak, win IERR), memory(6) == 100 * left + 1 .and. got(1) == 60)
  FENCED(MPI_Compare_and_swap(a, [61], got, int4, right, 5_ak, win IERR), memory(6) == 60 .and. got(1) == 60)

  ! With requests, under locks of all.
#define LOCKED(CALL_OF_IT, RIGHT) memory = [10, 20, 30, 40, 50, 60, 70, 80]; got = -1; call MPI_Barrier(world IERR); \
  call MPI_Win_lock_all(0, win IERR); call CALL_OF_IT; call MPI_Wait(r, MPI_STATUS_IGNORE IERR); \
  call MPI_Win_flush_all(win IERR); call MPI_Win_unlock_all(win IERR); call MPI_Barrier(world IERR); CHECK(RIGHT)
  LOCKED(MPI_Rput(TO_RIGHT, win, r IERR), all(memory(1:4) == pattern(left)))
  LOCKED(MPI_Rget(FROM_RIGHT, win, r IERR), all(got == [30, 40, 50, 60]))
  LOCKED(MPI_Raccumulate(TO_RIGHT, MPI_SUM, win, r IERR), SUMMED)
  LOCKED(MPI_Rget_accumulate(BOTH_WAYS, MPI_SUM, win, r IERR), SUMMED .and. all(got == [10, 20, 30, 40]))
  call synchronized(win)
  call known(win)
  call MPI_Win_free(win IERR)
  CHECK(win == MPI_WIN_NULL)
  call other_windows()
#ifdef MPI
  call pointers_of_c()
#endif
end subroutine

! Locks and flushes of one rank; and post, start, complete, wait.
subroutine synchronized(win)
  TWIN, intent(in) :: win
  integer, asynchronous :: a(4), got(4)
  TGROUP :: all_of_us, sources, targets
  logical :: flag
  a = pattern(me)
  got = -1
  memory = 0
  call MPI_Barrier(world IERR)
  call MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win IERR)
  call MPI_Put(TO_RIGHT, win IERR)
  call MPI_Win_flush_local(right, win IERR)
  a = -1
  call MPI_Win_flush(right, win IERR)
  call MPI_Get(got, N(4), int4, right, 0_ak, N(4), int4, win IERR)
  call MPI_Win_flush_local_all(win IERR)
  CHECK(all(got == pattern(me)))
  call MPI_Win_sync(win IERR)
  call MPI_Win_unlock(right, win IERR)
  call MPI_Barrier(world IERR)
  CHECK(all(memory(1:4) == pattern(left)))

  call MPI_Comm_group(world, all_of_us IERR)
  call MPI_Group_incl(all_of_us, 1, [left], sources IERR)
  call MPI_Group_incl(all_of_us, 1, [right], targets IERR)
  a = [5, 6, 7, 8]
  call MPI_Win_post(sources, 0, win IERR)
  call MPI_Win_start(targets, 0, win IERR)
  call MPI_Put(TO_RIGHT, win IERR)
  call MPI_Win_complete(win IERR)
  call MPI_Win_wait(win IERR)
  CHECK(all(memory(1:4) == [5, 6, 7, 8]))
  a = [9, 10, 11, 12]
  call MPI_Win_post(sources, 0, win IERR)
  call MPI_Win_start(targets, 0, win IERR)
  call MPI_Put(TO_RIGHT, win IERR)
  call MPI_Win_complete(win IERR)
  flag = .false.
  do while (.not. flag)
    call MPI_Win_test(win, flag IERR)
  end do
  CHECK(all(memory(1:4) == [9, 10, 11, 12]))
  call MPI_Group_free(all_of_us IERR)
  call MPI_Group_free(sources IERR)
  call MPI_Group_free(targets IERR)
end subroutine

! What is known of a window.
subroutine known(win)
  TWIN, intent(in) :: win
  TGROUP :: group
  TINFO :: info
  integer :: number
  character(len=MPI_MAX_OBJECT_NAME) :: name
  character(len=10) :: value
  logical :: flag
  call MPI_Win_get_group(win, group IERR)
  call MPI_Group_size(group, number IERR)
  CHECK(number == np)
  call MPI_Group_free(group IERR)
  call MPI_Win_set_name(win, 'the pane  ' IERR)
  call MPI_Win_get_name(win, name, number IERR)
  CHECK(name == 'the pane' .and. number == 8)
  call MPI_Info_create(info IERR)
  call MPI_Info_set(info, 'no_locks', 'false' IERR)
  call MPI_Win_set_info(win, info IERR)
  call MPI_Info_free(info IERR)
  call MPI_Win_get_info(win, info IERR)
  call MPI_Info_get(info, 'no_locks', 10, value, flag IERR)
  CHECK(flag .and. value == 'false')
  call MPI_Info_free(info IERR)
end subroutine

! Windows whose memory MPI has; and one to which memory is attached.
subroutine other_windows()
  TWIN :: win
  TPOINTER :: base
  integer, pointer :: mine(:), theirs(:)
  integer, asynchronous :: a(4)
  integer(ak) :: bytes, place, places(0:np - 1)
  integer(ck) :: unit
  a = pattern(me)
  bytes = 32
  call MPI_Win_allocate(bytes, N(4), no_info, world, base, win IERR)
  call c_f_pointer(POINTER(base), mine, [8])
  mine = 0
  call MPI_Win_fence(0, win IERR)
  call MPI_Put(TO_RIGHT, win IERR)
  call MPI_Win_fence(0, win IERR)
  CHECK(all(mine(1:4) == pattern(left)))
  call MPI_Win_free(win IERR)

  call MPI_Win_allocate_shared(bytes, N(4), no_info, world, base, win IERR)
  call c_f_pointer(POINTER(base), mine, [8])
  mine = 1000 * me
  bytes = 0
  unit = 0
  call MPI_Win_shared_query(win, right, bytes, unit, base IERR)
  CHECK(bytes == 32 .and. unit == 4)
  call c_f_pointer(POINTER(base), theirs, [8])
  call MPI_Win_fence(0, win IERR)
  CHECK(all(theirs == 1000 * right))
  call MPI_Win_free(win IERR)

  call MPI_Win_create_dynamic(no_info, world, win IERR)
  call MPI_Win_attach(win, memory, 32_ak IERR)
  memory = 0
  call MPI_Get_address(memory, place IERR)
  call MPI_Allgather(place, N(1), MPI_AINT, places, N(1), MPI_AINT, world IERR)
  call MPI_Win_fence(0, win IERR)
  call MPI_Put(a, N(4), int4, right, places(right) + 8, N(4), int4, win IERR)
  call MPI_Win_fence(0, win IERR)
  CHECK(all(memory(3:6) == pattern(left)) .and. memory(1) == 0)
  call MPI_Win_detach(win, memory IERR)
  call MPI_Win_free(win IERR)
end subroutine
#ifdef MPI

! The module mpi gives addresses also as C pointers.
subroutine pointers_of_c()
  integer :: win, unit
  type(c_ptr) :: base, again
  integer, pointer :: mine(:)
  integer(ak) :: bytes
  call MPI_Win_allocate(32_ak, 4, no_info, world, base, win IERR)
  call c_f_pointer(base, mine, [8])
  mine = me
  CHECK(sum(mine) == 8 * me)
  call MPI_Win_free(win IERR)
  call MPI_Win_allocate_shared(32_ak, 4, no_info, world, base, win IERR)
  call MPI_Win_shared_query(win, me, bytes, unit, again IERR)
  CHECK(c_associated(base, again) .and. bytes == 32 .and. unit == 4)
  call MPI_Win_free(win IERR)
end subroutine
#endif
end module
