#!/usr/bin/env python3
"""Plants one fault into one run, for each entry point that the doubles of the drivers know, and judges the run by rule.

    sweep.py BENCH DOUBLES slice|all [ENTRY...]

BENCH: the program. DOUBLES: the folder of its layer for OpenCL and its doubles of CUDA's libraries. `slice` takes a
fixed part of the list and prints TAP. `all` takes everything: some 900 runs of 2 to 12 seconds each on an idle core,
SWEEP_JOBS at a time (2); it keeps what it has done in DOUBLES/../faults.jsonl and goes on from there, until that file is
removed. ENTRY limits either.

A fault is a call of an entry point (the first, the second, or a later one, counted in each process) and what befalls it: an
error, a hang, a crash, an exit, and a wrong byte (or a launch without effect) at that call or from it on. Each run measures
the CPU too. The rules:

  - the run ends within its time, with a status that is not of a crash, and leaves no process
  - its journal is as the schema says
  - each row of the CPU ends as it does without a fault; each other row ends, and one that is not ok gives a reason
  - a hang, a crash and an exit are told by the name of the entry point: in the journal or on standard error
  - so is an error, but of functions that only release or describe
  - with a wrong byte from some call on no row of a worker that came to it is ok
"""

import concurrent.futures
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rules import VALIDATOR, schema_error, workers_of

LIMIT = 300  # seconds for a run, on a machine with much other work; an idle one takes 2 to 12
SLICE, SLICE_RUNS = 8, 1  # faults, and runs of each driver that they are of
MULTIPLY = "--workload multiply --size 1000"
TRANSFER = "--workload transfer --size bytes=2500,direction="

# What is run. Each entry point is struck in the first run of its driver that calls it.
RUNS = {
    "opencl": [
        f"{MULTIPLY} --memory pageable",
        f"{MULTIPLY} --memory mapped",
        f"{TRANSFER}within",
        "--workload overlap --size n=10000,chunks=4,queues=2 --memory pageable",
    ],
    "cuda": [
        MULTIPLY,
        f"{MULTIPLY} --memory mapped",
        "--workload launch --size n=5000,count=3 --method graph",
        f"{TRANSFER}within",
        f"{TRANSFER}peer",
        f"{TRANSFER}through-host",
        "--workload launch --size n=1,count=1 --method blocking",
        "--workload matmul --size 64 --method native,cublas",
        "--workload matmul --size 64 --method native,cublaslt",
        "--workload conv --size n=1,c=3,h=9,w=9,k=4,r=3,s=3 --method native,cudnn",
    ],
}
ERRORS = {"opencl": ["-5"], "cuda": ["719"]}  # CL_OUT_OF_RESOURCES; unspecified launch failure, which stays
DATA = re.compile(r"clEnqueue(Read|Write|Copy|Map|NDRange)|cuMemcpy(HtoD|DtoH|DtoD)|cuLaunchKernel|cuGraphLaunch")
# Functions whose error has no effect on what is measured.
SILENT = re.compile(
    r"clRelease|cl(Get)(Device|Platform|Program|EventProfiling)|Destroy|Free|Release|Unload|Disable|cuGetError|GetErrorString"
    r"|cuDeviceGet|cuDeviceTotalMem|cuDriverGetVersion|GetVersion|Version$|GetProperty|ProgramLog|GetLastError"
)


def environment(driver, doubles, work):
    state = {"XDG_STATE_HOME": f"{work}/state", "XDG_CACHE_HOME": f"{work}/cache"}
    keep = {name: value for name, value in os.environ.items() if not name.startswith(("CUDA_", "OPENCL_", "FAULT"))}
    cache = os.environ.get("XDG_CACHE_HOME", os.environ.get("HOME", "/tmp") + "/.cache")
    keep.setdefault("POCL_CACHE_DIR", f"{cache}/pocl/kcache")  # compiled kernels are kept
    vendors = Path(work) / "vendors"
    vendors.mkdir(exist_ok=True)
    if driver == "opencl":
        for icd in Path("/etc/OpenCL/vendors").glob("pocl*.icd"):
            shutil.copy(icd, vendors)
        state["OPENCL_LAYERS"] = str(doubles / "libopencl_layer.so")
    else:
        state |= {"LD_LIBRARY_PATH": str(doubles), "BENCH_LIBRARY_PATH": str(doubles)}
        state |= {"CUDA_DOUBLE_CACHE": str(doubles / "cuda_double_cache"), "CUDA_DOUBLE_DEVICES": "2"}
    return keep | state | {"OCL_ICD_VENDORS": str(vendors)}


def run(bench, doubles, driver, options, extra):
    with tempfile.TemporaryDirectory() as work:
        journal = f"{work}/journal.jsonl"
        command = f"{bench} run --device all --baseline cpu {options} --budget 20ms --timeout 3s --no-peaks --quiet"
        process = subprocess.Popen(
            [*command.split(), "--journal", journal],
            env=environment(driver, doubles, work) | {name: value.replace("WORK", work) for name, value in extra.items()},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )
        start = time.monotonic()
        try:
            said = process.communicate(timeout=LIMIT)[1]
        except subprocess.TimeoutExpired:
            process.kill()
            said = process.communicate()[1] + "\nit did not end"
        seconds = time.monotonic() - start
        time.sleep(0.1)  # a worker sees the end of its parent and dies
        result = {"status": process.returncode, "seconds": round(seconds, 1), "said": said}
        result["left"] = workers_of(process.pid)
        result["journal"] = Path(journal).read_text(errors="replace") if os.path.exists(journal) else ""
        for name in ("log", "counts"):
            path = Path(work) / name
            result[name] = path.read_text() if path.exists() else ""
        return result


def outcomes(lines, is_cpu):
    """The last outcome of each row of the CPU, or of all others."""
    last = {line["cell"]: line for line in lines if line.get("line") == "outcome"}
    cells = [line for line in lines if line.get("line") == "cell"]
    return {cell["key"]: last.get(cell["key"], {}) for cell in cells if (cell["device"] == "cpu") == is_cpu}


def judge(fault, result):
    """The rules that the run breaks."""
    entry, kind = fault["entry"], fault["kind"]
    name = re.sub(r"_(v[0-9]|64)$", "", entry)  # cublasGemmEx of the double calls cublasGemmEx_64
    broken = []
    if result["status"] not in (0, 1, 3):
        broken.append(f"the run ended with status {result['status']}: {result['said'][-300:]}")
    if result["left"]:
        broken.append("a process is left")
    lines = []
    for number, text in enumerate(result["journal"].splitlines(), 1):
        try:
            lines.append(json.loads(text))
        except ValueError:
            broken.append(f"line {number} of the journal is not JSON")
            continue
        error = schema_error(lines[-1])
        if error:
            broken.append(f"line {number} of the journal: {error}")
    if not lines or lines[-1].get("line") != "end":
        broken.append(f"the journal has no end: {result['said'][-300:]}")
    own = {key: line.get("status") for key, line in outcomes(lines, True).items()}
    others = outcomes(lines, False).values()
    is_told = name in result["journal"] + result["said"]
    if own != fault["cpu"]:
        broken.append(f"the CPU's rows: {own}")
    for line in others:
        if line.get("status", "none") not in (
            "ok", "wrong", "failed", "crashed", "timeout", "no-memory", "abandoned", "unsupported", "impossible"
        ):
            broken.append(f"a row ended as {line.get('status')}")
        elif line["status"] != "ok" and not line.get("reason"):
            broken.append(f"a row is {line['status']} without a reason")
    if not result["log"]:
        return broken  # the fault did not happen
    if kind in ("hang", "crash", "exit") and not is_told:
        broken.append("nobody says in which call")
    if kind.lstrip("-").isdigit() and not is_told and not SILENT.search(entry):
        broken.append("nobody says which call failed")
    # The log has a line for each worker that came to the call. One that ended before it is right.
    spared = max(0, len(others) - len(result["log"].splitlines()))
    right = sum(line.get("status") == "ok" for line in others)
    if kind == "spoil" and fault["number"].endswith("+") and right > spared:
        broken.append("wrong results have a speed")
    return broken


def calls(bench, doubles, driver, runs):
    """The calls of a driver in so many of its runs, each by the process that made most of them."""
    found = {}
    for options in RUNS[driver][:runs]:
        result = run(bench, doubles, driver, options, {"FAULT_COUNTS": "WORK/counts"})
        if '"status":"ok"' not in result["journal"].replace(" ", ""):
            sys.exit(f"# without a fault nothing is measured: {options}: {result['said']}")
        lines = [json.loads(line) for line in result["journal"].splitlines()]
        cpu = {key: line["status"] for key, line in outcomes(lines, True).items()}
        for line in result["counts"].splitlines():
            name, count = line.split()
            entry = found.setdefault(name, {"options": options, "calls": 0, "cpu": cpu})
            if entry["options"] == options:
                entry["calls"] = max(entry["calls"], int(count))
    return found


def faults_of(driver, found):
    for entry, where in sorted(found.items()):
        middle = 10 ** (len(str(where["calls"] // 2)) - 1)  # the same in every run, though the calls differ
        numbers = [n for n in sorted({1, 2, middle}) if n <= where["calls"]]
        for number in numbers:
            plans = [(f"{number}", kind) for kind in [*ERRORS[driver], "hang", "crash", "exit"]]
            if DATA.match(entry):
                plans += [(f"{number}", "spoil"), (f"{number}+", "spoil")]
            for at, kind in plans:
                yield {"driver": driver, "entry": entry, "number": at, "kind": kind, **where}


def name_of(fault):
    return f"{fault['entry']} {fault['number']} {fault['kind']}"


def order_of(fault):
    """The same in every run, and mixed: a part of the list is a sample of it."""
    return hashlib.sha256(name_of(fault).encode()).hexdigest()


def main():
    bench, doubles, what, *only = sys.argv[1:]
    doubles = Path(doubles).resolve()
    bench = os.path.realpath(bench)
    drivers = [driver for driver, file in (("opencl", "libopencl_layer.so"), ("cuda", "libcuda.so.1"))
               if (doubles / file).exists()]
    if "opencl" in drivers and not list(Path("/etc/OpenCL/vendors").glob("pocl*.icd")):
        drivers.remove("opencl")
    if not drivers:
        print("1..0 # SKIP neither PoCL nor a double of CUDA's driver is there")
        return 0
    faults = []
    for driver in drivers:
        faults += faults_of(driver, calls(bench, doubles, driver, SLICE_RUNS if what == "slice" else len(RUNS[driver])))
    faults = sorted((f for f in faults if not only or f["entry"] in only), key=order_of)
    kept = doubles.parent / "faults.jsonl"
    done = {}
    if what == "all" and kept.exists():
        done = {line["name"]: line for line in map(json.loads, kept.read_text().splitlines())}
    elif what == "slice":
        faults = faults[:SLICE] if not only else faults
    todo = [fault for fault in faults if name_of(fault) not in done]

    def one(fault):
        text = f"{fault['entry']} {fault['number']} {fault['kind']}"
        result = run(bench, doubles, fault["driver"], fault["options"], {"FAULT": text, "FAULT_LOG": "WORK/log"})
        return {"name": name_of(fault), "struck": bool(result["log"]), "seconds": result["seconds"],
                "broken": judge(fault, result), "options": fault["options"]}

    failures, struck, number, slowest = 0, 0, 0, 0.0
    print(f"# {len(faults)} faults, {len(done)} done before" + ("" if VALIDATOR else "; no jsonschema: no validation"))
    print(f"1..{len(todo)}", flush=True)
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("SWEEP_JOBS", "2"))) as pool:
        for answer in pool.map(one, todo):
            number += 1
            struck += answer["struck"]
            slowest = max(slowest, answer["seconds"])
            failures += bool(answer["broken"])
            skip = "" if answer["struck"] else " # SKIP the run did not come to this call"
            print(f"{'not ok' if answer['broken'] else 'ok'} {number} - {answer['name']}{skip}")
            for words in answer["broken"]:
                print(f"# {answer['options']}: {words}")
            sys.stdout.flush()
            if what == "all":
                with kept.open("a") as file:
                    file.write(json.dumps(answer) + "\n")
    print(f"# {struck} of {number} faults happened, {failures} runs broke a rule; the slowest took {slowest} s")
    return failures > 0


sys.exit(main())
