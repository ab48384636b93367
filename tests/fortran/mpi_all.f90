! SPDX-FileCopyrightText: 2026 The Starling authors
! SPDX-License-Identifier: BSD-3-Clause
! The module mpi: interfaces, memory as a pointer, error handlers, arrays of handles, info objects, topologies.
module mpi_all_procedures
  use mpi
  implicit none
  integer :: handled = 0
contains
  subroutine handler(comm, code)
    integer :: comm, code
    integer :: class, ierr
    call MPI_Error_class(code, class, ierr)
    if (comm == MPI_COMM_SELF .and. class == MPI_ERR_RANK) handled = handled + 1
  end subroutine
end module

program mpi_all
  use mpi
  use check
  use mpi_all_procedures
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: ierr, rank, size, errhandler, info, nkeys, length, cart, types(2), struct, window, provided, graph
  integer(MPI_ADDRESS_KIND) :: places(2), extent, lower, bytes
  integer :: lengths(2) = [1, 2], dims(2), coords(2), buffer(4), all_types(4), counts(4), displs(4), got(4), n, sources(1), i
  logical :: periods(2), flag
  character(len=8) :: text
  type(c_ptr) :: memory
  integer, pointer :: room(:)

  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierr)
  call expect(provided >= MPI_THREAD_FUNNELED, 'MPI_Init_thread')
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)

  call MPI_Comm_create_errhandler(handler, errhandler, ierr)
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, errhandler, ierr)
  call MPI_Send(n, 1, MPI_INTEGER, 99, 0, MPI_COMM_SELF, ierr)
  call expect(handled == 1, 'an error handler that is a procedure')
  call expect(ierr /= MPI_SUCCESS, 'the code of an error')
  call MPI_Errhandler_free(errhandler, ierr)

  call MPI_Info_create(info, ierr)
  call MPI_Info_set(info, '  key ', ' value  ', ierr)
  call MPI_Info_get_nkeys(info, nkeys, ierr)
  length = 8
  call MPI_Info_get_string(info, 'key', length, text, flag, ierr)
  call expect(flag .and. text == 'value' .and. length == 5 .and. nkeys == 1, 'MPI_Info_get_string')
  call MPI_Info_get(info, 'none', 8, text, flag, ierr)
  call expect(.not. flag, 'MPI_Info_get')
  call MPI_Info_free(info, ierr)

  bytes = 40
  call MPI_Alloc_mem(bytes, MPI_INFO_NULL, memory, ierr)
  call c_f_pointer(memory, room, [10])
  room = rank
  call MPI_Win_create(room, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window, ierr)
  call MPI_Win_fence(0, window, ierr)
  n = 100 + rank
  call MPI_Put(n, 1, MPI_INTEGER, mod(rank + 1, size), 3_MPI_ADDRESS_KIND, 1, MPI_INTEGER, window, ierr)
  call MPI_Win_fence(0, window, ierr)
  call expect(room(4) == 100 + mod(rank + size - 1, size), 'MPI_Put')
  call MPI_Win_get_attr(window, MPI_WIN_SIZE, extent, flag, ierr)
  call expect(flag .and. extent == 40, 'MPI_WIN_SIZE')
  call MPI_Win_get_attr(window, MPI_WIN_DISP_UNIT, extent, flag, ierr)
  call expect(flag .and. extent == 4, 'MPI_WIN_DISP_UNIT')
  call MPI_Win_free(window, ierr)
  call MPI_Free_mem(room, ierr)

  types = [MPI_DOUBLE_PRECISION, MPI_INTEGER]
  places = [0_MPI_ADDRESS_KIND, 8_MPI_ADDRESS_KIND]
  call MPI_Type_create_struct(2, lengths, places, types, struct, ierr)
  call MPI_Type_get_extent(struct, lower, extent, ierr)
  call expect(lower == 0 .and. extent == 16, 'MPI_Type_create_struct')
  call MPI_Type_free(struct, ierr)

  all_types = MPI_INTEGER
  counts = 1
  displs = [(4 * (i - 1), i = 1, 4)]
  buffer = [(10 * rank + i - 1, i = 1, 4)]
  got = -1
  call MPI_Alltoallw(buffer, counts, displs, all_types, got, counts, displs, all_types, MPI_COMM_WORLD, ierr)
  call expect(all(got == [(10 * (i - 1) + rank, i = 1, 4)]), 'MPI_Alltoallw')

  dims = [2, 2]
  periods = [.true., .false.]
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, .false., cart, ierr)
  periods = .false.
  call MPI_Cart_get(cart, 2, dims, periods, coords, ierr)
  call expect(periods(1) .and. .not. periods(2), 'MPI_Cart_get')
  call expect(coords(1) == rank / 2 .and. coords(2) == mod(rank, 2), 'coordinates')
  call MPI_Comm_free(cart, ierr)
  sources = rank
  call MPI_Dist_graph_create(MPI_COMM_WORLD, 1, sources, [1], [mod(rank + 1, size)], MPI_UNWEIGHTED, MPI_INFO_NULL, .false., &
                             graph, ierr)
  call MPI_Dist_graph_neighbors_count(graph, n, length, flag, ierr)
  call expect(n == 1 .and. length == 1 .and. .not. flag, 'MPI_UNWEIGHTED')
  call MPI_Comm_free(graph, ierr)
  call MPI_Sizeof(1.0d0, n, ierr)
  call expect(n == 8, 'MPI_Sizeof')
  call MPI_Finalize(ierr)
  call finish(rank)
end program
