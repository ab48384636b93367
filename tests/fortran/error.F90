! SPDX-FileCopyrightText: 2026 The Starling authors
! SPDX-License-Identifier: BSD-3-Clause
! Error handlers of communicators, windows, files and sessions, which note what they were called with; the program's own error
! classes, codes and texts.
#define CHAPTER cover_error
#include "interface.inc"
  integer :: handled = 0
  integer :: object_handled = -1
contains
#ifdef F08
#define NUMBER(handle) handle%MPI_VAL
#else
#define NUMBER(handle) handle
#endif
#define HANDLER_CASES(WHAT, TOBJECT, HANDLER, CREATE, SET, GET, CALLED)   \
subroutine WHAT/**/_handlers(object)                                     ;\
  TOBJECT, intent(in) :: object                                          ;\
  TERRHANDLER :: mine, before, now                                       ;\
  call CREATE(HANDLER, mine IERR)                                        ;\
  call GET(object, before IERR)                                          ;\
  call SET(object, mine IERR)                                            ;\
  call GET(object, now IERR)                                             ;\
  CHECK(now == mine .and. now /= before)                                 ;\
  handled = 0                                                            ;\
  call CALLED(object, MPI_ERR_OTHER IERR)                                ;\
  CHECK(handled == MPI_ERR_OTHER .and. object_handled == NUMBER(object)) ;\
  call SET(object, before IERR)                                          ;\
  call MPI_Errhandler_free(mine IERR)                                    ;\
  call MPI_Errhandler_free(now IERR)                                     ;\
  CHECK(mine == MPI_ERRHANDLER_NULL .and. now == MPI_ERRHANDLER_NULL)    ;\
end subroutine                                                           ;\
subroutine HANDLER(object, code)                                         ;\
  TOBJECT :: object                                                      ;\
  integer :: code                                                        ;\
  object_handled = NUMBER(object)                                        ;\
  handled = code                                                         ;\
end subroutine
HANDLER_CASES(comm, TCOMM, on_comm, MPI_Comm_create_errhandler, MPI_Comm_set_errhandler, MPI_Comm_get_errhandler, \
              MPI_Comm_call_errhandler)
HANDLER_CASES(win, TWIN, on_win, MPI_Win_create_errhandler, MPI_Win_set_errhandler, MPI_Win_get_errhandler, \
              MPI_Win_call_errhandler)
HANDLER_CASES(file, TFILE, on_file, MPI_File_create_errhandler, MPI_File_set_errhandler, MPI_File_get_errhandler, \
              MPI_File_call_errhandler)
HANDLER_CASES(session, TSESSION, on_session, MPI_Session_create_errhandler, MPI_Session_set_errhandler, \
              MPI_Session_get_errhandler, MPI_Session_call_errhandler)

subroutine chapter_error()
  TWIN :: win
  TFILE :: file
  TSESSION :: session
  integer :: memory(1), code, class, number, length
  character(len=MPI_MAX_ERROR_STRING) :: text
  call comm_handlers(world)
  call MPI_Win_create(memory, 4_ak, 4, no_info, world, win IERR)
  call win_handlers(win)
  call MPI_Win_free(win IERR)
  call MPI_File_open(world, file_name('error'), MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, no_info, &
                     file IERR)
  call file_handlers(file)
  call MPI_File_close(file IERR)
  CHECK(file == MPI_FILE_NULL)
  call MPI_Session_init(no_info, MPI_ERRORS_RETURN, session IERR)
  call session_handlers(session)
  call MPI_Session_finalize(session IERR)

  ! A call that fails: the handler gets the code that is returned.
  call failing()

  call MPI_Error_class(MPI_ERR_TRUNCATE, class IERR)
  CHECK(class == MPI_ERR_TRUNCATE)
  call MPI_Add_error_class(class IERR)
  CHECK(class > MPI_ERR_LASTCODE)
  call MPI_Add_error_code(class, code IERR)
  CHECK(code > MPI_ERR_LASTCODE)
  call MPI_Error_class(code, number IERR)
  CHECK(number == class)
  call MPI_Add_error_string(code, 'the tank is empty  ' IERR)
  call MPI_Error_string(code, text, length IERR)
  CHECK(text == 'the tank is empty' .and. length == 17)
  call MPI_Remove_error_string(code IERR)
  call MPI_Error_string(code, text, length IERR)
  CHECK(text /= 'the tank is empty')
  call MPI_Remove_error_code(code IERR)
  call MPI_Remove_error_class(class IERR)
  call MPI_Add_error_class(number IERR)
  CHECK(number > 0)
  call MPI_Remove_error_class(number IERR)
end subroutine

subroutine failing()
  TERRHANDLER :: mine
  TCOMM :: comm
  integer :: code, class, nothing(1)
  call MPI_Comm_dup(MPI_COMM_SELF, comm IERR)
  call MPI_Comm_create_errhandler(on_comm, mine IERR)
  call MPI_Comm_set_errhandler(comm, mine IERR)
  handled = 0
  call MPI_Send(nothing, N(1), int4, 12, 0, comm, code)
  call MPI_Error_class(code, class IERR)
  CHECK(class == MPI_ERR_RANK .and. handled == code .and. object_handled == NUMBER(comm))
  call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN IERR)
  handled = 0
  call MPI_Send(nothing, N(-1), int4, 0, 0, comm, code)
  call MPI_Error_class(code, class IERR)
  CHECK(class == MPI_ERR_COUNT .and. handled == 0)
  call MPI_Errhandler_free(mine IERR)
  call MPI_Comm_free(comm IERR)
end subroutine
end module
