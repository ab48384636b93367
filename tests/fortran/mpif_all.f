! SPDX-FileCopyrightText: 2026 The Starling authors
! SPDX-License-Identifier: BSD-3-Clause
! mpif.h in fixed form: messages of several types through one name, reductions with a user's function, attributes, statuses,
! the constants that are addresses.
      subroutine add(in, inout, length, datatype)
      implicit none
      integer length, datatype, in(length), inout(length), i
      include 'mpif.h'
      if (datatype .ne. MPI_INTEGER) call MPI_ABORT(MPI_COMM_WORLD, 3,
     &  i)
      do 10 i = 1, length
        inout(i) = in(i) + inout(i)
10    continue
      end

! mpif.h uses no intrinsic function whose name a program may want.
      subroutine intrinsic_names(answer)
      implicit none
      include 'mpif.h'
      integer max, min, abs, int, kind, range, digits, huge, len, mod
      integer index, size, rank, count, answer, ierr
      max = 1
      min = max
      abs = min
      int = abs
      kind = int
      range = kind
      digits = range
      huge = digits
      len = huge
      mod = len
      index = mod
      count = index
      call MPI_COMM_SIZE(MPI_COMM_SELF, size, ierr)
      call MPI_COMM_RANK(MPI_COMM_SELF, rank, ierr)
      answer = count + size + rank
      end

      program mpif_all
      use check
      implicit none
      include 'mpif.h'
      integer ierr, rank, size, status(MPI_STATUS_SIZE), count, op
      integer request(2), sum(2), mine(2), right, left, n, index
      integer statuses(MPI_STATUS_SIZE, 2), keyval, type
      integer(kind=MPI_ADDRESS_KIND) value, state
      logical flag
      double precision d(3), e(3)
      character(len=20) text, name
      external add
      call MPI_INIT(ierr)
      call expect(ierr .eq. MPI_SUCCESS, 'MPI_INIT')
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
      call MPI_COMM_SIZE(MPI_COMM_WORLD, size, ierr)
      right = mod(rank + 1, size)
      left = mod(rank + size - 1, size)

      d = rank + 0.5d0
      call MPI_SENDRECV(d, 3, MPI_DOUBLE_PRECISION, right, 7, e, 3,
     &  MPI_DOUBLE_PRECISION, left, 7, MPI_COMM_WORLD, status, ierr)
      call expect(all(e .eq. left + 0.5d0), 'MPI_SENDRECV of reals')
      call expect(status(MPI_SOURCE) .eq. left, 'source of a status')
      call expect(status(MPI_TAG) .eq. 7, 'tag of a status')
      call MPI_GET_COUNT(status, MPI_DOUBLE_PRECISION, count, ierr)
      call expect(count .eq. 3, 'MPI_GET_COUNT')
      text = 'unread'
      if (rank .eq. 0) text = 'from the root'
      call MPI_BCAST(text, 20, MPI_CHARACTER, 0, MPI_COMM_WORLD, ierr)
      call expect(text .eq. 'from the root', 'MPI_BCAST of text')

      call MPI_OP_CREATE(add, .true., op, ierr)
      mine(1) = rank
      mine(2) = 10 * rank
      call MPI_ALLREDUCE(mine, sum, 2, MPI_INTEGER, op,
     &  MPI_COMM_WORLD, ierr)
      n = size * (size - 1) / 2
      call expect(sum(1) .eq. n .and. sum(2) .eq. 10 * n, 'user op')
      call MPI_ALLREDUCE(MPI_IN_PLACE, mine, 2, MPI_INTEGER, op,
     &  MPI_COMM_WORLD, ierr)
      call expect(all(mine .eq. sum), 'MPI_IN_PLACE')
      call MPI_OP_COMMUTATIVE(op, flag, ierr)
      call expect(flag, 'MPI_OP_COMMUTATIVE')
      call MPI_OP_FREE(op, ierr)
      call expect(op .eq. MPI_OP_NULL, 'MPI_OP_FREE')

      mine = -1
      call MPI_IRECV(mine(1), 1, MPI_INTEGER, left, 1, MPI_COMM_WORLD,
     &  request(1), ierr)
      call MPI_ISEND(rank, 1, MPI_INTEGER, right, 1, MPI_COMM_WORLD,
     &  request(2), ierr)
      call MPI_WAITALL(2, request, statuses, ierr)
      call expect(mine(1) .eq. left, 'MPI_WAITALL')
      call expect(statuses(MPI_SOURCE, 1) .eq. left, 'statuses')
      call expect(all(request .eq. MPI_REQUEST_NULL), 'null requests')
      call MPI_WAITANY(2, request, index, MPI_STATUS_IGNORE, ierr)
      call expect(index .eq. MPI_UNDEFINED, 'MPI_WAITANY of none')
      request(1) = MPI_REQUEST_NULL
      call MPI_IRECV(mine, 1, MPI_INTEGER, MPI_PROC_NULL, 1,
     &  MPI_COMM_WORLD, request(2), ierr)
      call MPI_WAITANY(2, request, index, MPI_STATUS_IGNORE, ierr)
      call expect(index .eq. 2, 'MPI_WAITANY counts from one')

      call MPI_COMM_GET_ATTR(MPI_COMM_WORLD, MPI_TAG_UB, value, flag,
     &  ierr)
      call expect(flag .and. value .ge. 32767, 'MPI_TAG_UB')
      state = 5
      call MPI_COMM_CREATE_KEYVAL(MPI_COMM_DUP_FN,
     &  MPI_COMM_NULL_DELETE_FN, keyval, state, ierr)
      value = 12345678901_8
      call MPI_COMM_SET_ATTR(MPI_COMM_SELF, keyval, value, ierr)
      value = 0
      call MPI_COMM_GET_ATTR(MPI_COMM_SELF, keyval, value, flag, ierr)
      call expect(flag .and. value .eq. 12345678901_8, 'attribute')
      call MPI_COMM_DELETE_ATTR(MPI_COMM_SELF, keyval, ierr)

      call MPI_COMM_SET_NAME(MPI_COMM_SELF, 'myself   ', ierr)
      name = 'xxxxxxxxxxxxxxxxxxxx'
      call MPI_COMM_GET_NAME(MPI_COMM_SELF, name, count, ierr)
      call expect(name .eq. 'myself' .and. count .eq. 6, 'name')
      call MPI_TYPE_VECTOR(2, 1, 2, MPI_INTEGER, type, ierr)
      call MPI_TYPE_SIZE(type, count, ierr)
      call expect(count .eq. 8, 'MPI_TYPE_SIZE')
      call MPI_TYPE_FREE(type, ierr)
      call MPI_TYPE_HVECTOR(2, 1, 12, MPI_INTEGER, type, ierr)
      call MPI_TYPE_EXTENT(type, count, ierr)
      call expect(count .eq. 16, 'MPI_TYPE_HVECTOR of MPI-1')
      call MPI_TYPE_FREE(type, ierr)
      call expect(MPI_WTIME() .gt. 0, 'MPI_WTIME')
      call MPI_GET_ADDRESS(MPI_BOTTOM, value, ierr)
      call expect(value .eq. 0, 'MPI_BOTTOM')
      call intrinsic_names(n)
      call expect(n .eq. 2, 'names of intrinsic functions')
      call MPI_FINALIZE(ierr)
      call finish(rank)
      end
