! SPDX-FileCopyrightText: 2026 The Starling authors
! SPDX-License-Identifier: BSD-3-Clause
! Processes that this program starts, which run child() and nothing else; ports and published names, between rank 0 and the others.
#define CHAPTER cover_spawn
#include "interface.inc"
contains
subroutine chapter_spawn()
  TCOMM :: parent
  call MPI_Comm_get_parent(parent IERR)
  CHECK(parent == MPI_COMM_NULL)
  call spawned()
  call connected()
end subroutine

subroutine spawned()
  TCOMM :: children
  integer :: codes_of(2), number
  character(len=200) :: program, commands(2)
  character(len=10) :: words(3), lists(2, 3)
  call get_command_argument(0, program)
  words = [character(len=10) :: 'child', 'one word', '']
  codes_of = -1
  call MPI_Comm_spawn(program, words, 2, no_info, 0, world, children, codes_of IERR)
  CHECK(all(codes_of == MPI_SUCCESS))
  call MPI_Comm_remote_size(children, number IERR)
  CHECK(number == 2)
  call answered(children, 1 + 1)
  commands = program
  lists(1, :) = words
  lists(2, :) = [character(len=10) :: 'child', '', '']
  codes_of = -1
  call MPI_Comm_spawn_multiple(2, commands, lists, [1, 1], [no_info, no_info], 0, world, children, codes_of IERR)
  CHECK(all(codes_of == MPI_SUCCESS))
  call answered(children, 1 + 0)
  call MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, no_info, 0, world, children, MPI_ERRCODES_IGNORE IERR)
  call answered(children, -1)
  call MPI_Comm_spawn_multiple(1, commands, MPI_ARGVS_NULL, [1], [no_info], 0, world, children, MPI_ERRCODES_IGNORE IERR)
  call answered(children, -1)
end subroutine

! The children have added up how many words they had beside the first, and their mistakes.
subroutine answered(children, words)
  TCOMM, intent(inout) :: children
  integer, intent(in) :: words
  integer :: sums(2), none(2)
  none = 0
  call MPI_Allreduce(none, sums, N(2), int4, MPI_SUM, children IERR)
  CHECK(sums(1) == words .and. sums(2) == 0)
  call MPI_Comm_disconnect(children IERR)
  CHECK(children == MPI_COMM_NULL)
end subroutine

subroutine child()
  TCOMM :: parent
  character(len=20) :: word
  integer :: own(2), sums(2)
  call MPI_Comm_get_parent(parent IERR)
  CHECK(parent /= MPI_COMM_NULL)
  if (command_argument_count() == 2) then
    call get_command_argument(2, word)
    CHECK(word == 'one word')
  end if
  own = [command_argument_count() - 1, mistakes]
  call MPI_Allreduce(own, sums, N(2), int4, MPI_SUM, parent IERR)
  call MPI_Comm_disconnect(parent IERR)
end subroutine

subroutine connected()
  TCOMM :: side, other
  character(len=MPI_MAX_PORT_NAME) :: port, found
  integer :: number, got
  character(len=100) :: service
  service = file_name('service')
  call MPI_Comm_split(world, min(me, 1), me, side IERR)
  if (me == 0) then
    call MPI_Open_port(no_info, port IERR)
    CHECK(port /= '')
    call MPI_Publish_name(service, no_info, port IERR)
    call MPI_Barrier(world IERR)
    call MPI_Comm_accept(port, no_info, 0, side, other IERR)
    call MPI_Bcast(31, N(1), int4, MPI_ROOT, other IERR)
    call MPI_Barrier(world IERR) ! each of the others has looked the name up
    call MPI_Unpublish_name(service, no_info, port IERR)
    call MPI_Close_port(port IERR)
  else
    call MPI_Barrier(world IERR)
    call MPI_Lookup_name(service, no_info, found IERR)
    call MPI_Comm_connect(found, no_info, 0, side, other IERR)
    call MPI_Comm_remote_size(other, number IERR)
    call MPI_Bcast(got, N(1), int4, 0, other IERR)
    CHECK(number == 1 .and. got == 31)
    call MPI_Barrier(world IERR)
  end if
  call MPI_Comm_disconnect(other IERR)
  call MPI_Comm_disconnect(side IERR)
  CHECK(other == MPI_COMM_NULL)
end subroutine
end module
