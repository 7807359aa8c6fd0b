#!/usr/bin/env bash
# Functions for the tests of the whole program: they run it on scripted devices and check its output, its files and its
# exit status. Sourced with the program's arguments: PATH-OF-BENCH PATH-OF-TESTS.
set -u
export LC_ALL=C
bench=$(realpath "$1")
tests=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export POCL_CACHE_DIR=${POCL_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/pocl/kcache} # compiled kernels are kept
export XDG_STATE_HOME=$work/state XDG_CACHE_HOME=$work/cache BENCH_FAKE_KEPT=$work/kept

# Most tests look at figures that only the full report has; those of the brief one set form to "".
cat >"$work/bench" <<SCRIPT
#!/bin/bash
case \${1:-} in run | report) exec -a bench "$bench" "\$@" \${form:-} ;; *) exec -a bench "$bench" "\$@" ;; esac
SCRIPT
chmod +x "$work/bench"
bench=$work/bench
export form=--full
number=0
failures=0

tap() { # outcome name
    number=$((number + 1))
    echo "$1 $number - $2"
    [ "$1" = ok ] || failures=$((failures + 1))
}

expect() { # name condition...: what the condition prints is none of TAP
    local name=$1
    shift
    if "$@" >/dev/null; then tap ok "$name"; else
        tap 'not ok' "$name"
        sed 's/^/# /' "$work/out" "$work/err" 2>/dev/null | head -40
    fi
}

# Peaks cost real time, which scripted devices would waste; tests of peaks set this to ().
peaks=(--no-peaks)

# Runs bench; its exit status, output and messages are in $status, out and err.
call() {
    [ "${1:-}" != run ] || set -- "$@" "${peaks[@]}"
    "$bench" "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
}

# The same with a closed standard output: the pipe's only reader is gone before the program starts.
call_unheard() {
    rm -f "$work/pipe"
    mkfifo "$work/pipe"
    exec 7<>"$work/pipe" # without a reader the next would wait for one
    exec 8>"$work/pipe" 7<&-
    "$bench" "$@" >&8 2>"$work/err" </dev/null
    status=$?
    exec 8>&-
}

call_on_full_disk() {
    "$bench" "$@" >/dev/full 2>"$work/err" </dev/null
    status=$?
}

exits() { [ "$status" -eq "$1" ]; }
says() { grep -q -- "$1" "$work/err"; }
prints() { grep -q -- "$1" "$work/out"; }
prints_words() { tr -s ' \n' ' ' <"$work/out" | grep -c -- "$1" >/dev/null; } # prints it, wherever a line ends
is_json() { jq -e . "$work/out" >"$work/err"; }
is_journal() { jq -e -s 'any(.[]; .line == "end")' "$1" >"$work/err"; }
# All lines at once: the status of jq -e on one line after the other is that of the last line. A filter that jq refuses
# is a failure, too.
no_value_of() { # jq filter over the lines of the journal: holds for none
    is_journal "$work/journal.jsonl" && jq -e -s "any(.[]; $1) | not" "$work/journal.jsonl" >"$work/err"
}
ended_as() { # status: of the whole run
    jq -e -s --arg status "$1" 'map(select(.line == "end" and .status == $status)) | length == 1' \
        "$work/journal.jsonl" >"$work/err"
}

# A script of the usual pair of devices in which the GPU has one fault.
faulty() { # call number kind
    jq --arg call "$1" --argjson number "$2" --arg kind "$3" \
        '.devices[1].faults = [{call: $call, number: $number, kind: $kind}]' "$tests/program/fake/pair.json" >"$work/script.json"
    export BENCH_FAKE=$work/script.json
}

# The usual run on the script that is set, or a run of another size; $budget sets the budget.
fake_run_of() { # size option...
    local size=$1
    shift
    rm -f "$work/journal.jsonl"
    call run --device fake --baseline fake:0 --workload multiply --size "$size" --budget "${budget:-3s}" --seed 7 "$@"
}
fake_run() { fake_run_of n=1000 --journal "$work/journal.jsonl" "$@"; }

outcome_of() { # device id
    jq -r --arg device "$1" 'select(.line == "cell" and .device == $device) | .key' "$work/journal.jsonl" |
        while read -r key; do
            jq -r --arg key "$key" 'select(.line == "outcome" and .cell == $key) | .status' "$work/journal.jsonl"
        done
}

# A run that does not end by itself: its process is $parent, and it has measured something already. Its times drift, so
# that it never reaches its precision. Its transfers are quick, because deadlines follow from scripted times.
long_run() { # option...
    rm -f "$work/journal.jsonl"
    jq '.devices[1] += {upload_rate: 1e10, download_rate: 1e10, run: [range(500) | 0.002 + . / 2e5]}' "$BENCH_FAKE" \
        >"$work/long.json"
    BENCH_FAKE=$work/long.json "$bench" run --device fake --baseline fake:0 --workload multiply --size 1M \
        --budget "${budget:-60s}" --precision 0.1% "${peaks[@]}" --journal "$work/journal.jsonl" "$@" >"$work/out" 2>"$work/err" </dev/null &
    parent=$!
    wait_until has_slice
}
long_run_ends() {
    wait "$parent" 2>/dev/null
    status=$?
}
# The baseline has a fresh worker, and enough rounds are over for an interval.
has_gone_on() {
    grep -q 'died once' "$work/journal.jsonl" && [ "$(grep -c '"line": *"slice"' "$work/journal.jsonl")" -gt 60 ]
}
has_slice() { grep -q '"line": *"slice"' "$work/journal.jsonl" 2>/dev/null; }
# On a machine that has much else to do everything takes longer: the limit only ends what will never happen.
wait_until() { # condition...: some minutes at most
    local attempt
    for ((attempt = 0; attempt < 6000; attempt++)); do
        if "$@"; then return 0; fi
        sleep 0.05
    done
    return 1
}

workers() { # of $parent, each with the device it works for
    local stat pid parent_of log
    for stat in /proc/[0-9]*/stat; do
        read -r pid _ _ parent_of _ 2>/dev/null <"$stat" || continue
        [ "$parent_of" = "$parent" ] || continue
        log=$(readlink "/proc/$pid/fd/1") || continue
        case $log in *.txt) ;; *) continue ;; esac # one that stays after it has listed devices
        log=${log##*/}
        echo "$pid ${log%.txt}"
    done 2>/dev/null
}
worker_of() { # device, with a dash for the colon
    workers | awk -v device="$1" '$2 == device { print $1 }'
}
is_gone() { # pid...: or a zombie
    local pid
    for pid; do
        ! grep -q '^State:[[:blank:]]*[^ZX]' "/proc/$pid/status" 2>/dev/null || return 1
    done
}

cells_of() { # column of the CSV in out: its values, a dash for an empty one, with commas
    python3 - "$work/out" "$1" <<'PYTHON'
import csv, sys

print(",".join(row[sys.argv[2]] or "-" for row in csv.DictReader(open(sys.argv[1], encoding="utf-8"))))
PYTHON
}

without_faults() { # file: a report without the lines about its journal
    sed '/^journal: /d; / left out, the first is line /d' "$1" | cat -s | sed '1{/^$/d}'
}

golden() { # name: the report must equal the file in tests/golden, except the lines about the machine
    sed -e 's/^\(suite .*\|chosen problems\), 20[0-9-]* [0-9:]* UTC, .*, bench [0-9.]*$/\1/' -e '/^CPU  Fake CPU/d' \
        -e '/^measured/d' -e '/^machine/d' -e '/^opencl: /d' -e '/^cuda: /d' "$work/out" >"$work/seen"
    if [ "${UPDATE_GOLDEN:-}" ]; then cp "$work/seen" "$tests/golden/$1"; fi
    diff "$tests/golden/$1" "$work/seen" >"$work/err"
}

if ! command -v jq >/dev/null; then
    echo '1..0 # SKIP jq is not installed'
    exit 0
fi

finish() { # the plan of TAP, and the exit status
    expect 'workers gave back all that they took of scripted devices, whatever failed' test ! -e "$BENCH_FAKE_KEPT"
    echo "1..$number"
    exit "$((failures > 0))"
}
