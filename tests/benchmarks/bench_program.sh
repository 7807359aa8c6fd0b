#!/usr/bin/env bash
# What the program itself costs, and how well it repeats: figures to read, not assertions.
# Usage: bench_program.sh PATH-OF-BENCH [RUNS [OPTION-OF-RUN...]]
set -euo pipefail
export LC_ALL=C
bench=$1
runs=${2:-10}
shift $(($# < 2 ? $# : 2))
options=(--device "cpu,opencl:0" --size 40M)
more=("$@")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_STATE_HOME=$work

show() { # LABEL VALUE
    printf '%-34s %s\n' "$1" "$2"
}

milliseconds() { # COMMAND...: median of nine
    local start
    for _ in 1 2 3 4 5 6 7 8 9; do
        start=$(date +%s%N)
        "$@" >"$work/out" 2>&1
        echo $((($(date +%s%N) - start) / 1000))
    done | sort -n | awk 'NR == 5 { printf "%.1f ms\n", $1 / 1000 }'
}

# Wall time of a run, the share of it in which something is measured, and the one in which the machine is looked at.
quick_suite() {
    "$bench" run --suite quick --device all --quiet --journal "$work/quick.jsonl" >"$work/out"
    jq -rs 'map(select(.line == "end"))[0] as $end | $end.elapsed_ns as $all |
            (map(select(.line == "slice").elapsed_ns) | add) as $slices |
            "\($all / 1e8 | round / 10) s, \(100 * $slices / $all | round) % of it in slices, " +
            "\(1e4 * $end.probes_ns / $all | round / 100) % looking at the machine"' "$work/quick.jsonl"
}

# --- an idle worker

ticks() { # PID: CPU time it has used, all its threads together; its name has no blank
    awk '{ print $14 + $15 }' "/proc/$1/stat"
}

workers_of() { # PID
    local stat pid parent
    for stat in /proc/[0-9]*/stat; do
        read -r pid _ _ parent _ 2>/dev/null <"$stat" || continue
        [[ $parent != "$1" ]] || echo "$pid"
    done 2>/dev/null
}

has_measured() { # JOURNAL COUNT: this many slices
    [[ -e $1 ]] && (($(grep -c '"line": *"slice"' "$1" || true) >= $2))
}

# A slice is over long before a stopped parent asks for the next one: what its workers use from then on, they use idle.
idle_worker() {
    local journal=$work/idle.jsonl parent attempt worker seconds=2
    local -A before
    "$bench" run --no-ceilings --workload multiply "${options[@]}" --budget 20s --precision 0.1% --quiet --journal "$journal" \
        >"$work/out" 2>&1 &
    parent=$!
    for ((attempt = 0; attempt < 600; attempt++)); do
        if has_measured "$journal" 6 || ! kill -0 "$parent"; then break; fi
        sleep 0.1
    done
    kill -STOP "$parent"
    sleep 1
    for worker in $(workers_of "$parent"); do before[$worker]=$(ticks "$worker"); done
    sleep "$seconds"
    for worker in "${!before[@]}"; do echo $(($(ticks "$worker") - before[$worker])); done |
        awk -v hertz="$(getconf CLK_TCK)" -v seconds="$seconds" '
            { if ($1 > most) most = $1 }
            END { if (!NR) { print "no worker was found"; exit 1 }
                  printf "%.0f ms of CPU in %d s, the most of %d workers\n", 1000 * most / hertz, seconds, NR }'
    kill -CONT "$parent"
    kill -INT "$parent"
    wait "$parent" || true
}

# --- how well it repeats

repeat() {
    local i
    for ((i = 1; i <= runs; i++)); do
        "$bench" run --no-ceilings --workload multiply "${options[@]}" "${more[@]}" --quiet --journal "$work/$i.jsonl" >"$work/out"
        "$bench" report --format csv --all-columns "$work/$i.jsonl" >"$work/$i.csv"
    done
}

# Means and coefficients of variation over the runs, of the baseline and of the first device beside it.
variations() {
    python3 - "$work" "$runs" <<'PYTHON'
import csv, statistics, sys

tables = [list(csv.DictReader(open(f"{sys.argv[1]}/{i + 1}.csv", encoding="utf-8"))) for i in range(int(sys.argv[2]))]


def variation(label, column, is_baseline, unit, scale=1):
    values = []
    for rows in tables:
        row = next(row for row in rows if (row["device"] == "cpu") == is_baseline)
        if row["status"] != "ok" or not row[column]:
            sys.exit(f"{row['cell']}: {row['status']} {row['reason']}: no {column}")
        values.append(float(row[column]) * scale)
    mean, share = statistics.mean(values), statistics.stdev(values) / statistics.mean(values)
    print(f"{'  ' + label:<34} {mean:.4g} {unit}, coefficient of variation {100 * share:.1f} %")
    return share


cpu = variation("median of the CPU", "resident_median_s", True, "ms", 1e3)
other = variation("median of opencl:0", "resident_median_s", False, "ms", 1e3)
ratio = variation("speed-up", "speedup_resident_ratio", False, "x")
print(f"{'  variation of speed-up / of medians':<36} {ratio / cpu:.2f} (CPU), {ratio / other:.2f} (opencl:0)")
PYTHON
}

for tool in jq python3; do
    command -v "$tool" >/dev/null || { echo "SKIP: there is no $tool" && exit 77; }
done
value=$(milliseconds "$bench" --help)
show 'bench --help' "$value"
value=$(milliseconds "$bench" devices)
show 'bench devices' "$value"
value=$(quick_suite)
show 'bench run --suite quick' "$value"
value=$(idle_worker)
show 'an idle worker' "$value"
repeat
echo "$runs runs of multiply, ${options[*]} ${more[*]}:"
variations
