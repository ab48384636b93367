! SPDX-FileCopyrightText: 2026 The Starling authors
! SPDX-License-Identifier: BSD-3-Clause
! Conjugate gradients with Jacobi's preconditioner in Fortran: the system and the answer of examples/cg, from the same Matrix
! Market file (coordinate, real, symmetric with one triangle stored). usage: cg_fortran FILE
program cg
  use mpi_f08
  use matrix
  implicit none
  real(real64), parameter :: tolerance = 1e-8_real64
  integer, parameter :: most_iterations = 100000
  type(sparse) :: a
  real(real64), allocatable :: known(:), b(:), x(:), r(:), z(:), p(:), q(:)
  real(real64) :: alpha, r_z, r_z_before, norm_b, error
  integer :: rank, ranks, iterations, i
  character(len=4096) :: path

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  if (command_argument_count() /= 1) call stop_all('usage: cg_fortran FILE')
  call get_command_argument(1, path)
  call read_matrix(a, trim(path))

  allocate (known(a%rows), b(a%rows), x(a%rows), r(a%rows), z(a%rows), p(a%columns), q(a%rows))
  known = [(1 + 0.5_real64 * sin(real(a%first + i - 2, real64)), i = 1, a%rows)]
  p(:a%rows) = known
  call multiply(a, p, b)
  norm_b = sqrt(total(dot_product(b, b)))

  x = 0
  r = b
  z = r / a%diagonal
  p(:a%rows) = z
  r_z = total(dot_product(r, z))
  iterations = 0
  do while (sqrt(total(dot_product(r, r))) > tolerance * norm_b .and. iterations < most_iterations)
    call multiply(a, p, q)
    alpha = r_z / total(dot_product(p(:a%rows), q))
    x = x + alpha * p(:a%rows)
    r = r - alpha * q
    z = r / a%diagonal
    r_z_before = r_z
    r_z = total(dot_product(r, z))
    p(:a%rows) = z + r_z / r_z_before * p(:a%rows)
    iterations = iterations + 1
  end do

  p(:a%rows) = x
  call multiply(a, p, q)
  r = b - q
  error = maxval(abs(x - known))
  call MPI_Allreduce(MPI_IN_PLACE, error, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
  r_z = sqrt(total(dot_product(r, r))) / norm_b
  if (rank == 0) then
    print '(a, i0, a, i0, a)', 'size           ', a%all_rows, ' rows, on ', ranks, ' ranks'
    print '(a, i0)', 'iterations     ', iterations
    print '(a, es9.3, a)', 'residual       ', r_z, ' (true, relative)'
    print '(a, es9.3, a)', 'error          ', error, ' (largest, against the known solution)'
  end if
  call release(a)
  call MPI_Finalize()
  if (.not. r_z <= 10 * tolerance) error stop 1
contains
  real(real64) function total(part)
    real(real64), intent(in) :: part
    call MPI_Allreduce(part, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  end function
end program
