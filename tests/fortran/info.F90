! SPDX-FileCopyrightText: 2026 The Starling authors
! SPDX-License-Identifier: BSD-3-Clause
! Info objects; sessions and what is made from their process sets; memory, versions, names and clocks.
#define CHAPTER cover_info
#include "interface.inc"
contains
subroutine chapter_info()
  TINFO :: info, copy
  integer :: number
  logical :: flag
  character(len=MPI_MAX_INFO_KEY) :: key
  character(len=12) :: value
  call MPI_Info_create(info IERR)
  call MPI_Info_set(info, ' color', ' dark blue ' IERR)
  call MPI_Info_set(info, 'size', '12' IERR)
  call MPI_Info_get_nkeys(info, number IERR)
  CHECK(number == 2)
  call MPI_Info_get(info, 'color ', 12, value, flag IERR)
  CHECK(flag .and. value == 'dark blue')
  value = 'xxxxxxxxxxxx'
  call MPI_Info_get(info, 'color', 4, value, flag IERR)
  CHECK(flag .and. value(1:4) == 'dark')
  call MPI_Info_get_valuelen(info, 'color', number, flag IERR)
  CHECK(flag .and. number == 9)
  number = 12
  call MPI_Info_get_string(info, 'color', number, value, flag IERR)
  CHECK(flag .and. value == 'dark blue' .and. number == 9)
  number = 12
  call MPI_Info_get_string(info, 'no such key', number, value, flag IERR)
  CHECK(.not. flag)
  call MPI_Info_dup(info, copy IERR)
  call MPI_Info_delete(info, 'color' IERR)
  call MPI_Info_get_nkeys(info, number IERR)
  CHECK(number == 1)
  key = 'xxxx'
  call MPI_Info_get_nthkey(info, 0, key IERR)
  CHECK(key == 'size')
  call MPI_Info_get_nkeys(copy, number IERR)
  CHECK(number == 2)
  call MPI_Info_free(copy IERR)
  call MPI_Info_free(info IERR)
  CHECK(info == MPI_INFO_NULL)
  call MPI_Info_create_env(info IERR)
  CHECK(info /= MPI_INFO_NULL)
  call MPI_Info_free(info IERR)
  call sessions()
  call environment()
  call facts()
end subroutine

subroutine sessions()
  TSESSION :: session
  TINFO :: info
  TGROUP :: us, mine, others
  TCOMM :: comm
  integer :: number, n, length, found, low
  character(len=MPI_MAX_PSET_NAME_LEN) :: name
  character(len=10) :: value
  logical :: flag
  call MPI_Info_create(info IERR)
  call MPI_Info_set(info, 'thread_level', 'MPI_THREAD_SINGLE' IERR)
  call MPI_Session_init(info, MPI_ERRORS_ARE_FATAL, session IERR)
  call MPI_Info_free(info IERR)
  call MPI_Session_get_info(session, info IERR)
  call MPI_Info_get_valuelen(info, 'thread_level', number, flag IERR)
  CHECK(flag .and. number >= 17)
  call MPI_Info_free(info IERR)
  call MPI_Session_get_num_psets(session, no_info, number IERR)
  CHECK(number >= 2)
  found = 0
  do n = 0, number - 1
    length = len(name)
    name = 'xxxxxxxxxxxxxxxxxxxxxxxxxxxx'
    call MPI_Session_get_nth_pset(session, no_info, n, length, name IERR)
    if (name == 'mpi://WORLD' .or. name == 'mpi://SELF') found = found + 1
  end do
  CHECK(found == 2)
  call MPI_Session_get_pset_info(session, 'mpi://WORLD', info IERR)
  call MPI_Info_get(info, 'mpi_size', 10, value, flag IERR)
  read (value, *) number
  CHECK(flag .and. number == np)
  call MPI_Info_free(info IERR)
  call MPI_Group_from_session_pset(session, 'mpi://WORLD', us IERR)
  call MPI_Group_rank(us, number IERR)
  CHECK(number == me)
  call MPI_Comm_create_from_group(us, 'tests', no_info, MPI_ERRORS_ARE_FATAL, comm IERR)
  call MPI_Comm_size(comm, number IERR)
  CHECK(number == np)
  call MPI_Comm_free(comm IERR)
  ! Rank 0 on one side, all others on the other.
  call MPI_Group_incl(us, 1, [0], mine IERR)
  call MPI_Group_excl(us, 1, [0], others IERR)
  low = merge(0, 1, me == 0)
  if (me == 0) then
    call MPI_Intercomm_create_from_groups(mine, 0, others, 0, 'two sides', no_info, MPI_ERRORS_ARE_FATAL, comm IERR)
  else
    call MPI_Intercomm_create_from_groups(others, 0, mine, 0, 'two sides', no_info, MPI_ERRORS_ARE_FATAL, comm IERR)
  end if
  call MPI_Comm_remote_size(comm, number IERR)
  CHECK(number == merge(np - 1, 1, low == 0))
  call MPI_Comm_free(comm IERR)
  call MPI_Group_free(mine IERR)
  call MPI_Group_free(others IERR)
  call MPI_Group_free(us IERR)
  call MPI_Session_finalize(session IERR)
  CHECK(session == MPI_SESSION_NULL)
end subroutine

subroutine environment()
  integer :: major, minor, length, number
  double precision :: before
  character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: version
  character(len=MPI_MAX_PROCESSOR_NAME) :: name
  TINFO :: info
  TPOINTER :: base
  integer, pointer :: memory(:)
  logical :: flag
  call MPI_Get_version(major, minor IERR)
  CHECK(major == MPI_VERSION .and. minor == MPI_SUBVERSION)
  call MPI_Get_library_version(version, length IERR)
  CHECK(length > 8 .and. len_trim(version) == length)
  call MPI_Get_processor_name(name, length IERR)
  CHECK(length > 0 .and. len_trim(name) == length)
  call MPI_Query_thread(number IERR)
  CHECK(number >= MPI_THREAD_SINGLE .and. number <= MPI_THREAD_MULTIPLE)
  flag = .false.
  call MPI_Is_thread_main(flag IERR)
  CHECK(flag)
  before = MPI_Wtime()
  CHECK(before > 0 .and. MPI_Wtime() >= before .and. MPI_Wtick() > 0 .and. MPI_Wtick() < 1)
  call MPI_Pcontrol(1)
  call MPI_Alloc_mem(400_ak, no_info, base IERR)
  call c_f_pointer(POINTER(base), memory, [100])
  memory = me
  CHECK(sum(memory) == 100 * me)
  call MPI_Free_mem(memory IERR)
  call MPI_Get_hw_resource_info(info IERR)
  call MPI_Info_get_nkeys(info, number IERR)
  CHECK(number > 0)
  call MPI_Info_free(info IERR)
end subroutine

! What the library was told about this compiler when the program began; it is told once.
subroutine facts()
  integer :: major, minor, yes, no, code, class
  logical :: flag
  character(len=10) :: value
  TINFO :: info
  call MPI_Abi_get_version(major, minor IERR)
  CHECK(major == 1 .and. minor >= 0)
  call MPI_Abi_get_info(info IERR)
  call MPI_Info_get(info, 'mpi_aint_size', 10, value, flag IERR)
  CHECK(flag .and. value == '8')
  call MPI_Info_free(info IERR)
  call MPI_Abi_get_fortran_info(info IERR)
  call MPI_Info_get(info, 'mpi_double_precision_size', 10, value, flag IERR)
  CHECK(flag .and. value == '8')
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN IERR)
  call MPI_Abi_set_fortran_info(info, code)
  call MPI_Error_class(code, class IERR)
  CHECK(class == MPI_ERR_ABI)
  call MPI_Info_free(info IERR)
  yes = 7
  no = 7
  call MPI_Abi_get_fortran_booleans(4, yes, no, flag IERR)
  CHECK(flag .and. yes == transfer(.true., 0) .and. no == transfer(.false., 0))
  call MPI_Abi_set_fortran_booleans(4, yes, no, code)
  call MPI_Error_class(code, class IERR)
  CHECK(class == MPI_ERR_ABI)
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL IERR)
end subroutine
end module
