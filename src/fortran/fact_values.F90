! SPDX-FileCopyrightText: 2026 The Starling authors
! SPDX-License-Identifier: BSD-3-Clause
! The kinds of this compiler; facts.cpp names them.
subroutine starling_fortran_facts(sizes, supported, booleans) bind(C, name="starling_fortran_facts")
  use, intrinsic :: iso_c_binding, only: c_int
  use, intrinsic :: iso_fortran_env, only: integer_kinds, logical_kinds, real_kinds
  implicit none
  integer(c_int), intent(out) :: sizes(4), supported(19), booleans(2)
  integer, parameter :: whole(5) = [1, 2, 4, 8, 16], parts(4) = [2, 4, 8, 16]
  integer :: i
  integer, parameter :: logicals(5) = [(merge(1, 0, any(logical_kinds == whole(i))), i = 1, 5)]
  integer, parameter :: integers(5) = [(merge(1, 0, any(integer_kinds == whole(i))), i = 1, 5)]
  integer, parameter :: reals(4) = [(merge(1, 0, any(real_kinds == parts(i))), i = 1, 4)]
  sizes = [storage_size(.true.), storage_size(0), storage_size(0.0), storage_size(0.0d0)] / 8
  supported = [logicals, integers, reals, reals, reals(3)]
  booleans = [transfer(.true., 0), transfer(.false., 0)]
end subroutine
