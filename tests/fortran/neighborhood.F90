! SPDX-FileCopyrightText: 2026 The Starling authors
! SPDX-License-Identifier: BSD-3-Clause
! Collective operations of neighbors, blocking, nonblocking and persistent, as in collective.F90: around the ring, where the
! data of the left neighbor comes first and that of the right one second.
#define CHAPTER cover_neighborhood
#include "interface.inc"
contains
#define FINISHED() call MPI_Wait(r, MPI_STATUS_IGNORE IERR); CHECK(RIGHT)
#define EACH_FORM(NAME, INAME) b = -1; call NAME(ARGS, ring IERR); CHECK(RIGHT); \
  b = -1; call INAME(ARGS, ring, r IERR); FINISHED(); CHECK(r == MPI_REQUEST_NULL); \
  b = -1; call NAME/**/_init(ARGS, ring, no_info, r IERR); CHECK(all(b == -1)); \
  call MPI_Start(r IERR); FINISHED(); b = -1; call MPI_Start(r IERR); FINISHED(); call MPI_Request_free(r IERR)

subroutine chapter_neighborhood()
  integer :: a(4), b(4)
  integer(ck) :: counts(2), places(2)
  integer(ak) :: bytes(2)
  TTYPE :: types(2)
  TCOMM :: ring
  TREQUEST :: r
  call MPI_Dist_graph_create_adjacent(world, 2, [left, right], MPI_UNWEIGHTED, 2, [left, right], MPI_UNWEIGHTED, no_info, &
                                      .false., ring IERR)
  CHECK(ring /= MPI_COMM_NULL)
  a = pattern(me)
  counts = 2
  places = [2, 0]
  bytes = [8, 0]
  types = int4
#define ARGS a, N(2), int4, b, N(2), int4
#define RIGHT all(b == [100 * left + [1, 2], 100 * right + [1, 2]])
  EACH_FORM(MPI_Neighbor_allgather, MPI_Ineighbor_allgather)
#undef ARGS
#undef RIGHT
#define ARGS a, N(2), int4, b, counts, places, int4
#define RIGHT all(b == [100 * right + [1, 2], 100 * left + [1, 2]])
  EACH_FORM(MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv)
#undef ARGS
#undef RIGHT
  ! The first two numbers go to the left, so the last two come from there.
#define ARGS a, N(2), int4, b, N(2), int4
#define RIGHT all(b == [100 * left + [3, 4], 100 * right + [1, 2]])
  EACH_FORM(MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall)
#undef ARGS
#undef RIGHT
#define ARGS a, counts, places, int4, b, counts, places, int4
#define RIGHT all(b == [100 * right + [3, 4], 100 * left + [1, 2]])
  EACH_FORM(MPI_Neighbor_alltoallv, MPI_Ineighbor_alltoallv)
#undef ARGS
#define ARGS a, counts, bytes, types, b, counts, bytes, types
  EACH_FORM(MPI_Neighbor_alltoallw, MPI_Ineighbor_alltoallw)
  call MPI_Comm_free(ring IERR)
end subroutine
end module
