! SPDX-FileCopyrightText: 2026 The Starling authors
! SPDX-License-Identifier: BSD-3-Clause
! The interfaces of procedures that a program gives to MPI, and the procedures of that kind that MPI has itself.
! Source: MPI-5.0, appendix A.
module mpi_f08_callbacks
  use, intrinsic :: iso_c_binding, only: c_ptr
  use starling_mpi_constants
  use mpi_f08_types
  implicit none
  public
  private :: c_ptr

  abstract interface
    subroutine MPI_User_function(invec, inoutvec, len, datatype)
      import
      type(c_ptr), value :: invec, inoutvec
      integer :: len
      type(MPI_Datatype) :: datatype
    end subroutine
    subroutine MPI_User_function_c(invec, inoutvec, len, datatype)
      import
      type(c_ptr), value :: invec, inoutvec
      integer(MPI_COUNT_KIND) :: len
      type(MPI_Datatype) :: datatype
    end subroutine
    subroutine MPI_Comm_errhandler_function(comm, error_code)
      import
      type(MPI_Comm) :: comm
      integer :: error_code
    end subroutine
    subroutine MPI_File_errhandler_function(file, error_code)
      import
      type(MPI_File) :: file
      integer :: error_code
    end subroutine
    subroutine MPI_Session_errhandler_function(session, error_code)
      import
      type(MPI_Session) :: session
      integer :: error_code
    end subroutine
    subroutine MPI_Win_errhandler_function(win, error_code)
      import
      type(MPI_Win) :: win
      integer :: error_code
    end subroutine
    subroutine MPI_Grequest_query_function(extra_state, status, ierror)
      import
      integer(MPI_ADDRESS_KIND) :: extra_state
      type(MPI_Status) :: status
      integer :: ierror
    end subroutine
    subroutine MPI_Grequest_free_function(extra_state, ierror)
      import
      integer(MPI_ADDRESS_KIND) :: extra_state
      integer :: ierror
    end subroutine
    subroutine MPI_Grequest_cancel_function(extra_state, complete, ierror)
      import
      integer(MPI_ADDRESS_KIND) :: extra_state
      logical :: complete
      integer :: ierror
    end subroutine
    subroutine MPI_Datarep_extent_function(datatype, extent, extra_state, ierror)
      import
      type(MPI_Datatype) :: datatype
      integer(MPI_ADDRESS_KIND) :: extent, extra_state
      integer :: ierror
    end subroutine
    subroutine MPI_Datarep_conversion_function(userbuf, datatype, count, filebuf, position, extra_state, ierror)
      import
      type(c_ptr), value :: userbuf, filebuf
      type(MPI_Datatype) :: datatype
      integer :: count, ierror
      integer(MPI_OFFSET_KIND) :: position
      integer(MPI_ADDRESS_KIND) :: extra_state
    end subroutine
    subroutine MPI_Datarep_conversion_function_c(userbuf, datatype, count, filebuf, position, extra_state, ierror)
      import
      type(c_ptr), value :: userbuf, filebuf
      type(MPI_Datatype) :: datatype
      integer(MPI_COUNT_KIND) :: count
      integer(MPI_OFFSET_KIND) :: position
      integer(MPI_ADDRESS_KIND) :: extra_state
      integer :: ierror
    end subroutine
  end interface

#define COPY_FUNCTION(NAME, OBJECT, TYPE_NAME)                                                       \
    subroutine NAME(OBJECT, keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror) ;\
      import                                                                                        ;\
      type(TYPE_NAME) :: OBJECT                                                                     ;\
      integer :: keyval, ierror                                                                     ;\
      integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out                 ;\
      logical :: flag                                                                               ;\
    end subroutine
#define DELETE_FUNCTION(NAME, OBJECT, TYPE_NAME)                                                     \
    subroutine NAME(OBJECT, keyval, attribute_val, extra_state, ierror)                             ;\
      import                                                                                        ;\
      type(TYPE_NAME) :: OBJECT                                                                     ;\
      integer :: keyval, ierror                                                                     ;\
      integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state                                       ;\
    end subroutine
  abstract interface
    COPY_FUNCTION(MPI_Comm_copy_attr_function, oldcomm, MPI_Comm)
    DELETE_FUNCTION(MPI_Comm_delete_attr_function, comm, MPI_Comm)
    COPY_FUNCTION(MPI_Type_copy_attr_function, oldtype, MPI_Datatype)
    DELETE_FUNCTION(MPI_Type_delete_attr_function, datatype, MPI_Datatype)
    COPY_FUNCTION(MPI_Win_copy_attr_function, oldwin, MPI_Win)
    DELETE_FUNCTION(MPI_Win_delete_attr_function, win, MPI_Win)
  end interface
  interface
    COPY_FUNCTION(MPI_COMM_NULL_COPY_FN, oldcomm, MPI_Comm)
    COPY_FUNCTION(MPI_COMM_DUP_FN, oldcomm, MPI_Comm)
    DELETE_FUNCTION(MPI_COMM_NULL_DELETE_FN, comm, MPI_Comm)
    COPY_FUNCTION(MPI_TYPE_NULL_COPY_FN, oldtype, MPI_Datatype)
    COPY_FUNCTION(MPI_TYPE_DUP_FN, oldtype, MPI_Datatype)
    DELETE_FUNCTION(MPI_TYPE_NULL_DELETE_FN, datatype, MPI_Datatype)
    COPY_FUNCTION(MPI_WIN_NULL_COPY_FN, oldwin, MPI_Win)
    COPY_FUNCTION(MPI_WIN_DUP_FN, oldwin, MPI_Win)
    DELETE_FUNCTION(MPI_WIN_NULL_DELETE_FN, win, MPI_Win)
  end interface
  procedure(MPI_Datarep_conversion_function) :: MPI_CONVERSION_FN_NULL
  procedure(MPI_Datarep_conversion_function_c) :: MPI_CONVERSION_FN_NULL_C
end module
