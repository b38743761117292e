#!/bin/bash
# SPDX-License-Identifier: MIT
# TAP: breaks the arithmetic of each workload, one place at a time, and sees its self-check fail.
# A check that no mutant of its program fails proves nothing. Compiles about sixty programs.
# Usage: prove bench/workloads/mutants.t          WL_CC, WL_FC: compilers
#        bench/workloads/mutants.t quake match    only these
set -eu

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMP_WAIT_POLICY=passive
cc=${WL_CC:-gcc}
fc=${WL_FC:-gfortran}

# FILE | sed expression | what it breaks. The expression must change the file.
mutants() {
	cat <<'END'
stencil2d.f90 | s/(w%flux_x(i + 1, j) - w%flux_x(i, j)/(w%flux_x(i + 1, j) - 0.99_dp*w%flux_x(i, j)/ | mass flux
stencil2d.f90 | s/(w%head(i, j) - w%head(i - 1, j))/(w%head(i + 1, j) - w%head(i, j))/ | pressure gradient in x
stencil2d.f90 | s/+ (w%head(i, j) - w%head(i, j - 1))/- (w%head(i, j) - w%head(i, j - 1))/ | pressure gradient in y
stencil2d.f90 | s/old%v(i, j) - 2\*dt\*(0.25_dp/old%v(i, j) - 2*dt*(-0.25_dp/ | sign of rotation
multigrid.f90 | s/ + u(i, j, k + 1))\/6/ + u(i, j, k))\/6/ | smoother
multigrid.f90 | s/n2\*(6\*u(i, j, k)/n2*(5*u(i, j, k)/ | residual
multigrid.f90 | s/line(-1:1) = \[0.25_dp, 0.5_dp/line(-1:1) = [0.5_dp, 1.5_dp/ | restriction
multigrid.f90 | s/fine(i, j, k) + 0.125_dp/fine(i, j, k) - 0.125_dp/ | prolongation
blocktri.f90 | s/dia = dia - matmul(sub/dia = dia + matmul(sub/ | elimination
blocktri.f90 | s/x(:, i) = x(:, i) - matmul(sup(:, :, i), x(:, i + 1))/x(:, i) = x(:, i) - matmul(sup(:, :, i), x(:, i))/ | back substitution
blocktri.f90 | s/do direction = 1, 3/do direction = 1, 2/ | one direction left out
blockwave.f90 | s/a(:, c, 4, i, j, k)\*x(c, i, north, k)/a(:, c, 3, i, j, k)*x(c, i, north, k)/ | a block of the product
blockwave.f90 | s/combine(n, alpha, p, 1.0_dp, x, omega, r)/combine(n, alpha, p, 1.0_dp, x, 0.0_dp, r)/ | half of the update
blockwave.f90 | s/combine(n, -omega, as, 1.0_dp, r/combine(n, omega, as, 1.0_dp, r/ | residual update
wavefront.f90 | s/r(:, i, j, k) - pull(n, w, r, c, i, j, k, side)/r(:, i, j, k) + pull(n, w, r, c, i, j, k, side)/ | lower sweep
wavefront.f90 | s/k = merge(plane, n + 1 - plane, side < 0)/k = n + 1 - plane/ | order of planes
wavefront.f90 | s/first = (bar - 1)\*n\/bars + 1/first = (bar - 1)*n\/bars + 2/ | a row left out
wavefront.f90 | s/r(:, i, j, k) = r(:, i, j, k) - t/r(:, i, j, k) = r(:, i, j, k) + t/ | upper sweep
genetic.f90 | s/merge(i, opponent, fit(i) >= fit(opponent))/merge(i, opponent, fit(i) < fit(opponent))/ | selection
genetic.f90 | s/child(g) = merge(first(g), second(g)/child(g) = merge(first(g), second(n_genes + 1 - g)/ | crossover
genetic.f90 | s/new(:, 1) = old(:, maxloc(fit, 1))/new(:, 1) = old(:, minloc(fit, 1))/ | elitism
lattice.f90 | s/v = ahead(:, spin) - sign/v = ahead(:, spin) + sign/ | projector
lattice.f90 | s/half(c, spin) = dot_product(/half(c, spin) = sum(/; s/f%u(:, c, mu, f%down(mu, s)), v)/f%u(:, c, mu, f%down(mu, s))*v)/ | conjugation
lattice.f90 | s/combine(f, -alpha, ap, 1.0_dp, r)/combine(f, -alpha, p, 1.0_dp, r)/ | conjugate gradients
lattice.f90 | s/f%down(mu, s) = int(s + merge(-stride, stride\*(l - 1), at > 0)/f%down(mu, s) = int(s + merge(-stride, 0_i8, at > 0)/ | periodic boundary
meso.f90 | s/pivot = 1 + coupling(k) +/pivot = 1 + 2*coupling(k) +/ | implicit mixing
meso.f90 | s/- upwind(a%v(i, k, north)/- upwind(a%v(i, k, j)/ | advection
meso.f90 | s/column(k) + ratio(k)\*column(k + 1)/column(k) - ratio(k)*column(k + 1)/ | back substitution
lbmlist.c | s/4.5 \* along/4.0 * along/ | equilibrium
lbmlist.c | s/(size_t)opposite(q) \* n + c/(size_t)q * n + (c + 1) % n/ | bounce-back
lbmlist.c | s/f\[q\] + l->relaxation/f[q] + 0.9 * l->relaxation/ | relaxation
quake.c | s/block\[d \* DIM + 1\] \* u\[1\]/block[d * DIM + 1] * u[2]/ | block times vector
quake.c | s/row->n = N_OFFSETS + 1/row->n = N_OFFSETS/; s/row->column\[N_OFFSETS\] = /row->column[0] = /; s/row->block\[N_OFFSETS\] = /row->block[0] = / | diagonal
quake.c | s/2 \* b->now\[i\]\[d\] - b->before/2 * b->now[i][d] - 0.999 * b->before/ | time step
match.c | s/if (answer\[j\] > answer\[match.neuron\])/if (answer[j] < answer[match.neuron])/ | winner
match.c | s/answer\[j\] += window\[i\] \* weights/answer[j] -= window[i] * weights/ | bottom-up sum
match.c | s/match.likeness += window\[i\] \* weights\[i/match.likeness += window[i] * weights[(i + 1) % INPUTS/ | top-down sum
align.c | s/max(gap_b\[j\], best\[j\] - GAP_OPEN) - GAP_EXTEND/max(gap_b[j], best[j] - GAP_OPEN)/ | gap cost
align.c | s/best\[j\] = max(match, max(gap_a, gap_b\[j\]))/best[j] = max(match, gap_b[j])/ | a gap forgotten
sparselu.c | s/row\[j\] -= l\[i/row[j] += l[i/ | update
sparselu.c | s/for (int i = k + 1; i < B; i++)$/for (int i = k + 1; i < B - 1; i++)/ | last row of a block
sparselu.c | s/depend(in : a\[k \* n + k\]) depend(inout : a\[j \* n + k\])//; s/solve_upper(a\[k \* n + k\], a\[j \* n + k\]);/;/ | a kind of task left out
mdlist.c | s/24 \* s \* (2 \* s - 1)/24 * s * (2 * s - 1.01)/ | force
mdlist.c | s/side < 27/side < 26/ | a neighbouring cell left out
mdlist.c | s/if (lists_are_old(fl))/if (0 \&\& lists_are_old(fl))/; s/{40, 12, 50, 100}/{600, 12, 50, 100}/ | old lists
mdlist.c | s/fl->v\[i\]\[d\] += 0.5 \* dt/fl->v[i][d] += 0.6 * dt/ | time step
fem.c | s/(slope\[a\]\[b\] + slope\[b\]\[a\])/(slope[a][b] - slope[b][a])/ | strain
fem.c | s/e->gradient\[c\]\[d\] = normal/e->gradient[c][d] = -normal/ | shape functions
fem.c | s/s < node->n_shared; s++/s + 1 < node->n_shared; s++/ | a force left out
fem.c | s/node->u\[d\] += dt \* node->v\[d\]/node->u[d] += 0.9 * dt * node->v[d]/ | time step
image.c | s/binomial\[KERNEL\] = {1, 4, 6, 4, 1}/binomial[KERNEL] = {1, 4, 6, 5, 0}/ | weights
image.c | s/(sum\[c\] + 128)/(sum[c] + 127)/ | rounding
image.c | s/from->height - 1 - y, x)/y, x)/ | mirrored rotation
image.c | s/? limit - 1 : value/? limit - 2 : value/; s/clamp(y + j, before/before->height - 1 < y + j ? before->height - 1 : clamp(y + j, before/ | edge
localalign.c | s/max(\*gap_a - GAP_EXTEND, left - GAP_OPEN)/max(*gap_a, left - GAP_OPEN)/ | gap cost
localalign.c | s/diagonal = above;/diagonal = left;/ | diagonal
localalign.c | s/int above_left = bi \&\& bj ? .*;/int above_left = 0;/ | corner of a block
localalign.c | s/if (\*gap_b > result)/if (0)/ | a gap forgotten
kdtree.c | s/across < 0 ? node->below : node->above, query/across > 0 ? node->below : node->above, query/; s/across \* across < best->distance2/0/ | search on the wrong side
kdtree.c | s/if (across \* across < best->distance2)/if (across * across * 9 < best->distance2 \&\& 0)/ | other side never searched
kdtree.c | s/if (k <= j)/if (k < j)/ | selection
touchwalk.c | s/return (struct range){t, threads, n_chunks};/return (struct range){t, threads, n_chunks - 1};/; s/struct range mine = chunks_of((int)/struct range mine = {0, 1, n_chunks}; (void)((int)/ | a chunk left out
touchwalk.c | s/for (long i = 0; i < run.iterations; i++)$/for (long i = 1; i < run.iterations; i++)/; s/i = 1; i < run.iterations; i++) {/i = 0; i < run.iterations; i++) {/ | a walk left out
chase.c | s/ring\[i\].next = &ring\[place(visit + 1)\]/ring[i].next = \&ring[place(visit + 2)]/ | order of the ring
mallocmix.c | s/block->tag + i \/ MARK_STEP);/block->tag + i \/ MARK_STEP + 1);/ | content of blocks
bandwidth.c | s/a\[i\] = b\[i\] + factor \* c\[i\]/a[i] = b[i] - factor * c[i]/ | triad
bandwidth.c | s/c\[i\] = a\[i\] + b\[i\]/c[i] = a[i]/ | add
extrawork.c | s/for (uint64_t i = 0; i < steps; i++)/for (uint64_t i = 1; i < steps; i++)/ | a step left out
END
}

build() { # build FILE PROGRAM
	case $1 in
	*.c)
		"$cc" -std=gnu17 -O1 -fopenmp -w -ffp-contract=off -I"$here/common" "$1" \
			"$work/wl.o" -o "$2" -lm
		;;
	*)
		"$fc" -std=f2018 -O1 -fopenmp -w -ffp-contract=off -J"$work" "$1" \
			"$work/wl_mod.o" "$work/wl.o" -o "$2"
		;;
	esac
}

trim() { sed 's/^ *//; s/ *$//' <<<"$1"; }

"$cc" -std=gnu17 -O1 -fopenmp -I"$here/common" -c "$here/common/wl.c" -o "$work/wl.o"
"$fc" -std=f2018 -O1 -J"$work" -c "$here/common/wl_mod.f90" -o "$work/wl_mod.o"

count=0
failures=0
result() { # result ok|'not ok' DESCRIPTION
	count=$((count + 1))
	echo "$1 $count - $2"
	[ "$1" = ok ] || failures=$((failures + 1))
}

while IFS='|' read -r file expression what; do
	file=$(trim "$file")
	what="${file%.*}: $(trim "$what")"
	if [ $# -gt 0 ] && ! printf '%s\n' "$@" | grep -qx "${file%.*}"; then
		continue
	fi
	mutant=$work/mutant.${file##*.}
	sed "$(trim "$expression")" "$here/$file" >"$mutant"
	if cmp -s "$here/$file" "$mutant"; then
		result 'not ok' "$what: the expression changes nothing"
		continue
	fi
	if ! build "$mutant" "$work/mutant" 2>&1 | sed 's/^/# /' || [ ! -x "$work/mutant" ]; then
		result 'not ok' "$what: does not compile"
		continue
	fi
	status=0
	# A mutant may also run for ever or crash; neither is what the self-check is for.
	said=$(timeout 60 "$work/mutant" --size tiny --threads 2 2>&1 >/dev/null) || status=$?
	printf '%s\n' "$said" | sed 's/^/# /'
	if [ "$status" -eq 1 ] && grep -q FAILED <<<"$said"; then
		result ok "$what"
	else
		result 'not ok' "$what: not noticed (status $status)"
	fi
	rm -f "$work/mutant"
done < <(mutants)

echo "1..$count"
test "$failures" -eq 0
