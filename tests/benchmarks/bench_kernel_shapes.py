#!/usr/bin/env python3
"""How fast each kernel shape is: of the portable methods on OpenCL devices, and beside them plain C, over the best direct
method of oneDNN, packing included. Workers take slices in turn, so that what the machine does meanwhile happens to all; a
ratio is the median over the rounds of the ratios within a round. The ratio of processor times is for machines on which
other programs run. It prints, and asserts nothing.

usage: bench_kernel_shapes.py BENCH [ROUNDS [PART...]]    only problems whose "workload shape" holds one of the parts"""

import json
import os
import statistics
import subprocess
import sys

MATMUL = [f"matmul m={n},n={n},k={n}" for n in (1024, 2048, 4096)] + ["matmul m=1000,n=1001,k=1003"]
CONV = [f"conv n={n},c=64,h=56,w=56,k=64,r=3,s=3,stride=1,pad=1" for n in (8, 32)]
MULTIPLY = ["multiply n=40000000", "multiply n=100000"]
METHODS = {"matmul": ["onednn", "onednn-gemm", "native"], "conv": ["onednn", "native"], "multiply": ["native"]}
SLICE_NS = 60_000_000


class Worker:
    """One process of the program, with one method on one device."""

    def __init__(self, bench, device, problem, method):
        read, write = os.pipe()
        environment = os.environ | {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "5000", "OMP_PLACES": "cores",
                                    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
        # The program follows its parent, and answers on descriptor 3.
        self.process = subprocess.Popen(["bash", "-c", f"exec {bench} worker {os.getpid()} 3>&{write}"], text=True,
                                        stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        pass_fds=[write], env=environment)
        os.close(write)
        self.replies = os.fdopen(read)
        self.name, self.current = method, ""
        workload, shape = problem.split()
        first = self.ask(do="open", device=device, workload=workload, dtype="f32", shape=shape, method=method,
                         memory="pageable" if device["backend"] == "cpu" else "mapped", seed=1, threads=0, flush=0)
        self.failure = first.get("message", "")
        self.current = first.get("kernel_shape", "")
        self.kernel_shapes = first.get("kernel_shapes", [self.current])

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return json.loads(self.replies.readline() or '{"ok": false, "message": "the worker died"}')

    def choose(self, kernel_shape):
        if kernel_shape != self.current:
            reply = self.ask(do="kernel_shape", name=kernel_shape)
            if not reply["ok"]:
                return reply["message"]
            self.current = kernel_shape
        return ""

    def check(self, kernel_shape):
        """Why the kernel shape is not to be timed; empty: it is right."""
        return self.choose(kernel_shape) or self.ask(do="verify", **{"pass": "before"}).get("message", "")

    def seconds(self, kernel_shape):
        self.choose(kernel_shape)
        reply = self.ask(do="slice", series="resident", ns=SLICE_NS)
        runs = len(reply["wall_ns"]) + reply.get("discarded", 0)
        return statistics.median(reply["wall_ns"]) * 1e-9, reply["cpu_ns"] / runs * 1e-9

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def measure(bench, devices, problem, rounds):
    workers = [Worker(bench, device, problem, method) for device in devices
               for method in (METHODS[problem.split()[0]] if device["backend"] == "cpu" else ["portable"])]
    contenders = []
    for worker in workers:
        for kernel_shape in worker.kernel_shapes:
            why = worker.failure or worker.check(kernel_shape)
            if why:
                print(f"    {worker.name} {kernel_shape}: {why}")
            else:
                contenders.append((worker, kernel_shape))
    times = [[worker.seconds(kernel_shape) for worker, kernel_shape in contenders] for _ in range(rounds)]
    for worker in workers:
        worker.close()
    medians = [statistics.median(wall for wall, _ in column) for column in zip(*times)]
    rivals = [i for i, (worker, _) in enumerate(contenders) if worker.name.startswith("onednn")] or [0]
    best = min(rivals, key=lambda i: medians[i])
    for i, (worker, kernel_shape) in enumerate(contenders):
        ratios = sorted(row[best][0] / row[i][0] for row in times)
        processor = statistics.median(row[best][1] / row[i][1] for row in times)
        print(f"    {statistics.median(ratios):6.3f} [{ratios[len(ratios) // 4]:.3f}, {ratios[len(ratios) * 3 // 4]:.3f}]"
              f" {processor:6.3f} of processor time {medians[i] * 1e3:9.3f} ms  {worker.name} {kernel_shape}{'  = 1' if i == best else ''}")
    sys.stdout.flush()


def main():
    bench, parts = sys.argv[1], sys.argv[3:]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 12
    listed = subprocess.run([bench, "devices", "--device", "cpu,opencl", "--format", "json"], capture_output=True,
                            check=True, text=True)
    devices = json.loads(listed.stdout)["devices"]
    for problem in MATMUL + CONV + MULTIPLY:
        if not parts or any(part in problem for part in parts):
            print(problem + ", speed over oneDNN's best [half of the rounds]")
            measure(bench, devices, problem, rounds)


main()
