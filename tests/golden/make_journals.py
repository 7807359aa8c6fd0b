#!/usr/bin/env python3
"""Writes the made-up journals of the brief report's goldens: made-NAME.jsonl beside this file. No machine gave these
figures: they are what one might give, so that the report of a machine which is not here can be looked at."""
import json
import os

SLICES = 14
CHECKS = [{"name": "exact", "checked": 1, "of": 1}]
HERE = os.path.dirname(os.path.abspath(__file__))


def host(name, cores):
    return {"name": name, "cores": cores, "threads": 2 * cores, "memory": 16e9, "worker_nodes": 1, "nodes": 1}


def device(id_, backend, name, class_, silicon, shares, driver="1.0"):
    return {"line": "device", "id": id_, "key": f"{backend}/{name}".replace(" ", "-"), "backend": backend,
            "source": "", "index": 0, "name": name, "vendor": "", "platform": "Portable Computing Language" if class_ == "CPU" and backend == "opencl" else "made up",
            "api_version": {"opencl": "OpenCL 3.0", "cuda": "CUDA 12.4"}.get(backend, "OpenMP 4.5"),
            "driver_version": driver, "class": class_, "silicon": silicon, "shares_host_memory": shares,
            "works_in_host_memory": backend == "cpu"}


class Journal:
    def __init__(self, name, suite, machine, cores, devices, version=4):
        """Of version 3: without visits."""
        self.version = version
        self.state = {}  # of the machine, before each cell
        self.lines = [{"line": "journal", "schema": f"bench-journal/{version}", "version": "0.2.0",
                       "started": "2026-11-22T20:14:00Z", "command": ["made", "up"], "seed": "1",
                       "options": {"suite": suite, "precision": 0.02}, "host": host(machine, cores), "libraries": {}}]
        self.lines += devices
        self.name = name

    def cell(self, problem, device_id, method, memory, baseline, **more):
        workload, shape, flops, moved = problem
        block = f"{workload}/f32/{shape}"
        key = f"{block}/{method}/{memory}@{device_id}"
        self.lines.append({"line": "cell", "key": key, "block": block, "device": device_id, "workload": workload,
                           "dtype": "f32", "shape": shape, "method": method, "memory": memory, "flops": flops,
                           "bytes": moved, "held": moved, "baseline": baseline or key, **more})
        self.lines.append({"line": "verify", "cell": key, "pass": "before", "checks": CHECKS})
        self.lines.append({"line": "state", "cell": key, "when": "before", **self.state})
        return key

    def series(self, key, name, seconds, spread, turn, phases=None, slices=SLICES):
        for i in range(slices):
            factor = 1 + spread * ((i * 5) % 7 - 3) / 3
            line = {"line": "slice", "cell": key, "series": name, "visit": i, "number": 4 * i + turn,
                    "wall_ns": [round(1e9 * factor * (seconds + sum((phases or {}).values())))]}
            if phases is not None:
                line["phases"] = {f"{phase}_ns": [round(1e9 * factor * part)] for phase, part in phases.items()}
                line["phases"]["compute_ns"] = [round(1e9 * factor * seconds)]
            self.lines.append(line)
        self.lines.append({"line": "series", "cell": key, "series": name, "stop": "precise"})

    def end_cell(self, key):
        self.lines.append({"line": "verify", "cell": key, "pass": "after", "checks": CHECKS})
        self.lines.append({"line": "outcome", "cell": key, "status": "ok"})

    def ceiling(self, device_id, flops, bandwidth, slices=SLICES):
        for kind, roof, amount, rate in (("fma", "flops", 2e9, flops), ("triad", "bandwidth", 512 * 2**20, bandwidth)):
            problem = ("peak", f"kind={kind},bytes=536870912", 2e9, 512.0 * 2**20)
            key = self.cell(problem, device_id, "portable", "pageable", "", ceiling=True, roof=roof)
            self.series(key, "resident", amount / rate, 0.003, 0, slices=slices)
            self.end_cell(key)

    def row(self, problem, cpu, gpus):
        """cpu: (method, seconds, repack seconds or 0); gpus: (id, method, memory, seconds, up, down, spread)"""
        method, seconds, repack = cpu
        base = self.cell(problem, "cpu", method, "pageable", None, fast_algorithm="winograd" in method)
        self.series(base, "resident", seconds, 0.004, 0)
        if repack:
            self.series(base, "copied", seconds, 0.004, 3, {"repack": repack})
        self.end_cell(base)
        for id_, method, memory, run, up, down, spread in gpus:
            key = self.cell(problem, id_, method, memory, base, **({"fast_algorithm": True} if "winograd" in method else {}))
            self.series(key, "resident", run, spread, 1)
            self.series(key, "copied", run, spread, 2, {"upload": up, "download": down})
            if run < 60e-6:  # partly a wait
                self.series(key, "queued", run - 5.1e-6, spread, 3)
            self.end_cell(key)

    def row_of_two(self, problem, cpu, gpu):
        """A cell for data that stay, and one of another method for data that move. cpu: (method, seconds) of either,
        then the seconds of repacking; gpu: id, memory, (method, seconds) of either, up, down"""
        keys = []
        base = {}
        sides = (("cpu", "pageable", *cpu[:2], {"repack": cpu[2]}),
                 (*gpu[:4], {"upload": gpu[4], "download": gpu[5]}))
        for turn, (id_, memory, stays, moves, phases) in enumerate(sides):
            for measures, (method, seconds), series in (("resident", stays, "resident"), ("copied", moves, "copied")):
                key = self.cell(problem, id_, method, memory, base.get("resident"), measures=measures,
                                baseline_copied=base.get("copied", ""))
                keys.append((key, measures))
                self.series(key, series, seconds, 0.004, 2 * turn + (series == "copied"),
                            phases if series == "copied" else None)
                self.end_cell(key)
            base = base or {measures: key for key, measures in keys}
        for line in self.lines:
            if line["line"] == "cell" and line.get("baseline_copied") == "":
                line.update(baseline=base["resident"], baseline_copied=base["copied"])

    def transfer(self, id_, memory, up, down, kept=None):
        """kept: of an upload of data that nothing has just written"""
        for direction, seconds in (("up", up), ("down", down)):
            problem = ("transfer", f"bytes=67108864,direction={direction}", 0.0, 67108864.0)
            key = self.cell(problem, id_, "-", memory, "")
            begin = len(self.lines)
            self.series(key, "copied", 0, 0.01, 0, {"upload" if direction == "up" else "download": seconds})
            for line in self.lines[begin:-1]:
                if kept and direction == "up":
                    line["kept_ns"] = round(1e9 * kept)
            self.end_cell(key)

    def launch(self, id_, one, queued, method="portable"):
        problem = ("launch", "n=1,count=1", 1.0, 12.0)
        key = self.cell(problem, id_, method, "mapped", "", roof="latency")
        self.series(key, "resident", one, 0.02, 0)
        self.series(key, "queued", queued, 0.02, 1)
        self.end_cell(key)

    def race(self, problem, id_, memory, methods, settled):
        """The first method is the one that is measured."""
        contenders = [{"method": method, "status": "ok", "end": "tied" if i else "measured", "rounds": 16,
                       "wall_ns": 1000000} for i, method in enumerate(methods)]
        self.lines.append({"line": "race", "block": f"{problem[0]}/f32/{problem[1]}", "device": id_, "memory": memory,
                           "for": "resident", "rounds": 16, "settled": settled, "contenders": contenders})

    def note(self, text):
        self.lines.append({"line": "note", "text": text})

    def write(self, seconds):
        slices = [line for line in self.lines if "visit" in line]
        visits = max(line["visit"] for line in slices) + 1
        for line in slices:
            line["at_ns"] = round(1e9 * seconds * (line["visit"] + 1) / (visits + 1))
            if self.version < 4:
                del line["visit"]
        self.lines.append({"line": "end", "status": "complete", "elapsed_ns": round(1e9 * seconds)})
        with open(os.path.join(HERE, f"made-{self.name}.jsonl"), "w", encoding="ascii") as out:
            for line in self.lines:
                out.write(json.dumps(line, separators=(",", ":")) + "\n")


def matmul(n):
    return ("matmul", f"m={n},n={n},k={n}", 2.0 * n**3, 12.0 * n * n)


def multiply(n):
    return ("multiply", f"n={n}", float(n), 12.0 * n)


def conv(batch):
    return ("conv", f"n={batch},c=64,h=56,w=56,k=64,r=3,s=3,stride=1,pad=1", 231211008.0 * batch, 1.6e6 * batch)


def uhd620():
    j = Journal("uhd620", "standard", "Intel(R) Core(TM) i5-8250U CPU @ 1.60GHz", 4, [
        device("cpu", "cpu", "Intel(R) Core(TM) i5-8250U CPU @ 1.60GHz", "CPU", "cpu", True),
        device("opencl:0", "opencl", "Intel(R) UHD Graphics 620", "iGPU", "pci 0000:00:02.0", True)])
    j.state = {"on_battery": True, "governor": "powersave"}
    j.ceiling("cpu", 361e9, 27.4e9)
    j.ceiling("opencl:0", 402e9, 27.0e9)
    gpu = ("opencl:0",)
    j.row(multiply(40000000), ("native", 17.8e-3, 0), [gpu + ("portable", "mapped", 18.1e-3, 1e-4, 1e-4, .004)])
    j.row(multiply(160000000), ("native", 71e-3, 0), [gpu + ("portable", "mapped", 72.4e-3, 1e-4, 1e-4, .004)])
    j.row(matmul(1024), ("onednn", 7.9e-3, 0), [gpu + ("clblast", "mapped", 10.2e-3, 1e-4, 1e-4, .006)])
    j.row(matmul(2048), ("openblas", 61.2e-3, 0), [gpu + ("clblast", "mapped", 74e-3, 2e-4, 1e-4, .006)])
    j.row(matmul(4096), ("openblas", 492e-3, 0), [gpu + ("clblast", "mapped", 540e-3, 2e-3, 1e-3, .03)])
    j.row(conv(8), ("onednn-winograd", 4.1e-3, 1.7e-3), [gpu + ("portable", "mapped", 9.6e-3, 1e-4, 1e-4, .006)])
    j.row(conv(32), ("onednn-winograd", 16e-3, 6.1e-3), [gpu + ("portable", "mapped", 38.1e-3, 1e-4, 1e-4, .006)])
    j.transfer("opencl:0", "pinned", 67108864 / 12.5e9, 67108864 / 11.1e9, 67108864 / 12.6e9)
    j.launch("opencl:0", 35e-6, 11e-6)
    j.write(171)


def h200():
    cards = [device(f"cuda:{i}", "cuda", "NVIDIA H200", "dGPU", f"pci 0000:{i + 1}9:00.0", False) for i in range(2)]
    j = Journal("h200", "standard", "Intel(R) Xeon(R) Platinum 8480C", 16,
                [device("cpu", "cpu", "Intel(R) Xeon(R) Platinum 8480C", "CPU", "cpu", True)] + cards, version=3)
    j.ceiling("cpu", 1.5e12, 180e9)
    for card in cards:
        j.ceiling(card["id"], 52e12, 4.2e12)

    def both(method, run, up, down):
        return [(f"cuda:{i}", method, "pinned", run * (1 + .01 * i), up, down, .003) for i in range(2)]
    j.row(multiply(40000000), ("native", 2.9e-3, 0), both("portable", 0.119e-3, 6.1e-3, 3.1e-3))
    j.row(multiply(160000000), ("native", 11.6e-3, 0), both("portable", 0.47e-3, 24.3e-3, 12.2e-3))
    j.row(matmul(1024), ("onednn", 1.9e-3, 0), both("cublas", 0.052e-3, 0.17e-3, 0.09e-3))
    j.row(matmul(2048), ("onednn", 13.4e-3, 0), both("cublas", 0.37e-3, 0.65e-3, 0.32e-3))
    j.row(matmul(4096), ("onednn", 104e-3, 0), both("cublas", 2.72e-3, 2.6e-3, 1.3e-3))
    j.row(conv(8), ("onednn-winograd", 0.9e-3, 0.4e-3), both("cudnn", 0.09e-3, 0.13e-3, 0.13e-3))
    j.row(conv(32), ("onednn-winograd", 3.2e-3, 1.2e-3), both("cudnn", 0.21e-3, 0.5e-3, 0.5e-3))
    for card in cards:
        j.transfer(card["id"], "pinned", 67108864 / 40e9, 67108864 / 53e9, 67108864 / 55e9)
        j.launch(card["id"], 7.2e-6, 2.1e-6)
    j.write(158)


def laptop():
    j = Journal("laptop", "quick", "AMD Ryzen 7 7840HS w/ Radeon 780M Graphics", 8, [
        device("cpu", "cpu", "AMD Ryzen 7 7840HS w/ Radeon 780M Graphics", "CPU", "cpu", True),
        device("opencl:0", "opencl", "AMD Radeon 780M", "iGPU", "pci 0000:65:00.0", True),
        device("opencl:1", "opencl", "NVIDIA GeForce RTX 4060 Laptop GPU", "dGPU", "pci 0000:01:00.0", False),
        device("cuda:0", "cuda", "NVIDIA GeForce RTX 4060 Laptop GPU", "dGPU", "pci 0000:01:00.0", False)])
    j.ceiling("cpu", 820e9, 58e9)
    j.ceiling("opencl:0", 4.1e12, 70e9)
    j.ceiling("cuda:0", 11.2e12, 235e9)

    def all_(igpu, dgpu, up, down, factor=1.07):
        return [("opencl:0", "portable", "mapped", igpu, 2e-5, 2e-5, .01),
                ("opencl:1", "portable", "pinned", dgpu * factor, up, down, .01),
                ("cuda:0", "cublas" if factor > 1.5 else "portable", "pinned", dgpu, up, down, .01)]
    j.race(matmul(1024), "cpu", "pageable", ("openblas", "onednn"), False)
    j.race(matmul(2048), "cpu", "pageable", ("openblas", "onednn"), True)
    j.race(conv(8), "opencl:0", "mapped", ("portable",), False)
    j.row(multiply(40000000), ("native", 8.6e-3, 0), all_(7.1e-3, 2.1e-3, 26e-3, 13e-3))
    j.row(matmul(1024), ("openblas", 3.3e-3, 0), all_(1.3e-3, 0.29e-3, 0.7e-3, 0.35e-3, 1.9))
    j.row(matmul(2048), ("openblas", 24e-3, 0), all_(8.2e-3, 1.9e-3, 2.7e-3, 1.4e-3, 1.9))
    j.row(conv(8), ("onednn", 3.9e-3, 0), all_(3.8e-3, 1.1e-3, 1.1e-3, 1.1e-3))
    j.transfer("cuda:0", "pinned", 67108864 / 12.3e9, 67108864 / 12.9e9)
    j.launch("cuda:0", 9e-6, 3e-6)
    j.launch("opencl:0", 21e-6, 8e-6)
    j.write(58)


def nogpu():
    j = Journal("nogpu", "quick", "Intel(R) Xeon(R) Processor @ 2.10GHz", 2, [
        device("cpu", "cpu", "Intel(R) Xeon(R) Processor @ 2.10GHz", "CPU", "cpu", True),
        device("opencl:0", "opencl", "cpu-skylake-avx512-Intel(R) Xeon(R) Processor @ 2.10GHz", "CPU", "cpu", True)])
    j.lines.append({"line": "absent", "backend": "cuda", "source": "", "status": "unsupported",
                    "reason": "libcuda.so.1 not found (no NVIDIA driver installed)"})
    j.lines.append({"line": "absent", "backend": "gpu", "source": "", "status": "unsupported",
                    "reason": "No GPU on this machine: no display controller on the PCI bus."})
    j.ceiling("cpu", 410e9, 44e9)
    j.ceiling("opencl:0", 400e9, 42e9)
    j.row(multiply(40000000), ("native", 11.8e-3, 0), [("opencl:0", "portable", "mapped", 11.9e-3, 2e-4, 1e-4, .01)])
    j.row(matmul(1024), ("onednn-gemm", 6.9e-3, 0), [("opencl:0", "portable", "mapped", 8.0e-3, 1e-4, 5e-5, .01)])
    j.row(conv(8), ("onednn", 5.7e-3, 0.7e-3), [("opencl:0", "portable", "mapped", 6.3e-3, 1e-4, 3e-5, .01)])
    j.launch("opencl:0", 79e-6, 5e-6)
    j.write(25)


def apart():
    j = Journal("apart", "standard", "AMD EPYC 7313P 16-Core Processor", 16, [
        device("cpu", "cpu", "AMD EPYC 7313P 16-Core Processor", "CPU", "cpu", True),
        device("cuda:0", "cuda", "NVIDIA A10", "dGPU", "pci 0000:c1:00.0", False)])
    j.ceiling("cpu", 1.1e12, 110e9)
    j.ceiling("cuda:0", 26e12, 480e9)
    gpu = ("cuda:0", "pinned")
    j.row_of_two(conv(1), (("onednn", 0.7e-3), ("onednn-any", 0.8e-3), 0.2e-3),
                 gpu + (("cudnn-winograd", 0.06e-3), ("cudnn", 0.08e-3), 0.9e-3, 0.9e-3))
    j.row_of_two(conv(8), (("onednn", 4.8e-3), ("onednn-any", 5.1e-3), 3.1e-3),
                 gpu + (("cudnn-winograd", 0.31e-3), ("cudnn", 0.42e-3), 0.52e-3, 0.53e-3))
    j.row_of_two(conv(32), (("onednn", 19e-3), ("onednn-any", 20e-3), 12e-3),
                 gpu + (("cudnn-winograd", 20.6e-3), ("cudnn", 20.5e-3), 2.1e-3, 2.1e-3))
    j.write(64)


def rare():
    """What the machines above do not have: a card beside a CPU through an API, which is not shown; a fast algorithm on
    both sides, and one against the CPU's usual one; figures above the printed peaks; graphs; peaks without an interval;
    series that their budget ended; a refusal without words."""
    j = Journal("rare", "quick", "AMD EPYC 7313P 16-Core Processor", 16, [
        device("cpu", "cpu", "AMD EPYC 7313P 16-Core Processor", "CPU", "cpu", True),
        device("opencl:0", "opencl", "cpu-znver3-AMD EPYC 7313P 16-Core Processor", "CPU", "cpu", True),
        device("cuda:0", "cuda", "NVIDIA A10", "dGPU", "pci 0000:c1:00.0", False),
        device("opencl:1", "opencl", "AMD Instinct MI50", "dGPU", "pci 0000:c3:00.0", False)])
    j.ceiling("cpu", 1.1e12, 110e9)
    j.ceiling("cuda:0", 26e12, 480e9)
    j.ceiling("opencl:1", 13e12, 900e9, slices=4)

    def all_(method, a10, mi50, cpu, up, down, spread=.01):
        return [("opencl:0", "portable", "mapped", cpu, 1e-5, 1e-5, .01),
                ("cuda:0", method, "pinned", a10, up, down, spread),
                ("opencl:1", "portable", "pinned", mi50, up, down, .01)]
    j.row(multiply(1000000), ("native", 60e-6, 0), all_("portable", 13e-6, 19e-6, 90e-6, 0.7e-3, 0.4e-3))
    j.row(multiply(40000000), ("native", 4.6e-3, 0), all_("portable", 1.1e-3, 0.6e-3, 5.1e-3, 26e-3, 13e-3))
    j.row(matmul(1024), ("onednn", 2.3e-3, 0), all_("cublas", 0.11e-3, 0.31e-3, 3.9e-3, 0.7e-3, 0.35e-3))
    j.row(matmul(4096), ("onednn", 139e-3, 0), all_("cublas", 5.4e-3, 190e-3, 260e-3, 9e-3, 5e-3, .06))
    j.row(conv(8), ("onednn", 2.9e-3, 0), all_("cudnn-winograd", 0.31e-3, 3.1e-3, 4e-3, 1.1e-3, 1.1e-3))
    j.row(conv(32), ("onednn-winograd", 9e-3, 0), all_("cudnn-winograd", 0.6e-3, 12e-3, 30e-3, 4e-3, 4e-3))
    for line in [line for line in j.lines if line["line"] == "series" and "4096" in line["cell"]]:
        j.lines.append({"line": "stop", "cell": line["cell"], "series": line["series"], "reason": "budget"})
    key = j.cell(conv(32), "opencl:1", "clblast", "pinned", "conv/f32/" + conv(32)[1] + "/onednn-winograd/pageable@cpu")
    j.lines.append({"line": "outcome", "cell": key, "status": "unsupported", "reason": ""})
    for id_ in ("cuda:0", "opencl:1", "opencl:0"):
        j.transfer(id_, "pinned", 67108864 / 12.3e9, 67108864 / 12.9e9)
        j.launch(id_, 9e-6, 3e-6)
    j.launch("cuda:0", 6.5e-6, 1.4e-6, "graph")
    j.write(58)


class Distinct:
    """Numbers of four digits, of which no two are the same."""
    def __init__(self):
        self.last = 1009

    def __call__(self, scale=1.0):
        self.last += 7
        return float(f"{scale * self.last:.6g}")


def full():
    """Every member that a column is read from is known, and no two have the same value."""
    cpu = device("cpu", "cpu", "a CPU", "CPU", "cpu", True, "1.1")
    card = device("cuda:0", "cuda", "a GPU", "dGPU", "pci 0000:01:00.0", False, "2.2")
    j = Journal("full", "standard", "a CPU", 3, [cpu, card])
    number = Distinct()
    for id_ in ("cpu", "cuda:0"):
        j.ceiling(id_, number(1e9), number(1e7))
    cells = {}
    for id_, method, memory in (("cpu", "native", "pageable"), ("cuda:0", "portable", "mapped")):
        key = f"multiply/f32/n=9/{method}/{memory}@{id_}"
        cells[id_] = key
        j.race(("multiply", "n=9"), id_, memory, (method, "another"), id_ == "cpu")
        add = j.lines.append
        ns = lambda: int(number(1000))  # microseconds
        work = number(1e3) if id_ == "cpu" else work + 0 * number()
        add({"line": "cell", "key": key, "block": "multiply/f32/n=9", "device": id_, "workload": "multiply",
             "dtype": "f32", "shape": "n=9", "method": method, "memory": memory, "flops": work,
             "bytes": number(1e3), "held": 4096.0 * 2**20, "baseline": cells["cpu"], "cold": id_ == "cpu",
             "items": "things", "items_per_run": number(), "repro": f"bench run --device {id_}"})
        for process in range(3):
            add({"line": "naive", "cell": key, "process": process, "status": "ok", "alloc_ns": ns(), "run_ns": ns(), "fetch_ns": ns(),
                 "compile_ns": ns(), "faults": number()})
        add({"line": "naive", "cell": key, "process": 3, "status": "crashed"})
        first = ("open", "alloc", "compile", "upload", "repack", "run", "download", "map")
        costs = ("device_operands", "host_operands", "context_host", "held_twice", "repacked", "peak_host",
                 "context_device", "held_device")
        add({"line": "first", "cell": key, **{f"{name}_ns": ns() for name in first}, "flush_bytes": number(1e3),
             "detail": f"detail {id_}", "wait": "spin" if id_ == "cpu" else "block",
             "memory_cost": {name: number(1e3) for name in costs}})
        for pass_, errors in (("before", number(1e-9)), ("after", number(1e-9))):
            add({"line": "verify", "cell": key, "pass": pass_, "checked_runs": number(),
                 "checks": [{"name": "random", "checked": 9, "smallest_error": errors, "weak": False}]})
        scale = {"own": 0.5, "pressure": 0.05, "temperature": 0.1}
        gpu = ("memory_clock", "temperature", "power", "power_limit", "memory_used", "others", "ecc_errors")
        for when in ("before", "after"):
            amounts = ("clock", "steal", "busy", "idle", "own", "pressure", "temperature", "overheated", "load",
                       "throttled", "swap_used", "swapped")
            add({"line": "state", "cell": key, "when": when, **{name: number(scale.get(name, 1)) for name in amounts},
                 "governor": f"governor {when}", "on_battery": None if (when, id_) == ("after", "cpu") else True,
                 **({} if id_ == "cpu" else {"gpu": {name: number(scale.get(name, 1)) for name in gpu}})})
        for turn, (series, slices) in enumerate((("resident", 31), ("copied", 29), ("queued", 26), ("sustained", 24))):
            unit = 1000 + 97 * turn if id_ == "cpu" else 811 + 4000 * (series == "copied") - 13 * turn
            for i in range(slices):
                runs = [int(unit * (1000 + 3 * ((i * (11 if id_ == "cpu" else 4)) % 17) + (i * 5) % 7 + 2 * k)) for k in range(2)]
                wall = sum(runs)
                line = {"line": "slice", "cell": key, "series": series, "visit": i, "number": 8 * i + 2 * turn + (id_ != "cpu"),
                        "runs": 2, "wall_ns": runs, "elapsed_ns": wall + 1000 * turn, "cpu_ns": int(wall * (0.3 + 0.1 * turn)),
                        "check_ns": 1000 + turn, "check_every": 2 + turn}
                if series == "sustained":
                    del line["visit"]
                if series == "resident":
                    line["event_ns"] = [int(run * 0.9) for run in runs]
                    line["enqueue_ns"] = [int(run * 0.07) for run in runs]
                    if id_ != "cpu":
                        line["gpu"] = {"after": {"sm_clock": 1.5e9 + 1e6 * i, "reasons": ["software power cap"] * (i % 3 == 0)}}
                if series == "copied":
                    line["kept_ns"] = int(runs[0] * 0.53)
                    line["phases"] = {f"{name}_ns": [int(run * share) for run in runs] for name, share in
                                      (("upload", 0.37), ("repack", 0.11), ("compute", 0.27), ("download", 0.21))}
                add(line)
            add({"line": "stop", "cell": key, "series": series,
                 "reason": ("precise", "budget", "long", "with-others")[turn]})
        if id_ == "cpu":
            add({"line": "meter", "cell": key, "runs": 100, "elapsed_ns": 100_000_000,
                 "energy_j": {"package": 2.1, "dram": 1.3, "psys": 3.4}})
        else:
            add({"line": "meter", "cell": key, "runs": 100, "elapsed_ns": ns(), "energy_j": {"gpu": number(1e-3)},
                 "error": 0.013})
        add({"line": "outcome", "cell": key, "status": "ok", "where": "", "reason": ""})
        add({"line": "note", "cell": key, "text": f"a note of {id_}"})
    for id_ in ("cpu", "cuda:0"):
        j.launch(id_, 31e-6 if id_ == "cpu" else 37e-6, 11e-6)
    add({"line": "cell", "key": "lost", "block": "multiply/f32/n=9", "device": "cuda:0", "workload": "multiply",
         "dtype": "f32", "shape": "n=9", "method": "portable", "memory": "pinned", "flops": work, "bytes": 108.0,
         "baseline": cells["cpu"], "cold": True})
    add({"line": "outcome", "cell": "lost", "status": "crashed", "where": "slice", "reason": "signal 11"})
    j.write(99)


for make in (uhd620, h200, laptop, nogpu, apart, rare, full):
    make()
