! SPDX-License-Identifier: MIT
! Pattern: block solver with a stored matrix: seven 5x5 blocks for each cell of a cube, 1.4 KB, are
! streamed for each product, with vectors that are small beside them.
! Mail rows: bwaves (OMP2012).
!
! Computes x from A x = b by the stabilised bi-conjugate gradient method (BiCGstab), A not
! symmetric, on a periodic grid, as in an implicit time step of a blast wave.
!
! Why THP may help: the matrix is one long stream, and few faults place it. Why it may hurt: a
! plane of cells is seldom a multiple of 2 MiB, so that at each border between two threads a huge
! page of matrix is remote for one of them; the more threads, the larger that share.
module blockwave_mod
  use wl, only: dp, i8, wl_unit
  implicit none

  integer, parameter :: nv = 5, n_neighbours = 6
  real(dp), parameter :: row_sum = 1 ! of every row of A

contains

  ! Off-diagonal blocks are random; the diagonal block is what makes every row add up to row_sum.
  subroutine set_plane(n, k, seed, a)
    integer, intent(in) :: n, k
    integer(i8), intent(in) :: seed
    real(dp), intent(out) :: a(nv, nv, 0:n_neighbours, n, n)
    integer(i8) :: at
    integer :: i, j, r, c, m

    at = 256_i8*(k - 1_i8)*n*n
    do j = 1, n
      do i = 1, n
        do m = 1, n_neighbours
          do c = 1, nv
            do r = 1, nv
              a(r, c, m, i, j) = -0.05_dp*wl_unit(seed, at)
              at = at + 1
            end do
          end do
        end do
        a(:, :, 0, i, j) = 0
        do r = 1, nv
          a(r, r, 0, i, j) = row_sum - sum(a(r, :, 1:n_neighbours, i, j))
        end do
      end do
    end do
  end subroutine set_plane

  subroutine multiply(n, a, x, y)
    integer, intent(in) :: n
    real(dp), intent(in) :: a(nv, nv, 0:n_neighbours, n, n, n), x(nv, n, n, n)
    real(dp), intent(inout) :: y(nv, n, n, n)
    real(dp) :: t(nv)
    integer :: i, j, k, c, west, east, south, north, below, above

    !$omp parallel do schedule(static) private(i, j, c, t, west, east, south, north, below, above)
    do k = 1, n
      below = merge(n, k - 1, k == 1)
      above = merge(1, k + 1, k == n)
      do j = 1, n
        south = merge(n, j - 1, j == 1)
        north = merge(1, j + 1, j == n)
        do i = 1, n
          west = merge(n, i - 1, i == 1)
          east = merge(1, i + 1, i == n)
          t = 0
          do c = 1, nv
            t = t + a(:, c, 0, i, j, k)*x(c, i, j, k) &
                + a(:, c, 1, i, j, k)*x(c, west, j, k) + a(:, c, 2, i, j, k)*x(c, east, j, k) &
                + a(:, c, 3, i, j, k)*x(c, i, south, k) + a(:, c, 4, i, j, k)*x(c, i, north, k) &
                + a(:, c, 5, i, j, k)*x(c, i, j, below) + a(:, c, 6, i, j, k)*x(c, i, j, above)
          end do
          y(:, i, j, k) = t
        end do
      end do
    end do
  end subroutine multiply

  ! Added plane by plane, so that the number of threads does not change the last digit.
  function dot(n, x, y) result(total)
    integer, intent(in) :: n
    real(dp), intent(in) :: x(nv*n*n, n), y(nv*n*n, n)
    real(dp) :: total, plane(n)
    integer :: k

    !$omp parallel do schedule(static)
    do k = 1, n
      plane(k) = dot_product(x(:, k), y(:, k))
    end do
    total = sum(plane)
  end function dot

  ! y = alpha x + beta y + gamma z
  subroutine combine(n, alpha, x, beta, y, gamma, z)
    integer, intent(in) :: n
    real(dp), intent(in) :: alpha, beta, gamma, x(nv*n*n, n), z(nv*n*n, n)
    real(dp), intent(inout) :: y(nv*n*n, n)
    integer :: k

    !$omp parallel do schedule(static)
    do k = 1, n
      y(:, k) = alpha*x(:, k) + beta*y(:, k) + gamma*z(:, k)
    end do
  end subroutine combine
end module blockwave_mod

program blockwave
  use, intrinsic :: iso_c_binding, only: c_loc
  use wl
  use blockwave_mod
  implicit none
  real(dp), parameter :: tolerance = 1e-10_dp
  integer, parameter :: max_steps = 200
  type(wl_run) :: run
  real(dp), allocatable :: a(:, :, :, :, :, :), chosen(:, :, :, :), b(:, :, :, :), &
                           r(:, :, :, :), shadow(:, :, :, :), p(:, :, :, :), ap(:, :, :, :), &
                           as(:, :, :, :)
  real(dp), allocatable, target :: x(:, :, :, :)
  real(dp) :: norm, rho, rho_new, alpha, omega, beta, error, seconds
  integer :: n, i, j, k, v, step
  integer(i8) :: solve, products

  run = wl_start('blockwave', 'BiCGstab with a stored matrix of 5x5 blocks', &
                 'cells along each side (1.7 KB each)', 'Mcells/s', &
                 [10_i8, 52_i8, 110_i8, 220_i8], [1_i8, 2_i8, 4_i8, 10_i8])
  if (run%size < 3 .or. run%size > 500) call wl_usage('--size must be 3 to 500')
  n = int(run%size)
  allocate (a(nv, nv, 0:n_neighbours, n, n, n), chosen(nv, n, n, n), b(nv, n, n, n), &
            x(nv, n, n, n), r(nv, n, n, n), shadow(nv, n, n, n), p(nv, n, n, n), &
            ap(nv, n, n, n), as(nv, n, n, n))
  !$omp parallel do schedule(static) private(i, j, v) if(run%touch_parallel)
  do k = 1, n
    call set_plane(n, k, run%seed, a(:, :, :, :, :, k))
    do j = 1, n
      do i = 1, n
        do v = 1, nv
          chosen(v, i, j, k) = wl_unit(run%seed + 1, v + 8_i8*(i + 4096_i8*(j + 4096_i8*k))) - 0.5_dp
        end do
      end do
    end do
    b(:, :, :, k) = 0
    x(:, :, :, k) = 0
    r(:, :, :, k) = 0
    shadow(:, :, :, k) = 0
    p(:, :, :, k) = 0
    ap(:, :, :, k) = 0
    as(:, :, :, k) = 0
  end do
  call multiply(n, a, chosen, b)
  norm = sqrt(dot(n, b, b))
  products = 0

  call wl_begin()
  do solve = 1, run%iterations
    call combine(n, 0.0_dp, b, 0.0_dp, x, 0.0_dp, b)
    call combine(n, 1.0_dp, b, 0.0_dp, r, 0.0_dp, b)
    call combine(n, 1.0_dp, b, 0.0_dp, shadow, 0.0_dp, b)
    call combine(n, 1.0_dp, b, 0.0_dp, p, 0.0_dp, b)
    rho = dot(n, r, shadow)
    do step = 1, max_steps
      call multiply(n, a, p, ap)
      alpha = rho/dot(n, shadow, ap)
      call combine(n, -alpha, ap, 1.0_dp, r, 0.0_dp, ap)
      call multiply(n, a, r, as)
      products = products + 2
      omega = dot(n, as, r)/dot(n, as, as)
      call combine(n, alpha, p, 1.0_dp, x, omega, r)
      call combine(n, -omega, as, 1.0_dp, r, 0.0_dp, as)
      if (sqrt(dot(n, r, r)) <= tolerance*norm) exit
      rho_new = dot(n, r, shadow)
      beta = rho_new/rho*alpha/omega
      rho = rho_new
      call combine(n, 1.0_dp, r, beta, p, -beta*omega, ap)
    end do
  end do
  seconds = wl_end()

  call wl_corrupt(x(1, n/2, n/2, n/2))
  call combine(n, 1.0_dp, x, 0.0_dp, p, -1.0_dp, chosen)
  error = sqrt(dot(n, p, p)/dot(n, chosen, chosen))
  call wl_check('the chosen solution comes back', error, 1e-7_dp)
  ! The rows' known sum shows that the product is right, which the first check alone cannot.
  p = 1
  call multiply(n, a, p, ap)
  call wl_check('rows add up', maxval(abs(ap - row_sum)), 1e-13_dp)
  call wl_finish(1e-6_dp*real(n, dp)**3*real(products, dp), wl_hash(c_loc(x), size(x, kind=i8), 8))
end program blockwave
