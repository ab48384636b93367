! SPDX-FileCopyrightText: 2026 The Starling authors
! SPDX-License-Identifier: BSD-3-Clause
! What only Fortran has. Source: MPI-5.0, 19.1.
#define SIZEOF(GENERIC, SPECIFIC, SYMBOL)                    \
  interface GENERIC                                         ;\
    subroutine SPECIFIC(x, size, ierror) bind(C, name=SYMBOL) ;\
      type(*), dimension(..), intent(in) :: x               ;\
      integer, intent(out) :: size                          ;\
      integer, optional, intent(out) :: ierror              ;\
    end subroutine                                          ;\
  end interface
#define STATUS_CONVERSIONS(TO_F08, TO_F)                     \
  interface                                                 ;\
    subroutine TO_F08(f_status, f08_status, ierror)         ;\
      import                                                ;\
      integer, intent(in) :: f_status(MPI_STATUS_SIZE)      ;\
      type(MPI_Status), intent(out) :: f08_status           ;\
      integer, optional, intent(out) :: ierror              ;\
    end subroutine                                          ;\
    subroutine TO_F(f08_status, f_status, ierror)           ;\
      import                                                ;\
      type(MPI_Status), intent(in) :: f08_status            ;\
      integer, intent(out) :: f_status(MPI_STATUS_SIZE)     ;\
      integer, optional, intent(out) :: ierror              ;\
    end subroutine                                          ;\
  end interface
#define SYNC_DESCRIBED(GENERIC, SPECIFIC, SYMBOL)            \
  interface GENERIC                                         ;\
    subroutine SPECIFIC(buf) bind(C, name=SYMBOL)           ;\
      type(*), dimension(..), asynchronous :: buf           ;\
    end subroutine                                          ;\
  end interface

module starling_mpi_fortran_only
  use starling_mpi_constants, only: MPI_STATUS_SIZE
  use starling_mpi_types, only: MPI_Status
  implicit none
  private
  public :: MPI_Sizeof, PMPI_Sizeof, MPI_Status_f2f08, MPI_Status_f082f, PMPI_Status_f2f08, PMPI_Status_f082f
  SIZEOF(MPI_Sizeof, MPI_Sizeof_f08, "mpi_sizeof_")
  SIZEOF(PMPI_Sizeof, PMPI_Sizeof_f08, "pmpi_sizeof_")
  STATUS_CONVERSIONS(MPI_Status_f2f08, MPI_Status_f082f)
  STATUS_CONVERSIONS(PMPI_Status_f2f08, PMPI_Status_f082f)
end module

module mpi_f08_more
  use starling_mpi_fortran_only
  implicit none
  public
  SYNC_DESCRIBED(MPI_F_sync_reg, MPI_F_sync_reg_f08ts, "mpi_f_sync_reg_f08ts_")
  SYNC_DESCRIBED(PMPI_F_sync_reg, PMPI_F_sync_reg_f08ts, "pmpi_f_sync_reg_f08ts_")
end module

module starling_mpi_more
  use starling_mpi_fortran_only
  implicit none
  public
  external :: MPI_COMM_NULL_COPY_FN, MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN
  external :: MPI_TYPE_NULL_COPY_FN, MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN
  external :: MPI_WIN_NULL_COPY_FN, MPI_WIN_DUP_FN, MPI_WIN_NULL_DELETE_FN
  external :: MPI_NULL_COPY_FN, MPI_DUP_FN, MPI_NULL_DELETE_FN
  external :: MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL_C
  interface
    subroutine MPI_F_sync_reg(buf)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*) :: buf
    end subroutine
    subroutine PMPI_F_sync_reg(buf)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*) :: buf
    end subroutine
  end interface
end module
