#!/usr/bin/env python3
"""Whether a fresh process draws another speed, by luck of where its memory lies: that would be a reason to measure a row in
several. The rows are those of a short run; each is opened in some processes at once, and these take slices in turn, in
another order in each round, so that what the machine does meanwhile happens to all. A process is as slow as the median of
its times relative to the mean of all in each round. Luck is what a process has in the first half of the rounds and in the
second: its variance is the covariance of the two halves. It prints, and asserts nothing.

usage: bench_processes.py BENCH [PROCESSES [ROUNDS [OPTION-OF-RUN...]]]"""

import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile

SLICE_NS = 40_000_000


class Worker:
    """A process with one row, opened, verified and warm."""

    def __init__(self, bench, request, environment):
        read, write = os.pipe()
        # The program follows its parent, and answers on descriptor 3.
        self.process = subprocess.Popen(["bash", "-c", f'exec "$0" worker {os.getpid()} 3>&{write}', bench], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        pass_fds=[write], env=os.environ | environment)
        os.close(write)
        self.replies = os.fdopen(read)
        self.ask(**request)
        self.ask(do="verify", **{"pass": "before"})

    def ask(self, **request):
        print(json.dumps(request), file=self.process.stdin, flush=True)
        reply = json.loads(self.replies.readline() or '{"message": "it died"}')
        if not reply.get("ok"):
            sys.exit(f"{request['do']}: {reply['message']}")
        return reply

    def log_time(self, series):
        return math.log(statistics.median(self.ask(do="slice", series=series, ns=SLICE_NS)["wall_ns"]))

    def end(self):
        self.process.stdin.close()
        self.process.wait()
        self.replies.close()


def rows_of(bench, options):
    """The name, the request to open it, and the environment of each row of a short run."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/run.jsonl"
        command = [bench, "run", "--suite", "quick", "--budget", "100ms", "--no-ceilings", "--quiet", *options]
        subprocess.run([*command, "--journal", path], check=True, stdout=subprocess.DEVNULL)
        lines = [json.loads(line) for line in open(path)]
    devices = {line["id"]: line for line in lines if line["line"] == "device"}
    cells = {line["key"]: line for line in lines if line["line"] == "cell"}
    for first in (line for line in lines if line["line"] == "first"):
        cell = cells[first["cell"]]
        request = {name: cell[name] for name in ("workload", "dtype", "shape", "method", "memory")}
        threads = int(first["environment"]["OMP_NUM_THREADS"]) if devices[cell["device"]]["works_in_host_memory"] else 0
        request |= {"do": "open", "device": devices[cell["device"]], "kernel_shape": first["kernel_shape"], "seed": 1,
                    "threads": threads, "flush": 0}
        yield f"{cell['workload']} {cell['method']} on {cell['device']}", request, first["environment"]


def relative_times(workers, series, rounds):
    """By worker: the log time of each round, less the mean of all workers in that round."""
    times = [[] for _ in workers]
    for _ in range(rounds):
        for number in random.sample(range(len(workers)), len(workers)):
            times[number].append(workers[number].log_time(series))
    means = [statistics.mean(of_round) for of_round in zip(*times)]
    return [[time - mean for time, mean in zip(of_worker, means)] for of_worker in times]


def report(name, series, times):
    medians = [statistics.median(of_worker) for of_worker in times]
    half = len(times[0]) // 2
    early, late = ([statistics.median(of_worker[part]) for of_worker in times] for part in (slice(half), slice(half, None)))
    luck = math.sqrt(max(0, statistics.covariance(early, late)))
    each = " ".join(f"{100 * median:+.1f}" for median in medians)
    print(f"{name}, {series}: each process {each} %; standard deviation {100 * statistics.stdev(medians):.2f} %, that of luck "
          f"{100 * luck:.2f} %", flush=True)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    bench = os.path.realpath(sys.argv[1])
    processes, rounds = (int(word) for word in (sys.argv[2:4] + ["5", "24"][len(sys.argv[2:4]):]))
    for name, request, environment in rows_of(bench, sys.argv[4:]):
        workers = [Worker(bench, request, environment) for _ in range(processes)]
        for series in ("resident", "copied"):
            for worker in workers:
                worker.ask(do="warmup", series=series)
            report(name, series, relative_times(workers, series, rounds))
        for worker in workers:
            worker.end()


main()
