#!/usr/bin/env python3
"""How long a run takes, and what its time goes to: quick and standard, the first time and again.

    bench_run.py BENCH [--runs 3] [--suites quick,standard] [--device all]

Each run is a process of its own; "first" has an empty cache of what earlier runs found, and empty caches of drivers.
Prints the median, the least and the greatest of the wall clock and of the time to the first row, the share of samples
that enter figures, and the seconds of each step by block, from the journals. Nothing else may run meanwhile.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time

STEPS = ("opening", "filling", "choosing", "verifying", "measuring", "closing")


def run(bench, suite, device, folder, number):
    """One run: seconds to its end and to its first row, and the lines of its journal."""
    journal = os.path.join(folder, f"{suite}-{number}.jsonl")
    environment = dict(os.environ, XDG_CACHE_HOME=folder, POCL_CACHE_DIR=os.path.join(folder, "pocl"))
    begin = time.monotonic()
    first = None
    command = [bench, "run", "--suite", suite, "--device", device, "--journal", journal]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment) as it:
        for line in it.stderr:
            if line.startswith("[") and first is None:
                first = time.monotonic() - begin
    with open(journal, encoding="utf-8") as lines:
        return time.monotonic() - begin, first or float("nan"), [json.loads(line) for line in lines]


def samples(lines):
    """Seconds of the samples that enter figures."""
    return sum(sum(line.get("wall_ns") or []) for line in lines if line["line"] == "slice") / 1e9


def print_steps(lines):
    print("    %-44s %s      all" % ("seconds", " ".join("%9s" % step for step in STEPS)))
    for line in lines:
        if line["line"] == "spent":
            spent = [(line.get(step + "_ns") or 0) / 1e9 for step in STEPS]
            print("    %-44s %s %8.1f" % (line["block"][:44], " ".join("%9.1f" % x for x in spent), sum(spent)))


def spread(values):
    return "%.1f s (%.1f to %.1f)" % (statistics.median(values), min(values), max(values))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bench")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--suites", default="quick,standard")
    parser.add_argument("--device", default="all")
    options = parser.parse_args()
    for suite in options.suites.split(","):
        taken = {"first": [], "again": []}
        for _ in range(options.runs):
            with tempfile.TemporaryDirectory() as folder:
                for number, which in enumerate(taken):
                    taken[which].append(run(options.bench, suite, options.device, folder, number))
        for which, runs in taken.items():
            share = statistics.median(100 * samples(lines) / wall for wall, _, lines in runs)
            print(f"{suite}, {which}: wall {spread([r[0] for r in runs])}, first row {spread([r[1] for r in runs])}, "
                  f"{share:.0f} % of it samples that enter figures")
            print_steps(sorted(runs, key=lambda r: r[0])[len(runs) // 2][2])


if __name__ == "__main__":
    main()
