#!/bin/sh
# SPDX-License-Identifier: MIT
# How many runs it takes to see an effect of exactly 1 % while the machine drifts: thpctl compare,
# which interleaves, against hyperfine, which runs one command's runs and then the other's.
# drift.sh THPCTL EXTRAWORK [TRIALS]
#
# The effect is EXTRAWORK's (bench/workloads/extrawork): 1 % more work where the process has THP
# disabled. The drift is a load on the same CPU whose share swings slowly. An answer is right if its
# 95 % interval excludes no difference on the right side (hyperfine prints none: Welch's t of its
# samples stands for it), wrong if on the other side. Runs are doubled until 16 of 20 answers are right.
set -eu

thpctl=$1
extrawork=$2
trials=${3:-20}
command -v hyperfine >/dev/null || { echo "drift: hyperfine is not installed" >&2; exit 1; }

exec python3 - "$thpctl" "$extrawork" "$trials" <<'END'
import json, math, os, signal, statistics, subprocess, sys, tempfile, time

thpctl, extrawork, trials = sys.argv[1], sys.argv[2], int(sys.argv[3])
# On one CPU, as its load: else the drift would go to the other.
cpu = min(os.sched_getaffinity(0))
os.sched_setaffinity(0, {cpu})

def real_time(priority):
    """As root: what else runs on this machine counts for nothing, the drift is the load's alone."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))
    except PermissionError:
        print("drift: not root: other programs on this machine disturb both")

work = [extrawork, "--size", "4000", "--iterations", "1", "--threads", "1",
        "--extra", "1", "--when", "thp-off"]

def load():
    """Takes from 0 to a third of the CPU, up and down within 16 s, in slices below 1 ms."""
    pid = os.fork()
    if pid:
        return pid
    real_time(11)
    while True:
        share = (1 - math.cos(time.monotonic() * 2 * math.pi / 16)) / 2 / 3
        end = time.monotonic() + 0.0009 * share * 2
        while time.monotonic() < end:
            pass
        time.sleep(0.0009)

def interleaved(runs):
    out = subprocess.run([thpctl, "compare", "-q", "--json", "-m", "never,default", "-n", str(runs),
                          "--"] + work, stdout=subprocess.PIPE, check=True)
    verdict = json.loads(out.stdout)["programs"][0]["comparisons"][0]["verdict"]
    return {"slower": 1, "faster": -1}.get(verdict, 0)

def grouped(runs):
    with tempfile.NamedTemporaryFile() as file:
        subprocess.run(["hyperfine", "-N", "-w", "1", "-r", str(runs), "--style", "none",
                        "--export-json", file.name] +
                       [" ".join([thpctl, "run", mode, "--"] + work) for mode in
                        ("never", "default")], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        off, on = [r["times"] for r in json.load(file)["results"]]
    va, vb = statistics.variance(off) / runs, statistics.variance(on) / runs
    freedom = (va + vb) ** 2 / ((va ** 2 + vb ** 2) / (runs - 1))
    z = 1.959964
    t = z + (z ** 3 + z) / (4 * freedom) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2)
    difference = statistics.mean(off) - statistics.mean(on)
    if abs(difference) <= t * math.sqrt(va + vb):
        return 0
    return 1 if difference > 0 else -1

child = load()
real_time(10)
try:
    print("1 %% effect under drift, %d trials each: right / wrong / no answer" % trials)
    print("%5s  %-20s %-20s" % ("runs", "thpctl compare", "hyperfine"))
    needed = {}
    for runs in (20, 40, 80, 160, 320, 640):
        row = []
        for way in (interleaved, grouped):
            if way in needed:
                row.append("")
                continue
            answers = [way(runs) for _ in range(trials)]
            row.append("%d / %d / %d" % (answers.count(1), answers.count(-1), answers.count(0)))
            if answers.count(1) >= 0.8 * trials:
                needed[way] = runs
        print("%5d  %-20s %-20s" % (runs, *row), flush=True)
    print("runs of each mode for 80 %% right answers: thpctl compare %s, hyperfine %s" %
          tuple(needed.get(way, "more than 640") for way in (interleaved, grouped)))
finally:
    os.kill(child, signal.SIGKILL)
    os.wait()
END
