! SPDX-FileCopyrightText: 2026 The Starling authors
! SPDX-License-Identifier: BSD-3-Clause
! Datatypes: each constructor, by the numbers that a message of it takes out of 1 to 24; what is known of a type; packing.
#define CHAPTER cover_datatype
#include "interface.inc"
! Large forms that share no name with the small ones, since all their kinds are the same.
#ifdef LARGE
#define MPI_Type_create_resized MPI_Type_create_resized_c
#define MPI_Type_get_extent MPI_Type_get_extent_c
#define MPI_Type_get_true_extent MPI_Type_get_true_extent_c
#endif
contains
! What a type takes, and then it is freed.
#define TAKES(numbers) CHECK(takes(t, numbers) .and. t == MPI_DATATYPE_NULL)

subroutine chapter_datatype()
  TTYPE :: t, u, v
  integer(ck) :: lengths(2), places(2)
  integer(ak) :: bytes(2), lower, extent
  integer(MPI_COUNT_KIND) :: first, last
  lengths = [2, 1]
  places = [1, 6]
  bytes = 4 * places

  call MPI_Type_contiguous(N(3), int4, t IERR)
  TAKES(([1, 2, 3]))
  call MPI_Type_vector(N(2), N(2), N(5), int4, t IERR)
  TAKES(([1, 2, 6, 7]))
  call MPI_Type_create_hvector(N(2), N(1), 28_ak, int4, t IERR)
  TAKES(([1, 8]))
  call MPI_Type_indexed(N(2), lengths, places, int4, t IERR)
  TAKES(([2, 3, 7]))
  call MPI_Type_create_hindexed(N(2), lengths, bytes, int4, t IERR)
  TAKES(([2, 3, 7]))
  call MPI_Type_create_indexed_block(N(2), N(2), places, int4, t IERR)
  TAKES(([2, 3, 7, 8]))
  call MPI_Type_create_hindexed_block(N(2), N(2), bytes, int4, t IERR)
  TAKES(([2, 3, 7, 8]))
  call MPI_Type_create_struct(N(2), lengths, bytes, [int4, int4], t IERR)
  TAKES(([2, 3, 7]))
  ! The array is 4 by 6, as Fortran lays it out.
  call MPI_Type_create_subarray(2, N((/4, 6/)), N((/2, 2/)), N((/1, 3/)), MPI_ORDER_FORTRAN, int4, t IERR)
  TAKES(([14, 15, 18, 19]))
  call MPI_Type_create_darray(2, 1, 2, N((/4, 3/)), [MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_NONE], &
                              [MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG], [2, 1], MPI_ORDER_FORTRAN, int4, t IERR)
  TAKES(([3, 4, 7, 8, 11, 12]))

  call MPI_Type_create_resized(int4, -4_ak, 12_ak, u IERR)
  call MPI_Type_get_extent(u, lower, extent IERR)
  CHECK(lower == -4 .and. extent == 12)
  call MPI_Type_get_true_extent(u, lower, extent IERR)
  CHECK(lower == 0 .and. extent == 4)
  call MPI_Type_get_extent_x(u, first, last IERR)
  CHECK(first == -4 .and. last == 12)
  call MPI_Type_get_true_extent_x(u, first, last IERR)
  CHECK(first == 0 .and. last == 4)
  call MPI_Type_contiguous(N(3), u, t IERR)
  TAKES(([1, 4, 7]))
  call MPI_Type_dup(u, v IERR)
  CHECK(u /= v)
  call MPI_Type_free(u IERR)
  call MPI_Type_contiguous(N(2), v, t IERR)
  call MPI_Type_free(v IERR)
  TAKES(([1, 4]))
  call MPI_Type_create_f90_integer(9, t IERR)
  CHECK(size_of(t) == 4)
  call MPI_Type_create_f90_real(15, MPI_UNDEFINED, t IERR)
  CHECK(size_of(t) == 8)
  call MPI_Type_create_f90_complex(6, 30, t IERR)
  CHECK(size_of(t) == 8)
  call MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 8, t IERR)
  CHECK(size_of(t) == 8)
  call MPI_Type_get_value_index(MPI_INTEGER, MPI_INTEGER, t IERR)
  CHECK(t == MPI_2INTEGER .and. size_of(t) == 8)
  call contents()
  call packing()
  call addresses()
end subroutine

integer function size_of(t)
  TTYPE, intent(in) :: t
  integer(ck) :: bytes
  integer(MPI_COUNT_KIND) :: bytes_x
  call MPI_Type_size(t, bytes IERR)
  call MPI_Type_size_x(t, bytes_x IERR)
  size_of = merge(int(bytes), -1, bytes == bytes_x)
end function

logical function takes(t, numbers)
  TTYPE, intent(inout) :: t
  integer, intent(in) :: numbers(:)
  integer :: a(24), b(24), i
  TREQUEST :: r
  TSTATUS :: status
  integer(ck) :: count
  a = [(i, i = 1, 24)]
  b = -1
  call MPI_Type_commit(t IERR)
  call MPI_Irecv(b, N(24), int4, left, 1, world, r IERR)
  call MPI_Send(a, N(1), t, right, 1, world IERR)
  call MPI_Wait(r, status IERR)
  call MPI_Get_count(status, int4, count IERR)
  takes = count == size(numbers) .and. size_of(t) == 4 * size(numbers)
  if (takes) takes = all(b(1:size(numbers)) == numbers)
  call MPI_Type_free(t IERR)
end function

! What a type was made of, and its name.
subroutine contents()
  TTYPE :: t, types(1)
  integer(ck) :: integers, addresses, types_used, counts_used, integers_given(4)
  integer :: combiner, length, small_given(1)
  integer(ak) :: addresses_given(4)
  character(len=MPI_MAX_OBJECT_NAME) :: name
  call MPI_Type_create_hvector(N(2), N(3), 28_ak, int4, t IERR)
  call MPI_Type_set_name(t, 'two by three' IERR)
  call MPI_Type_get_name(t, name, length IERR)
  CHECK(name == 'two by three' .and. length == 12)
  integers_given = -1
  small_given = -1
#ifdef LARGE
  call MPI_Type_get_envelope(t, integers, addresses, counts_used, types_used, combiner IERR)
  CHECK(integers == 0 .and. addresses == 0 .and. counts_used == 3 .and. types_used == 1)
  call MPI_Type_get_contents(t, integers, addresses, counts_used, types_used, small_given, addresses_given, integers_given, types IERR)
  CHECK(all(integers_given(1:3) == [2, 3, 28]) .and. small_given(1) == -1 .and. types(1) == int4)
#else
  counts_used = 0
  call MPI_Type_get_envelope(t, integers, addresses, types_used, combiner IERR)
  CHECK(integers == 2 .and. addresses == 1 .and. types_used == 1)
  call MPI_Type_get_contents(t, 4, 4, 1, integers_given, addresses_given, types IERR)
  CHECK(all(integers_given(1:3) == [2, 3, -1]) .and. addresses_given(1) == 28 .and. types(1) == int4)
#endif
  CHECK(combiner == MPI_COMBINER_HVECTOR)
  call MPI_Type_free(t IERR)
end subroutine

subroutine packing()
  integer :: a(4), b(4)
  character :: packed(200)
  integer(ck) :: place, room
#ifdef LARGE
  integer(MPI_COUNT_KIND) :: external_place, external_room
#else
  integer(ak) :: external_place, external_room
#endif
  a = pattern(1)
  call MPI_Pack_size(N(4), int4, world, room IERR)
  CHECK(room >= 16 .and. room <= size(packed))
  place = 0
  call MPI_Pack(a, N(1), int4, packed, N(200), place, world IERR)
  call MPI_Pack(a(2), N(3), int4, packed, N(200), place, world IERR)
  CHECK(place >= 16)
  room = place
  place = 0
  b = -1
  call MPI_Unpack(packed, room, place, b, N(4), int4, world IERR)
  CHECK(place == room .and. all(b == a))
  call MPI_Pack_external_size('external32', N(4), int4, external_room IERR)
  CHECK(external_room == 16)
  external_place = 0
  call MPI_Pack_external('external32', a, N(4), int4, packed, external_room, external_place IERR)
  CHECK(external_place == 16 .and. all(ichar(packed(1:4)) == [0, 0, 0, 101]))
  external_place = 0
  b = -1
  call MPI_Unpack_external('external32', packed, external_room, external_place, b, N(4), int4 IERR)
  CHECK(external_place == 16 .and. all(b == a))
end subroutine

subroutine addresses()
  integer, target :: a(4)
  integer(ak) :: first, last
  call MPI_Get_address(a, first IERR)
  call MPI_Get_address(a(4), last IERR)
  CHECK(first == transfer(c_loc(a), first))
  CHECK(MPI_Aint_diff(last, first) == 12 .and. MPI_Aint_add(first, 12_ak) == last)
end subroutine
end module
