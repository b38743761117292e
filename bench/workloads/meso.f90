! SPDX-License-Identifier: MIT
! Pattern: mesoscale air pollution: several three-dimensional fields, horizontal differences along
! rows, and vertical columns that are gathered into small work arrays, solved and scattered.
! Mail rows: apsi (OMPL2001).
!
! Computes advection by a given wind (upwind, flux form, periodic) and implicit vertical diffusion
! (one tridiagonal system for each column, no flux through ground and top) of two tracers.
!
! Why THP may help: a column touches another page at every level. Why it may hurt: the small
! work arrays and the slabs of many fields are placed 2 MiB at a time, next to each other.
module meso_mod
  use wl, only: dp, i8, wl_unit
  implicit none

  real(dp), parameter :: pi = acos(-1.0_dp), dt = 0.2_dp

  type air
    integer :: n, levels ! n x n columns
    real(dp), allocatable :: u(:, :, :), v(:, :, :) ! wind on the west and south faces
    real(dp), allocatable :: diffusivity(:, :, :)   ! between level k and k + 1
    real(dp), allocatable :: fresh(:, :, :)         ! after advection
  end type air

contains

  subroutine allocate_air(a, n, levels, parallel)
    type(air), intent(out) :: a
    integer, intent(in) :: n, levels
    logical, intent(in) :: parallel
    integer :: j

    a%n = n
    a%levels = levels
    allocate (a%u(n, levels, n), a%v(n, levels, n), a%diffusivity(n, levels, n), a%fresh(n, levels, n))
    !$omp parallel do schedule(static) if(parallel)
    do j = 1, n
      a%u(:, :, j) = 0.9_dp
      a%v(:, :, j) = -0.7_dp
      a%diffusivity(:, :, j) = 1.3_dp
      a%fresh(:, :, j) = 0
    end do
  end subroutine allocate_air

  subroutine set_weather(a, seed)
    type(air), intent(inout) :: a
    integer(i8), intent(in) :: seed
    real(dp) :: k, phase
    integer :: i, j, level

    k = 2*pi/a%n
    phase = 2*pi*wl_unit(seed, 0_i8)
    !$omp parallel do schedule(static) private(i, level)
    do j = 1, a%n
      do level = 1, a%levels
        do i = 1, a%n
          a%u(i, level, j) = 0.5_dp + sin(k*j + phase)*cos(k*i)*level/a%levels
          a%v(i, level, j) = 0.3_dp + cos(2*k*i + phase)*sin(k*j)
          a%diffusivity(i, level, j) = 1 + sin(k*(i + j))**2
        end do
      end do
    end do
  end subroutine set_weather

  pure function upwind(flow, before, after) result(flux)
    real(dp), intent(in) :: flow, before, after
    real(dp) :: flux

    flux = flow*merge(before, after, flow > 0)
  end function upwind

  subroutine advect(a, c)
    type(air), intent(inout) :: a
    real(dp), intent(in) :: c(a%n, a%levels, a%n)
    integer :: i, j, k, west, east, south, north

    !$omp parallel do schedule(static) private(i, k, west, east, south, north)
    do j = 1, a%n
      south = merge(a%n, j - 1, j == 1)
      north = merge(1, j + 1, j == a%n)
      do k = 1, a%levels
        do i = 1, a%n
          west = merge(a%n, i - 1, i == 1)
          east = merge(1, i + 1, i == a%n)
          a%fresh(i, k, j) = c(i, k, j) + dt*( &
                             upwind(a%u(i, k, j), c(west, k, j), c(i, k, j)) &
                             - upwind(a%u(east, k, j), c(i, k, j), c(east, k, j)) &
                             + upwind(a%v(i, k, j), c(i, k, south), c(i, k, j)) &
                             - upwind(a%v(i, k, north), c(i, k, j), c(i, k, north)))
        end do
      end do
    end do
  end subroutine advect

  ! (1 - dt d/dz K d/dz) c = fresh for each column.
  subroutine mix(a, c)
    type(air), intent(in) :: a
    real(dp), intent(inout) :: c(a%n, a%levels, a%n)
    real(dp) :: column(0:a%levels), ratio(0:a%levels), coupling(0:a%levels), pivot
    integer :: i, j, k

    !$omp parallel do schedule(static) private(i, k, column, ratio, coupling, pivot)
    do j = 1, a%n
      do i = 1, a%n
        column(0) = 0 ! below the ground, with which nothing is exchanged
        column(1:) = a%fresh(i, :, j)
        ratio(0) = 0
        coupling(0) = 0
        coupling(1:) = dt*a%diffusivity(i, :, j)
        coupling(a%levels) = 0
        do k = 1, a%levels
          pivot = 1 + coupling(k) + coupling(k - 1)*(1 - ratio(k - 1))
          ratio(k) = coupling(k)/pivot
          column(k) = (column(k) + coupling(k - 1)*column(k - 1))/pivot
        end do
        do k = a%levels - 1, 1, -1
          column(k) = column(k) + ratio(k)*column(k + 1)
        end do
        c(i, :, j) = column(1:)
      end do
    end do
  end subroutine mix

  subroutine advance(a, c)
    type(air), intent(inout) :: a
    real(dp), intent(inout) :: c(a%n, a%levels, a%n)

    call advect(a, c)
    call mix(a, c)
  end subroutine advance

  ! Added slab by slab: the rounding of one long sum would hide a wrong cell at the large size.
  function total(a, c) result(t)
    type(air), intent(in) :: a
    real(dp), intent(in) :: c(a%n, a%levels, a%n)
    real(dp) :: t, slab(a%n)
    integer :: j

    !$omp parallel do schedule(static)
    do j = 1, a%n
      slab(j) = sum(c(:, :, j))
    end do
    t = sum(slab)
  end function total

  ! In constant wind over constant diffusivity a wave is multiplied by a known complex number each
  ! step: largest deviation from that after some steps.
  function wave_error() result(error)
    integer, parameter :: n = 16, levels = 8, steps = 10
    real(dp), parameter :: kx = 2*pi/n, ky = 4*pi/n
    type(air) :: a
    real(dp), allocatable :: c(:, :, :)
    complex(dp), parameter :: i_ = (0.0_dp, 1.0_dp)
    complex(dp) :: factor
    real(dp) :: error, kz
    integer :: i, j, k, step

    call allocate_air(a, n, levels, .false.) ! which sets wind 0.9, -0.7 and diffusivity 1.3
    allocate (c(n, levels, n))
    kz = 2*pi/levels
    do j = 1, n
      do k = 1, levels
        do i = 1, n
          c(i, k, j) = cos(kx*i + ky*j)*cos(kz*(k - 0.5_dp))
        end do
      end do
    end do
    factor = 1 - dt*0.9_dp*(1 - exp(-i_*kx)) - dt*0.7_dp*(1 - exp(i_*ky))
    factor = factor/(1 + dt*1.3_dp*(2*sin(kz/2))**2)
    do step = 1, steps
      call advance(a, c)
    end do
    error = 0
    do j = 1, n
      do k = 1, levels
        do i = 1, n
          error = max(error, abs(c(i, k, j) - real(exp(i_*(kx*i + ky*j))*factor**steps) &
                                 *cos(kz*(k - 0.5_dp))))
        end do
      end do
    end do
  end function wave_error
end module meso_mod

program meso
  use, intrinsic :: iso_c_binding, only: c_loc
  use wl
  use meso_mod
  implicit none
  integer, parameter :: levels = 64
  type(wl_run) :: run
  type(air) :: a
  real(dp), allocatable, target :: dust(:, :, :), gas(:, :, :)
  real(dp) :: dust_before, gas_before, seconds
  integer :: n, i, j, k
  integer(i8) :: step

  run = wl_start('meso', 'transport of tracers by wind and vertical mixing', &
                 'columns along each side (3 KB each)', 'Mcells/s', &
                 [24_i8, 256_i8, 900_i8, 2400_i8], [5_i8, 6_i8, 10_i8, 30_i8])
  if (run%size < 4 .or. run%size > 20000) call wl_usage('--size must be 4 to 20000')
  n = int(run%size)
  call allocate_air(a, n, levels, logical(run%touch_parallel))
  allocate (dust(n, levels, n), gas(n, levels, n))
  !$omp parallel do schedule(static) private(i, k) if(run%touch_parallel)
  do j = 1, n
    do k = 1, levels
      do i = 1, n
        dust(i, k, j) = wl_unit(run%seed, i + n*(k + levels*int(j, i8)))
        gas(i, k, j) = merge(1.0_dp, 0.0_dp, k < levels/4)
      end do
    end do
  end do
  call set_weather(a, run%seed)
  dust_before = total(a, dust)
  gas_before = total(a, gas)

  call wl_begin()
  do step = 1, run%iterations
    call advance(a, dust)
    call advance(a, gas)
  end do
  seconds = wl_end()

  call wl_corrupt(dust(n/2, levels/2, n/2))
  call wl_check('dust is conserved', abs(total(a, dust) - dust_before), 1e-12_dp*dust_before)
  call wl_check('gas is conserved', abs(total(a, gas) - gas_before), 1e-12_dp*gas_before)
  call wl_check('nothing becomes negative', -min(minval(dust), minval(gas)), 0.0_dp)
  call wl_check('a wave in steady wind', wave_error(), 1e-13_dp)
  call wl_finish(2e-6_dp*real(n, dp)**2*levels*real(run%iterations, dp), &
                 wl_hash(c_loc(dust), size(dust, kind=i8), 8) + wl_hash(c_loc(gas), size(gas, kind=i8), 8))
end program meso
