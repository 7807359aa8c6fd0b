#!/usr/bin/env python3
"""How far the intervals of speed-ups hold on this machine: whole runs with nothing changed.

    bench_coverage.py BENCH... [--runs 20] [--suite quick] [--device all]

Each run is a process of its own; several programs take turns, each with caches of its own and one run before those that
count. Prints for each ratio its median over the runs, how it varied from run to run (coefficient of variation), how many
intervals contain that median, and half of their mean width; then the share of all intervals that do, and the mean
seconds of a run. With two programs, also the geometric mean of the variations of the second over the first. An interval
is one of the run: what differs from run to run, such as where memory lies, is in none, so fewer than 95 % may hold.
"""
import argparse
import csv
import math
import os
import statistics
import subprocess
import tempfile
import time

USES = ("resident", "copied")


def run(bench, options, folder, number):
    """Seconds of one run, and its ratios with their intervals."""
    journal = os.path.join(folder, f"{number}.jsonl")
    environment = dict(os.environ, XDG_CACHE_HOME=folder, POCL_CACHE_DIR=os.path.join(folder, "pocl"))
    begin = time.monotonic()
    subprocess.run([bench, "run", "--suite", options.suite, "--device", options.device, "--quiet", "--journal", journal],
                   env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    seconds = time.monotonic() - begin
    table = subprocess.run([bench, "report", journal, "-f", "csv"], capture_output=True, text=True, check=True).stdout
    ratios = {}
    for row in csv.DictReader(table.splitlines()):
        for use in USES:
            ratio, low, high = (float(row[f"speedup_{use}_{part}"] or "nan") for part in ("ratio", "low", "high"))
            if low == low:
                ratios[row["workload"], row["shape"], row["device"], row["memory"], use] = (ratio, low, high)
    return seconds, ratios


def variation(values):
    return statistics.stdev(values) / statistics.mean(values)


def summary(runs):
    """Prints the figures of one program; its variation by ratio."""
    varied, held, told = {}, 0, 0
    for key in sorted({key for _, ratios in runs for key in ratios}):
        found = [ratios[key] for _, ratios in runs if key in ratios]
        if len(found) < 3:
            continue
        median = statistics.median(ratio for ratio, _, _ in found)
        inside = sum(low <= median <= high for _, low, high in found)
        width = statistics.mean((high - low) / 2 / ratio for ratio, low, high in found)
        varied[key] = variation([ratio for ratio, _, _ in found])
        held, told = held + inside, told + len(found)
        print("    %-10s %-28.28s %-10s %-12s %-9s %8.3f  varies %4.1f %%  %2d of %2d hold it  +-%4.1f %%" %
              (*key, median, 100 * varied[key], inside, len(found), 100 * width))
    print("    %d of %d intervals hold the median (%.0f %%); %.1f s a run" %
          (held, told, 100 * held / max(told, 1), statistics.mean(seconds for seconds, _ in runs)))
    return varied


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bench", nargs="+")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--suite", default="quick")
    parser.add_argument("--device", default="all")
    options = parser.parse_args()
    runs = [[] for _ in options.bench]
    with tempfile.TemporaryDirectory() as top:
        folders = [os.path.join(top, str(i)) for i in range(len(runs))]
        for number in range(options.runs + 1):
            for bench, folder, taken in zip(options.bench, folders, runs):
                os.makedirs(folder, exist_ok=True)
                one = run(bench, options, folder, number)
                taken.extend([one] if number > 0 else [])
    varied = []
    for bench, taken in zip(options.bench, runs):
        print(bench)
        varied.append(summary(taken))
    if len(varied) == 2:
        both = [math.log(varied[1][key] / varied[0][key]) for key in varied[0] if varied[1].get(key)]
        print("variation, second over first: %.2f (geometric mean of %d)" % (math.exp(statistics.mean(both)), len(both)))


if __name__ == "__main__":
    main()
