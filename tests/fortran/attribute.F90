! SPDX-FileCopyrightText: 2026 The Starling authors
! SPDX-License-Identifier: BSD-3-Clause
! Attributes of communicators, datatypes and windows: procedures of the program that add one to a copy and note what is deleted,
! and those of MPI; and MPI-1's, whose values are of the default kind.
#define CHAPTER cover_attribute
#include "interface.inc"
  integer(ak) :: deleted = 0
  integer :: old_deleted = 0
contains
#define KEYVAL_CASES(WHAT, TOBJECT, COPY_FN, DELETE_FN, CREATE, SET, GET, DELETE, FREE, NULL_COPY, NULL_DELETE) \
subroutine WHAT/**/_attributes(object)                                                                   ;\
  TOBJECT, intent(in) :: object                                                                          ;\
  integer :: keyval, other                                                                               ;\
  integer(ak) :: value                                                                                   ;\
  logical :: flag                                                                                        ;\
  call CREATE(COPY_FN, DELETE_FN, keyval, 5_ak IERR)                                                     ;\
  call CREATE(NULL_COPY, NULL_DELETE, other, 0_ak IERR)                                                  ;\
  CHECK(keyval /= MPI_KEYVAL_INVALID .and. other /= keyval)                                              ;\
  call GET(object, keyval, value, flag IERR)                                                             ;\
  CHECK(.not. flag)                                                                                      ;\
  call SET(object, keyval, 12345678901_ak IERR)                                                          ;\
  call SET(object, other, -3_ak IERR)                                                                    ;\
  call GET(object, keyval, value, flag IERR)                                                             ;\
  CHECK(flag .and. value == 12345678901_ak)                                                              ;\
  call GET(object, other, value, flag IERR)                                                              ;\
  CHECK(flag .and. value == -3)                                                                          ;\
  call copied_/**/WHAT(object, keyval, other)                                                            ;\
  deleted = 0                                                                                            ;\
  call DELETE(object, keyval IERR)                                                                       ;\
  CHECK(deleted == 12345678901_ak)                                                                       ;\
  call GET(object, keyval, value, flag IERR)                                                             ;\
  CHECK(.not. flag)                                                                                      ;\
  call DELETE(object, other IERR)                                                                        ;\
  call FREE(keyval IERR)                                                                                 ;\
  call FREE(other IERR)                                                                                  ;\
  CHECK(keyval == MPI_KEYVAL_INVALID .and. other == MPI_KEYVAL_INVALID)                                  ;\
end subroutine                                                                                           ;\
subroutine COPY_FN(object, keyval, extra_state, value_in, value_out, flag, ierror)                       ;\
  TOBJECT :: object                                                                                      ;\
  integer :: keyval, ierror                                                                              ;\
  integer(ak) :: extra_state, value_in, value_out                                                        ;\
  logical :: flag                                                                                        ;\
  flag = extra_state == 5                                                                                ;\
  value_out = value_in + 1                                                                               ;\
  ierror = MPI_SUCCESS                                                                                   ;\
end subroutine                                                                                           ;\
subroutine DELETE_FN(object, keyval, value, extra_state, ierror)                                         ;\
  TOBJECT :: object                                                                                      ;\
  integer :: keyval, ierror                                                                              ;\
  integer(ak) :: extra_state, value                                                                      ;\
  if (extra_state == 5) deleted = value                                                                  ;\
  ierror = MPI_SUCCESS                                                                                   ;\
end subroutine
KEYVAL_CASES(comm, TCOMM, copy_comm, delete_comm, MPI_Comm_create_keyval, MPI_Comm_set_attr, MPI_Comm_get_attr, \
             MPI_Comm_delete_attr, MPI_Comm_free_keyval, MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN)
KEYVAL_CASES(type, TTYPE, copy_type, delete_type, MPI_Type_create_keyval, MPI_Type_set_attr, MPI_Type_get_attr, \
             MPI_Type_delete_attr, MPI_Type_free_keyval, MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN)
KEYVAL_CASES(win, TWIN, copy_win, delete_win, MPI_Win_create_keyval, MPI_Win_set_attr, MPI_Win_get_attr, \
             MPI_Win_delete_attr, MPI_Win_free_keyval, MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN)

subroutine copied_comm(comm, keyval, other)
  TCOMM, intent(in) :: comm
  integer, intent(in) :: keyval, other
  TCOMM :: copy
  integer :: third
  integer(ak) :: value
  logical :: flag
  call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, delete_comm, third, 5_ak IERR)
  call MPI_Comm_set_attr(comm, third, 77_ak IERR)
  call MPI_Comm_dup(comm, copy IERR)
  call MPI_Comm_get_attr(copy, keyval, value, flag IERR)
  CHECK(flag .and. value == 12345678902_ak)
  call MPI_Comm_get_attr(copy, other, value, flag IERR)
  CHECK(.not. flag)
  call MPI_Comm_get_attr(copy, third, value, flag IERR)
  CHECK(flag .and. value == 77)
  call MPI_Comm_delete_attr(copy, keyval IERR)
  call MPI_Comm_free(copy IERR)
  CHECK(deleted == 77)
  call MPI_Comm_delete_attr(comm, third IERR)
  call MPI_Comm_free_keyval(third IERR)
  call MPI_Comm_get_attr(world, MPI_TAG_UB, value, flag IERR)
  CHECK(flag .and. value >= 32767)
end subroutine

subroutine copied_type(datatype, keyval, other)
  TTYPE, intent(in) :: datatype
  integer, intent(in) :: keyval, other
  TTYPE :: copy
  integer :: third
  integer(ak) :: value
  logical :: flag
  call MPI_Type_create_keyval(MPI_TYPE_DUP_FN, delete_type, third, 5_ak IERR)
  call MPI_Type_set_attr(datatype, third, 77_ak IERR)
  call MPI_Type_dup(datatype, copy IERR)
  call MPI_Type_get_attr(copy, keyval, value, flag IERR)
  CHECK(flag .and. value == 12345678902_ak)
  call MPI_Type_get_attr(copy, other, value, flag IERR)
  CHECK(.not. flag)
  call MPI_Type_get_attr(copy, third, value, flag IERR)
  CHECK(flag .and. value == 77)
  call MPI_Type_delete_attr(copy, keyval IERR)
  call MPI_Type_free(copy IERR)
  CHECK(deleted == 77)
  call MPI_Type_delete_attr(datatype, third IERR)
  call MPI_Type_free_keyval(third IERR)
end subroutine

! Windows are not copied.
subroutine copied_win(win, keyval, other)
  TWIN, intent(in) :: win
  integer, intent(in) :: keyval, other
  integer(ak) :: value
  logical :: flag
  call MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, value, flag IERR)
  CHECK(flag .and. value == 4 .and. keyval /= other)
end subroutine

subroutine chapter_attribute()
  TTYPE :: datatype
  TWIN :: win
  integer :: memory(4)
  call comm_attributes(world)
  call MPI_Type_contiguous(3, int4, datatype IERR)
  call type_attributes(datatype)
  call MPI_Type_free(datatype IERR)
  call MPI_Win_create(memory, 16_ak, 4, no_info, world, win IERR)
  call win_attributes(win)
  call MPI_Win_free(win IERR)
  CHECK(win == MPI_WIN_NULL)
#ifndef F08
  call old_attributes()
#endif
end subroutine

#ifndef F08
subroutine old_attributes()
  integer :: keyval, value, copy
  logical :: flag
  call MPI_Keyval_create(old_copy, old_delete, keyval, 6 IERR)
  call MPI_Attr_put(world, keyval, 100 + me IERR)
  call MPI_Attr_get(world, keyval, value, flag IERR)
  CHECK(flag .and. value == 100 + me)
  call MPI_Comm_dup(world, copy IERR)
  call MPI_Attr_get(copy, keyval, value, flag IERR)
  CHECK(flag .and. value == 101 + me)
  call MPI_Attr_delete(copy, keyval IERR)
  CHECK(old_deleted == 101 + me)
  call MPI_Attr_get(copy, keyval, value, flag IERR)
  CHECK(.not. flag)
  call MPI_Comm_free(copy IERR)
  call MPI_Attr_delete(world, keyval IERR)
  call MPI_Keyval_free(keyval IERR)
  CHECK(keyval == MPI_KEYVAL_INVALID .and. old_deleted == 100 + me)
end subroutine
subroutine old_copy(comm, keyval, extra_state, value_in, value_out, flag, ierror)
  integer :: comm, keyval, extra_state, value_in, value_out, ierror
  logical :: flag
  flag = extra_state == 6
  value_out = value_in + 1
  ierror = MPI_SUCCESS
end subroutine
subroutine old_delete(comm, keyval, value, extra_state, ierror)
  integer :: comm, keyval, value, extra_state, ierror
  if (extra_state == 6) old_deleted = value
  ierror = MPI_SUCCESS
end subroutine
#endif
end module
