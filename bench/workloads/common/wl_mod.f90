! SPDX-License-Identifier: MIT
! The shared helper (wl.h, wl.c) for the Fortran workloads: declarations only, no second copy of it.
module wl
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: wl_start, wl_usage, wl_begin, wl_end, wl_random, wl_unit, wl_permute, wl_hash
  public :: wl_corrupt, wl_corrupt_wanted, wl_check, wl_finish, wl_run, dp, i4, i8

  integer, parameter :: dp = c_double, i4 = c_int32_t, i8 = c_int64_t

  type, bind(c) :: wl_run
    integer(c_long) :: size
    integer(c_long) :: iterations
    integer(c_int) :: threads
    integer(c_int64_t) :: seed
    logical(c_bool) :: touch_parallel
  end type wl_run

  interface
    subroutine c_start(name, help, size_unit, metric_unit, sizes, iterations, n_args, args, run) &
        bind(c, name='wl_start_fortran')
      import :: c_char, c_long, c_int, wl_run
      character(kind=c_char), intent(in) :: name(*), help(*), size_unit(*), metric_unit(*)
      integer(c_long), intent(in) :: sizes(4), iterations(4)
      integer(c_int), value :: n_args
      character(kind=c_char), intent(in) :: args(*)
      type(wl_run), intent(out) :: run
    end subroutine c_start

    subroutine c_usage(message) bind(c, name='wl_usage')
      import :: c_char
      character(kind=c_char), intent(in) :: message(*)
    end subroutine c_usage

    subroutine c_check(what, error, limit) bind(c, name='wl_check')
      import :: c_char, c_double
      character(kind=c_char), intent(in) :: what(*)
      real(c_double), value :: error, limit
    end subroutine c_check

    function c_finish(work, hash) bind(c, name='wl_finish') result(status)
      import :: c_double, c_int64_t, c_int
      real(c_double), value :: work
      integer(c_int64_t), value :: hash
      integer(c_int) :: status
    end function c_finish

    subroutine c_exit(status) bind(c, name='exit')
      import :: c_int
      integer(c_int), value :: status
    end subroutine c_exit

    subroutine wl_begin() bind(c)
    end subroutine wl_begin

    function wl_end() bind(c) result(seconds)
      import :: c_double
      real(c_double) :: seconds
    end function wl_end

    pure function wl_random(stream, i) bind(c) result(r)
      import :: c_int64_t
      integer(c_int64_t), value, intent(in) :: stream, i
      integer(c_int64_t) :: r
    end function wl_random

    pure function wl_unit(stream, i) bind(c) result(r)
      import :: c_int64_t, c_double
      integer(c_int64_t), value, intent(in) :: stream, i
      real(c_double) :: r
    end function wl_unit

    pure function wl_permute(n, stream, i) bind(c) result(r)
      import :: c_int64_t
      integer(c_int64_t), value, intent(in) :: n, stream, i
      integer(c_int64_t) :: r
    end function wl_permute

    function c_hash(data, bytes) bind(c, name='wl_hash') result(h)
      import :: c_ptr, c_size_t, c_int64_t
      type(c_ptr), value :: data
      integer(c_size_t), value :: bytes
      integer(c_int64_t) :: h
    end function c_hash

    subroutine wl_corrupt(value) bind(c)
      import :: c_double
      real(c_double), intent(inout) :: value
    end subroutine wl_corrupt

    function wl_corrupt_wanted() bind(c) result(wanted)
      import :: c_bool
      logical(c_bool) :: wanted
    end function wl_corrupt_wanted
  end interface

contains

  ! Reads the command line; the sizes are tiny, small, medium, large.
  function wl_start(name, help, size_unit, metric_unit, sizes, iterations) result(run)
    character(*), intent(in) :: name, help, size_unit, metric_unit
    integer(c_long), intent(in) :: sizes(4), iterations(4)
    type(wl_run) :: run
    character(:), allocatable :: args, arg
    integer :: i, length

    args = ''
    do i = 1, command_argument_count()
      call get_command_argument(i, length=length)
      allocate (character(length) :: arg)
      call get_command_argument(i, arg)
      args = args // arg // c_null_char
      deallocate (arg)
    end do
    call c_start(name // c_null_char, help // c_null_char, size_unit // c_null_char, &
                 metric_unit // c_null_char, sizes, iterations, command_argument_count(), &
                 args // c_null_char, run)
  end function wl_start

  subroutine wl_usage(message)
    character(*), intent(in) :: message

    call c_usage(message // c_null_char)
  end subroutine wl_usage

  subroutine wl_check(what, error, limit)
    character(*), intent(in) :: what
    real(dp), intent(in) :: error, limit

    call c_check(what // c_null_char, error, limit)
  end subroutine wl_check

  ! Hash of n elements of element_bytes each, beginning at address.
  function wl_hash(address, n, element_bytes) result(h)
    type(c_ptr), intent(in) :: address
    integer(i8), intent(in) :: n
    integer, intent(in) :: element_bytes
    integer(i8) :: h

    h = c_hash(address, int(n * element_bytes, c_size_t))
  end function wl_hash

  ! Prints the result line and ends the program with the status the checks deserve.
  subroutine wl_finish(work, hash)
    real(dp), intent(in) :: work
    integer(i8), intent(in) :: hash

    call c_exit(c_finish(work, hash))
  end subroutine wl_finish
end module wl
