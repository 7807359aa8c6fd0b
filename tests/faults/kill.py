#!/usr/bin/env python3
"""Kills the program with SIGKILL at a random moment, and has it go on.

    kill.py BENCH slice|all [FIRST]

A run and a sweep on scripted devices are completed by --resume, and killed again on the way every third time; a
publication is repeated. `slice` is 9 kills and prints TAP; `all` is 200, some 5 seconds each on an idle core, and begins
at kill number FIRST, to go on where it was interrupted. The same number is killed at the same share of its time. The
rules:

  - the journal is completed, or there is none yet and a new run makes it; it is as the schema says
  - the completed journal has each cell of an uninterrupted run once, each ok
  - no process is left
  - what is published is one whole journal and its index; beside them nothing is left but drafts, named .LETTERS.new, which
    a killed process cannot remove
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rules import ROOT, schema_error, workers_of

FAKE = ROOT / "tests/program/fake"
LIMIT = 600  # seconds for a run on a machine with much other work
DEVICES = "--device fake --baseline fake:0"
BEGIN = {
    "run": f"run {DEVICES} --workload multiply --size 1000 --size 2000 --size 3000 --budget 1s --no-peaks --quiet",
    "sweep": "sweep multiply --device fake:0,fake:1 --from 1000 --to 100K --points 3 --budget 300ms --quiet",
}


def script_write(work):
    """The usual pair with small memory and quick transfers, so that peaks and deadlines take no time."""
    devices = json.loads((FAKE / "pair.json").read_text())
    for device in devices["devices"]:
        device |= {"memory": 2e6, "by_definition": True, "upload_rate": 1e10, "download_rate": 1e10}
    (work / "pair.json").write_text(json.dumps(devices))


class Bench:
    def __init__(self, program, work, kind):
        self.program, self.work = program, work
        script = FAKE / "crossing.json" if kind == "sweep" else work / "pair.json"
        state = {"XDG_STATE_HOME": str(work / "state"), "XDG_CACHE_HOME": str(work / "cache"), "BENCH_FAKE": str(script)}
        self.environment = os.environ | state

    def start(self, words):
        return subprocess.Popen([self.program, *words], env=self.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def call(self, words):
        process = self.start(words)
        said = process.communicate(timeout=LIMIT)[1]
        return process.returncode, said

    def kill(self, words, seconds):
        """Whether it was killed: it may have ended before."""
        process = self.start(words)
        try:
            process.wait(seconds)
            return False
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.communicate()
            return True
        finally:
            self.parent = process.pid

    def workers(self):
        """Those that are left: a worker sees the end of its parent and dies, later on a busy machine."""
        end = time.monotonic() + 10
        while workers_of(self.parent) and time.monotonic() < end:
            time.sleep(0.02)
        return workers_of(self.parent)

    def cells(self, journal):
        """Of the report: what was forgotten and measured again is there once."""
        text = subprocess.run([self.program, "report", "--format", "json", journal], env=self.environment,
                              capture_output=True, text=True, timeout=LIMIT, check=True).stdout
        blocks = json.loads(text)["runs"][0]["blocks"]
        return sorted((cell["key"], cell["outcome"]["status"]) for block in blocks for cell in block["cells"])


def check_lines(journal):
    for number, text in enumerate(journal.read_text().splitlines(), 1):
        error = schema_error(json.loads(text))
        if error:
            return [f"line {number} of the journal: {error}"]
    return []


def kill_run(bench, kind, begin, whole, chance):
    """The rules that a run or a sweep breaks when it is killed, perhaps twice, and completed."""
    broken, journal = [], bench.work / "journal.jsonl"
    words = [*begin.split(), "--journal", str(journal)]
    resume = [kind, "--resume", str(journal), "--quiet"]
    bench.kill(words, whole["seconds"] * chance.random())
    left = bench.workers()
    if chance.random() < 1 / 3 and journal.exists():
        bench.kill(resume, whole["seconds"] * chance.random() / 2)
        left += bench.workers()
    if left:
        broken.append("a worker is left")
    status, said = bench.call(resume)
    has_begun = journal.exists() and '"line":"cell"' in journal.read_text().replace(" ", "")
    if status == 2 and not has_begun:
        journal.unlink(missing_ok=True)
        status, said = bench.call(words)
    if status != 0:
        return [*broken, f"it ended with status {status}: {said}"]
    broken += check_lines(journal)
    if json.loads(journal.read_text().splitlines()[-1]).get("status") != "complete":
        broken.append("the journal is not complete")
    cells = bench.cells(str(journal))
    if cells != whole["cells"]:
        broken.append(f"the cells are {cells}")
    return broken


def files_of(folder):
    """Without drafts."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".new"]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def kill_publication(bench, journal, whole, chance):
    """The same of a publication that is killed and repeated."""
    broken, shelf = [], bench.work / "shelf"
    shelf.mkdir()
    words = ["publish", str(journal), "--to", str(shelf)]
    bench.kill(words, whole["seconds"] * chance.random())
    for name, text in files_of(shelf).items():
        if name.endswith(".jsonl") and text not in whole["files"].values():
            broken.append(f"{name} is a part of a journal")
    status, said = bench.call(words)
    if status != 0:
        broken.append(f"it ended with status {status}: {said}")
    if files_of(shelf) != whole["files"]:
        broken.append(f"there are {sorted(files_of(shelf))} instead of {sorted(whole['files'])}")
    return broken


def journal_publishable(bench, path):
    """A journal of scripted devices, made to look measured."""
    bench.call([*BEGIN["run"].split(), "--journal", str(path)])
    lines = [json.loads(text) for text in path.read_text().splitlines()]
    for line in lines:
        if line["line"] == "device":
            line["backend"] = "opencl"
        if line["line"] == "journal":
            line["started"] = "2026-01-02T03:04:05Z"
            line["host"] |= {"name": "Example 9000X", "hypervisor": "", "signature": "6-1-2 avx2 4c 8g"}
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def uninterrupted(program, kind, work):
    bench = Bench(program, work, kind)
    journal = work / "whole.jsonl"
    if kind == "publish":
        journal_publishable(bench, journal)
        shelf = work / "shelf"
        shelf.mkdir()
    start = time.monotonic()
    words = ["publish", str(journal), "--to", str(work / "shelf")] if kind == "publish" else None
    status, said = bench.call(words or [*BEGIN[kind].split(), "--journal", str(journal)])
    whole = {"seconds": time.monotonic() - start, "journal": journal}
    if status != 0:
        sys.exit(f"# {kind} without a kill ended with status {status}: {said}")
    if kind == "publish":
        return whole | {"files": files_of(work / "shelf")}
    return whole | {"cells": bench.cells(str(journal))}


def main():
    program, what = os.path.realpath(sys.argv[1]), sys.argv[2]
    first, last = int(sys.argv[3]) if len(sys.argv) > 3 else 0, 9 if what == "slice" else 200
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        wholes = {}
        for kind in ("run", "sweep", "publish"):
            work = base / f"whole-{kind}"
            work.mkdir()
            script_write(work)
            wholes[kind] = uninterrupted(program, kind, work)
        print(f"1..{last - first}", flush=True)
        for number in range(first, last):
            kind = ("run", "sweep", "publish")[number % 3]
            chance = random.Random(number)
            work = base / "work"
            work.mkdir()
            script_write(work)
            bench = Bench(program, work, kind)
            if kind == "publish":
                broken = kill_publication(bench, wholes[kind]["journal"], wholes[kind], chance)
            else:
                broken = kill_run(bench, kind, BEGIN[kind], wholes[kind], chance)
            print(f"{'not ok' if broken else 'ok'} {number - first + 1} - kill {number} of a {kind}")
            for words in broken:
                print(f"# {words}")
            sys.stdout.flush()
            failures += bool(broken)
            shutil.rmtree(work)
    return failures > 0


sys.exit(main())
