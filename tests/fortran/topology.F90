! SPDX-FileCopyrightText: 2026 The Starling authors
! SPDX-License-Identifier: BSD-3-Clause
! Topologies: a cylinder, a graph that is a line, and distributed graphs.
#define CHAPTER cover_topology
#include "interface.inc"
contains
subroutine chapter_topology()
  call cartesian()
  call graph()
  call distributed()
end subroutine

subroutine cartesian()
  TCOMM :: cart, line
  integer :: dims(2), coords(2), number, source, dest
  logical :: periods(2)
  call MPI_Topo_test(world, number IERR)
  CHECK(number == MPI_UNDEFINED)
  dims = [0, 1]
  call MPI_Dims_create(np, 2, dims IERR)
  CHECK(all(dims == [np, 1]))
  call MPI_Cart_create(world, 2, dims, [.true., .false.], .false., cart IERR)
  call MPI_Topo_test(cart, number IERR)
  CHECK(number == MPI_CART)
  call MPI_Cartdim_get(cart, number IERR)
  CHECK(number == 2)
  dims = 0
  periods = [.false., .true.]
  call MPI_Cart_get(cart, 2, dims, periods, coords IERR)
  CHECK(all(dims == [np, 1]) .and. all(periods .eqv. [.true., .false.]) .and. all(coords == [me, 0]))
  call MPI_Cart_coords(cart, left, 2, coords IERR)
  CHECK(all(coords == [left, 0]))
  call MPI_Cart_rank(cart, [me + 1, 0], number IERR)
  CHECK(number == right)
  call MPI_Cart_shift(cart, 0, 1, source, dest IERR)
  CHECK(source == left .and. dest == right)
  call MPI_Cart_shift(cart, 1, 1, source, dest IERR)
  CHECK(source == MPI_PROC_NULL .and. dest == MPI_PROC_NULL)
  call MPI_Cart_sub(cart, [.false., .true.], line IERR)
  call MPI_Comm_size(line, number IERR)
  CHECK(number == 1)
  call MPI_Comm_free(line IERR)
  call MPI_Cart_sub(cart, [.true., .false.], line IERR)
  call MPI_Comm_size(line, number IERR)
  CHECK(number == np)
  call MPI_Comm_free(line IERR)
  call MPI_Cart_map(world, 1, [2], [.false.], number IERR)
  CHECK(number == MPI_UNDEFINED .or. (number >= 0 .and. number < 2))
  call MPI_Allreduce(merge(0, 1, number == MPI_UNDEFINED), source, N(1), int4, MPI_SUM, world IERR)
  CHECK(source == 2)
  call MPI_Comm_free(cart IERR)
end subroutine

! 0 - 1 - 2.
subroutine graph()
  TCOMM :: line
  integer :: ends(3), edges(4), number, count, neighbors(2)
  call MPI_Graph_create(world, 3, [1, 3, 4], [1, 0, 2, 1], .false., line IERR)
  call MPI_Topo_test(line, number IERR)
  CHECK(number == MPI_GRAPH)
  call MPI_Graphdims_get(line, number, count IERR)
  CHECK(number == 3 .and. count == 4)
  call MPI_Graph_get(line, 3, 4, ends, edges IERR)
  CHECK(all(ends == [1, 3, 4]) .and. all(edges == [1, 0, 2, 1]))
  call MPI_Graph_neighbors_count(line, 1, number IERR)
  CHECK(number == 2)
  call MPI_Graph_neighbors(line, 1, 2, neighbors IERR)
  CHECK(all(neighbors == [0, 2]))
  number = -1
  call MPI_Graph_map(world, 3, [1, 3, 4], [1, 0, 2, 1], number IERR)
  CHECK(number >= 0 .and. number < 3)
  call MPI_Comm_free(line IERR)
end subroutine

! Each rank has edges to its right neighbor, of weight 10 * rank, and to itself, of weight 5.
subroutine distributed()
  TCOMM :: ring
  integer :: number, in, out, sources(2), in_weights(2), targets(2), out_weights(2), pass
  logical :: weighted
  do pass = 1, 2
    if (pass == 1) then
      call MPI_Dist_graph_create(world, 1, [me], [2], [right, me], [10 * me, 5], no_info, .false., ring IERR)
    else
      call MPI_Dist_graph_create_adjacent(world, 2, [left, me], [10 * left, 5], 2, [right, me], [10 * me, 5], no_info, .false., &
                                          ring IERR)
    end if
    call MPI_Topo_test(ring, number IERR)
    CHECK(number == MPI_DIST_GRAPH)
    weighted = .false.
    call MPI_Dist_graph_neighbors_count(ring, in, out, weighted IERR)
    CHECK(in == 2 .and. out == 2 .and. weighted)
    call MPI_Dist_graph_neighbors(ring, 2, sources, in_weights, 2, targets, out_weights IERR)
    CHECK(sum(pack(in_weights, sources == left)) == 10 * left .and. sum(pack(in_weights, sources == me)) == 5)
    CHECK(sum(pack(out_weights, targets == right)) == 10 * me .and. sum(pack(out_weights, targets == me)) == 5)
    call MPI_Comm_free(ring IERR)
  end do
  ! An edge from rank 0 to rank 1, of weight 3.
  if (me == 0) then
    call MPI_Dist_graph_create_adjacent(world, 0, [0], MPI_WEIGHTS_EMPTY, 1, [1], [3], no_info, .false., ring IERR)
  else
    call MPI_Dist_graph_create_adjacent(world, merge(1, 0, me == 1), [0], [3], 0, [0], MPI_WEIGHTS_EMPTY, no_info, .false., &
                                        ring IERR)
  end if
  call MPI_Dist_graph_neighbors_count(ring, in, out, weighted IERR)
  CHECK(in == merge(1, 0, me == 1) .and. out == merge(1, 0, me == 0) .and. weighted)
  call MPI_Comm_free(ring IERR)
end subroutine
end module
