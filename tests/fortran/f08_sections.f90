! SPDX-FileCopyrightText: 2026 The Starling authors
! SPDX-License-Identifier: BSD-3-Clause
! mpi_f08: array sections with gaps where a call ends later or looks at a buffer on some processes only: split collectives,
! partitioned messages, windows, and collectives with a root.
program f08_sections
  use mpi_f08
  use check
  implicit none
  integer, parameter :: n = 6
  type(MPI_Datatype), parameter :: undefined = MPI_DATATYPE_NULL  ! where a process need not give one
  integer :: rank, size, line(2 * n), other(2 * n), plain(n), seen(n), i

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  line = [(100 * rank + i, i = 1, 2 * n)]
  plain = line(1:2 * n:2)
  call split_collectives()
  call partitioned()
  call window()
  call rooted()
  call MPI_Finalize()
  call finish(rank)

contains

  subroutine split_collectives()
    integer(MPI_OFFSET_KIND) :: offset
    type(MPI_Status) :: status
    type(MPI_File) :: file
    integer :: round
    call MPI_File_open(MPI_COMM_WORLD, 'f08_sections.data', MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, &
                       MPI_INFO_NULL, file)
    offset = 4 * n * rank
    do round = 1, 6
      call MPI_File_write_at(file, offset, [(-1, i = 1, n)], n, MPI_INTEGER, MPI_STATUS_IGNORE)
      call rewind(file, offset)
      select case (round)
      case (1)
        call MPI_File_write_all_begin(file, line(1::2), n, MPI_INTEGER)
        call MPI_File_write_all_end(file, line(1::2), status)
      case (2)
        call MPI_File_write_at_all_begin(file, offset, line(1::2), n, MPI_INTEGER)
        call MPI_File_write_at_all_end(file, line(1::2), status)
      case (3)
        call MPI_File_write_ordered_begin(file, line(1::2), n, MPI_INTEGER)
        call MPI_File_write_ordered_end(file, line(1::2), status)
      case (4)
        call MPI_File_write_all_begin(file, line(1::2), int(n, MPI_COUNT_KIND), MPI_INTEGER)
        call MPI_File_write_all_end(file, line(1::2), status)
      case (5)
        call MPI_File_write_at_all_begin(file, offset, line(1::2), int(n, MPI_COUNT_KIND), MPI_INTEGER)
        call MPI_File_write_at_all_end(file, line(1::2), status)
      case (6)
        call MPI_File_write_ordered_begin(file, line(1::2), int(n, MPI_COUNT_KIND), MPI_INTEGER)
        call MPI_File_write_ordered_end(file, line(1::2), status)
      end select
      seen = 0
      call MPI_File_read_at(file, offset, seen, n, MPI_INTEGER, MPI_STATUS_IGNORE)
      call expect(all(seen == plain), 'a split collective that writes a section: form '//achar(48 + round))
      other = -1
      call rewind(file, offset)
      select case (round)
      case (1)
        call MPI_File_read_all_begin(file, other(2::2), n, MPI_INTEGER)
        call MPI_File_read_all_end(file, other(2::2), status)
      case (2)
        call MPI_File_read_at_all_begin(file, offset, other(2::2), n, MPI_INTEGER)
        call MPI_File_read_at_all_end(file, other(2::2), status)
      case (3)
        call MPI_File_read_ordered_begin(file, other(2::2), n, MPI_INTEGER)
        call MPI_File_read_ordered_end(file, other(2::2), status)
      case (4)
        call MPI_File_read_all_begin(file, other(2::2), int(n, MPI_COUNT_KIND), MPI_INTEGER)
        call MPI_File_read_all_end(file, other(2::2), status)
      case (5)
        call MPI_File_read_at_all_begin(file, offset, other(2::2), int(n, MPI_COUNT_KIND), MPI_INTEGER)
        call MPI_File_read_at_all_end(file, other(2::2), status)
      case (6)
        call MPI_File_read_ordered_begin(file, other(2::2), int(n, MPI_COUNT_KIND), MPI_INTEGER)
        call MPI_File_read_ordered_end(file, other(2::2), status)
      end select
      call expect(all(other(2::2) == plain), 'a split collective that reads a section: form '//achar(48 + round))
      call expect(all(other(1::2) == -1), 'what lies between what a split collective reads')
    end do
    call MPI_File_close(file)
  end subroutine

  subroutine rewind(file, offset)
    type(MPI_File), intent(in) :: file
    integer(MPI_OFFSET_KIND), intent(in) :: offset
    call MPI_File_seek(file, offset, MPI_SEEK_SET)
    call MPI_File_seek_shared(file, 0_MPI_OFFSET_KIND, MPI_SEEK_SET)
    call MPI_Barrier(MPI_COMM_WORLD)
  end subroutine

  subroutine partitioned()
    type(MPI_Request) :: requests(2)
    type(MPI_Errhandler) :: usual
    integer :: a(6, 5), code, class
    other = -1
    call MPI_Precv_init(other(2::2), 3, 2_MPI_COUNT_KIND, MPI_INTEGER, modulo(rank - 1, size), 1, MPI_COMM_WORLD, &
                        MPI_INFO_NULL, requests(1))
    call MPI_Psend_init(line(1::2), 3, 2_MPI_COUNT_KIND, MPI_INTEGER, mod(rank + 1, size), 1, MPI_COMM_WORLD, &
                        MPI_INFO_NULL, requests(2))
    call MPI_Startall(2, requests)
    do i = 2, 0, -1
      call MPI_Pready(i, requests(2))
    end do
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call expect(all(other(2::2) == [(100 * modulo(rank - 1, size) + i, i = 1, 2 * n, 2)]), 'partitions of a section')
    call expect(all(other(1::2) == -1), 'what lies between partitions')
    do i = 1, 2
      call MPI_Request_free(requests(i))
    end do
    ! No datatype has partitions in several dimensions: refused, and the program goes on where it has asked for that.
    call MPI_Comm_get_errhandler(MPI_COMM_SELF, usual)
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
    a = 0
    call MPI_Psend_init(a(1:3, 1:4), 3, 4_MPI_COUNT_KIND, MPI_INTEGER, rank, 1, MPI_COMM_SELF, MPI_INFO_NULL, requests(1), code)
    class = MPI_SUCCESS
    if (code /= MPI_SUCCESS) call MPI_Error_class(code, class)
    call expect(class == MPI_ERR_BUFFER, 'partitions in two dimensions are refused')
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, usual)
  end subroutine

  subroutine window()
    type(MPI_Win) :: win
    integer, target, asynchronous :: room(9)
    room = -1
    call MPI_Win_create(room(1:9:2), 36_MPI_ADDRESS_KIND, 4_MPI_ADDRESS_KIND, MPI_INFO_NULL, MPI_COMM_WORLD, win)
    call MPI_Win_fence(0, win)
    call MPI_Put(rank, 1, MPI_INTEGER, mod(rank + 1, size), 2_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win)
    call MPI_Win_fence(0, win)
    call expect(room(3) == modulo(rank - 1, size) .and. count(room == -1) == 8, 'a window whose memory is given as a section')
    call MPI_Win_free(win)
  end subroutine

  subroutine rooted()
    type(MPI_Request) :: request
    integer :: root
    do root = 0, size - 1
      other = -1
      if (rank == root) then
        call MPI_Gather(rank, 1, MPI_INTEGER, other(1:2 * n:3), 1, MPI_INTEGER, root, MPI_COMM_WORLD)
        call expect(all(other(1:2 * n:3) == [(i, i = 0, size - 1)]), 'MPI_Gather into a section')
        other(1:2 * n:3) = [(10 * i, i = 0, size - 1)]
        call MPI_Scatter(other(1:2 * n:3), 1, MPI_INTEGER, i, 1, MPI_INTEGER, root, MPI_COMM_WORLD)
      else
        call MPI_Gather(rank, 1, MPI_INTEGER, other(1:2 * n:3), -1, undefined, root, MPI_COMM_WORLD)
        call MPI_Scatter(other(1:2 * n:3), -1, undefined, i, 1, MPI_INTEGER, root, MPI_COMM_WORLD)
        call expect(all(other == -1), 'a section that only the root uses')
      end if
      call expect(i == 10 * rank, 'MPI_Scatter of a section')
    end do
    ! What a nonblocking call cannot take is refused only where it is used.
    if (rank == 0) then
      call MPI_Ireduce(MPI_IN_PLACE, line, 2, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, request)
    else
      call MPI_Ireduce(line, other(1:3:2), 2, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, request)
    end if
    call MPI_Wait(request, MPI_STATUS_IGNORE)
  end subroutine
end program
