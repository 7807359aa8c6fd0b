#!/usr/bin/env python3
"""The same work in PyTorch, timed as bench times it, and the ratio of the two.

    gpu_torch.py BENCH RESULTS TABLE    RESULTS has folders with journals of BENCH; TABLE is a CSV file to write

A time is the median of the host's clock from the call to the end of the wait, after three discarded runs. A ratio above
1: the fastest row of bench is faster. In f32 PyTorch multiplies real float32, without TF32. BENCH_TORCH_DEVICE=cpu and
BENCH_TORCH_SMALL=1 are for a test of this program. Exit status 77 if PyTorch or its GPU is missing."""

import csv
import glob
import io
import os
import statistics
import subprocess
import sys
import time

DEVICE = os.environ.get("BENCH_TORCH_DEVICE", "cuda")
SMALL = bool(os.environ.get("BENCH_TORCH_SMALL"))
CONV = [(32, 64, 56, 56, 64, 3, 1, 1), (128, 3, 256, 256, 256, 5, 2, 2)]


def timed(torch, run):
    """Median seconds of a run and its wait."""
    def once():
        run()
        if DEVICE != "cpu":
            torch.cuda.synchronize()
    for _ in range(3):
        once()
    taken, start = [], time.perf_counter()
    while len(taken) < 5 or (time.perf_counter() - start < (0.01 if SMALL else 0.6) and len(taken) < 2000):
        before = time.perf_counter()
        once()
        taken.append(time.perf_counter() - before)
    return statistics.median(taken)


def multiply(torch, kind, n):
    a, b = (torch.rand(n, device=DEVICE).to(kind) for _ in range(2))
    c = torch.empty_like(a)
    yield "torch.mul(out=)", lambda: torch.mul(a, b, out=c)
    yield "a * b", lambda: a * b


def matmul(torch, kind, n):
    a, b = ((torch.rand(n, n, device=DEVICE) - 0.5).to(kind) for _ in range(2))
    c = torch.empty_like(a)
    yield "torch.mm(out=)", lambda: torch.mm(a, b, out=c)


def conv(torch, kind, n, c, h, w, k, size, stride, pad):
    image = (torch.rand(n, c, h, w, device=DEVICE) - 0.5).to(kind)
    filters = (torch.rand(k, c, size, size, device=DEVICE) - 0.5).to(kind)
    for name, form in (("conv2d, NCHW", torch.contiguous_format), ("conv2d, NHWC", torch.channels_last)):
        x, y = image.contiguous(memory_format=form), filters.contiguous(memory_format=form)
        yield name, lambda x=x, y=y: torch.nn.functional.conv2d(x, y, stride=stride, padding=pad)


def cases():
    """Workload, shape in the notation of bench, element types, and a function that makes the operators. What matters
    most comes first: time may end."""
    for n in (64, 96) if SMALL else (4096, 8192, 2048, 1024):
        yield ("matmul", f"m={n},n={n},k={n}", ["bf16", "f16", "tf32", "f32", "f64"],
               lambda t, kind, n=n: matmul(t, kind, n))
    for n, c, h, w, k, size, stride, pad in [(1, 3, 13, 11, 8, 3, 1, 1)] if SMALL else CONV:
        yield ("conv", f"n={n},c={c},h={h},w={w},k={k},r={size},s={size},stride={stride},pad={pad}",
               ["bf16", "f16", "tf32", "f32"],
               lambda t, kind, dims=(n, c, h, w, k, size, stride, pad): conv(t, kind, *dims))
    for n in (1000, 3000) if SMALL else (40_000_000, 80_000_000):
        yield "multiply", f"n={n}", ["f32", "f16", "f64"], lambda t, kind, n=n: multiply(t, kind, n)


def ours(bench, results):
    """The fastest row of bench that succeeded: (seconds, method) of each workload, shape and type."""
    best = {}
    for journal in glob.glob(os.path.join(results, "*", "*.jsonl")):
        done = subprocess.run([bench, "report", journal, "--format", "csv"], stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.DEVNULL, check=False)
        for row in csv.DictReader(io.StringIO(done.stdout)):
            if row["device"] == "cuda:0" and row["status"] == "ok" and row["headline_s"]:
                key = row["workload"], row["shape"], row["dtype"]
                best[key] = min(best.get(key, (float("inf"), "")), (float(row["headline_s"]), row["method"]))
    return best


def theirs(torch, kind, make):
    """Each operator of PyTorch and its seconds; None and the reason if it fails."""
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = kind == "tf32"
    types = {"f32": torch.float32, "tf32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16,
             "f64": torch.float64}
    try:
        for name, run in make(torch, types[kind]):
            yield name, timed(torch, run), ""
    except RuntimeError as error:  # the other cases go on
        yield "none", None, str(error).splitlines()[0]


def main():
    bench, results, path = sys.argv[1:4]
    try:
        import torch
    except ImportError:
        print("no PyTorch", file=sys.stderr)
        sys.exit(77)
    if DEVICE == "cuda" and not torch.cuda.is_available():
        print("PyTorch finds no GPU", file=sys.stderr)
        sys.exit(77)
    torch.backends.cudnn.benchmark = True
    best = ours(bench, results)
    with open(path, "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow("workload dtype shape method bench_s operator torch_s torch_over_bench note".split())
        for workload, shape, kinds, make in cases():
            for kind in kinds:
                mine, method = best.get((workload, shape, kind), (None, "none"))
                for operator, other, note in theirs(torch, kind, make):
                    ratio = f"{other / mine:.3f}" if mine and other else ""
                    table.writerow([workload, kind, shape, method, mine, operator, other, ratio, note])
                    file.flush()
                    print(f"{workload:8} {kind:4} {shape:60} {method:22} {operator:18} {ratio or '-':>6} {note}",
                          flush=True)


if __name__ == "__main__":
    main()
