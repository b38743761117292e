! SPDX-License-Identifier: MIT
! Pattern: wavefront: a sweep in which each cell needs its three predecessors, so that threads work
! on a diagonal front that moves through the cube. Mail rows: applu (OMPL2001), applu331 (OMP2012).
!
! Computes A x = b by symmetric Gauss-Seidel (SSOR with factor 1) on a cube with five unknowns for
! each cell and 5x5 blocks: residual, lower sweep, upper sweep, update. The order of the
! sequential algorithm is kept exactly.
!
! Why THP may help: the front touches many planes at once, each in other pages.
! Why it may hurt: threads own bars of rows, a few hundred KiB in each plane: smaller than a huge
! page, which the neighbour in the front then finds on another node.
module wavefront_mod
  use wl, only: dp, i8, wl_unit
  implicit none

  integer, parameter :: nv = 5

contains

  ! The block that couples a cell with its neighbour in direction d; the medium w scales it.
  pure function coupling(d) result(c)
    integer, intent(in) :: d
    real(dp) :: c(nv, nv)
    integer :: i, j

    do j = 1, nv
      do i = 1, nv
        c(i, j) = -0.02_dp*real(1 + mod(i + d*j, 4), dp)
      end do
    end do
  end function coupling

  pure function diagonal(w) result(d)
    real(dp), intent(in) :: w
    real(dp) :: d(nv, nv)
    integer :: i, j

    do j = 1, nv
      do i = 1, nv
        d(i, j) = 0.01_dp*real(mod(i*j, 3), dp)*w
      end do
      d(j, j) = d(j, j) + 2 + w
    end do
  end function diagonal

  ! Solves diagonal(w) x = b in place; the block is diagonally dominant.
  pure subroutine solve_diagonal(w, b)
    real(dp), intent(in) :: w
    real(dp), intent(inout) :: b(nv)
    real(dp) :: d(nv, nv), factor
    integer :: i, k

    d = diagonal(w)
    do k = 1, nv - 1
      do i = k + 1, nv
        factor = d(i, k)/d(k, k)
        d(i, k + 1:) = d(i, k + 1:) - factor*d(k, k + 1:)
        b(i) = b(i) - factor*b(k)
      end do
    end do
    do i = nv, 1, -1
      b(i) = (b(i) - dot_product(d(i, i + 1:), b(i + 1:)))/d(i, i)
    end do
  end subroutine solve_diagonal

  ! Sum of coupling times neighbour over the three predecessors (side = -1) or successors (+1).
  pure function pull(n, w, x, c, i, j, k, side) result(t)
    integer, intent(in) :: n, i, j, k, side
    real(dp), intent(in) :: w(n, n, n), x(nv, n, n, n), c(nv, nv, 3)
    real(dp) :: t(nv)
    integer :: v

    t = 0
    if (i + side >= 1 .and. i + side <= n) then
      do v = 1, nv
        t = t + c(:, v, 1)*x(v, i + side, j, k)
      end do
    end if
    if (j + side >= 1 .and. j + side <= n) then
      do v = 1, nv
        t = t + c(:, v, 2)*x(v, i, j + side, k)
      end do
    end if
    if (k + side >= 1 .and. k + side <= n) then
      do v = 1, nv
        t = t + c(:, v, 3)*x(v, i, j, k + side)
      end do
    end if
    t = t*w(i, j, k)
  end function pull

  subroutine residual(n, w, c, b, x, r)
    integer, intent(in) :: n
    real(dp), intent(in) :: w(n, n, n), c(nv, nv, 3), b(nv, n, n, n), x(nv, n, n, n)
    real(dp), intent(inout) :: r(nv, n, n, n)
    integer :: i, j, k

    !$omp parallel do schedule(static) private(i, k)
    do j = 1, n
      do k = 1, n
        do i = 1, n
          r(:, i, j, k) = b(:, i, j, k) - matmul(diagonal(w(i, j, k)), x(:, i, j, k)) &
                          - pull(n, w, x, c, i, j, k, -1) - pull(n, w, x, c, i, j, k, 1)
        end do
      end do
    end do
  end subroutine residual

  ! r = (D + L)^-1 r for side = -1, r = (D + U)^-1 D r for side = +1. Bars of rows (fixed range of
  ! j, all of i) belong to threads; at step s bar t works on plane s - t, so that what it needs
  ! from the bar before is one step old.
  subroutine sweep(n, w, c, r, side, bars)
    integer, intent(in) :: n, side, bars
    real(dp), intent(in) :: w(n, n, n), c(nv, nv, 3)
    real(dp), intent(inout) :: r(nv, n, n, n)
    integer :: step, bar, plane, i, j, k, ii, jj, first, last

    !$omp parallel private(step, plane, i, j, k, ii, jj, first, last)
    do step = 1, n + bars - 1
      !$omp do schedule(static, 1)
      do bar = 1, bars
        plane = step - bar + 1
        if (plane < 1 .or. plane > n) cycle
        k = merge(plane, n + 1 - plane, side < 0)
        first = (bar - 1)*n/bars + 1
        last = bar*n/bars
        do jj = first, last
          j = merge(jj, n + 1 - jj, side < 0)
          do ii = 1, n
            i = merge(ii, n + 1 - ii, side < 0)
            if (side < 0) then
              r(:, i, j, k) = r(:, i, j, k) - pull(n, w, r, c, i, j, k, side)
              call solve_diagonal(w(i, j, k), r(:, i, j, k))
            else
              block
                real(dp) :: t(nv)

                t = pull(n, w, r, c, i, j, k, side)
                call solve_diagonal(w(i, j, k), t)
                r(:, i, j, k) = r(:, i, j, k) - t
              end block
            end if
          end do
        end do
      end do
    end do
    !$omp end parallel
  end subroutine sweep

  pure function chosen(seed, v, i, j, k) result(x)
    integer(i8), intent(in) :: seed
    integer, intent(in) :: v, i, j, k
    real(dp) :: x

    x = wl_unit(seed, v + 8_i8*(i + 4096_i8*(j + 4096_i8*k))) - 0.5_dp
  end function chosen
end module wavefront_mod

program wavefront
  use, intrinsic :: iso_c_binding, only: c_loc
  use wl
  use wavefront_mod
  implicit none
  type(wl_run) :: run
  real(dp), allocatable :: w(:, :, :), b(:, :, :, :), r(:, :, :, :), lower(:, :, :, :)
  real(dp), allocatable, target :: x(:, :, :, :)
  real(dp) :: c(nv, nv, 3), error, triangular, seconds
  integer :: n, bars, i, j, k, v
  integer(i8) :: iteration

  run = wl_start('wavefront', 'symmetric Gauss-Seidel sweeps by a diagonal front of threads', &
                 'cells along each side (168 bytes each)', 'Mcells/s', &
                 [16_i8, 96_i8, 240_i8, 480_i8], [10_i8, 3_i8, 5_i8, 10_i8])
  if (run%size < 4 .or. run%size > 2048) call wl_usage('--size must be 4 to 2048')
  n = int(run%size)
  bars = min(n, run%threads)
  c = reshape([coupling(1), coupling(2), coupling(3)], shape(c))
  allocate (w(n, n, n), b(nv, n, n, n), x(nv, n, n, n), r(nv, n, n, n), lower(nv, n, n, n))
  !$omp parallel do schedule(static) private(i, k, v) if(run%touch_parallel)
  do j = 1, n
    do k = 1, n
      do i = 1, n
        w(i, j, k) = wl_unit(run%seed, i + 4096_i8*(j + 4096_i8*k))
        do v = 1, nv
          x(v, i, j, k) = chosen(run%seed + 1, v, i, j, k)
          b(v, i, j, k) = 0
          r(v, i, j, k) = 0
          lower(v, i, j, k) = 0
        end do
      end do
    end do
  end do
  call residual(n, w, c, b, x, r) ! minus A times the chosen solution
  !$omp parallel do schedule(static) private(k)
  do j = 1, n
    do k = 1, n
      b(:, :, j, k) = -r(:, :, j, k)
      x(:, :, j, k) = 0
    end do
  end do

  call wl_begin()
  do iteration = 1, run%iterations
    call residual(n, w, c, b, x, r)
    call sweep(n, w, c, r, -1, bars)
    call sweep(n, w, c, r, 1, bars)
    !$omp parallel do schedule(static) private(k)
    do j = 1, n
      do k = 1, n
        x(:, :, j, k) = x(:, :, j, k) + r(:, :, j, k)
      end do
    end do
  end do
  seconds = wl_end()

  call wl_corrupt(x(1, n/2, n/2, n/2))
  error = 0
  !$omp parallel do schedule(static) private(i, k, v) reduction(max: error)
  do j = 1, n
    do k = 1, n
      do i = 1, n
        do v = 1, nv
          error = max(error, abs(x(v, i, j, k) - chosen(run%seed + 1, v, i, j, k)))
        end do
      end do
    end do
  end do
  call wl_check('the chosen solution comes nearer', error, &
                max(0.5_dp*0.2_dp**min(run%iterations, 30_i8), 1e-12_dp))
  ! A sweep out of order would still converge: apply the triangle to what a sweep made of r.
  call residual(n, w, c, b, x, r)
  lower = r
  call sweep(n, w, c, lower, -1, bars)
  triangular = 0
  !$omp parallel do schedule(static) private(i, k) reduction(max: triangular)
  do j = 1, n
    do k = 1, n
      do i = 1, n
        triangular = max(triangular, maxval(abs(matmul(diagonal(w(i, j, k)), lower(:, i, j, k)) &
                         + pull(n, w, lower, c, i, j, k, -1) - r(:, i, j, k))))
      end do
    end do
  end do
  call wl_check('the sweep solves its triangle', triangular/max(maxval(abs(r)), tiny(1.0_dp)), 1e-11_dp)
  call wl_finish(1e-6_dp*real(n, dp)**3*real(run%iterations, dp), &
                 wl_hash(c_loc(x), size(x, kind=i8), 8))
end program wavefront
