! SPDX-License-Identifier: MIT
! Pattern: three-dimensional stencils on a hierarchy of grids: the finest is streamed from memory,
! the coarse ones are small and shared. Mail rows: mgrid (OMPL2001), mgrid331 (OMP2012).
!
! Computes Poisson's equation in a cube (7-point operator, zero boundary) by V-cycles: red-black
! Gauss-Seidel, full weighting, trilinear interpolation.
!
! Why THP may help: neighbours in the third dimension are a plane apart, so that each plane of a
! 4 KiB-paged grid costs TLB entries of three planes. Why it may hurt: a coarse grid is a few MiB
! for all threads; in huge pages it lies on the one or two nodes that touched it first.
module multigrid_mod
  use wl, only: dp, i8, wl_unit
  implicit none

  real(dp), parameter :: pi = acos(-1.0_dp)

  type level
    integer :: n ! cells along a side; unknowns are 1 .. n-1
    real(dp), allocatable :: u(:, :, :), f(:, :, :), r(:, :, :)
  end type level

contains

  subroutine allocate_level(l, n, parallel)
    type(level), intent(out) :: l
    integer, intent(in) :: n
    logical, intent(in) :: parallel
    integer :: k

    l%n = n
    allocate (l%u(0:n, 0:n, 0:n), l%f(0:n, 0:n, 0:n), l%r(0:n, 0:n, 0:n))
    !$omp parallel do schedule(static) if(parallel)
    do k = 0, n
      l%u(:, :, k) = 0
      l%f(:, :, k) = 0
      l%r(:, :, k) = 0
    end do
  end subroutine allocate_level

  ! The operator is (6 u - sum of neighbours) n**2, the Laplacian's negative on a unit cube.
  subroutine smooth(u, f, n)
    integer, intent(in) :: n
    real(dp), intent(inout) :: u(0:n, 0:n, 0:n)
    real(dp), intent(in) :: f(0:n, 0:n, 0:n)
    real(dp) :: h2
    integer :: i, j, k, colour

    h2 = 1.0_dp/real(n, dp)**2
    do colour = 0, 1
      !$omp parallel do schedule(static) private(i, j)
      do k = 1, n - 1
        do j = 1, n - 1
          do i = 1 + mod(j + k + colour, 2), n - 1, 2
            u(i, j, k) = (h2*f(i, j, k) + u(i - 1, j, k) + u(i + 1, j, k) + u(i, j - 1, k) &
                          + u(i, j + 1, k) + u(i, j, k - 1) + u(i, j, k + 1))/6
          end do
        end do
      end do
    end do
  end subroutine smooth

  subroutine residual(u, f, r, n)
    integer, intent(in) :: n
    real(dp), intent(in) :: u(0:n, 0:n, 0:n), f(0:n, 0:n, 0:n)
    real(dp), intent(inout) :: r(0:n, 0:n, 0:n)
    real(dp) :: n2
    integer :: i, j, k

    n2 = real(n, dp)**2
    !$omp parallel do schedule(static) private(i, j)
    do k = 1, n - 1
      do j = 1, n - 1
        do i = 1, n - 1
          r(i, j, k) = f(i, j, k) - n2*(6*u(i, j, k) - u(i - 1, j, k) - u(i + 1, j, k) &
                       - u(i, j - 1, k) - u(i, j + 1, k) - u(i, j, k - 1) - u(i, j, k + 1))
        end do
      end do
    end do
  end subroutine residual

  ! Weights 1/8, 1/16, 1/32, 1/64 for a point, its face, edge and corner neighbours.
  subroutine restrict_to(fine, m, coarse, n)
    integer, intent(in) :: m, n ! m = 2 n
    real(dp), intent(in) :: fine(0:m, 0:m, 0:m)
    real(dp), intent(inout) :: coarse(0:n, 0:n, 0:n)
    real(dp), parameter :: line(-1:1) = [0.25_dp, 0.5_dp, 0.25_dp]
    real(dp) :: total
    integer :: i, j, k, b, c

    !$omp parallel do schedule(static) private(i, j, b, c, total)
    do k = 1, n - 1
      do j = 1, n - 1
        do i = 1, n - 1
          total = 0
          do c = -1, 1
            do b = -1, 1
              total = total + line(b)*line(c)*(line(-1)*fine(2*i - 1, 2*j + b, 2*k + c) &
                      + line(0)*fine(2*i, 2*j + b, 2*k + c) + line(1)*fine(2*i + 1, 2*j + b, 2*k + c))
            end do
          end do
          coarse(i, j, k) = total
        end do
      end do
    end do
  end subroutine restrict_to

  ! fine += trilinear interpolation of coarse
  subroutine prolong_add(coarse, n, fine, m)
    integer, intent(in) :: m, n ! m = 2 n
    real(dp), intent(in) :: coarse(0:n, 0:n, 0:n)
    real(dp), intent(inout) :: fine(0:m, 0:m, 0:m)
    integer :: i, j, k, a, b, c, p, q, s

    !$omp parallel do schedule(static) private(i, j, a, b, c, p, q, s)
    do k = 1, m - 1
      c = k/2
      s = (k + 1)/2
      do j = 1, m - 1
        b = j/2
        q = (j + 1)/2
        do i = 1, m - 1
          a = i/2
          p = (i + 1)/2
          fine(i, j, k) = fine(i, j, k) + 0.125_dp*( &
                          coarse(a, b, c) + coarse(p, b, c) + coarse(a, q, c) + coarse(p, q, c) &
                          + coarse(a, b, s) + coarse(p, b, s) + coarse(a, q, s) + coarse(p, q, s))
        end do
      end do
    end do
  end subroutine prolong_add

  subroutine clear(u, n)
    integer, intent(in) :: n
    real(dp), intent(inout) :: u(0:n, 0:n, 0:n)
    integer :: k

    !$omp parallel do schedule(static)
    do k = 0, n
      u(:, :, k) = 0
    end do
  end subroutine clear

  subroutine v_cycle(levels)
    type(level), intent(inout) :: levels(:)
    integer, parameter :: coarsest_sweeps = 40
    integer :: l, sweep

    do l = 1, size(levels) - 1
      if (l > 1) call clear(levels(l)%u, levels(l)%n)
      call smooth(levels(l)%u, levels(l)%f, levels(l)%n)
      call smooth(levels(l)%u, levels(l)%f, levels(l)%n)
      call residual(levels(l)%u, levels(l)%f, levels(l)%r, levels(l)%n)
      call restrict_to(levels(l)%r, levels(l)%n, levels(l + 1)%f, levels(l + 1)%n)
    end do
    l = size(levels)
    call clear(levels(l)%u, levels(l)%n)
    do sweep = 1, coarsest_sweeps
      call smooth(levels(l)%u, levels(l)%f, levels(l)%n)
    end do
    do l = size(levels) - 1, 1, -1
      call prolong_add(levels(l + 1)%u, levels(l + 1)%n, levels(l)%u, levels(l)%n)
      call smooth(levels(l)%u, levels(l)%f, levels(l)%n)
      call smooth(levels(l)%u, levels(l)%f, levels(l)%n)
    end do
  end subroutine v_cycle

  ! Discrete eigenfunctions a sin(pi x) sin(pi y) sin(pi z) + b (2, 1, 3 half waves): the solution
  ! of the difference equations is known exactly, from algebra and not from the operator's code.
  pure function solution(x, y, z, a, b) result(u)
    real(dp), intent(in) :: x, y, z, a, b
    real(dp) :: u

    u = a*sin(pi*x)*sin(pi*y)*sin(pi*z) + b*sin(2*pi*x)*sin(pi*y)*sin(3*pi*z)
  end function solution

  ! The operator's eigenvalue of l, m, k half waves.
  pure function eigenvalue(n, l, m, k) result(value)
    integer, intent(in) :: n, l, m, k
    real(dp) :: value, h

    h = 1.0_dp/n
    value = 4/h**2*(sin(0.5_dp*pi*l*h)**2 + sin(0.5_dp*pi*m*h)**2 + sin(0.5_dp*pi*k*h)**2)
  end function eigenvalue

  subroutine set_right_side(l, a, b)
    type(level), intent(inout) :: l
    real(dp), intent(in) :: a, b
    real(dp) :: fa, fb, h
    integer :: i, j, k

    h = 1.0_dp/l%n
    fa = a*eigenvalue(l%n, 1, 1, 1)
    fb = b*eigenvalue(l%n, 2, 1, 3)
    !$omp parallel do schedule(static) private(i, j)
    do k = 1, l%n - 1
      do j = 1, l%n - 1
        do i = 1, l%n - 1
          l%f(i, j, k) = solution(i*h, j*h, k*h, fa, fb)
        end do
      end do
    end do
  end subroutine set_right_side

  function largest_error(l, a, b) result(error)
    type(level), intent(in) :: l
    real(dp), intent(in) :: a, b
    real(dp) :: error, h
    integer :: i, j, k

    h = 1.0_dp/l%n
    error = 0
    !$omp parallel do schedule(static) private(i, j) reduction(max: error)
    do k = 0, l%n
      do j = 0, l%n
        do i = 0, l%n
          error = max(error, abs(l%u(i, j, k) - solution(i*h, j*h, k*h, a, b)))
        end do
      end do
    end do
  end function largest_error
end module multigrid_mod

program multigrid
  use, intrinsic :: iso_c_binding, only: c_loc
  use wl
  use multigrid_mod
  implicit none
  integer, parameter :: max_levels = 12
  type(wl_run) :: run
  type(level), target, allocatable :: levels(:)
  real(dp) :: a, b, seconds, limit
  integer :: n, depth, l
  integer(i8) :: cycle

  run = wl_start('multigrid', 'V-cycles for Poisson''s equation: 3-D stencils on many grids', &
                 'cells along each side, a multiple of 8 (3.5 arrays)', 'Mcells/s', &
                 [32_i8, 192_i8, 384_i8, 1024_i8], [6_i8, 12_i8, 20_i8, 20_i8])
  if (run%size < 16 .or. run%size > 2048 .or. mod(run%size, 8_i8) /= 0) &
    call wl_usage('--size must be a multiple of 8 from 16 to 2048')
  n = int(run%size)
  depth = 1
  do while (mod(n/2**(depth - 1), 2) == 0 .and. n/2**(depth - 1) > 4 .and. depth < max_levels)
    depth = depth + 1
  end do
  allocate (levels(depth))
  do l = 1, depth
    call allocate_level(levels(l), n/2**(l - 1), logical(run%touch_parallel))
  end do
  a = 1 + wl_unit(run%seed, 0_i8)
  b = wl_unit(run%seed, 1_i8)
  call set_right_side(levels(1), a, b)

  call wl_begin()
  do cycle = 1, run%iterations
    call v_cycle(levels)
  end do
  seconds = wl_end()

  call wl_corrupt(levels(1)%u(n/2, n/2, n/2))
  ! A cycle of these smoothers takes away about nine tenths of the error; four fifths must go.
  limit = max(2*(a + b)*0.2_dp**min(run%iterations, 30_i8), 1e-10_dp)
  call wl_check('solution of the difference equations', largest_error(levels(1), a, b), limit)
  call wl_finish(1e-6_dp*real(n, dp)**3*real(run%iterations, dp), &
                 wl_hash(c_loc(levels(1)%u), size(levels(1)%u, kind=i8), 8))
end program multigrid
