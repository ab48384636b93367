! SPDX-FileCopyrightText: 2026 The Starling authors
! SPDX-License-Identifier: BSD-3-Clause
! A sparse matrix of which each rank has a block of rows, and its product with a vector. A vector that is multiplied has room
! behind the rank's own elements for those of other ranks, which persistent requests bring.
module matrix
  use mpi_f08
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  public :: sparse, read_matrix, multiply, release, stop_all, real64

  integer, parameter :: batch = 4096  ! entries that are handed out at once

  type :: entry_list
    integer :: count = 0
    integer, allocatable :: row(:), column(:)
    real(real64), allocatable :: value(:)
  end type

  type :: sparse
    integer :: all_rows = 0, rows = 0, first = 1, columns = 0  ! columns: the rank's own rows, and what it needs of others
    integer, allocatable :: begin(:), column(:), sent(:)       ! of each row; of each entry; own elements that others need
    real(real64), allocatable :: value(:), diagonal(:), outgoing(:), incoming(:)
    type(MPI_Request), allocatable :: requests(:)
  end type
contains
  subroutine stop_all(what)
    character(len=*), intent(in) :: what
    integer :: rank
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    if (rank == 0) then
      write (*, '(2a)') 'cg_fortran: ', what
      flush (6)
      call MPI_Abort(MPI_COMM_WORLD, 2)
    end if
    call MPI_Barrier(MPI_COMM_WORLD)  ! until rank 0 has ended the job
  end subroutine

  ! The first row of each rank, and one more than the last of all.
  pure integer function first_row(all_rows, rank, ranks)
    integer, intent(in) :: all_rows, rank, ranks
    first_row = 1 + all_rows / ranks * rank + min(rank, mod(all_rows, ranks))
  end function

  ! Rank 0 reads and all ranks take their rows out of what it hands out.
  subroutine read_matrix(a, path)
    type(sparse), intent(out) :: a
    character(len=*), intent(in) :: path
    type(entry_list) :: own
    integer :: rank, ranks, unit, code, sizes(3), done, n, i
    integer :: places(2, batch)
    real(real64) :: values(batch)
    character(len=1024) :: line
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    sizes = 0
    if (rank == 0) then
      open (newunit=unit, file=path, status='old', action='read', iostat=code)
      if (code == 0) read (unit, '(a)', iostat=code) line
      if (code == 0 .and. index(line, 'coordinate real symmetric') == 0) code = 1
      do while (code == 0)
        read (unit, '(a)', iostat=code) line
        if (line(1:1) /= '%') exit
      end do
      if (code == 0) read (line, *, iostat=code) sizes
      if (code /= 0) sizes = 0
    end if
    call MPI_Bcast(sizes, 3, MPI_INTEGER, 0, MPI_COMM_WORLD)
    if (sizes(1) == 0 .or. sizes(1) /= sizes(2)) call stop_all(path // ' cannot be read as a symmetric Matrix Market file')
    a%all_rows = sizes(1)
    a%first = first_row(a%all_rows, rank, ranks)
    a%rows = first_row(a%all_rows, rank + 1, ranks) - a%first
    allocate (own%row(0), own%column(0), own%value(0))
    do done = 0, sizes(3) - 1, batch
      n = min(batch, sizes(3) - done)
      if (rank == 0) read (unit, *, iostat=code) (places(:, i), values(i), i = 1, n)
      if (rank == 0 .and. code /= 0) call stop_all(path // ' ends too early')
      call MPI_Bcast(places, 2 * n, MPI_INTEGER, 0, MPI_COMM_WORLD)
      call MPI_Bcast(values, n, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
      do i = 1, n
        call add(own, places(1, i), places(2, i), values(i))
        if (places(1, i) /= places(2, i)) call add(own, places(2, i), places(1, i), values(i))
      end do
    end do
    if (rank == 0) close (unit)
    call compress(a, own)
    call plan_exchange(a, ranks)
  contains
    subroutine add(list, row, column, value)
      type(entry_list), intent(inout) :: list
      integer, intent(in) :: row, column
      real(real64), intent(in) :: value
      if (row < a%first .or. row >= a%first + a%rows) return
      if (list%count == size(list%row)) then
        list%row = [list%row, spread(0, 1, list%count + batch)]
        list%column = [list%column, spread(0, 1, list%count + batch)]
        list%value = [list%value, spread(0.0_real64, 1, list%count + batch)]
      end if
      list%count = list%count + 1
      list%row(list%count) = row - a%first + 1
      list%column(list%count) = column
      list%value(list%count) = value
    end subroutine
  end subroutine

  ! Rows one after the other; columns still count in the whole matrix.
  subroutine compress(a, list)
    type(sparse), intent(inout) :: a
    type(entry_list), intent(in) :: list
    integer :: next(a%rows), i, place
    allocate (a%begin(a%rows + 1), a%column(list%count), a%value(list%count), a%diagonal(a%rows))
    a%begin = 0
    do i = 1, list%count
      a%begin(list%row(i) + 1) = a%begin(list%row(i) + 1) + 1
    end do
    a%begin(1) = 1
    do i = 1, a%rows
      a%begin(i + 1) = a%begin(i) + a%begin(i + 1)
    end do
    next = a%begin(:a%rows)
    a%diagonal = 0
    do i = 1, list%count
      place = next(list%row(i))
      next(list%row(i)) = place + 1
      a%column(place) = list%column(i)
      a%value(place) = list%value(i)
      if (list%column(i) == list%row(i) + a%first - 1) a%diagonal(list%row(i)) = a%diagonal(list%row(i)) + list%value(i)
    end do
  end subroutine

  ! Who needs what of whom, once: columns become places in the vector, and requests are made.
  subroutine plan_exchange(a, ranks)
    type(sparse), intent(inout), target :: a
    integer, intent(in) :: ranks
    integer :: needed(0:ranks - 1), wanted(0:ranks - 1), from(0:ranks), to(0:ranks), i, rank, n
    integer, allocatable :: place(:), columns(:)
    allocate (place(a%all_rows), columns(a%all_rows))
    place = 0
    do i = 1, size(a%column)
      if (a%column(i) < a%first .or. a%column(i) >= a%first + a%rows) place(a%column(i)) = 1
    end do
    n = 0
    do rank = 0, ranks - 1
      from(rank) = n
      do i = first_row(a%all_rows, rank, ranks), first_row(a%all_rows, rank + 1, ranks) - 1
        if (place(i) == 0) cycle
        n = n + 1
        columns(n) = i
        place(i) = a%rows + n
      end do
      needed(rank) = n - from(rank)
    end do
    from(ranks) = n
    a%columns = a%rows + n
    do i = 1, a%rows
      place(a%first + i - 1) = i
    end do
    a%column = place(a%column)

    call MPI_Alltoall(needed, 1, MPI_INTEGER, wanted, 1, MPI_INTEGER, MPI_COMM_WORLD)
    to(0) = 0
    do rank = 0, ranks - 1
      to(rank + 1) = to(rank) + wanted(rank)
    end do
    allocate (a%sent(to(ranks)), a%outgoing(to(ranks)), a%incoming(n))
    call MPI_Alltoallv(columns, needed, from, MPI_INTEGER, a%sent, wanted, to, MPI_INTEGER, MPI_COMM_WORLD)
    a%sent = a%sent - a%first + 1
    allocate (a%requests(0))
    do rank = 0, ranks - 1
      if (needed(rank) > 0) call receive(a%incoming(from(rank) + 1:from(rank + 1)))
      if (wanted(rank) > 0) call send(a%outgoing(to(rank) + 1:to(rank + 1)))
    end do
  contains
    subroutine receive(elements)
      real(real64), intent(inout), asynchronous :: elements(:)
      type(MPI_Request) :: request
      call MPI_Recv_init(elements, size(elements), MPI_DOUBLE_PRECISION, rank, 0, MPI_COMM_WORLD, request)
      a%requests = [a%requests, request]
    end subroutine
    subroutine send(elements)
      real(real64), intent(in), asynchronous :: elements(:)
      type(MPI_Request) :: request
      call MPI_Send_init(elements, size(elements), MPI_DOUBLE_PRECISION, rank, 0, MPI_COMM_WORLD, request)
      a%requests = [a%requests, request]
    end subroutine
  end subroutine

  ! product = A vector; fetches the elements of other ranks into the end of the vector.
  subroutine multiply(a, vector, product)
    type(sparse), intent(inout) :: a
    real(real64), intent(inout) :: vector(:)
    real(real64), intent(out) :: product(:)
    integer :: i
    a%outgoing = vector(a%sent)
    call MPI_Startall(size(a%requests), a%requests)
    call MPI_Waitall(size(a%requests), a%requests, MPI_STATUSES_IGNORE)
    call MPI_F_sync_reg(a%incoming)
    vector(a%rows + 1:) = a%incoming
    do i = 1, a%rows
      associate (first => a%begin(i), last => a%begin(i + 1) - 1)
        product(i) = dot_product(a%value(first:last), vector(a%column(first:last)))
      end associate
    end do
  end subroutine

  subroutine release(a)
    type(sparse), intent(inout) :: a
    integer :: i
    do i = 1, size(a%requests)
      call MPI_Request_free(a%requests(i))
    end do
  end subroutine
end module
