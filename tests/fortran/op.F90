! SPDX-FileCopyrightText: 2026 The Starling authors
! SPDX-License-Identifier: BSD-3-Clause
! Reduction operators: the program's own, and what is known of them.
#define CHAPTER cover_op
#include "interface.inc"
#ifdef LARGE
#define MPI_Op_create MPI_Op_create_c
#endif
  integer :: calls = 0
contains
subroutine chapter_op()
  TOP :: op
  integer :: a(4), b(4)
  logical :: flag
  call MPI_Op_create(twice_and_add, .false., op IERR)
  call MPI_Op_commutative(op, flag IERR)
  CHECK(.not. flag)
  call MPI_Op_commutative(MPI_SUM, flag IERR)
  CHECK(flag)
  a = pattern(me)
  b = 1
  call MPI_Reduce_local(a, b, N(4), int4, op IERR)
  CHECK(all(b == 2 * pattern(me) + 1) .and. calls > 0)
  call MPI_Reduce_local(a, b, N(4), int4, MPI_MAX IERR)
  CHECK(all(b == 2 * pattern(me) + 1))
  call MPI_Op_free(op IERR)
  CHECK(op == MPI_OP_NULL)
  call MPI_Op_create(first_of_two, .false., op IERR)
  call MPI_Allreduce(a, b, N(4), int4, op, world IERR)
  CHECK(all(b == pattern(0)))
  call MPI_Op_free(op IERR)
end subroutine

! Reductions see integers only.
#ifdef F08
#define OPERANDS type(c_ptr), value :: invec, inoutvec; type(MPI_Datatype) :: datatype; integer, pointer :: a(:), b(:)
#define SEE_OPERANDS() call c_f_pointer(invec, a, [length]); call c_f_pointer(inoutvec, b, [length])
#define IN a
#define INOUT b
#else
#define OPERANDS integer :: invec(length), inoutvec(length), datatype
#define SEE_OPERANDS() continue
#define IN invec
#define INOUT inoutvec
#endif
subroutine twice_and_add(invec, inoutvec, length, datatype)
  integer(ck) :: length
  OPERANDS
  SEE_OPERANDS()
  if (datatype == int4) INOUT = 2 * IN + INOUT
  calls = calls + 1
end subroutine
subroutine first_of_two(invec, inoutvec, length, datatype)
  integer(ck) :: length
  OPERANDS
  SEE_OPERANDS()
  if (datatype == int4) INOUT = IN
end subroutine
end module
