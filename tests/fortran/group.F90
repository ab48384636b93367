! SPDX-FileCopyrightText: 2026 The Starling authors
! SPDX-License-Identifier: BSD-3-Clause
! Groups, by the ranks that their members have in the world; communicators and intercommunicators.
#define CHAPTER cover_group
#include "interface.inc"
contains
#define IS(numbers) CHECK(members(g, numbers) .and. g == MPI_GROUP_NULL)

subroutine chapter_group()
  TGROUP :: all_of_us, first_two, last_two, g
  integer :: number, ranges(3, 1)
  call MPI_Comm_group(world, all_of_us IERR)
  call MPI_Group_size(all_of_us, number IERR)
  CHECK(number == np)
  call MPI_Group_rank(all_of_us, number IERR)
  CHECK(number == me)
  call MPI_Group_incl(all_of_us, 2, [0, 1], first_two IERR)
  call MPI_Group_excl(all_of_us, np - 2, [0, 3, 4, 5, 6, 7], last_two IERR)
  call MPI_Group_union(first_two, last_two, g IERR)
  IS(([0, 1, 2]))
  call MPI_Group_intersection(first_two, last_two, g IERR)
  IS(([1]))
  call MPI_Group_difference(first_two, last_two, g IERR)
  IS(([0]))
  ranges(:, 1) = [2, 0, -2]
  call MPI_Group_range_incl(all_of_us, 1, ranges, g IERR)
  IS(([2, 0]))
  call MPI_Group_range_excl(all_of_us, 1, ranges, g IERR)
  IS(([1]))
  call MPI_Group_compare(first_two, last_two, number IERR)
  CHECK(number == MPI_UNEQUAL)
  call MPI_Group_incl(all_of_us, 2, [1, 0], g IERR)
  call MPI_Group_compare(first_two, g, number IERR)
  CHECK(number == MPI_SIMILAR)
  call communicators(first_two)
  call MPI_Group_free(g IERR)
  call MPI_Group_free(first_two IERR)
  call MPI_Group_free(last_two IERR)
  call MPI_Group_free(all_of_us IERR)
  CHECK(all_of_us == MPI_GROUP_NULL)
  call intercommunicators()
end subroutine

!> Whether the group has these ranks of the world; and frees it.
logical function members(g, ranks)
  TGROUP, intent(inout) :: g
  integer, intent(in) :: ranks(:)
  TGROUP :: all_of_us
  integer :: there(size(ranks)), number, i
  call MPI_Comm_group(world, all_of_us IERR)
  call MPI_Group_size(g, number IERR)
  members = number == size(ranks)
  if (members) then
    call MPI_Group_translate_ranks(g, number, [(i, i = 0, number - 1)], all_of_us, there IERR)
    members = all(there == ranks)
  end if
  call MPI_Group_free(all_of_us IERR)
  call MPI_Group_free(g IERR)
end function

#define HAS(ranks) CHECK(has(c, ranks) .and. c == MPI_COMM_NULL)
subroutine communicators(first_two)
  TGROUP, intent(in) :: first_two
  TCOMM :: c
  TINFO :: info, used
  TREQUEST :: r
  integer :: number, i
  logical :: flag
  character(len=MPI_MAX_OBJECT_NAME) :: name
  character(len=10) :: value
  call MPI_Comm_dup(world, c IERR)
  call MPI_Comm_compare(world, c, number IERR)
  CHECK(number == MPI_CONGRUENT)
  HAS(([(i, i = 0, np - 1)]))
  call MPI_Info_create(info IERR)
  call MPI_Info_set(info, 'mpi_assert_no_any_tag', 'true' IERR)
  call MPI_Comm_dup_with_info(world, info, c IERR)
  call MPI_Comm_get_info(c, used IERR)
  call MPI_Info_get(used, 'mpi_assert_no_any_tag', 10, value, flag IERR)
  CHECK(flag .and. value == 'true')
  call MPI_Info_free(used IERR)
  call MPI_Info_set(info, 'mpi_assert_no_any_tag', 'false' IERR)
  call MPI_Comm_set_info(c, info IERR)
  call MPI_Comm_get_info(c, used IERR)
  call MPI_Info_get(used, 'mpi_assert_no_any_tag', 10, value, flag IERR)
  CHECK(flag .and. value == 'false')
  call MPI_Info_free(used IERR)
  HAS(([(i, i = 0, np - 1)]))
  call MPI_Comm_idup(world, c, r IERR)
  call MPI_Wait(r, MPI_STATUS_IGNORE IERR)
  HAS(([(i, i = 0, np - 1)]))
  call MPI_Comm_idup_with_info(world, info, c, r IERR)
  call MPI_Info_free(info IERR)
  call MPI_Wait(r, MPI_STATUS_IGNORE IERR)
  HAS(([(i, i = 0, np - 1)]))

  call MPI_Comm_create(world, first_two, c IERR)
  CHECK((me < 2) .eqv. (c /= MPI_COMM_NULL))
  if (me < 2) then
    HAS(([0, 1]))
    call MPI_Comm_create_group(world, first_two, 7, c IERR)
    HAS(([0, 1]))
  end if
  call MPI_Comm_split(world, merge(MPI_UNDEFINED, 1, me == 1), -me, c IERR)
  CHECK((me == 1) .eqv. (c == MPI_COMM_NULL))
  if (me /= 1) then
    HAS(([(i, i = np - 1, 2, -1), 0]))
  end if
  call MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, me, no_info, c IERR)
  call MPI_Comm_set_name(c, 'my node' IERR)
  call MPI_Comm_get_name(c, name, number IERR)
  CHECK(name == 'my node' .and. number == 7)
  call MPI_Comm_get_name(world, name, number IERR)
  CHECK(name == 'MPI_COMM_WORLD' .and. number == 14)
  HAS(([(i, i = 0, np - 1)]))
end subroutine

!> Whether the communicator has these ranks of the world, this one at its place; and frees it.
logical function has(c, ranks)
  TCOMM, intent(inout) :: c
  integer, intent(in) :: ranks(:)
  TGROUP :: g
  integer :: number, rank
  call MPI_Comm_size(c, number IERR)
  call MPI_Comm_rank(c, rank IERR)
  has = number == size(ranks)
  if (has) has = ranks(rank + 1) == me
  call MPI_Comm_group(c, g IERR)
  if (.not. members(g, ranks)) has = .false.
  call MPI_Comm_free(c IERR)
end function

! Rank 0 on one side, all others on the other.
subroutine intercommunicators()
  TCOMM :: mine, c, merged
  TGROUP :: g
  integer :: number, i, got
  logical :: flag
  call MPI_Comm_split(world, min(me, 1), me, mine IERR)
  call MPI_Intercomm_create(mine, 0, world, merge(1, 0, me == 0), 8, c IERR)
  flag = .false.
  call MPI_Comm_test_inter(c, flag IERR)
  CHECK(flag)
  flag = .true.
  call MPI_Comm_test_inter(mine, flag IERR)
  CHECK(.not. flag)
  call MPI_Comm_remote_size(c, number IERR)
  CHECK(number == merge(np - 1, 1, me == 0))
  call MPI_Comm_remote_group(c, g IERR)
  if (me == 0) then
    IS(([(i, i = 1, np - 1)]))
  else
    IS(([0]))
  end if
  got = -1
  if (me == 0) then
    call MPI_Bcast(55, N(1), int4, MPI_ROOT, c IERR)
  else
    call MPI_Bcast(got, N(1), int4, 0, c IERR)
    CHECK(got == 55)
  end if
  call MPI_Intercomm_merge(c, me == 0, merged IERR)
  call MPI_Comm_rank(merged, number IERR)
  CHECK(number == merge(np - 1, me - 1, me == 0))
  call MPI_Comm_free(merged IERR)
  call MPI_Comm_free(c IERR)
  call MPI_Comm_free(mine IERR)
end subroutine
end module
