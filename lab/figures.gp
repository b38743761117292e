# SPDX-License-Identifier: MIT
# Draws docs/numa-*.svg from docs/numa-*.tsv; run in docs/ by lab/figures.
set terminal svg size 760,440 font "sans-serif,13" background "white"
set datafile separator "\t"
set datafile commentschars "#"
set datafile missing NaN # rows of the other mode: the line goes on across them
set grid
set key outside bottom center horizontal
pick(column, mode) = strcol(2) eq mode ? column : NaN
huge = 2048.0

set logscale x 2
set yrange [-3:103]
set ylabel "pages on another node than their thread's, %"

set output "numa-chunk.svg"
set title "64 nodes: what huge pages do to the placement of interleaved chunks"
set xlabel "chunk that one thread touches first, KiB"
set xtics (4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)
sharers(chunk) = chunk >= huge ? 1 : (huge / chunk > 64 ? 64 : huge / chunk)
set samples 600
plot [3.5:4700] \
	100 * (1 - 1.0 / sharers(x)) with lines lc rgb "#bbbbbb" lw 2 title "1 - 1 / threads per 2 MiB page", \
	"numa-chunk.tsv" skip 1 using 1:(pick($3, "never")) with points pt 6 ps 1.2 lw 2 lc rgb "#1b6ca8" title "THP never, measured", \
	"" skip 1 using 1:(pick($3, "always")) with points pt 7 ps 1 lc rgb "#c0392b" title "THP always, measured"

set output "numa-nodes.svg"
set title "128 KiB chunks: the share grows with the nodes, up to 15/16"
set xlabel "nodes (one thread each)"
set xtics (2, 4, 8, 16, 32, 64)
plot [1.8:71] \
	100 * (1 - 1.0 / (x < 16 ? x : 16.0)) with lines lc rgb "#bbbbbb" lw 2 title "1 - 1 / min(nodes, 16)", \
	"numa-nodes.tsv" skip 1 using 1:(pick($3, "never")) with points pt 6 ps 1.2 lw 2 lc rgb "#1b6ca8" title "THP never, measured", \
	"" skip 1 using 1:(pick($3, "always")) with points pt 7 ps 1 lc rgb "#c0392b" title "THP always, measured"

set output "numa-trade.svg"
set title "The trade: loads at random in 4 MiB per thread, 64 nodes"
set xlabel "chunk that one thread touches first, KiB"
set xtics (4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)
set ylabel "per 100 loads"
plot [3.5:4700] \
	"numa-chunk.tsv" skip 1 using 1:(pick(100 * $7 / $6, "never")) with linespoints pt 6 lw 2 lc rgb "#1b6ca8" title "never: TLB misses (4 KiB pages)", \
	"" skip 1 using 1:(pick(100 * $8 / $6, "always")) with linespoints pt 7 lw 2 lc rgb "#c0392b" title "always: TLB misses (2 MiB pages)", \
	"" skip 1 using 1:(pick($5, "never")) with linespoints pt 4 dt 2 lc rgb "#1b6ca8" title "never: remote loads", \
	"" skip 1 using 1:(pick($5, "always")) with linespoints pt 5 dt 2 lc rgb "#c0392b" title "always: remote loads"
