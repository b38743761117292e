#!/bin/sh
# SPDX-License-Identifier: MIT
# What measuring costs the command: all CPU time that thpctl compare takes itself, which is the most
# that it could have taken from the command, in parts of the time that the runs took.
# overhead.sh THPCTL COMMAND...
set -eu

thpctl=$1
shift
python3 - "$thpctl" "$@" <<'END'
import json, resource, subprocess, sys, time

def cpu():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime

def compare(runs):
    """CPU time of compare without its runs', wall time of its runs, looks at their memory."""
    before = cpu()
    out = subprocess.run([sys.argv[1], "compare", "-q", "--json", "-w", "1", "-m", "never,default",
                          "-n", str(runs), "--"] + sys.argv[2:], stdout=subprocess.PIPE, check=True)
    took = cpu() - before
    all_runs = json.loads(out.stdout)["runs"]
    timed = [r for r in all_runs if not r["warmup"]]
    return (took - sum(r["user_s"] + r["system_s"] for r in all_runs),
            sum(r["wall_s"] for r in timed), sum(r["samples"] for r in timed))

# Start, warm-up and report are paid once and beside the runs: the difference of two lengths is what
# comes with runs.
few, many = compare(1), compare(11)
cost, wall = many[0] - few[0], many[1] - few[1]
print("overhead: %.0f ms of CPU for %.1f s of runs, %d looks at their memory: %.2f %%" %
      (cost * 1e3, wall, many[2] - few[2], 100 * cost / wall))
END
