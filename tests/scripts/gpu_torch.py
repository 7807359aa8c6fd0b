#!/usr/bin/env python3
"""The same work by bench and by PyTorch on one GPU, one problem after the other, and the ratio of the two.

    gpu_torch.py BENCH FOLDER [SECONDS]    (1 for each case)

BENCH is the program; its journals and the table (torch.csv) go to FOLDER. Both are timed by the host's clock from the
call to the end of the wait, and the median counts. A ratio above 1: bench is faster. In f32 PyTorch multiplies real
float32, without TF32. BENCH_TORCH_DEVICE=cpu and BENCH_TORCH_SMALL=1 are for a test of this program.
Exit status 77 if PyTorch or its GPU is missing."""

import csv
import io
import os
import statistics
import subprocess
import sys
import time

DEVICE = os.environ.get("BENCH_TORCH_DEVICE", "cuda")
SMALL = bool(os.environ.get("BENCH_TORCH_SMALL"))
CONV = [(32, 64, 56, 56, 64, 3, 1, 1), (128, 3, 256, 256, 256, 5, 2, 2)]


def timed(torch, run, seconds):
    """Median seconds of a run and its wait, after three discarded runs."""
    def once():
        run()
        if DEVICE != "cpu":
            torch.cuda.synchronize()
    for _ in range(3):
        once()
    taken, start = [], time.perf_counter()
    while len(taken) < 5 or time.perf_counter() - start < seconds:
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
    """Workload, shape in the notation of bench, element types, and a function that makes the operators. The first size
    of each workload comes before all second sizes: time may end."""
    lengths = (1000, 3000) if SMALL else (40_000_000, 160_000_000)
    sides = (64, 96) if SMALL else (4096, 8192)
    layers = [(1, 3, 13, 11, 8, 3, 1, 1)] if SMALL else CONV
    for i in range(2):
        shape = f"m={sides[i]},n={sides[i]},k={sides[i]}"
        yield "matmul", shape, ["f16", "f32", "tf32", "bf16", "f64"], lambda t, kind, n=sides[i]: matmul(t, kind, n)
        for dims in layers[i:i + 1]:
            n, c, h, w, k, size, stride, pad = dims
            shape = f"n={n},c={c},h={h},w={w},k={k},r={size},s={size},stride={stride},pad={pad}"
            yield "conv", shape, ["f16", "f32", "tf32", "bf16"], lambda t, kind, dims=dims: conv(t, kind, *dims)
        yield "multiply", f"n={lengths[i]}", ["f32", "f16", "f64"], lambda t, kind, n=lengths[i]: multiply(t, kind, n)


def ours(bench, folder, workload, shape, kind):
    """Method and seconds of the fastest row of bench that succeeded; None if there is none."""
    device = "cuda:0" if DEVICE == "cuda" else DEVICE
    journal = os.path.join(folder, f"torch-{time.time_ns()}.jsonl")
    done = subprocess.run([bench, "run", "--device", device, "--baseline", "none", "--workload", workload, "--size",
                           shape, "--dtype", kind, "--method", "all", "--budget", "1s", "--no-ceilings", "--format",
                           "csv", "--journal", journal], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          check=False)
    rows = [row for row in csv.DictReader(io.StringIO(done.stdout)) if row["status"] == "ok" and row["headline_s"]]
    return min(((float(row["headline_s"]), row["method"]) for row in rows), default=(None, "none"))


def theirs(torch, kind, make, seconds):
    """Each operator of PyTorch and its seconds; None and the reason if it fails."""
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = kind == "tf32"
    types = {"f32": torch.float32, "tf32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16,
             "f64": torch.float64}
    try:
        for name, run in make(torch, types[kind]):
            yield name, timed(torch, run, seconds), ""
    except RuntimeError as error:  # the other cases go on
        yield "none", None, str(error).splitlines()[0]


def main():
    bench, folder = sys.argv[1:3]
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 0.01 if SMALL else 1
    try:
        import torch
    except ImportError:
        print("no PyTorch", file=sys.stderr)
        sys.exit(77)
    if DEVICE == "cuda" and not torch.cuda.is_available():
        print("PyTorch finds no GPU", file=sys.stderr)
        sys.exit(77)
    torch.backends.cudnn.benchmark = True
    with open(os.path.join(folder, "torch.csv"), "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow("workload dtype shape method bench_s operator torch_s torch_over_bench note".split())
        for workload, shape, kinds, make in cases():
            for kind in kinds:
                if DEVICE == "cuda":
                    torch.cuda.empty_cache()  # what it keeps for its next operands is memory that bench may need
                mine, method = ours(bench, folder, workload, shape, kind)
                for operator, other, note in theirs(torch, kind, make, seconds):
                    ratio = f"{other / mine:.3f}" if mine and other else ""
                    table.writerow([workload, kind, shape, method, mine, operator, other, ratio, note])
                    file.flush()
                    print(f"{workload:8} {kind:4} {shape:60} {method:22} {operator:18} {ratio or '-':>6} {note}",
                          flush=True)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:  # the time is over; the table has what was measured
        sys.exit(130)
