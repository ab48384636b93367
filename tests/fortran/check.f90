! SPDX-FileCopyrightText: 2026 The Starling authors
! SPDX-License-Identifier: BSD-3-Clause
! What every test uses: says what is wrong, and at the end that nothing was. On MPI's older interfaces; handles are given to it
! by nobody.
module check
  implicit none
  private
  public :: expect, finish
  integer :: mistakes = 0
contains
  subroutine expect(right, what)
    logical, intent(in) :: right
    character(len=*), intent(in) :: what
    if (right) return
    mistakes = mistakes + 1
    print '(2a)', 'wrong: ', what
    flush (6)
  end subroutine
  subroutine finish(rank)
    integer, intent(in) :: rank
    if (mistakes > 0) error stop 1
    if (rank == 0) print '(a)', 'no mistakes'
  end subroutine
end module
