#!/usr/bin/env bash
# How far `bench compare` can be believed, on real runs: a second program is built whose OpenCL kernels do 5 % more work
# (slower_kernels.patch), both are run in turn, and then runs of one program are compared with each other, which should
# raise no alarm, and with those of the other, which should. Figures to read: only runs that fail are failures.
#
# Prints how many of 100 cells were called slower or faster that are not, with one journal a side and with five, and of
# how many in 100 the 5 % were found with five. It takes some eleven minutes, on a machine that is left alone; by the
# state of the machine, which it prints as well, one sees whether it was.
# Usage: bench_compare.sh PATH-OF-BENCH [SECONDS-OF-RUNS [FOLDER-FOR-JOURNALS]]
set -euo pipefail
export LC_ALL=C
bench=$(realpath "$1")
seconds=${2:-540}
tree=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
journals=${3:-$work}
mkdir -p "$journals"
for tool in python3 patch meson ninja; do
    command -v "$tool" >/dev/null || { echo "SKIP: there is no $tool" && exit 77; }
done
"$bench" devices | grep -q '^opencl:0' || { echo 'SKIP: there is no OpenCL device' && exit 77; }

mkdir "$work/tree"
tar --create --directory="$tree" --exclude=./.git --exclude=./build . | tar --extract --directory="$work/tree"
patch --quiet --directory="$work/tree" --strip=1 <"$tree/tests/slower_kernels.patch"
meson setup "$work/build" "$work/tree" -Dtests=disabled >"$work/log" 2>&1 || { cat "$work/log" && exit 1; }
ninja -C "$work/build" bench/bench >"$work/log" 2>&1 || { tail -20 "$work/log" && exit 1; }

measure() { # program journal
    "$1" run --device cpu,opencl:0 --workload multiply,matmul,conv --method native,portable --no-ceilings --quiet \
        --size 8M --size 16M --size m=512,n=512,k=1024 --size m=768,n=512,k=1024 --size m=640,n=640,k=640 \
        --size n=4,c=64,h=28,w=28,k=128,r=3,s=3,stride=1,pad=1 --size n=2,c=64,h=56,w=56,k=64,r=3,s=3,stride=1,pad=1 \
        --size n=8,c=32,h=28,w=28,k=128,r=5,s=5,stride=2,pad=2 --budget 0.5s --journal "$2" >"$work/log" 2>&1 ||
        { tail -30 "$work/log" && echo "the run that writes $2 failed" && exit 1; }
}

start=$SECONDS
for ((i = 10; SECONDS - start < seconds || i < 15; i++)); do # five of each are the least that five a side take
    measure "$bench" "$journals/as-it-is-$i-a.jsonl"
    measure "$work/build/bench/bench" "$journals/slower-$i.jsonl"
    measure "$bench" "$journals/as-it-is-$i-b.jsonl"
done
echo "$((3 * (i - 10))) runs in $((SECONDS - start)) s, load $(cut -d ' ' -f 1 /proc/loadavg)"

python3 - "$bench" "$journals" <<'PYTHON'
import collections, glob, json, random, subprocess, sys

bench, journals = sys.argv[1:]
same, slower = (sorted(glob.glob(f"{journals}/{name}-*.jsonl")) for name in ("as-it-is", "slower"))
draw = random.Random(1)


def compare(old, new):
    done = subprocess.run([bench, "compare", *old, "--with", *new, "--format", "json"], capture_output=True, check=True)
    return [cell for cell in json.loads(done.stdout)["cells"] if not cell["is_baseline"]]


def count(what, sides):
    verdicts = collections.Counter(cell["verdict"] for old, new in sides for cell in compare(old, new))
    cells = sum(verdicts.values())
    print(f"{what}: {cells} cells, " + ", ".join(f"{n} {verdict}" for verdict, n in sorted(verdicts.items())))
    return verdicts, max(cells, 1)


def alarms(what, sides):
    verdicts, cells = count(what, sides)
    print(f"  FALSE ALARMS: {100 * (verdicts['slower'] + verdicts['faster']) / cells:.2f} in 100 cells")


def halves(runs):
    for _ in range(40):
        ten = draw.sample(runs, 10)
        yield ten[:5], ten[5:]


print("what is planted costs, as all runs together tell, and a run varies by (standard deviation):")
for cell in compare(same[:16], slower[:16]):  # a side has no room for more
    shift = cell["resident_speedup"]
    if not shift or not shift["ratio"]:
        continue
    print(f"  {cell['workload']} {cell['shape']}: {100 * (1 / shift['ratio'] - 1):.1f} %, {100 * shift['spread']:.1f} %")
pairs = [(a, b) for i, a in enumerate(same) for b in same[i + 1 :]]
alarms("one journal a side", [([a], [b]) for a, b in draw.sample(pairs, min(len(pairs), 130))])
alarms("five journals a side", halves(same))
verdicts, cells = count("5 % slower, five a side", [(draw.sample(same, 5), draw.sample(slower, 5)) for _ in range(40)])
print(f"  FOUND: {100 * verdicts['slower'] / cells:.1f} in 100 cells")
PYTHON
