! SPDX-FileCopyrightText: 2026 The Starling authors
! SPDX-License-Identifier: BSD-3-Clause
! Collective operations: each blocking, nonblocking and persistent, with the same arguments (ARGS) and the same result (RIGHT).
#define CHAPTER cover_collective
#include "interface.inc"
contains
#define FINISHED() call MPI_Wait(r, MPI_STATUS_IGNORE IERR); CHECK(RIGHT)
#define EACH_FORM(NAME, INAME) b = -1; call NAME(ARGS, world IERR); CHECK(RIGHT); \
  b = -1; call INAME(ARGS, world, r IERR); FINISHED(); CHECK(r == MPI_REQUEST_NULL); \
  b = -1; call NAME/**/_init(ARGS, world, no_info, r IERR); CHECK(all(b == -1)); \
  call MPI_Start(r IERR); FINISHED(); b = -1; call MPI_Start(r IERR); FINISHED(); call MPI_Request_free(r IERR)

subroutine chapter_collective()
  integer :: a(2 * np), b(2 * np), own(2), i, root, triangle, sums(2 * np)
  integer(ck) :: counts(np), places(np), bytes(np)
  TTYPE :: types(np)
  TREQUEST :: r
  root = np - 1
  triangle = np * (np - 1) / 2
  own = [10 * me + 1, 10 * me + 2]
  a = [(1000 * me + i, i = 1, 2 * np)]
  sums = [(1000 * triangle + np * i, i = 1, 2 * np)]
  counts = 2
  places = [(2 * (np - i), i = 1, np)]  ! blocks in the opposite order
  bytes = 4 * places
  types = int4

  call MPI_Barrier(world IERR)
  call MPI_Ibarrier(world, r IERR)
  call MPI_Wait(r, MPI_STATUS_IGNORE IERR)
  call MPI_Barrier_init(world, no_info, r IERR)
  call MPI_Start(r IERR)
  call MPI_Wait(r, MPI_STATUS_IGNORE IERR)
  call MPI_Request_free(r IERR)
  CHECK(r == MPI_REQUEST_NULL)

#define ARGS own, N(2), int4, b, N(2), int4
#define RIGHT all(b == [([10 * i + 1, 10 * i + 2], i = 0, np - 1)])
  EACH_FORM(MPI_Allgather, MPI_Iallgather)
#undef ARGS
#undef RIGHT
#define ARGS own, N(2), int4, b, N(2), int4, root
#define RIGHT (all(b == [([10 * i + 1, 10 * i + 2], i = 0, np - 1)]) .or. (me /= root .and. all(b == -1)))
  EACH_FORM(MPI_Gather, MPI_Igather)
#undef ARGS
#undef RIGHT
#define ARGS own, N(2), int4, b, counts, places, int4
#define RIGHT all(b == [([10 * i + 1, 10 * i + 2], i = np - 1, 0, -1)])
  EACH_FORM(MPI_Allgatherv, MPI_Iallgatherv)
#undef ARGS
#undef RIGHT
#define ARGS own, N(2), int4, b, counts, places, int4, root
#define RIGHT (all(b == [([10 * i + 1, 10 * i + 2], i = np - 1, 0, -1)]) .or. (me /= root .and. all(b == -1)))
  EACH_FORM(MPI_Gatherv, MPI_Igatherv)
#undef ARGS
#undef RIGHT
#define ARGS a, N(2), int4, b, N(2), int4, root
#define RIGHT (all(b(1:2) == 1000 * root + 2 * me + [1, 2]) .and. all(b(3:) == -1))
  EACH_FORM(MPI_Scatter, MPI_Iscatter)
#undef ARGS
#undef RIGHT
#define ARGS a, counts, places, int4, b, N(2), int4, root
#define RIGHT (all(b(1:2) == 1000 * root + 2 * (np - 1 - me) + [1, 2]) .and. all(b(3:) == -1))
  EACH_FORM(MPI_Scatterv, MPI_Iscatterv)
#undef ARGS
#undef RIGHT
#define ARGS a, N(2), int4, b, N(2), int4
#define RIGHT all(b == [([1, 2] + 1000 * i + 2 * me, i = 0, np - 1)])
  EACH_FORM(MPI_Alltoall, MPI_Ialltoall)
#undef ARGS
#undef RIGHT
#define ARGS a, counts, places, int4, b, counts, places, int4
#define RIGHT all(b == [([1, 2] + 1000 * i + 2 * (np - 1 - me), i = np - 1, 0, -1)])
  EACH_FORM(MPI_Alltoallv, MPI_Ialltoallv)
#undef ARGS
#define ARGS a, counts, bytes, types, b, counts, bytes, types
  EACH_FORM(MPI_Alltoallw, MPI_Ialltoallw)
#undef ARGS
#undef RIGHT

#define ARGS a, b, N(2 * np), int4, MPI_SUM
#define RIGHT all(b == sums)
  EACH_FORM(MPI_Allreduce, MPI_Iallreduce)
#undef RIGHT
#define RIGHT all(b == 1000 * (me * (me + 1) / 2) + [((me + 1) * i, i = 1, 2 * np)])
  EACH_FORM(MPI_Scan, MPI_Iscan)
#undef RIGHT
#define RIGHT (me == 0 .or. all(b == 1000 * (me * (me - 1) / 2) + [(me * i, i = 1, 2 * np)]))
  EACH_FORM(MPI_Exscan, MPI_Iexscan)
#undef ARGS
#undef RIGHT
#define ARGS a, b, N(2 * np), int4, MPI_SUM, root
#define RIGHT (all(b == sums) .or. (me /= root .and. all(b == -1)))
  EACH_FORM(MPI_Reduce, MPI_Ireduce)
#undef ARGS
#undef RIGHT
#define ARGS a, b, counts, int4, MPI_SUM
#define RIGHT (all(b(1:2) == sums(2 * me + 1:2 * me + 2)) .and. all(b(3:) == -1))
  EACH_FORM(MPI_Reduce_scatter, MPI_Ireduce_scatter)
#undef ARGS
#define ARGS a, b, N(2), int4, MPI_SUM
  EACH_FORM(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block)
#undef ARGS
#undef RIGHT

  ! The persistent broadcast takes what its buffer has when it starts.
#define SENT() b = -1; if (me == root) b = a
#define RIGHT all(b == 1000 * root + [(i, i = 1, 2 * np)])
  SENT()
  call MPI_Bcast(b, N(2 * np), int4, root, world IERR)
  CHECK(RIGHT)
  SENT()
  call MPI_Ibcast(b, N(2 * np), int4, root, world, r IERR)
  FINISHED()
  call MPI_Bcast_init(b, N(2 * np), int4, root, world, no_info, r IERR)
  SENT()
  call MPI_Start(r IERR)
  FINISHED()
  call MPI_Request_free(r IERR)
#undef RIGHT
end subroutine
end module
