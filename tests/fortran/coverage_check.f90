! SPDX-FileCopyrightText: 2026 The Starling authors
! SPDX-License-Identifier: BSD-3-Clause
! What the chapters of the coverage tests share, without MPI: checks that name their line, places for error codes, and data.
module coverage_check
  implicit none
  integer :: me = 0, np = 1, left = 0, right = 0  ! this rank, how many there are, and its neighbours in a ring
  character(len=80) :: scratch = ''  ! where the names of this job's files begin
  integer :: codes(64), used_codes = 0, mistakes = 0
contains
  !> A place for the error code of a call, which no call has written to yet.
  integer function next_code()
    used_codes = min(used_codes + 1, size(codes))
    codes(used_codes) = -1
    next_code = used_codes
  end function
  !> Says which line is wrong, and forgets the error codes, which must all be MPI_SUCCESS.
  subroutine check_line(right, file, line)
    logical, intent(in) :: right
    character(len=*), intent(in) :: file
    integer, intent(in) :: line
    if (.not. right .or. any(codes(1:used_codes) /= 0)) then
      mistakes = mistakes + 1
      print '(3a,i0,a,i0,a)', 'wrong: ', file(index(file, '/', .true.) + 1:), ':', line, ' on rank ', me, &
        trim(merge(' (an error code)', '                ', right))
      flush (6)
    end if
    used_codes = 0
  end subroutine
  !> What a rank sends.
  pure function pattern(rank)
    integer, intent(in) :: rank
    integer :: pattern(4), i
    pattern = [(100 * rank + i, i = 1, 4)]
  end function
  !> Where files go, which no other job has.
  subroutine choose_scratch()
    character(len=50) :: folder
    call get_environment_variable('TMPDIR', folder)
    if (folder == '') folder = '/tmp'
    write (scratch, '(2a,i0,a)') trim(folder), '/starling_fortran_', getpid(), '_'
  end subroutine
  !> A file that this job alone has, blanks at its end as programs give them.
  function file_name(what) result(name)
    character(len=*), intent(in) :: what
    character(len=100) :: name
    name = trim(scratch) // what
  end function
end module
