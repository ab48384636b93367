! SPDX-FileCopyrightText: 2026 The Starling authors
! SPDX-License-Identifier: BSD-3-Clause
! Point-to-point messages: each mode, blocking and not, persistent, probed; buffers for MPI_Bsend; partitioned messages.
#define CHAPTER cover_p2p
#include "interface.inc"
! Only mpi_f08 gives the address of a buffer back (MPI-5.0, 3.6).
#ifdef F08
#define IS_ROOM(address) c_associated(address, c_loc(room))
#else
#define IS_ROOM(address) .true.
#endif
contains
! A message of each kind goes round the ring.
#define SENT(SEND) b = -1; call MPI_Irecv(b, N(4), int4, left, 1, world, r IERR); call MPI_Barrier(world IERR); \
  call SEND(a, N(4), int4, right, 1, world IERR); call MPI_Wait(r, status IERR); CHECK(all(b == pattern(left)) .and. \
  SOURCE(status) == left .and. TAG(status) == 1)
#define ISENT(SEND) b = -1; call MPI_Irecv(b, N(4), int4, left, 2, world, rs(1) IERR); call MPI_Barrier(world IERR); \
  call SEND(a, N(4), int4, right, 2, world, rs(2) IERR); call MPI_Waitall(2, rs, statuses IERR); \
  CHECK(all(b == pattern(left)) .and. SOURCES(statuses, 1) == left .and. all(rs == MPI_REQUEST_NULL))
#define STARTED(INIT) call INIT(a, N(4), int4, right, 3, world, rs(2) IERR); \
  call MPI_Recv_init(b, N(4), int4, left, 3, world, rs(1) IERR); b = -1; call MPI_Start(rs(1) IERR); \
  call MPI_Barrier(world IERR); call MPI_Start(rs(2) IERR); call MPI_Waitall(2, rs, MPI_STATUSES_IGNORE IERR); \
  CHECK(all(b == pattern(left))); call MPI_Request_free(rs(1) IERR); call MPI_Request_free(rs(2) IERR); \
  CHECK(all(rs == MPI_REQUEST_NULL))

subroutine chapter_p2p()
  integer :: a(4), b(4)
  character, target :: room(MPI_BSEND_OVERHEAD + 1000)
  TREQUEST :: r, rs(2)
  TSTATUS :: status
  TSTATUSES(2) :: statuses
  TMESSAGE :: message
  logical :: flag
  integer(ck) :: count, room_size
  TPOINTER :: taken

  a = pattern(me)
  SENT(MPI_Send)
  SENT(MPI_Ssend)
  SENT(MPI_Rsend)
  ISENT(MPI_Isend)
  ISENT(MPI_Issend)
  ISENT(MPI_Irsend)
  STARTED(MPI_Send_init)
  STARTED(MPI_Ssend_init)
  STARTED(MPI_Rsend_init)
  room_size = size(room)
  call MPI_Buffer_attach(room, room_size IERR)
  SENT(MPI_Bsend)
  ISENT(MPI_Ibsend)
  STARTED(MPI_Bsend_init)
  call MPI_Buffer_flush(IERR_ONLY)
  call MPI_Buffer_iflush(r IERR)
  call MPI_Wait(r, MPI_STATUS_IGNORE IERR)
  call MPI_Buffer_detach(taken, room_size IERR)
  CHECK(room_size == size(room) .and. IS_ROOM(taken))

  call MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, N(0) IERR)
  SENT(MPI_Bsend)
  call MPI_Buffer_detach(taken, room_size IERR)

  b = -1
  call MPI_Sendrecv(a, N(4), int4, right, 4, b, N(4), int4, left, 4, world, status IERR)
  CHECK(all(b == pattern(left)) .and. SOURCE(status) == left)
  b = a
  call MPI_Sendrecv_replace(b, N(4), int4, right, 4, left, 4, world, status IERR)
  CHECK(all(b == pattern(left)) .and. TAG(status) == 4)
  b = -1
  call MPI_Isendrecv(a, N(4), int4, right, 5, b, N(4), int4, left, 5, world, r IERR)
  call MPI_Wait(r, status IERR)
  CHECK(all(b == pattern(left)) .and. SOURCE(status) == left)
  b = a
  call MPI_Isendrecv_replace(b, N(4), int4, right, 5, left, 5, world, r IERR)
  call MPI_Wait(r, status IERR)
  CHECK(all(b == pattern(left)) .and. TAG(status) == 5)

  b = -1
  call MPI_Isend(a, N(3), int4, right, 6, world, r IERR)
  call MPI_Probe(left, MPI_ANY_TAG, world, status IERR)
  call MPI_Get_count(status, int4, count IERR)
  CHECK(count == 3 .and. TAG(status) == 6)
  flag = .false.
  do while (.not. flag)
    call MPI_Iprobe(left, 6, world, flag, status IERR)
  end do
  CHECK(SOURCE(status) == left)
  call MPI_Recv(b, N(4), int4, left, 6, world, status IERR)
  CHECK(all(b(1:3) == [100 * left + 1, 100 * left + 2, 100 * left + 3]) .and. b(4) == -1)
  call MPI_Wait(r, MPI_STATUS_IGNORE IERR)

  b = -1
  call MPI_Isend(a, N(4), int4, right, 7, world, rs(1) IERR)
  call MPI_Isend(a, N(4), int4, right, 8, world, rs(2) IERR)
  call MPI_Mprobe(left, 7, world, message, status IERR)
  CHECK(message /= MPI_MESSAGE_NULL .and. TAG(status) == 7)
  call MPI_Mrecv(b, N(4), int4, message, status IERR)
  CHECK(all(b == pattern(left)) .and. message == MPI_MESSAGE_NULL .and. SOURCE(status) == left)
  b = -1
  flag = .false.
  do while (.not. flag)
    call MPI_Improbe(left, 8, world, flag, message, status IERR)
  end do
  call MPI_Imrecv(b, N(4), int4, message, r IERR)
  call MPI_Wait(r, status IERR)
  CHECK(all(b == pattern(left)) .and. TAG(status) == 8)
  call MPI_Waitall(2, rs, MPI_STATUSES_IGNORE IERR)

  call buffers_of_objects()
  call partitioned()
end subroutine

! Buffers of a communicator and of a session.
subroutine buffers_of_objects()
  integer :: a(4), b(4)
  character, target :: room(MPI_BSEND_OVERHEAD + 1000)
  integer(ck) :: room_size
  TCOMM :: comm
  TREQUEST :: r
  TSTATUS :: status
  TSESSION :: session
  TPOINTER :: taken
  a = pattern(me)
  call MPI_Comm_dup(world, comm IERR)
  room_size = size(room)
  call MPI_Comm_attach_buffer(comm, room, room_size IERR)
  b = -1
  call MPI_Irecv(b, N(4), int4, left, 1, comm, r IERR)
  call MPI_Bsend(a, N(4), int4, right, 1, comm IERR)
  call MPI_Wait(r, status IERR)
  CHECK(all(b == pattern(left)))
  call MPI_Comm_flush_buffer(comm IERR)
  call MPI_Comm_iflush_buffer(comm, r IERR)
  call MPI_Wait(r, status IERR)
  room_size = 0
  call MPI_Comm_detach_buffer(comm, taken, room_size IERR)
  CHECK(room_size == size(room) .and. IS_ROOM(taken))
  call MPI_Comm_free(comm IERR)

  call MPI_Session_init(no_info, MPI_ERRORS_ARE_FATAL, session IERR)
  call MPI_Session_attach_buffer(session, room, room_size IERR)
  call MPI_Session_flush_buffer(session IERR)
  call MPI_Session_iflush_buffer(session, r IERR)
  call MPI_Wait(r, status IERR)
  room_size = 0
  call MPI_Session_detach_buffer(session, taken, room_size IERR)
  CHECK(room_size == size(room) .and. IS_ROOM(taken))
  call MPI_Session_finalize(session IERR)
  CHECK(session == MPI_SESSION_NULL)
end subroutine

! Six numbers in six partitions of which the receiver sees three.
subroutine partitioned()
  integer :: a(6), b(6), i
  TREQUEST :: rs(2)
  TSTATUSES(2) :: statuses
  logical :: flag
  a = [(10 * me + i, i = 1, 6)]
  b = -1
  call MPI_Psend_init(a, 6, N(1), int4, right, 9, world, no_info, rs(1) IERR)
  call MPI_Precv_init(b, 3, N(2), int4, left, 9, world, no_info, rs(2) IERR)
  call MPI_Startall(2, rs IERR)
  call MPI_Pready(0, rs(1) IERR)
  call MPI_Pready_range(1, 3, rs(1) IERR)
  call MPI_Pready_list(2, [5, 4], rs(1) IERR)
  flag = .false.
  do while (.not. flag)
    call MPI_Parrived(rs(2), 1, flag IERR)
  end do
  CHECK(all(b(3:4) == [10 * left + 3, 10 * left + 4]))
  call MPI_Waitall(2, rs, statuses IERR)
  CHECK(all(b == [(10 * left + i, i = 1, 6)]) .and. SOURCES(statuses, 2) == left)
  call MPI_Request_free(rs(1) IERR)
  call MPI_Request_free(rs(2) IERR)
end subroutine

end module
