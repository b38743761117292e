! SPDX-License-Identifier: MIT
! Pattern: complex 3x3 matrices times vectors on a four-dimensional lattice, with neighbours by
! index lists: lattice quantum chromodynamics. Mail rows: wupwise (OMPL2001).
!
! Solves D^+ D x = b by conjugate gradients, D the Wilson-Dirac operator on a periodic L^3 x L
! lattice with a random gauge field.
!
! Why THP may help: eight neighbours and eight matrices in eight places for each site.
! Why it may hurt: neighbours in the fourth dimension are a time slice away, on another thread's
! pages; the borders of the slices are seldom multiples of 2 MiB.
module lattice_mod
  use wl, only: dp, i4, i8, wl_unit
  implicit none

  real(dp), parameter :: kappa = 0.1_dp, pi = acos(-1.0_dp)
  complex(dp), parameter :: i_ = (0.0_dp, 1.0_dp)
  ! gamma_mu psi: component s is phase(s, mu) times component partner(s, mu); chiral basis, in
  ! which gamma_5 = diag(1, 1, -1, -1).
  integer, parameter :: partner(4, 4) = reshape([4, 3, 2, 1, 4, 3, 2, 1, 3, 4, 1, 2, 3, 4, 1, 2], [4, 4])
  complex(dp), parameter :: one = (1.0_dp, 0.0_dp)
  complex(dp), parameter :: phase(4, 4) = reshape( &
    [i_, i_, -i_, -i_, -one, one, one, -one, i_, -i_, -i_, i_, one, one, one, one], [4, 4])

  type field
    integer :: l     ! sites along each direction
    integer(i8) :: n ! sites in all
    integer(i4), allocatable :: up(:, :), down(:, :)
    complex(dp), allocatable :: u(:, :, :, :) ! (colour, colour, direction, site)
  end type field

contains

  subroutine allocate_field(f, l, parallel)
    type(field), intent(out) :: f
    integer, intent(in) :: l
    logical, intent(in) :: parallel
    integer(i8) :: s, rest, stride
    integer :: mu, at

    f%l = l
    f%n = int(l, i8)**4
    allocate (f%up(4, f%n), f%down(4, f%n), f%u(3, 3, 4, f%n))
    !$omp parallel do schedule(static) private(rest, stride, mu, at) if(parallel)
    do s = 1, f%n
      rest = s - 1
      stride = 1
      do mu = 1, 4
        at = int(mod(rest, int(l, i8)))
        rest = rest/l
        f%up(mu, s) = int(s + merge(stride, stride*(1 - l), at < l - 1), i4)
        f%down(mu, s) = int(s + merge(-stride, stride*(l - 1), at > 0), i4)
        stride = stride*l
      end do
      f%u(:, :, :, s) = 0
      do at = 1, 3
        f%u(at, at, :, s) = 1
      end do
    end do
  end subroutine allocate_field

  ! A random SU(3) matrix: two random rows made orthonormal, the third their conjugate product.
  subroutine randomise(f, seed)
    type(field), intent(inout) :: f
    integer(i8), intent(in) :: seed
    complex(dp) :: row(3, 3)
    integer(i8) :: s, at
    integer :: mu, r, c

    !$omp parallel do schedule(static) private(row, at, mu, r, c)
    do s = 1, f%n
      do mu = 1, 4
        at = 12*(4*s + mu)
        do r = 1, 2
          do c = 1, 3
            row(c, r) = cmplx(wl_unit(seed, at) - 0.5_dp, wl_unit(seed, at + 1) - 0.5_dp, dp)
            at = at + 2
          end do
          if (r == 2) row(:, 2) = row(:, 2) - dot_product(row(:, 1), row(:, 2))*row(:, 1)
          row(:, r) = row(:, r)/sqrt(sum(real(row(:, r))**2 + aimag(row(:, r))**2))
        end do
        row(1, 3) = conjg(row(2, 1)*row(3, 2) - row(3, 1)*row(2, 2))
        row(2, 3) = conjg(row(3, 1)*row(1, 2) - row(1, 1)*row(3, 2))
        row(3, 3) = conjg(row(1, 1)*row(2, 2) - row(2, 1)*row(1, 2))
        f%u(:, :, mu, s) = transpose(row)
      end do
    end do
  end subroutine randomise

  ! y = D x; with dagger, y = D^+ x, which is gamma_5 D gamma_5 x.
  subroutine dirac(f, x, y, dagger)
    type(field), intent(in) :: f
    complex(dp), intent(in) :: x(3, 4, f%n)
    complex(dp), intent(inout) :: y(3, 4, f%n)
    logical, intent(in) :: dagger
    complex(dp) :: t(3, 4), half(3, 4), v(3)
    real(dp) :: sign
    integer(i8) :: s
    integer :: mu, c, spin

    sign = merge(-1.0_dp, 1.0_dp, dagger)
    !$omp parallel do schedule(static) private(t, half, v, mu, c, spin)
    do s = 1, f%n
      t = 0
      do mu = 1, 4
        associate (ahead => x(:, :, f%up(mu, s)), back => x(:, :, f%down(mu, s)))
          do spin = 1, 4
            v = ahead(:, spin) - sign*phase(spin, mu)*ahead(:, partner(spin, mu))
            half(:, spin) = f%u(:, 1, mu, s)*v(1) + f%u(:, 2, mu, s)*v(2) + f%u(:, 3, mu, s)*v(3)
          end do
          t = t + half
          do spin = 1, 4
            v = back(:, spin) + sign*phase(spin, mu)*back(:, partner(spin, mu))
            do c = 1, 3
              half(c, spin) = dot_product(f%u(:, c, mu, f%down(mu, s)), v)
            end do
          end do
          t = t + half
        end associate
      end do
      y(:, :, s) = x(:, :, s) - kappa*t
    end do
  end subroutine dirac

  ! Re <x, y>, added in parts that do not depend on the number of threads.
  function dot(f, x, y) result(total)
    type(field), intent(in) :: f
    complex(dp), intent(in) :: x(12, f%n), y(12, f%n)
    real(dp) :: total, part(f%l*f%l)
    integer(i8) :: s, sites
    integer :: p

    sites = f%n/size(part)
    !$omp parallel do schedule(static) private(s)
    do p = 1, size(part)
      part(p) = 0
      do s = (p - 1)*sites + 1, p*sites
        part(p) = part(p) + real(dot_product(x(:, s), y(:, s)), dp)
      end do
    end do
    total = sum(part)
  end function dot

  ! y = alpha x + beta y
  subroutine combine(f, alpha, x, beta, y)
    type(field), intent(in) :: f
    real(dp), intent(in) :: alpha, beta
    complex(dp), intent(in) :: x(12, f%n)
    complex(dp), intent(inout) :: y(12, f%n)
    integer(i8) :: s

    !$omp parallel do schedule(static)
    do s = 1, f%n
      y(:, s) = alpha*x(:, s) + beta*y(:, s)
    end do
  end subroutine combine

  subroutine fill(f, x, seed, parallel)
    type(field), intent(in) :: f
    complex(dp), intent(inout) :: x(12, f%n)
    integer(i8), intent(in) :: seed
    logical, intent(in) :: parallel
    integer(i8) :: s
    integer :: c

    !$omp parallel do schedule(static) private(c) if(parallel)
    do s = 1, f%n
      do c = 1, 12
        x(c, s) = cmplx(wl_unit(seed, 24*s + 2*c) - 0.5_dp, wl_unit(seed, 24*s + 2*c + 1) - 0.5_dp, dp)
      end do
    end do
  end subroutine fill

  ! Without a gauge field a plane wave exp(i p x) w has D psi = (1 - 2 kappa sum (cos p - i gamma
  ! sin p)) w exp(i p x). The gammas are written out as matrices here, not by partner and phase.
  function plane_wave_error() result(error)
    integer, parameter :: l = 6, wave(4) = [1, 2, 0, 1]
    type(field) :: f
    complex(dp), allocatable :: x(:, :, :), y(:, :, :)
    complex(dp) :: gamma(4, 4, 4), m(4, 4), w(4), expected(4)
    real(dp) :: error, angle
    integer(i8) :: s, rest
    integer :: mu, c

    gamma = 0
    gamma(1, 4, 1) = i_; gamma(2, 3, 1) = i_; gamma(3, 2, 1) = -i_; gamma(4, 1, 1) = -i_
    gamma(1, 4, 2) = -1; gamma(2, 3, 2) = 1; gamma(3, 2, 2) = 1; gamma(4, 1, 2) = -1
    gamma(1, 3, 3) = i_; gamma(2, 4, 3) = -i_; gamma(3, 1, 3) = -i_; gamma(4, 2, 3) = i_
    gamma(1, 3, 4) = 1; gamma(2, 4, 4) = 1; gamma(3, 1, 4) = 1; gamma(4, 2, 4) = 1
    m = 0
    do c = 1, 4
      m(c, c) = 1
    end do
    do mu = 1, 4
      angle = 2*pi*wave(mu)/l
      do c = 1, 4
        m(c, c) = m(c, c) - 2*kappa*cos(angle)
      end do
      m = m + 2*kappa*i_*sin(angle)*gamma(:, :, mu)
    end do
    w = [cmplx(1, 0, dp), cmplx(0.3_dp, -1, dp), cmplx(-2, 0.5_dp, dp), cmplx(0, 1, dp)]
    expected = matmul(m, w)

    call allocate_field(f, l, .false.)
    allocate (x(3, 4, f%n), y(3, 4, f%n))
    do s = 1, f%n
      rest = s - 1
      angle = 0
      do mu = 1, 4
        angle = angle + 2*pi*wave(mu)/l*mod(rest, int(l, i8))
        rest = rest/l
      end do
      do c = 1, 3
        x(c, :, s) = w*exp(i_*angle)*c
      end do
    end do
    call dirac(f, x, y, .false.)
    error = 0
    do s = 1, f%n
      do c = 1, 3
        error = max(error, maxval(abs(y(c, :, s)/x(c, :, s) - expected/w)))
      end do
    end do
  end function plane_wave_error
end module lattice_mod

program lattice
  use, intrinsic :: iso_c_binding, only: c_loc
  use wl
  use lattice_mod
  implicit none
  type(wl_run) :: run
  type(field) :: f
  complex(dp), allocatable, target :: x(:, :)
  complex(dp), allocatable :: b(:, :), r(:, :), p(:, :), dpsi(:, :), ap(:, :)
  real(dp) :: rho, rho_new, alpha, left, right, norm, seconds, corrupted
  integer(i8) :: iteration
  logical :: parallel

  run = wl_start('lattice', 'conjugate gradients with the Wilson-Dirac operator', &
                 'sites along each of four sides (1.8 KB each)', 'Msites/s', &
                 [4_i8, 18_i8, 32_i8, 64_i8], [4_i8, 4_i8, 10_i8, 20_i8])
  if (run%size < 4 .or. run%size > 200) call wl_usage('--size must be 4 to 200')
  parallel = logical(run%touch_parallel)
  call allocate_field(f, int(run%size), parallel)
  call randomise(f, run%seed)
  allocate (x(12, f%n), b(12, f%n), r(12, f%n), p(12, f%n), dpsi(12, f%n), ap(12, f%n))
  call fill(f, b, run%seed + 1, parallel)
  call fill(f, x, run%seed + 2, parallel)
  call fill(f, r, run%seed + 3, parallel)
  call fill(f, p, run%seed + 4, parallel)
  call fill(f, dpsi, run%seed + 5, parallel)
  call fill(f, ap, run%seed + 6, parallel)

  ! <D^+ x, b> = <x, D b>: true only if hops forward and back use the same matrices.
  call dirac(f, x, dpsi, .true.)
  call dirac(f, b, ap, .false.)
  left = dot(f, dpsi, b)
  right = dot(f, x, ap)
  norm = sqrt(dot(f, x, x)*dot(f, b, b))
  call wl_check('D^+ is the adjoint of D', abs(left - right)/norm, 1e-13_dp)

  call combine(f, 0.0_dp, b, 0.0_dp, x)
  call combine(f, 1.0_dp, b, 0.0_dp, r)
  call combine(f, 1.0_dp, b, 0.0_dp, p)
  norm = sqrt(dot(f, b, b))
  rho = dot(f, r, r)
  call wl_begin()
  do iteration = 1, run%iterations
    call dirac(f, p, dpsi, .false.)
    call dirac(f, dpsi, ap, .true.)
    alpha = rho/dot(f, p, ap)
    call combine(f, alpha, p, 1.0_dp, x)
    call combine(f, -alpha, ap, 1.0_dp, r)
    rho_new = dot(f, r, r)
    call combine(f, 1.0_dp, r, rho_new/rho, p)
    rho = rho_new
  end do
  seconds = wl_end()

  corrupted = real(x(5, f%n/2), dp)
  call wl_corrupt(corrupted)
  x(5, f%n/2) = cmplx(corrupted, aimag(x(5, f%n/2)), dp)
  call dirac(f, x, dpsi, .false.)
  call dirac(f, dpsi, ap, .true.)
  call combine(f, 1.0_dp, b, -1.0_dp, ap)
  left = sqrt(dot(f, ap, ap))/norm
  call wl_check('the residual is what the recurrence says', abs(left - sqrt(rho)/norm), 1e-10_dp)
  call wl_check('conjugate gradients converge', left, max(0.8_dp**min(run%iterations, 50_i8), 1e-4_dp))
  call wl_check('a free plane wave', plane_wave_error(), 1e-13_dp)
  call wl_finish(2e-6_dp*real(f%n, dp)*real(run%iterations, dp), &
                 wl_hash(c_loc(x), size(x, kind=i8), 16))
end program lattice
