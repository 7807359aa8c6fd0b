#!/usr/bin/env python3
"""Writes the journals of a made-up fleet: fleet_journals.py FOLDER NODES [--cells N] [--gpus N] [--runs N] [--seed N]
[--spread S] [--slow NODE=FACTOR] [--slower-all FACTOR] [--driver NODE=VERSION] [--lanes NODE=N] [--far NODE] [--kinds]

--slow slows a node's last GPU down where memory is the limit; --slower-all slows all nodes down; --far puts the host memory
of one cell on the wrong socket; --kinds makes three nodes in ten 8 % slower."""
import argparse
import json
import os
import random

parser = argparse.ArgumentParser()
parser.add_argument("folder")
parser.add_argument("nodes", type=int)
parser.add_argument("--cells", type=int, default=8)
parser.add_argument("--gpus", type=int, default=1)
parser.add_argument("--runs", type=int, default=3)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--spread", type=float, default=0.004)
parser.add_argument("--slow", default="=1")
parser.add_argument("--slower-all", type=float, default=1)
parser.add_argument("--driver", default="=")
parser.add_argument("--lanes", default="=0")
parser.add_argument("--far", default="")
parser.add_argument("--kinds", action="store_true")
options = parser.parse_args()
slow_node, slow_factor = options.slow.split("=")
driver_node, driver = options.driver.split("=")
lanes_node, lanes = options.lanes.split("=")
os.makedirs(options.folder, exist_ok=True)
chance = random.Random(options.seed)


def device(id_, backend, name, class_, silicon, version):
    return {"line": "device", "id": id_, "key": f"{backend}/{name}".replace(" ", "-"), "backend": backend, "source": "",
            "index": 0, "name": name, "vendor": "", "platform": "made up", "api_version": "1", "driver_version": version,
            "class": class_, "silicon": silicon, "shares_host_memory": False, "works_in_host_memory": backend == "cpu"}


def figures(node, gpu, lines):
    """The cells of a device; -1 is the CPU."""
    id_ = "cpu" if gpu < 0 else f"cuda:{gpu}"
    own = 1 + options.spread * chance.gauss(0, 1)
    for c in range(options.cells // (1 + options.gpus)):
        n = c // 2 + 1
        workload, shape, flops, moved = (("matmul", f"m={1024 * n},n=1024,k=1024", 2.0 * n * 1024**3, 1.2e7),
                                         ("multiply", f"n={40000000 * n}", 4e7 * n, 4.8e8 * n))[c % 2]
        seconds = (flops / 4e13 + moved / 3e12) * (30 if gpu < 0 else 1) * own * options.slower_all
        seconds *= 1 + options.spread * chance.gauss(0, 1)
        if node == slow_node and gpu == options.gpus - 1 and workload == "multiply":
            seconds *= float(slow_factor)
        if options.kinds and int(node[1:]) % 10 < 3 and gpu >= 0:
            seconds *= 1.08
        block = f"{workload}/f32/{shape}"
        key = f"{block}/portable/pinned@{id_}"
        lines.append({"line": "cell", "key": key, "block": block, "device": id_, "workload": workload, "dtype": "f32",
                      "shape": shape, "method": "portable", "memory": "pinned", "flops": flops, "bytes": moved,
                      "held": moved, "baseline": f"{block}/portable/pinned@cpu"})
        first = {"line": "first", "cell": key, "run_ns": 1000}
        if gpu >= 0:
            first["memory_node"] = 1 if node == options.far and c == 0 else None if c == 1 else 0
            first["device_node"] = 0
            first["link_lanes"] = int(lanes) if node == lanes_node else 16
        lines.append(first)
        for k in range(14):
            wall = [round(1e9 * seconds * (1 + 0.003 * chance.gauss(0, 1))) for _ in range(options.runs)]
            lines.append({"line": "slice", "cell": key, "series": "resident", "number": k, "wall_ns": wall,
                          "cpu_ns": 1000, "elapsed_ns": sum(wall), "at_ns": k * 1000000})
        lines.append({"line": "outcome", "cell": key, "status": "ok"})


for i in range(options.nodes):
    node = f"n{i}"
    version = driver if node == driver_node else "550.54"
    journal = [{"line": "journal", "schema": "bench-journal/3", "version": "0.2.0", "started": "2026-11-23T00:00:00Z",
                "command": ["made", "up"], "seed": "1", "options": {"suite": "quick", "precision": 0.02},
                "host": {"name": "Xeon 8480C", "family": 6, "model": 143, "stepping": 8, "cores": 16, "threads": 32,
                         "memory": 5e11, "kernel": "6.1"}, "libraries": {"jansson": "2.14"}},
               device("cpu", "cpu", "Xeon 8480C", "CPU", "cpu", "1")]
    for g in range(options.gpus):
        journal.append(device(f"cuda:{g}", "cuda", "NVIDIA H200", "dGPU", f"pci 0000:{g + 1:02x}:00.0", version))
    for g in range(-1, options.gpus):
        figures(node, g, journal)
    journal.append({"line": "end", "status": "complete", "elapsed_ns": 10**10})
    with open(os.path.join(options.folder, f"{node}.jsonl"), "w", encoding="ascii") as out:
        for line in journal:
            out.write(json.dumps(line, separators=(",", ":")) + "\n")
