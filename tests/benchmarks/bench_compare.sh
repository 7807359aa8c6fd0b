#!/usr/bin/env bash
# How far `bench compare` can be believed, on real runs: a second program is built whose kernels compute 5 % of
# their groups twice, both are run in turn, and then runs of one program are compared with other runs of it, which should
# raise no alarm, and with those of the other, which should. Figures to read: only runs that fail are failures.
#
# Prints for each row what the planted work costs and how much runs vary, and with five runs a side, drawn from the pools:
# how many in 100 rows were called slower or faster that are not, and how often in 100 the planted work was found, with
# 95 % intervals. It takes about a minute a pair of runs, on a machine that is left alone.
#
# A folder for journals keeps both programs and all complete runs. Called again with it, the benchmark goes on from there,
# with the same programs: only what is missing is built and run.
# Usage: bench_compare.sh PATH-OF-BENCH [RUNS-OF-EACH [FOLDER-FOR-JOURNALS [OPTION-OF-RUN...]]]
set -euo pipefail
export LC_ALL=C
bench=$(realpath "$1")
runs=${2:-30}
tree=$(realpath "$(dirname "$0")/../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
journals=${3:-$work}
options=("${@:4}")
mkdir -p "$journals"
for tool in python3 meson ninja; do
    command -v "$tool" >/dev/null || { echo "SKIP: there is no $tool" && exit 77; }
done
"$bench" devices | grep -q '^opencl:0' || { echo 'SKIP: there is no OpenCL device' && exit 77; }
[ "$runs" -ge 2 ] || { echo 'give at least 2 runs of each' >&2 && exit 2; }

keep() { # program name: complete or not at all
    cp "$1" "$journals/$2.part" && mv "$journals/$2.part" "$journals/$2"
}

build_slower() {
    mkdir "$work/tree"
    git -C "$tree" ls-files -z | tar -C "$tree" --null -T - -cf - | tar -C "$work/tree" -xf -
    sed -i 's|^    for (size_t start = from; start < to; start += step) {|    const size_t twice = pass->items / pass->group / 20 * pass->group;\
    const struct sub_launch more = { i, part, 0, twice, false, false, pass->is_divisible };\
    if (is_whole \&\& twice > 0 \&\& !submit(context, \&more, err))\
        return false;\
&|' "$work/tree/bench/backends/common/launch_split.c"
    meson setup "$work/build" "$work/tree" -Dtests=disabled >"$work/log" 2>&1 ||
        { cat "$work/log" && exit 1; }
    ninja -C "$work/build" bench/bench >"$work/log" 2>&1 || { tail -20 "$work/log" && exit 1; }
    keep "$work/build/bench/bench" bench-slower
}
[ -e "$journals/bench-as-it-is" ] || keep "$bench" bench-as-it-is
[ -e "$journals/bench-slower" ] || build_slower
bench=$journals/bench-as-it-is

measured=0
measure() { # program journal
    [ ! -e "$journals/$2" ] || return 0
    rm -rf "$journals/now" # a run that was interrupted
    mkdir "$journals/now"
    "$1" run --suite quick --device cpu,opencl:0 --no-peaks --quiet "${options[@]}" --journal "$journals/now/$2" \
        >"$work/log" 2>&1 || { tail -30 "$work/log" && echo "the run that writes $2 failed" && exit 1; }
    mv "$journals/now/$2" "$journals/$2"
    rm -r "$journals/now"
    measured=$((measured + 1))
}

# Fresh processes, in turn, and the other way round each second time: drift hits both pools alike.
start=$SECONDS
for ((i = 100; i < 100 + runs; i++)); do
    order=(as-it-is slower)
    ((i % 2 == 0)) || order=(slower as-it-is)
    for program in "${order[@]}"; do
        measure "$journals/bench-$program" "$program-$i.jsonl"
    done
done
echo "$measured runs in $((SECONDS - start)) s, $((2 * runs - measured)) were there, load $(cut -d ' ' -f 1 /proc/loadavg)"

python3 - "$bench" "$journals" <<'PYTHON'
import collections, glob, json, math, random, subprocess, sys

DRAWS, MOST = 100, 16  # a side has room for 16 journals
bench, journals = sys.argv[1:]
same, slower = (sorted(glob.glob(f"{journals}/{name}-*.jsonl")) for name in ("as-it-is", "slower"))
SIDE = min(5, len(same) // 2, len(slower))
draw = random.Random(1)


def compare(old, new):
    done = subprocess.run([bench, "compare", *old, "--with", *new, "--format", "json"], capture_output=True)
    return [cell for cell in json.loads(done.stdout)["cells"] if not cell["is_baseline"]]


def name(cell):
    return f"{cell['workload']} {cell['shape']} on {cell['device']}"


def verdicts(new):
    """By row: how often each verdict was given, with runs of `same` that are not among the new ones."""
    rows = collections.defaultdict(collections.Counter)
    for _ in range(DRAWS):
        drawn = draw.sample(new, SIDE)
        for cell in compare(draw.sample([run for run in same if run not in drawn], SIDE), drawn):
            rows[name(cell)][cell["verdict"]] += 1
    return rows


def rate(found, of):
    """In 100, with the interval of Wilson (1927)."""
    if of == 0:
        return "none"
    z, p = 1.96, found / of
    middle, half = (p + z * z / 2 / of), z * math.sqrt(p * (1 - p) / of + z * z / 4 / of / of)
    low, high = (100 * (middle + sign * half) / (1 + z * z / of) for sign in (-1, 1))
    return f"{100 * p:.1f} [{max(low, 0):.1f}, {min(high, 100):.1f}] in 100"


print("what is planted costs, as all runs together tell, and a run varies by (standard deviation):")
for cell in compare(same[:MOST], slower[:MOST]):
    shift = cell["resident_speedup"]
    if shift and shift["ratio"]:
        print(f"  {name(cell)}: {100 * (1 / shift['ratio'] - 1):.1f} %, {100 * shift['spread']:.1f} %")
print(f"FOUND, {SIDE} a side, {DRAWS} draws:")
for row, counts in sorted(verdicts(slower).items()):
    print(f"  {row}: {rate(counts['slower'], counts.total())}")
alarms = verdicts(same)
wrong, rows = (sum(f(counts) for counts in alarms.values()) for f in (lambda c: c["slower"] + c["faster"], lambda c: c.total()))
print(f"FALSE ALARMS: {rate(wrong, rows)} rows")
PYTHON
