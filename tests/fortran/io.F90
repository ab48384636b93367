! SPDX-FileCopyrightText: 2026 The Starling authors
! SPDX-License-Identifier: BSD-3-Clause
! Files: each way to write and the like way to read, four numbers of each rank; positions, views, what is known of a file, and a
! data representation of the program's own.
#define CHAPTER cover_io
#include "interface.inc"
#ifdef LARGE
#define MPI_File_get_type_extent MPI_File_get_type_extent_c
#define MPI_Register_datarep MPI_Register_datarep_c
#define MPI_CONVERSION_FN_NULL MPI_CONVERSION_FN_NULL_C
#endif
  TFILE :: file
  integer :: salt = 0  ! makes each write another
contains
! Written at this rank's place and read at the left neighbor's.
#define FRESH() call settle(); salt = salt + 1000; a = pattern(me) + salt; b = -1
#define GOT(rank) CHECK(all(b == pattern(rank) + salt) .and. numbers_of(status) == 4)
#define MINE 16_ok * me, a, N(4), int4
#define LEFTS 16_ok * left, b, N(4), int4
#define OWN a, N(4), int4
#define OTHER b, N(4), int4
#define AT(WRITE, READ) FRESH(); call WRITE(file, MINE, status IERR); CHECK(numbers_of(status) == 4); call settle(); \
  call READ(file, LEFTS, status IERR); GOT(left)
#define IAT(WRITE, READ) FRESH(); call WRITE(file, MINE, r IERR); call MPI_Wait(r, status IERR); \
  CHECK(numbers_of(status) == 4); call settle(); call READ(file, LEFTS, r IERR); call MPI_Wait(r, status IERR); GOT(left)
#define SEEK(rank) call MPI_File_seek(file, 16_ok * rank, MPI_SEEK_SET IERR)
#define HERE(WRITE, READ) FRESH(); SEEK(me); call WRITE(file, OWN, status IERR); CHECK(numbers_of(status) == 4); \
  call settle(); SEEK(left); call READ(file, OTHER, status IERR); GOT(left)
#define IHERE(WRITE, READ) FRESH(); SEEK(me); call WRITE(file, OWN, r IERR); call MPI_Wait(r, status IERR); \
  CHECK(numbers_of(status) == 4); call settle(); SEEK(left); call READ(file, OTHER, r IERR); \
  call MPI_Wait(r, status IERR); GOT(left)
! Who comes first is open: the sums tell whether each has got what another wrote.
#define REWOUND() call settle(); call MPI_File_seek_shared(file, 0_ok, MPI_SEEK_SET IERR)
#define SUMS_AGREE() CHECK(sum_of(b) == sum_of(a) .and. numbers_of(status) == 4)

subroutine chapter_io()
  integer, asynchronous :: a(4), b(4)
  TSTATUS :: status
  TREQUEST :: r
  integer(ok) :: place
  call MPI_File_open(world, file_name('io'), MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, no_info, file IERR)
  AT(MPI_File_write_at, MPI_File_read_at)
  AT(MPI_File_write_at_all, MPI_File_read_at_all)
  IAT(MPI_File_iwrite_at, MPI_File_iread_at)
  IAT(MPI_File_iwrite_at_all, MPI_File_iread_at_all)
  HERE(MPI_File_write, MPI_File_read)
  HERE(MPI_File_write_all, MPI_File_read_all)
  IHERE(MPI_File_iwrite, MPI_File_iread)
  IHERE(MPI_File_iwrite_all, MPI_File_iread_all)
  call MPI_File_get_position(file, place IERR)
  CHECK(place == 16 * left + 16)

  FRESH()
  call MPI_File_write_at_all_begin(file, MINE IERR)
  call MPI_File_write_at_all_end(file, a, status IERR)
  CHECK(numbers_of(status) == 4)
  call settle()
  call MPI_File_read_at_all_begin(file, LEFTS IERR)
  call MPI_File_read_at_all_end(file, b, status IERR)
  GOT(left)
  FRESH()
  SEEK(me)
  call MPI_File_write_all_begin(file, OWN IERR)
  call MPI_File_write_all_end(file, a, status IERR)
  CHECK(numbers_of(status) == 4)
  call settle()
  SEEK(left)
  call MPI_File_read_all_begin(file, OTHER IERR)
  call MPI_File_read_all_end(file, b, status IERR)
  GOT(left)

  FRESH()
  REWOUND()
  call MPI_File_write_ordered(file, OWN, status IERR)
  REWOUND()
  call MPI_File_read_ordered(file, OTHER, status IERR)
  GOT(me)
  call MPI_File_read_at(file, LEFTS, status IERR)
  GOT(left)
  FRESH()
  REWOUND()
  call MPI_File_write_ordered_begin(file, OWN IERR)
  call MPI_File_write_ordered_end(file, a, status IERR)
  CHECK(numbers_of(status) == 4)
  REWOUND()
  call MPI_File_read_ordered_begin(file, OTHER IERR)
  call MPI_File_read_ordered_end(file, b, status IERR)
  GOT(me)
  FRESH()
  REWOUND()
  call MPI_File_write_shared(file, OWN, status IERR)
  REWOUND()
  call MPI_File_read_shared(file, OTHER, status IERR)
  SUMS_AGREE()
  call settle()
  call MPI_File_get_position_shared(file, place IERR)
  CHECK(place == 16 * np)
  FRESH()
  REWOUND()
  call MPI_File_iwrite_shared(file, OWN, r IERR)
  call MPI_Wait(r, status IERR)
  REWOUND()
  call MPI_File_iread_shared(file, OTHER, r IERR)
  call MPI_Wait(r, status IERR)
  SUMS_AGREE()

  call known()
  call views()
  call MPI_File_close(file IERR)
  CHECK(file == MPI_FILE_NULL)
  call represented()
  call deleted()
end subroutine

! What has been written is there for all.
subroutine settle()
  call MPI_File_sync(file IERR)
  call MPI_Barrier(world IERR)
  call MPI_File_sync(file IERR)
end subroutine

integer function numbers_of(status)
  TSTATUS, intent(in) :: status
  integer(ck) :: count
  call MPI_Get_count(status, int4, count IERR)
  numbers_of = int(count)
end function

integer function sum_of(a)
  integer, intent(in) :: a(4)
  call MPI_Allreduce(sum(a), sum_of, N(1), int4, MPI_SUM, world IERR)
end function

subroutine known()
  integer :: amode, number
  integer(ok) :: bytes
  integer(ak) :: extent
  logical :: flag
  character(len=20) :: value
  TGROUP :: group
  TINFO :: info
  call MPI_File_get_amode(file, amode IERR)
  CHECK(amode == MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE)
  call MPI_File_get_group(file, group IERR)
  call MPI_Group_size(group, number IERR)
  CHECK(number == np)
  call MPI_Group_free(group IERR)
  call MPI_File_get_size(file, bytes IERR)
  CHECK(bytes == 16 * np)
  call MPI_File_set_size(file, 8_ok IERR)
  call MPI_File_get_size(file, bytes IERR)
  CHECK(bytes == 8)
  call MPI_File_preallocate(file, 400_ok IERR)
  call MPI_File_get_size(file, bytes IERR)
  CHECK(bytes == 400)
  call MPI_File_set_atomicity(file, .true. IERR)
  flag = .false.
  call MPI_File_get_atomicity(file, flag IERR)
  CHECK(flag)
  call MPI_File_set_atomicity(file, .false. IERR)
  call MPI_File_get_atomicity(file, flag IERR)
  CHECK(.not. flag)
  call MPI_File_get_type_extent(file, MPI_DOUBLE_PRECISION, extent IERR)
  CHECK(extent == 8)
  call MPI_Info_create(info IERR)
  call MPI_Info_set(info, 'access_style', 'read_once' IERR)
  call MPI_File_set_info(file, info IERR)
  call MPI_Info_free(info IERR)
  call MPI_File_get_info(file, info IERR)
  CHECK(info /= MPI_INFO_NULL)
  call MPI_Info_get(info, 'access_style', 20, value, flag IERR)
  CHECK(flag .and. value == 'read_once')
  call MPI_Info_free(info IERR)
end subroutine

! Every second number, after the first four bytes.
subroutine views()
  integer, asynchronous :: a(4), b(8)
  integer(ok) :: disp, bytes
  TTYPE :: alternate, etype, filetype
  TSTATUS :: status
  character(len=MPI_MAX_DATAREP_STRING) :: datarep
  integer(ak) :: lower, extent
  call MPI_Type_create_resized(int4, 0_ak, 8_ak, alternate IERR)
  call MPI_Type_commit(alternate IERR)
  call MPI_File_set_view(file, 4_ok, int4, alternate, 'native ', no_info IERR)
  call MPI_File_get_view(file, disp, etype, filetype, datarep IERR)
  call MPI_Type_get_extent(filetype, lower, extent IERR)
  CHECK(disp == 4 .and. etype == int4 .and. datarep == 'native' .and. extent == 8)
  call MPI_File_get_byte_offset(file, 3_ok, bytes IERR)
  CHECK(bytes == 4 + 3 * 8)
  a = pattern(7)
  if (me == 0) call MPI_File_write_at(file, 0_ok, OWN, status IERR)
  call settle()
  call MPI_File_set_view(file, 0_ok, int4, int4, 'native', no_info IERR)
  call MPI_File_read_at(file, 0_ok, b, N(8), int4, status IERR)
  CHECK(all(b(2:8:2) == pattern(7)))
  call MPI_Type_free(alternate IERR)
  call MPI_Type_free(filetype IERR)
end subroutine

! A file in which each number is the negative one.
subroutine represented()
  integer, asynchronous :: a(4), b(4)
  TSTATUS :: status
  call MPI_Register_datarep('negative', from_file, to_file, file_extent, 3_ak IERR)
  call MPI_File_open(world, file_name('datarep'), MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, no_info, file IERR)
  call MPI_File_set_view(file, 0_ok, int4, int4, 'negative', no_info IERR)
  FRESH()
  call MPI_File_write_at(file, 4_ok * me, OWN, status IERR)
  call settle()
  call MPI_File_read_at(file, 4_ok * left, OTHER, status IERR)
  GOT(left)
  call MPI_File_set_view(file, 0_ok, int4, int4, 'native', no_info IERR)
  call MPI_File_read_at(file, 4_ok * me, OTHER, status IERR)
  CHECK(all(b == -a))
  call MPI_Register_datarep('plain', MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, file_extent, 3_ak IERR)
  call MPI_File_set_view(file, 0_ok, int4, int4, 'plain', no_info IERR)
  call MPI_File_read_at(file, 4_ok * me, OTHER, status IERR)
  CHECK(all(b == -a))
  call MPI_File_close(file IERR)
end subroutine

! user is the memory of the program, from position on; filed that of the file.
#ifdef F08
#define MEMORY_OF_BOTH type(c_ptr), value :: userbuf, filebuf; integer, pointer :: user(:), filed(:)
#define SEE_MEMORY() call c_f_pointer(userbuf, user, [position + count]); call c_f_pointer(filebuf, filed, [count])
#define USER user
#define FILED filed
#else
#define MEMORY_OF_BOTH integer :: userbuf(*), filebuf(*)
#define SEE_MEMORY() continue
#define USER userbuf
#define FILED filebuf
#endif
#define CONVERSION(NAME, ASSIGNMENT) \
subroutine NAME(userbuf, datatype, count, filebuf, position, extra_state, ierror) ;\
  TTYPE :: datatype                                                               ;\
  integer(ck) :: count                                                            ;\
  integer(ok) :: position                                                         ;\
  integer(ak) :: extra_state                                                      ;\
  integer :: ierror                                                               ;\
  MEMORY_OF_BOTH                                                                  ;\
  SEE_MEMORY()                                                                    ;\
  if (extra_state == 3 .and. datatype == int4) ASSIGNMENT                         ;\
  ierror = MPI_SUCCESS                                                            ;\
end subroutine
CONVERSION(from_file, USER(position + 1:position + count) = -FILED(1:count))
CONVERSION(to_file, FILED(1:count) = -USER(position + 1:position + count))

subroutine file_extent(datatype, extent, extra_state, ierror)
  TTYPE :: datatype
  integer(ak) :: extent, extra_state
  integer :: ierror
  extent = merge(4, 0, datatype == int4 .and. extra_state == 3)
  ierror = MPI_SUCCESS
end subroutine

subroutine deleted()
  TFILE :: own
  integer :: code, class
  character(len=100) :: name
  write (name, '(a,i0)') trim(file_name('own')), me
  call MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE + MPI_MODE_WRONLY, no_info, own IERR)
  call MPI_File_close(own IERR)
  call MPI_File_delete(name, no_info IERR)
  CHECK(own == MPI_FILE_NULL)
  call MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDONLY, no_info, own, code)
  call MPI_Error_class(code, class IERR)
  CHECK(class == MPI_ERR_NO_SUCH_FILE)
end subroutine
end module
