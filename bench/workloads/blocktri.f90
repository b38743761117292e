! SPDX-License-Identifier: MIT
! Pattern: block solver along the lines of a cube, one direction after the other: five unknowns for
! each cell, 5x5 blocks; the sweeps in the second and third direction jump by a row and by a plane.
! Mail rows: bt331 (OMP2012).
!
! Computes x from Mx My Mz x = b, where each M is block tridiagonal along one direction, as in an
! alternating-direction implicit time step.
!
! Why THP may help: a line in the third direction touches another 4 KiB page at every cell.
! Why it may hurt: the third sweep runs across the slabs that the first two have placed, so each
! thread works on memory of all nodes anyway; coarser placement hardly matters.
module blocktri_mod
  use wl, only: dp, i8, wl_unit
  implicit none

  integer, parameter :: nv = 5 ! unknowns of a cell

contains

  ! Blocks of row i along a line, from the medium's value w there: sub, diagonal, super. They are
  ! different for the three directions, not symmetric, and diagonally dominant.
  pure subroutine blocks(w, direction, sub, dia, sup)
    real(dp), intent(in) :: w
    integer, intent(in) :: direction
    real(dp), intent(out) :: sub(nv, nv), dia(nv, nv), sup(nv, nv)
    real(dp) :: s
    integer :: i, j

    do j = 1, nv
      do i = 1, nv
        s = real(1 + mod(i*direction + 2*j, 5), dp)*0.02_dp
        sub(i, j) = -s*w
        sup(i, j) = -0.5_dp*s*(1 + w)
        dia(i, j) = 0.3_dp*s*w
      end do
      dia(j, j) = dia(j, j) + 1.5_dp + 0.2_dp*w
    end do
  end subroutine blocks

  ! Solves a x = b for one block and m right sides in place, without pivoting: the blocks are
  ! diagonally dominant.
  pure subroutine solve_block(a, b, m)
    integer, intent(in) :: m
    real(dp), intent(inout) :: a(nv, nv), b(nv, m)
    real(dp) :: pivot
    integer :: i, j, k

    do k = 1, nv
      pivot = 1/a(k, k)
      do j = k + 1, nv
        a(k, j) = a(k, j)*pivot
      end do
      do j = 1, m
        b(k, j) = b(k, j)*pivot
      end do
      do i = 1, nv
        if (i == k) cycle
        do j = k + 1, nv
          a(i, j) = a(i, j) - a(i, k)*a(k, j)
        end do
        do j = 1, m
          b(i, j) = b(i, j) - a(i, k)*b(k, j)
        end do
      end do
    end do
  end subroutine solve_block

  ! Block elimination along one line of n cells, in place.
  pure subroutine solve_line(n, w, x, direction)
    integer, intent(in) :: n, direction
    real(dp), intent(in) :: w(n)
    real(dp), intent(inout) :: x(nv, n)
    real(dp) :: sub(nv, nv), dia(nv, nv), right(nv, nv + 1), sup(nv, nv, n)
    integer :: i

    do i = 1, n
      call blocks(w(i), direction, sub, dia, right(:, 1:nv))
      right(:, nv + 1) = x(:, i)
      if (i > 1) then
        dia = dia - matmul(sub, sup(:, :, i - 1))
        right(:, nv + 1) = right(:, nv + 1) - matmul(sub, x(:, i - 1))
      end if
      call solve_block(dia, right, nv + 1)
      sup(:, :, i) = right(:, 1:nv)
      x(:, i) = right(:, nv + 1)
    end do
    do i = n - 1, 1, -1
      x(:, i) = x(:, i) - matmul(sup(:, :, i), x(:, i + 1))
    end do
  end subroutine solve_line

  ! Multiplies a line by its matrix, in place.
  pure subroutine multiply_line(n, w, x, direction)
    integer, intent(in) :: n, direction
    real(dp), intent(in) :: w(n)
    real(dp), intent(inout) :: x(nv, n)
    real(dp) :: sub(nv, nv), dia(nv, nv), sup(nv, nv), old(nv), before(nv)
    integer :: i

    before = 0
    do i = 1, n
      call blocks(w(i), direction, sub, dia, sup)
      old = x(:, i)
      x(:, i) = matmul(dia, old) + matmul(sub, before)
      if (i < n) x(:, i) = x(:, i) + matmul(sup, x(:, i + 1))
      before = old
    end do
  end subroutine multiply_line

  ! Solves or multiplies all lines of a direction: a line is gathered, worked on and scattered.
  subroutine sweep(n, w, x, direction, solve)
    integer, intent(in) :: n, direction
    real(dp), intent(in) :: w(n, n, n)
    real(dp), intent(inout) :: x(nv, n, n, n)
    logical, intent(in) :: solve
    real(dp) :: line(nv, n), medium(n)
    integer :: i, j, k

    if (direction == 3) then
      ! Lines run across the planes: threads share out the second direction instead.
      !$omp parallel do schedule(static) private(i, line, medium)
      do j = 1, n
        do i = 1, n
          line = x(:, i, j, :)
          medium = w(i, j, :)
          call one_line(n, medium, line, direction, solve)
          x(:, i, j, :) = line
        end do
      end do
      return
    end if
    !$omp parallel do schedule(static) private(j, line, medium)
    do k = 1, n
      do j = 1, n
        if (direction == 1) then
          line = x(:, :, j, k)
          medium = w(:, j, k)
        else
          line = x(:, j, :, k)
          medium = w(j, :, k)
        end if
        call one_line(n, medium, line, direction, solve)
        if (direction == 1) then
          x(:, :, j, k) = line
        else
          x(:, j, :, k) = line
        end if
      end do
    end do
  end subroutine sweep

  pure subroutine one_line(n, w, x, direction, solve)
    integer, intent(in) :: n, direction
    real(dp), intent(in) :: w(n)
    real(dp), intent(inout) :: x(nv, n)
    logical, intent(in) :: solve

    if (solve) then
      call solve_line(n, w, x, direction)
    else
      call multiply_line(n, w, x, direction)
    end if
  end subroutine one_line

  ! The solution is chosen, and the right side made from it.
  pure function chosen(seed, v, i, j, k) result(x)
    integer(i8), intent(in) :: seed
    integer, intent(in) :: v, i, j, k
    real(dp) :: x

    x = wl_unit(seed, v + 8_i8*(i + 4096_i8*(j + 4096_i8*k))) - 0.5_dp
  end function chosen
end module blocktri_mod

program blocktri
  use, intrinsic :: iso_c_binding, only: c_loc
  use wl
  use blocktri_mod
  implicit none
  type(wl_run) :: run
  real(dp), allocatable, target :: x(:, :, :, :)
  real(dp), allocatable :: b(:, :, :, :), w(:, :, :)
  real(dp) :: error, seconds
  integer :: n, i, j, k, v, direction
  integer(i8) :: step

  run = wl_start('blocktri', 'block-tridiagonal lines in three directions, 5x5 blocks', &
                 'cells along each side (88 bytes each)', 'Mcells/s', &
                 [12_i8, 112_i8, 280_i8, 560_i8], [2_i8, 1_i8, 3_i8, 10_i8])
  if (run%size < 4 .or. run%size > 2048) call wl_usage('--size must be 4 to 2048')
  n = int(run%size)
  allocate (x(nv, n, n, n), b(nv, n, n, n), w(n, n, n))
  !$omp parallel do schedule(static) private(i, j, v) if(run%touch_parallel)
  do k = 1, n
    do j = 1, n
      do i = 1, n
        w(i, j, k) = wl_unit(run%seed, i + 4096_i8*(j + 4096_i8*k))
        do v = 1, nv
          x(v, i, j, k) = 0
          b(v, i, j, k) = chosen(run%seed + 1, v, i, j, k)
        end do
      end do
    end do
  end do
  do direction = 3, 1, -1
    call sweep(n, w, b, direction, .false.)
  end do

  call wl_begin()
  do step = 1, run%iterations
    !$omp parallel do schedule(static)
    do k = 1, n
      x(:, :, :, k) = b(:, :, :, k)
    end do
    do direction = 1, 3
      call sweep(n, w, x, direction, .true.)
    end do
  end do
  seconds = wl_end()

  call wl_corrupt(x(1, n/2, n/2, n/2))
  error = 0
  !$omp parallel do schedule(static) private(i, j, v) reduction(max: error)
  do k = 1, n
    do j = 1, n
      do i = 1, n
        do v = 1, nv
          error = max(error, abs(x(v, i, j, k) - chosen(run%seed + 1, v, i, j, k)))
        end do
      end do
    end do
  end do
  call wl_check('the chosen solution comes back', error, 1e-11_dp)
  call wl_finish(1e-6_dp*real(n, dp)**3*real(run%iterations, dp), &
                 wl_hash(c_loc(x), size(x, kind=i8), 8))
end program blocktri
