! SPDX-License-Identifier: MIT
! Prints what THP_enabled each thread of a parallel region reads of itself, a line per thread.
program openmp
  use omp_lib
  implicit none
  character(len=256) :: line
  integer :: unit, error

  !$omp parallel num_threads(4) private(line, unit, error)
  !$omp critical
  open(newunit=unit, file='/proc/thread-self/status', status='old', action='read', iostat=error)
  do while (error == 0)
    read(unit, '(a)', iostat=error) line
    if (error == 0 .and. index(line, 'THP_enabled:') == 1) print '(a,i0,a)', 'thread ', &
      omp_get_thread_num(), ' '//trim(line)
  end do
  close(unit)
  !$omp end critical
  !$omp end parallel
end program openmp
