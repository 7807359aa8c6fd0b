#!/usr/bin/env bash
# What the program itself costs, and how well it repeats: figures to read, not assertions.
# Usage: bench_program.sh PATH-OF-BENCH [RUNS]
set -eu
export LC_ALL=C
bench=$1
runs=${2:-10}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_STATE_HOME=$work

milliseconds() { # command...: median of nine
    local start
    for _ in 1 2 3 4 5 6 7 8 9; do
        start=$(date +%s%N)
        "$@" >"$work/out" 2>&1 || true
        echo $((($(date +%s%N) - start) / 1000))
    done | sort -n | awk 'NR == 5 { printf "%.1f ms\n", $1 / 1000 }'
}

# Mean and coefficient of variation of one number a line.
variation() {
    awk '{ sum += $1; squares += $1 * $1; n++ }
         END { mean = sum / n; printf "mean %.4g, coefficient of variation %.1f %%\n", mean,
               100 * sqrt((squares - n * mean * mean) / (n - 1)) / mean }'
}

echo "bench --help:            $(milliseconds "$bench" --help)"
echo "bench devices:           $(milliseconds "$bench" devices)"

"$bench" run --suite quick --device all --quiet --output "$work/quick.jsonl" >"$work/out"
jq -rs '(map(select(.line == "end"))[0].elapsed_ns) as $all | (map(select(.line == "slice").elapsed_ns) | add) as $slices |
        "run --suite quick:       \($all / 1e8 | round / 10) s, \(100 * $slices / $all | round) % of it in slices"' \
    "$work/quick.jsonl"

for i in $(seq "$runs"); do
    "$bench" run --workload multiply --device cpu,opencl:0 --size 40M --quiet --output "$work/$i.jsonl" >"$work/out"
    "$bench" report --format csv "$work/$i.jsonl" >"$work/$i.csv"
done

# The column of that name of the first device that is not the baseline, or of the baseline.
column() { # name baseline|other
    for i in $(seq "$runs"); do
        python3 - "$work/$i.csv" "$1" "$2" <<'PYTHON'
import csv, sys

rows = list(csv.DictReader(open(sys.argv[1], encoding="utf-8")))
print([row for row in rows if (row["device"] == "cpu") == (sys.argv[3] == "baseline")][0][sys.argv[2]])
PYTHON
    done
}

echo "$runs runs of multiply, n = 40M, on the CPU and opencl:0:"
echo "  CPU median:            $(column resident_median_s baseline | variation)"
echo "  opencl:0 median:       $(column resident_median_s other | variation)"
echo "  speed-up:              $(column speedup_resident other | variation)"
