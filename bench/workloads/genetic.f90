! SPDX-License-Identifier: MIT
! Pattern: genetic algorithm: a large population in which each child is made from parents at random
! places. Mail rows: gafort (OMPL2001).
!
! Each generation: fitness of all, a random permutation gives each individual an opponent, the
! fitter of two pairs become parents, their genes are crossed and mutated, the best survives.
! All choices come from stateless random numbers, so that threads do not change the result.
!
! Why THP may help: parents at random places of an array larger than the TLB's reach.
! Why it may hurt: hardly: the access is spread over all nodes with pages of either size.
module genetic_mod
  use wl, only: dp, i4, i8, wl_random, wl_permute
  implicit none

  integer, parameter :: n_genes = 64, gene_values = 1024
  integer, parameter :: mutation_odds = 64 ! one gene in so many changes

contains

  ! The aim is a gene sequence that nobody tells the population.
  pure function aim(seed, gene) result(value)
    integer(i8), intent(in) :: seed
    integer, intent(in) :: gene
    integer(i4) :: value

    value = int(iand(wl_random(seed, int(gene, i8)), gene_values - 1_i8), i4)
  end function aim

  pure function fitness(genes, target_genes) result(f)
    integer(i4), intent(in) :: genes(n_genes), target_genes(n_genes)
    integer(i8) :: f

    f = -sum(int(genes - target_genes, i8)**2)
  end function fitness

  ! The fitter of individual i and its opponent; equally fit: the first.
  pure function winner(n, key, i, fit) result(w)
    integer(i8), intent(in) :: n, key, i, fit(n)
    integer(i8) :: w, opponent

    opponent = wl_permute(n, key, i - 1) + 1
    w = merge(i, opponent, fit(i) >= fit(opponent))
  end function winner

  ! Uniform crossover, then mutation.
  pure subroutine breed(first, second, key, i, child)
    integer(i4), intent(in) :: first(n_genes), second(n_genes)
    integer(i8), intent(in) :: key, i
    integer(i4), intent(out) :: child(n_genes)
    integer(i8) :: choice, random
    integer :: g

    choice = wl_random(key, i)
    do g = 1, n_genes
      child(g) = merge(first(g), second(g), btest(choice, g - 1))
    end do
    ! One draw decides for one gene in the mean: n_genes = mutation_odds.
    random = wl_random(key + 1, i)
    g = int(iand(random, mutation_odds - 1_i8)) + 1
    if (g <= n_genes) child(g) = int(iand(ishft(random, -32), gene_values - 1_i8), i4)
  end subroutine breed

  ! Keys of the random streams of a generation.
  pure function stream(seed, generation, purpose) result(key)
    integer(i8), intent(in) :: seed, generation
    integer, intent(in) :: purpose
    integer(i8) :: key

    key = (seed*65536_i8 + generation)*64_i8 + purpose*16_i8
  end function stream

  subroutine evaluate(n, population, target_genes, fit)
    integer(i8), intent(in) :: n
    integer(i4), intent(in) :: population(n_genes, n), target_genes(n_genes)
    integer(i8), intent(inout) :: fit(n)
    integer(i8) :: i

    !$omp parallel do schedule(static)
    do i = 1, n
      fit(i) = fitness(population(:, i), target_genes)
    end do
  end subroutine evaluate

  subroutine next_generation(n, old, fit, new, seed, generation)
    integer(i8), intent(in) :: n, seed, generation, fit(n)
    integer(i4), intent(in) :: old(n_genes, n)
    integer(i4), intent(inout) :: new(n_genes, n)
    integer(i8) :: i, mate

    !$omp parallel do schedule(static) private(mate)
    do i = 1, n
      mate = wl_permute(n, stream(seed, generation, 2), i - 1) + 1
      call breed(old(:, winner(n, stream(seed, generation, 1), i, fit)), &
                 old(:, winner(n, stream(seed, generation, 1), mate, fit)), &
                 stream(seed, generation, 3), i, new(:, i))
    end do
    new(:, 1) = old(:, maxloc(fit, 1)) ! the best survives
  end subroutine next_generation

  ! Individuals of which a gene is neither a parent's nor the one that may have mutated. Written
  ! without breed(): it looks at the outcome alone.
  function count_bastards(n, old, fit, new, seed, generation) result(wrong)
    integer(i8), intent(in) :: n, seed, generation, fit(n)
    integer(i4), intent(in) :: old(n_genes, n), new(n_genes, n)
    integer(i8) :: i, a, b, opponent, wrong, key
    integer :: foreign

    wrong = 0
    key = stream(seed, generation, 1)
    !$omp parallel do schedule(static) private(a, b, opponent, foreign) reduction(+: wrong)
    do i = 2, n
      a = i
      opponent = wl_permute(n, key, a - 1) + 1
      if (fit(opponent) > fit(a)) a = opponent
      b = wl_permute(n, stream(seed, generation, 2), i - 1) + 1
      opponent = wl_permute(n, key, b - 1) + 1
      if (fit(opponent) > fit(b)) b = opponent
      foreign = count(new(:, i) /= old(:, a) .and. new(:, i) /= old(:, b))
      if (foreign > 1) wrong = wrong + 1
    end do
  end function count_bastards
end module genetic_mod

program genetic
  use, intrinsic :: iso_c_binding, only: c_loc
  use wl
  use genetic_mod
  implicit none
  type(wl_run) :: run
  integer(i4), allocatable, target :: old(:, :), new(:, :)
  integer(i4) :: target_genes(n_genes)
  integer(i8), allocatable :: fit(:)
  integer(i8) :: n, i, generation, best, worse
  real(dp) :: mean_before, mean, seconds, changed
  integer :: g

  run = wl_start('genetic', 'genetic algorithm: children of parents at random places', &
                 'individuals (520 bytes each)', 'Mindividuals/s', &
                 [2048_i8, 262144_i8, 4194304_i8, 67108864_i8], [10_i8, 8_i8, 15_i8, 30_i8])
  n = run%size
  if (n < 4 .or. n > 2_i8**32) call wl_usage('--size must be 4 to 2^32')
  if (run%iterations > 65535) call wl_usage('--iterations must be at most 65535')
  allocate (old(n_genes, n), new(n_genes, n), fit(n))
  target_genes = [(aim(run%seed, g), g=1, n_genes)]
  !$omp parallel do schedule(static) private(g) if(run%touch_parallel)
  do i = 1, n
    fit(i) = 0
    do g = 1, n_genes
      old(g, i) = int(iand(wl_random(run%seed + 1, i*n_genes + g), gene_values - 1_i8), i4)
      new(g, i) = 0
    end do
  end do
  call evaluate(n, old, target_genes, fit)
  mean_before = sum(real(fit, dp))/real(n, dp)
  best = maxval(fit)
  worse = 0

  call wl_begin()
  do generation = 1, run%iterations
    if (generation > 1) then
      !$omp parallel do schedule(static)
      do i = 1, n
        old(:, i) = new(:, i)
      end do
      call evaluate(n, old, target_genes, fit)
      if (maxval(fit) < best) worse = worse + 1
      best = maxval(fit)
    end if
    call next_generation(n, old, fit, new, run%seed, generation)
  end do
  seconds = wl_end()

  ! Two genes of one child that no parent has: more than a mutation can do.
  if (wl_corrupt_wanted()) new(1:2, n/2 + 1) = gene_values
  changed = real(count_bastards(n, old, fit, new, run%seed, run%iterations), dp)
  call wl_check('genes come from the parents', changed, 0.0_dp)
  changed = real(maxval(abs(new(:, 1) - old(:, maxloc(fit, 1)))), dp)
  call wl_check('the best survives', changed + real(worse, dp), 0.0_dp)
  call evaluate(n, new, target_genes, fit)
  mean = sum(real(fit, dp))/real(n, dp)
  ! Fitness is negative, so less of it is better: some tenths in a few generations.
  call wl_check('the population becomes fitter', mean/mean_before, 0.95_dp)
  call wl_finish(1e-6_dp*real(n, dp)*real(run%iterations, dp), &
                 wl_hash(c_loc(new), size(new, kind=i8), 4))
end program genetic
