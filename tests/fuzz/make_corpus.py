"""Writes the first inputs of the fuzz targets to corpus/: journals of tests/golden and results, with few lines of each
kind and few samples in each, so that an execution is short. Inputs that a fuzzer found stay beside them.

usage: python3 tests/fuzz/make_corpus.py
"""
import glob, json, os, struct

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CORPUS = os.path.join(HERE, "corpus")
SAMPLES = 3  # of an array of times
EACH = 2  # lines of one kind about one cell
BLOCKS = 2


def shorten(value):
    if isinstance(value, list):
        return [shorten(v) for v in value[:None if any(isinstance(v, (str, dict)) for v in value) else SAMPLES]]
    return {name: shorten(v) for name, v in value.items()} if isinstance(value, dict) else value


def trim(path, blocks=BLOCKS, first=0):
    """The lines of some blocks, and those that belong to none."""
    seen, kept, known, cells = {}, [], [], {}
    for text in open(path, encoding="utf-8", errors="surrogateescape"):
        try:
            line = json.loads(text)
        except ValueError:
            kept.append(text[:200].rstrip("\n"))
            continue
        block = line.get("block") or cells.get(line.get("cell"))
        if line.get("line") == "cell":
            cells[line["key"]] = block
        if block and block not in known:
            known.append(block)
        if block and known.index(block) not in range(first, first + blocks):
            continue
        kind = (line.get("line"), line.get("cell"), line.get("series"))
        seen[kind] = seen.get(kind, 0) + 1
        if line.get("line") == "slice" and seen[kind] > EACH:
            continue
        kept.append(json.dumps(shorten(line), separators=(",", ":"), ensure_ascii=False))
    return "\n".join(kept) + "\n"


def write(folder, name, data):
    os.makedirs(os.path.join(CORPUS, folder), exist_ok=True)
    with open(os.path.join(CORPUS, folder, name), "wb") as out:
        out.write(data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data)


golden = {os.path.basename(path)[:-6]: path for path in glob.glob(os.path.join(ROOT, "tests/golden/*.jsonl"))}
published = sorted(glob.glob(os.path.join(ROOT, "results/*/*.jsonl")))
sweep = next(path for path in published if "sweep" in path)
whole = {name: trim(path, 1 if name in ("made-h200", "mixed") else BLOCKS) for name, path in golden.items()}
whole |= {"late-" + name: trim(golden[name], 1, 4) for name in ("made-laptop", "made-uhd620", "mixed")}
whole["sweep"] = trim(sweep, 3)
whole["published"] = trim(next(path for path in published if "standard" in path), 1)
for name, text in whole.items():
    write("journals", name, text)

slower = whole["mixed"].replace('"wall_ns":[1', '"wall_ns":[9').replace('"status":"ok"', '"status":"wrong"', 1)
write("comparisons", "same", "\0".join([whole["mixed"]] * 2))
write("comparisons", "slower", "\0".join([whole["mixed"], slower]))
write("comparisons", "several", "\0".join([trim(golden["interrupted"]), whole["hostile"]] * 2))
write("comparisons", "machines", "\0".join([trim(golden["made-apart"], 1), trim(golden["made-nogpu"], 1)]))

# The command, then what followed the head of a journal, cut at places that matter.
lines = trim(golden["mixed"], 1).splitlines(keepends=True)[1:]
for name, count in {"head": 0, "begun": 4, "middle": len(lines) // 2, "whole": len(lines)}.items():
    write("commands", name, "bench run --device cpu --budget 1s\n" + "".join(lines[:count]))
write("commands", "torn", "bench run --workload multiply --size 1K\n" + "".join(lines[:9])[:-20])
write("commands", "sweep", "bench sweep multiply --from 1K --to 1M\n" + "".join(trim(sweep, 2).splitlines(keepends=True)[1:]))
write("commands", "head-of-its-own", whole["interrupted"])

commands = [
    "run", "run --device cpu,opencl:0 --workload matmul --size 64 --size m=1,n=2,k=3 --dtype f32,f64 --budget 0.5s",
    "run --suite quick --memory all --method all --precision 1% --timeout 2s --threads 2 --seed 18446744073709551615",
    "sweep matmul --size m={},n=64,k=64 --from 16 --to 2Ki --points 5 --uses 3 --thresholds x.json",
    "compare a.jsonl b.jsonl --with c.jsonl --fail-on slower --margin 5%", "report last~1 --format csv --all-columns",
    "publish x.jsonl --to results --name y --dry-run", "explain speed-up note", "run --sustained 2s --cold --order sequential",
    "list --quiet", "clean --keep 3", "devices", "doctor", "completion zsh", "run --baseline none --no-ceilings --retune",
    "run --wrokload multiply", "--help", "run --resume x.jsonl --full --color always --width 60", "run --budget=1e400s",
]
for number, command in enumerate(commands):
    write("words", f"{number:02d}", command.replace(" ", "\0"))


def numbers(*values):
    return struct.pack(f"<{len(values)}H", *values)


one = 0x8000
up = [number for i in range(6) for number in (one + 2000 * i, one + 900 * (2 * i - 5), one + 20, one + 20, one + 4000)]
write("points", "up", numbers(one, one + 9000, one + 3000, *up))
write("points", "down", numbers(one, one + 9000, one, *up[::-1]))
write("points", "special", numbers(0, 2, 3, 4, 5, 6, 7, 8, *up[:15], 2, 2, 2, 2, 2))
write("points", "wide", numbers(one, one + 9000, one, *(n + 3000 * (i % 5 > 1) for i, n in enumerate(up))))
