#!/usr/bin/env bash
# What the program itself costs: figures to read, not assertions. bench_run.py has runs, bench_coverage.py how they repeat.
# Usage: bench_program.sh PATH-OF-BENCH
set -euo pipefail
export LC_ALL=C
bench=$1
options=(--device "cpu,opencl:0" --size 40M)
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
    "$bench" run --no-peaks --workload multiply "${options[@]}" --budget 20s --precision 0.1% --quiet --journal "$journal" \
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

value=$(milliseconds "$bench" --help)
show 'bench --help' "$value"
value=$(milliseconds "$bench" devices)
show 'bench devices' "$value"
value=$(idle_worker)
show 'an idle worker' "$value"
