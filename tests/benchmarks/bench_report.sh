#!/usr/bin/env bash
# What reports of a large journal take, by format: figures to read, not assertions. The aim is under 5 s of one core for
# 10,000 cells.
# Usage: bench_report.sh PATH-OF-BENCH PATH-OF-BIG-JOURNAL [CELLS [ROUNDS [RUNS]]]
set -euo pipefail
export LC_ALL=C
bench=$1
big_journal=$2
shift 2
cells=${1:-10000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_STATE_HOME=$work

"$big_journal" "$@" >"$work/big.jsonl"
printf '%d cells in %d lines, %d MB\n' "$cells" "$(wc -l <"$work/big.jsonl")" "$(($(wc -c <"$work/big.jsonl") / 1000000))"
printf '%-10s %8s %8s %8s %8s\n' format seconds computing MB 'MB out'

# Processor time so far in hundredths of a second, and the most memory so far in kilobytes, of a process that may be
# gone already: what the last look found is nearly all.
look() { # PID
    local name value stat
    while read -r name value _; do
        if [ "$name" = VmHWM: ]; then peak=$value; fi
    done <"/proc/$1/status" || return 1
    read -r -a stat <"/proc/$1/stat" || return 1
    computing=$((stat[13] + stat[14]))
    [ "${stat[2]}" != Z ] # dead, and not yet buried
}

# The formats are those that the help names.
formats=$("$bench" report --help | tr '\n' ' ' | sed 's/.*format of the report: *//; s/ *(default.*//; s/[, ]\+/ /g')
for format in $formats; do
    best=
    for _ in 1 2 3; do # the best of three: neighbours only ever add
        start=$(date +%s%N)
        "$bench" report --format "$format" "$work/big.jsonl" >"$work/out" 2>"$work/err" &
        pid=$!
        peak=0 computing=0
        while look "$pid" 2>/dev/null; do sleep 0.005; done
        wait "$pid"
        took=$((($(date +%s%N) - start) / 1000000))
        if [ -z "$best" ] || [ "$took" -lt "$best" ]; then best=$took least=$computing; fi
    done
    printf '%-10s %4d.%03d %5d.%02d %8d %8d\n' "$format" $((best / 1000)) $((best % 1000)) \
        $((least / 100)) $((least % 100)) $((peak * 1024 / 1000000)) $(($(wc -c <"$work/out") / 1000000))
done
