! SPDX-FileCopyrightText: 2026 The Starling authors
! SPDX-License-Identifier: BSD-3-Clause
! Runs the chapters in one job, all or those that are named: coverage_mpi [CHAPTER]... The word "child" is for processes that
! the chapter spawn has started, "abort" for a job that ends at once.
#define CHAPTER coverage_main
#include "interface.inc"
contains
#define RUN(CHAPTER_NAME) call run_one('CHAPTER_NAME', chapter_/**/CHAPTER_NAME)
subroutine run_chapters()
  use cover_p2p, only: chapter_p2p
  use cover_request, only: chapter_request
  use cover_collective, only: chapter_collective
  use cover_neighborhood, only: chapter_neighborhood
  use cover_datatype, only: chapter_datatype
  use cover_op, only: chapter_op
  use cover_rma, only: chapter_rma
  use cover_io, only: chapter_io
#ifndef LARGE
  use cover_group, only: chapter_group
  use cover_attribute, only: chapter_attribute
  use cover_error, only: chapter_error
  use cover_topology, only: chapter_topology
  use cover_info, only: chapter_info
  use cover_spawn, only: chapter_spawn
  use cover_more, only: chapter_more
#endif
  RUN(p2p)
  RUN(request)
  RUN(collective)
  RUN(neighborhood)
  RUN(datatype)
  RUN(op)
  RUN(rma)
  RUN(io)
#ifndef LARGE
  RUN(group)
  RUN(attribute)
  RUN(error)
  RUN(topology)
  RUN(info)
  RUN(spawn)
  RUN(more)
#endif
end subroutine

subroutine run_one(name, body)
  character(len=*), intent(in) :: name
  external :: body
  if (.not. (asked('all') .or. asked(name))) return
  call body()
  call MPI_Barrier(world IERR)
  CHECK(.true.)
end subroutine

!> Whether the command line has this word; "all" stands for no word.
logical function asked(name)
  character(len=*), intent(in) :: name
  character(len=20) :: word
  integer :: i
  asked = name == 'all' .and. command_argument_count() == 0
  do i = 1, command_argument_count()
    call get_command_argument(i, word)
    asked = asked .or. word == name
  end do
end function
end module

program coverage
  use coverage_main
#ifndef LARGE
  use cover_spawn, only: child
#endif
  integer :: provided
  logical :: flag, is_child = .false.
#ifndef LARGE
  TCOMM :: parent
#endif
  call MPI_Initialized(flag IERR)
  CHECK(.not. flag)
  if (asked('child')) then
    call MPI_Init_thread(MPI_THREAD_SERIALIZED, provided IERR)
    CHECK(provided >= MPI_THREAD_SERIALIZED)
  else
    call MPI_Init(IERR_ONLY)
  end if
  call MPI_Initialized(flag IERR)
  CHECK(flag)
  call MPI_Comm_rank(world, me IERR)
  call MPI_Comm_size(world, np IERR)
  right = mod(me + 1, np)
  left = mod(me + np - 1, np)
  if (asked('abort')) call MPI_Abort(world, 23 IERR)
#ifndef LARGE
  call MPI_Comm_get_parent(parent IERR)
  is_child = parent /= MPI_COMM_NULL
  if (is_child) call child()
#endif
  call choose_scratch()
  call MPI_Bcast(scratch, N(len(scratch)), MPI_CHARACTER, 0, world IERR)
  if (.not. is_child) call run_chapters()
  call MPI_Finalized(flag IERR)
  CHECK(.not. flag)
  call MPI_Finalize(IERR_ONLY)
  call MPI_Finalized(flag IERR)
  CHECK(flag)
  if (mistakes > 0) stop 1
  if (me == 0 .and. .not. is_child) print '(a)', 'no mistakes'
end program
