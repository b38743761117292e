! SPDX-License-Identifier: MIT
! Pattern: dense two-dimensional stencil: many large arrays streamed side by side, several times
! for each time step. Mail rows: swim (OMP2012, OMPL2001).
!
! Computes the rotating shallow-water equations on a periodic, staggered grid, in the form whose
! spatial differences conserve energy, with leapfrog steps and a weak time filter.
!
! Why THP may help: 13 streams need 13 TLB entries at a time and cross a 4 KiB page every 512
! elements. Why it may hurt: each thread owns a slab of every array; where slabs are not multiples
! of 2 MiB their borders become remote, and rows wrap around to the other end of the machine.
module stencil2d_mod
  use wl, only: dp, wl_unit, i8
  implicit none

  real(dp), parameter :: dt = 0.2_dp, gravity = 1, depth = 1

  type state ! one time level; a halo of one cell around 1:n
    real(dp), allocatable :: h(:, :), u(:, :), v(:, :)
  end type state

  type work ! recomputed in each step
    real(dp), allocatable :: flux_x(:, :), flux_y(:, :), vorticity(:, :), head(:, :)
  end type work

contains

  subroutine allocate_level(level, n, parallel)
    type(state), intent(inout) :: level
    integer, intent(in) :: n
    logical, intent(in) :: parallel
    integer :: j

    allocate (level%h(0:n + 1, 0:n + 1), level%u(0:n + 1, 0:n + 1), level%v(0:n + 1, 0:n + 1))
    !$omp parallel do schedule(static) if(parallel)
    do j = 1, n
      level%h(:, j) = 0
      level%u(:, j) = 0
      level%v(:, j) = 0
    end do
  end subroutine allocate_level

  subroutine allocate_work(w, n, parallel)
    type(work), intent(inout) :: w
    integer, intent(in) :: n
    logical, intent(in) :: parallel
    integer :: j

    allocate (w%flux_x(0:n + 1, 0:n + 1), w%flux_y(0:n + 1, 0:n + 1), &
              w%vorticity(0:n + 1, 0:n + 1), w%head(0:n + 1, 0:n + 1))
    !$omp parallel do schedule(static) if(parallel)
    do j = 1, n
      w%flux_x(:, j) = 0
      w%flux_y(:, j) = 0
      w%vorticity(:, j) = 0
      w%head(:, j) = 0
    end do
  end subroutine allocate_work

  ! Rows j = 1 .. n wrap in x when they are written (see wrap_row); here the two rows outside.
  subroutine wrap_columns(a, n)
    integer, intent(in) :: n
    real(dp), intent(inout) :: a(0:n + 1, 0:n + 1)

    a(:, 0) = a(:, n)
    a(:, n + 1) = a(:, 1)
  end subroutine wrap_columns

  pure subroutine wrap_row(row, n)
    integer, intent(in) :: n
    real(dp), intent(inout) :: row(0:n + 1)

    row(0) = row(n)
    row(n + 1) = row(1)
  end subroutine wrap_row

  subroutine wrap_state(s, n)
    type(state), intent(inout) :: s
    integer, intent(in) :: n
    integer :: j

    !$omp parallel do schedule(static)
    do j = 1, n
      call wrap_row(s%h(:, j), n)
      call wrap_row(s%u(:, j), n)
      call wrap_row(s%v(:, j), n)
    end do
    call wrap_columns(s%h, n)
    call wrap_columns(s%u, n)
    call wrap_columns(s%v, n)
  end subroutine wrap_state

  ! Mass fluxes on the cell faces, potential vorticity on the corners, energy head in the centres.
  subroutine diagnose(s, w, n, coriolis)
    type(state), intent(in) :: s
    type(work), intent(inout) :: w
    integer, intent(in) :: n
    real(dp), intent(in) :: coriolis
    integer :: i, j

    !$omp parallel do schedule(static) private(i)
    do j = 1, n
      do i = 1, n
        w%flux_x(i, j) = 0.5_dp*(s%h(i - 1, j) + s%h(i, j))*s%u(i, j)
        w%flux_y(i, j) = 0.5_dp*(s%h(i, j - 1) + s%h(i, j))*s%v(i, j)
        w%vorticity(i, j) = (coriolis + s%v(i, j) - s%v(i - 1, j) - s%u(i, j) + s%u(i, j - 1)) &
                            /(0.25_dp*(s%h(i, j) + s%h(i - 1, j) + s%h(i, j - 1) + s%h(i - 1, j - 1)))
        w%head(i, j) = gravity*s%h(i, j) &
                       + 0.25_dp*(s%u(i, j)**2 + s%u(i + 1, j)**2 + s%v(i, j)**2 + s%v(i, j + 1)**2)
      end do
      call wrap_row(w%flux_x(:, j), n)
      call wrap_row(w%flux_y(:, j), n)
      call wrap_row(w%vorticity(:, j), n)
      call wrap_row(w%head(:, j), n)
    end do
    call wrap_columns(w%flux_x, n)
    call wrap_columns(w%flux_y, n)
    call wrap_columns(w%vorticity, n)
    call wrap_columns(w%head, n)
  end subroutine diagnose

  ! new = old + 2 dt (tendencies of the level that w was diagnosed from)
  subroutine leap(old, w, new, n)
    type(state), intent(in) :: old
    type(work), intent(in) :: w
    type(state), intent(inout) :: new
    integer, intent(in) :: n
    integer :: i, j

    !$omp parallel do schedule(static) private(i)
    do j = 1, n
      do i = 1, n
        new%h(i, j) = old%h(i, j) - 2*dt*(w%flux_x(i + 1, j) - w%flux_x(i, j) &
                                          + w%flux_y(i, j + 1) - w%flux_y(i, j))
        new%u(i, j) = old%u(i, j) + 2*dt*(0.25_dp*( &
                      w%vorticity(i, j)*(w%flux_y(i - 1, j) + w%flux_y(i, j)) &
                      + w%vorticity(i, j + 1)*(w%flux_y(i - 1, j + 1) + w%flux_y(i, j + 1))) &
                      - (w%head(i, j) - w%head(i - 1, j)))
        new%v(i, j) = old%v(i, j) - 2*dt*(0.25_dp*( &
                      w%vorticity(i, j)*(w%flux_x(i, j - 1) + w%flux_x(i, j)) &
                      + w%vorticity(i + 1, j)*(w%flux_x(i + 1, j - 1) + w%flux_x(i + 1, j))) &
                      + (w%head(i, j) - w%head(i, j - 1)))
      end do
    end do
    call wrap_state(new, n)
  end subroutine leap

  ! Couples odd and even steps, which leapfrog alone lets drift apart; then old takes now's place.
  subroutine filter(old, now, new, n, weight)
    type(state), intent(inout) :: old, now
    type(state), intent(in) :: new
    integer, intent(in) :: n
    real(dp), intent(in) :: weight
    integer :: j

    !$omp parallel do schedule(static)
    do j = 0, n + 1
      old%h(:, j) = now%h(:, j) + weight*(old%h(:, j) - 2*now%h(:, j) + new%h(:, j))
      old%u(:, j) = now%u(:, j) + weight*(old%u(:, j) - 2*now%u(:, j) + new%u(:, j))
      old%v(:, j) = now%v(:, j) + weight*(old%v(:, j) - 2*now%v(:, j) + new%v(:, j))
      now%h(:, j) = new%h(:, j)
      now%u(:, j) = new%u(:, j)
      now%v(:, j) = new%v(:, j)
    end do
  end subroutine filter

  subroutine advance(old, now, new, w, n, coriolis, weight)
    type(state), intent(inout) :: old, now, new
    type(work), intent(inout) :: w
    integer, intent(in) :: n
    real(dp), intent(in) :: coriolis, weight

    call diagnose(now, w, n, coriolis)
    call leap(old, w, new, n)
    call filter(old, now, new, n, weight)
  end subroutine advance

  ! Vortices of random strength in geostrophic motion, on a surface with small waves.
  subroutine set_vortices(s, n, seed)
    type(state), intent(inout) :: s
    integer, intent(in) :: n
    integer(i8), intent(in) :: seed
    real(dp), parameter :: pi = acos(-1.0_dp)
    real(dp) :: k, phase
    integer :: i, j

    k = 8*pi/n
    phase = 2*pi*wl_unit(seed, 0_i8)
    !$omp parallel do schedule(static) private(i)
    do j = 1, n
      do i = 1, n
        s%h(i, j) = depth + 0.01_dp*cos(k*i + phase)*cos(k*j)
        s%u(i, j) = 0.1_dp*sin(k*i + phase)*cos(k*j) + 0.02_dp*cos(2*k*j)
        s%v(i, j) = -0.1_dp*cos(k*i + phase)*sin(k*j) + 0.02_dp*sin(2*k*i)
      end do
    end do
    call wrap_state(s, n)
  end subroutine set_vortices

  ! Mass and energy, in double precision to the last digit that n*n terms leave.
  subroutine totals(s, n, mass, energy)
    type(state), intent(in) :: s
    integer, intent(in) :: n
    real(dp), intent(out) :: mass, energy
    real(dp) :: m, e
    integer :: i, j

    m = 0
    e = 0
    !$omp parallel do schedule(static) private(i) reduction(+: m, e)
    do j = 1, n
      do i = 1, n
        m = m + (s%h(i, j) - depth)
        e = e + 0.5_dp*gravity*(s%h(i, j) - depth)**2 &
            + 0.25_dp*((s%h(i - 1, j) + s%h(i, j))*s%u(i, j)**2 &
                       + (s%h(i, j - 1) + s%h(i, j))*s%v(i, j)**2)
      end do
    end do
    mass = m
    energy = e
  end subroutine totals

  ! Largest error, relative to its height, of a standing wave so low that the linear theory of
  ! this very scheme holds: sin(omega dt) = 2 dt sin(k/2) with unit depth and gravity.
  function wave_error(along_x) result(error)
    logical, intent(in) :: along_x
    integer, parameter :: n = 32, steps = 40
    real(dp), parameter :: k = 4*acos(-1.0_dp)/n, height = 1e-7_dp
    type(state) :: old, now, new
    type(work) :: w
    real(dp) :: error, omega, crest
    integer :: i, j, x, step

    call allocate_level(old, n, .false.)
    call allocate_level(now, n, .false.)
    call allocate_level(new, n, .false.)
    call allocate_work(w, n, .false.)
    omega = asin(2*dt*sin(k/2))/dt
    old%u = 0
    old%v = 0
    do j = 0, n + 1
      do i = 0, n + 1
        x = merge(i, j, along_x)
        now%h(i, j) = depth + height*cos(k*x)
        old%h(i, j) = depth + height*cos(k*x)*cos(omega*dt)
        if (along_x) then
          old%u(i, j) = -height*sin(k*(x - 0.5_dp))*sin(omega*dt)
        else
          old%v(i, j) = -height*sin(k*(x - 0.5_dp))*sin(omega*dt)
        end if
      end do
    end do
    now%u = 0
    now%v = 0
    do step = 1, steps
      call advance(old, now, new, w, n, 0.0_dp, 0.0_dp)
    end do
    error = 0
    do j = 1, n
      do i = 1, n
        crest = height*cos(k*merge(i, j, along_x))*cos(omega*dt*steps)
        error = max(error, abs(now%h(i, j) - depth - crest)/height)
      end do
    end do
  end function wave_error
end module stencil2d_mod

program stencil2d
  use, intrinsic :: iso_c_binding, only: c_loc
  use wl
  use stencil2d_mod
  implicit none
  type(wl_run) :: run
  type(state), target :: old, now, new
  type(work) :: w
  real(dp) :: mass, energy, mass_before, energy_before, seconds
  integer :: n
  integer(i8) :: step

  run = wl_start('stencil2d', 'shallow water on a periodic grid: dense 2-D stencil', &
                 'cells along each side (13 arrays)', 'Mcells/s', &
                 [64_i8, 1200_i8, 4500_i8, 16000_i8], [20_i8, 50_i8, 100_i8, 100_i8])
  if (run%size < 8 .or. run%size > 40000) call wl_usage('--size must be 8 to 40000')
  n = int(run%size)
  call allocate_level(old, n, logical(run%touch_parallel))
  call allocate_level(now, n, logical(run%touch_parallel))
  call allocate_level(new, n, logical(run%touch_parallel))
  call allocate_work(w, n, logical(run%touch_parallel))
  call set_vortices(old, n, run%seed)
  call set_vortices(now, n, run%seed)
  call totals(now, n, mass_before, energy_before)

  call wl_begin()
  do step = 1, run%iterations
    call advance(old, now, new, w, n, 0.05_dp, 0.001_dp)
  end do
  seconds = wl_end()

  call wl_corrupt(now%h(n/2, n/2))
  call totals(now, n, mass, energy)
  call wl_check('mass is conserved', abs(mass - mass_before)/n**2, 1e-12_dp)
  call wl_check('energy is conserved', abs(energy/energy_before - 1), 0.01_dp)
  call wl_check('wave in x moves as theory says', wave_error(.true.), 1e-5_dp)
  call wl_check('wave in y moves as theory says', wave_error(.false.), 1e-5_dp)
  call wl_finish(1e-6_dp*n*n*real(run%iterations, dp), &
                 wl_hash(c_loc(now%h), size(now%h, kind=i8), 8))
end program stencil2d
