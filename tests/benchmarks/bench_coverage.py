#!/usr/bin/env python3
"""How many of the intervals of speed-ups hold on this machine, and how speed-ups vary from run to run.

    bench_coverage.py [--suite standard] [--runs 12] [--raw FILE] BENCH [OTHER_BENCH]
    bench_coverage.py --from FILE... [--report-by BENCH]

Runs the programs in turn, nothing changed between runs: each with caches of its own, and one run that does not count.
Each run is appended to the raw file as a line of JSON, so that the measurement may be interrupted at any time. --from
prints the tables of raw files, or of journals (read by the program of --report-by; those of one folder are one tree).

For each figure: its median over the runs, the standard deviation of its logarithm, the share of intervals that contain
that median, half of their width (median), and how many pairs of methods were chosen. In total for each tree, and for two
trees the geometric mean of the second's variation over the first's.
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time

USES = ("resident", "copied")
FEWEST = 3  # runs of a figure that is shown


def figures_of(bench, journal):
    """The figures of a run by their name: value, low, high, methods."""
    text = subprocess.run([bench, "report", "-f", "json", journal], capture_output=True, text=True, check=True).stdout
    found = {}
    for block in json.loads(text)["runs"][0]["blocks"]:
        methods = {cell["key"]: cell["method"] for cell in block["cells"]}
        for cell in block["cells"]:
            for use in USES:
                ratio = cell["speedup_" + use]
                if ratio["low"] is not None:
                    pair = "%s over %s" % (cell["method"], methods.get(cell["baseline"]))
                    name = "%s %s %s %s" % (block["name"], cell["device"], cell["memory"], use)
                    found[name] = (ratio["value"], ratio["low"], ratio["high"], pair)
    return found


def run(bench, options, folder):
    """A run with its figures, as it is written to the raw file."""
    journal = os.path.join(folder, "run.jsonl")
    environment = dict(os.environ, XDG_CACHE_HOME=folder, POCL_CACHE_DIR=os.path.join(folder, "pocl"))
    begin = time.monotonic()
    subprocess.run([bench, "run", "--suite", options.suite, "--device", "all", "--quiet", "--journal", journal],
                   env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    seconds = time.monotonic() - begin
    taken = {"tree": bench, "suite": options.suite, "seconds": seconds, "figures": figures_of(bench, journal)}
    os.remove(journal)
    return taken


def measure(options):
    """Runs the programs in turn; what was measured until then is returned if the user stops it."""
    runs = []
    try:
        with tempfile.TemporaryDirectory() as top, open(options.raw, "a", encoding="utf-8") as raw:
            for number in range(options.runs + 1):
                for i, bench in enumerate(options.bench):
                    folder = os.path.join(top, str(i))
                    os.makedirs(folder, exist_ok=True)
                    one = run(bench, options, folder)
                    if number > 0:
                        runs.append(one)
                        raw.write(json.dumps(one) + "\n")
                        raw.flush()
                    print("run %d of %d, %s: %.0f s" % (number, options.runs, bench, one["seconds"]), file=sys.stderr)
    except KeyboardInterrupt:
        print("interrupted after %d runs; they are in %s" % (len(runs), options.raw), file=sys.stderr)
    return runs


def read(path, report_by):
    """The runs of a raw file, or the run of a journal."""
    with open(path, encoding="utf-8") as file:
        first = json.loads(file.readline())
        if "figures" in first:
            return [first] + [json.loads(line) for line in file]
    if not report_by:
        sys.exit(f"{path}: a journal is read by a program: add --report-by BENCH")
    tree = os.path.dirname(path) or "."
    return [{"tree": tree, "seconds": math.nan, "figures": figures_of(report_by, path)}]


def show(tree, runs):
    """Prints the figures of one tree. Returns the variation of each."""
    print(tree)
    print("    %-66s %9s %8s %7s %7s  %s" % ("figure", "median", "varies", "hold", "+-", "methods"))
    varied, held, told, widths = {}, 0, 0, []
    for name in sorted({name for one in runs for name in one["figures"]}):
        found = [one["figures"][name] for one in runs if name in one["figures"]]
        if len(found) < FEWEST:
            continue
        median = statistics.median(value for value, _, _, _ in found)
        inside = sum(low <= median <= high for _, low, high, _ in found)
        half = [(high - low) / 2 / value for value, low, high, _ in found]
        varied[name] = statistics.stdev(math.log(value) for value, _, _, _ in found)
        held, told, widths = held + inside, told + len(found), widths + half
        print("    %-66s %9.3f %6.2f %% %3d/%-3d %5.1f %%  %d" %
              (name[-66:], median, 100 * varied[name], inside, len(found), 100 * statistics.median(half),
               len({pair for _, _, _, pair in found})))
    if told:
        print("    %d of %d intervals hold the median (%.0f %%), half width %.1f %%, variation %.2f %% (geometric mean), "
              "%.0f s a run\n" %
              (held, told, 100 * held / told, 100 * statistics.median(widths), 100 * mean_of(varied.values()),
               statistics.mean(one["seconds"] for one in runs)))
    else:
        print("    no figure has %d runs\n" % FEWEST)
    return varied


def mean_of(values):
    """The geometric mean of those that are above 0."""
    logs = [math.log(value) for value in values if value > 0]
    return math.exp(statistics.mean(logs)) if logs else math.nan


def main():
    """Measures or reads, then prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", nargs="*", help="a program, and another one to run in turn")
    parser.add_argument("--suite", default="quick", choices=("quick", "standard"))
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--raw", default="coverage.jsonl", help="the file that runs are appended to")
    parser.add_argument("--from", dest="files", nargs="+", metavar="FILE", help="raw files or journals, not measured")
    parser.add_argument("--report-by", metavar="BENCH", help="the program that reads journals")
    options = parser.parse_args()
    if bool(options.files) == bool(options.bench) or len(options.bench) > 2:
        parser.error("one or two programs, or --from with files")
    runs = [one for path in options.files for one in read(path, options.report_by)] if options.files else measure(options)
    trees = list(dict.fromkeys(one["tree"] for one in runs))
    varied = [show(tree, [one for one in runs if one["tree"] == tree]) for tree in trees]
    if len(varied) == 2:
        both = [varied[1][name] / varied[0][name] for name in varied[0] if varied[0][name] > 0 and name in varied[1]]
        print("variation, second over first: %.2f (geometric mean of %d)" % (mean_of(both), len(both)))


if __name__ == "__main__":
    main()
