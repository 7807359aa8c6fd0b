#!/usr/bin/python3
"""The strongest methods on the CPU against PyTorch's operators, both with as many threads.

    bench_torch.py SLICES [SECONDS]    (60 for each case)

SLICES is the program of that name. Operator and method take turns in short slices, and a ratio compares a slice of the
method with the operator's slices before and after it, so that what the machine does meanwhile happens to both. It
prints medians and, in brackets, the middle half of rounds, and asserts nothing. Exit status 77 where PyTorch is missing."""

import os
import statistics
import subprocess
import sys
import time

SLICE = 0.3


def run_for(operator, seconds):
    """Median seconds of a run, the first one discarded."""
    operator()
    taken = []
    last = start = time.perf_counter()
    while not taken or last - start < seconds:
        operator()
        now = time.perf_counter()
        taken.append(now - last)
        last = now
    return statistics.median(taken)


def matmul(torch, m, n, k):
    a, b, c = torch.rand(m, k), torch.rand(k, n), torch.empty(m, n)
    yield "mm into a preallocated matrix", lambda: torch.mm(a, b, out=c)


def conv(torch, n, c, h, w, k, r, s, stride, pad):
    """The operator allocates its output at each call, as users of it do."""
    image, filters = torch.rand(n, c, h, w), torch.rand(k, c, r, s)

    def operator(image, filters):
        return lambda: torch.nn.functional.conv2d(image, filters, stride=stride, padding=pad)

    yield "conv2d, NCHW", operator(image, filters)
    yield "conv2d, channels last", operator(
        image.to(memory_format=torch.channels_last), filters.to(memory_format=torch.channels_last)
    )
    yield "conv2d, oneDNN tensors", operator(image.to_mkldnn(), filters.to_mkldnn())


SQUARE = {"m": 2048, "n": 2048, "k": 2048}
LAYER = {"n": 32, "c": 64, "h": 56, "w": 56, "k": 64, "r": 3, "s": 3, "stride": 1, "pad": 1}
LARGE = {"n": 128, "c": 3, "h": 256, "w": 256, "k": 256, "r": 5, "s": 5, "stride": 2, "pad": 2}
CASES = [
    ("matmul", "onednn", matmul, SQUARE),
    ("matmul", "openblas", matmul, SQUARE),
    ("conv", "onednn", conv, LAYER),
    ("conv", "onednn-winograd", conv, LAYER),
    ("conv", "onednn", conv, LARGE),
]


def compare(slices, operator, seconds):
    """Ratios of speed, one a round: the method on operands in its own layout, and bringing them there and back."""
    resident, whole = [], []
    start = time.perf_counter()
    before = run_for(operator, SLICE)
    while len(resident) < 2 or time.perf_counter() - start < seconds:
        slices.stdin.write(f"{SLICE / 2}\n")
        slices.stdin.flush()
        answer = slices.stdout.readline().split()
        if len(answer) != 2:
            raise RuntimeError("the method stopped running")
        after = run_for(operator, SLICE)
        resident.append((before + after) / 2 / float(answer[0]))
        whole.append((before + after) / 2 / float(answer[1]))
        before = after
    return resident, whole


def spread(ratios):
    if len(ratios) < 3:
        return " and ".join(f"{ratio:.2f}" for ratio in ratios)
    low, median, high = statistics.quantiles(ratios, n=4)
    return f"{median:.2f} [{low:.2f}, {high:.2f}]"


def measure(torch, program, case, seconds):
    workload, method, operators, dims = case
    shape = ",".join(f"{name}={value}" for name, value in dims.items())
    with subprocess.Popen(
        [program, workload, method, shape], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as slices:
        detail = slices.stdout.readline().strip()
        print(f"{workload} {method} {shape}\n    {detail or 'left out: see above'}", flush=True)
        if not detail:
            return
        for name, operator in operators(torch, **dims):
            resident, whole = compare(slices, operator, seconds)
            print(f"    {spread(resident)} times {name}; {spread(whole)} with repacking, {len(whole)} rounds", flush=True)
        slices.stdin.close()


def main():
    try:
        import torch
    except ImportError as missing:
        print(f"SKIP: {missing}: PyTorch is not installed (Debian: python3-torch)")
        return 77
    if len(sys.argv) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    threads = int(os.environ.get("OMP_NUM_THREADS") or len(os.sched_getaffinity(0)))
    os.environ["OMP_NUM_THREADS"] = str(threads)
    torch.set_num_threads(threads)
    print(f"PyTorch {torch.__version__}, {threads} threads", flush=True)
    with torch.no_grad():
        for case in CASES:
            measure(torch, sys.argv[1], case, float(sys.argv[2]) if len(sys.argv) > 2 else 60)
    return 0


if __name__ == "__main__":
    sys.exit(main())
