#!/usr/bin/env bash
# Runs under what a shell, a service manager or another user can set up: closed descriptors, small limits, a folder for
# everyone. Prints TAP.
# Usage: limits.sh PATH-OF-BENCH PATH-OF-TESTS
# shellcheck source=tests/program/lib.sh
source "$2/program/lib.sh"

export BENCH_FAKE=$tests/program/fake/pair.json
fakes=(run --device fake --baseline fake:0 --workload multiply --size n=1000 --budget 0.5s --no-peaks)
run() { # journal: the shortest run, on the descriptors of the caller
    rm -rf "$1" "$1.log"
    "$bench" "${fakes[@]}" --journal "$1"
}
program=$(realpath "$1") # without the script around it, which needs descriptors, too
limited() { # limit value: the same with that limit of the shell, the option of ulimit
    (
        ulimit "$1" "$2"
        run "$work/journal.jsonl" >"$work/out" 2>"$work/err" </dev/null
    )
    status=$?
}
has_only_lines() { jq -e -s 'last.line == "end"' "$1" >/dev/null; }

# --- closed descriptors: the next files that are opened get their numbers
run "$work/journal.jsonl" >"$work/out" 2>&-
expect 'a run with a closed standard error succeeds' test $? -eq 0
expect 'its messages are not in its journal' has_only_lines "$work/journal.jsonl"
run "$work/journal.jsonl" >"$work/out" 2>&- <&-
expect 'nor where standard input is closed, too' has_only_lines "$work/journal.jsonl"
run "$work/journal.jsonl" >&- 2>"$work/err"
expect 'a closed standard output is a failure' test $? -eq 1
expect 'which is told' says 'standard output could not be written\|cannot write the report'
expect 'the report is not in the journal' has_only_lines "$work/journal.jsonl"
run "$work/journal.jsonl" >&- 2>&- <&-
expect 'with all three closed the journal is whole' has_only_lines "$work/journal.jsonl"
BENCH_FAKE='' "$bench" devices --format json >"$work/out" 2>&- <&-
expect 'a list is whole without the others' is_json

# --- limits
limited -f 8
expect 'a journal that may not grow further ends the run with a failure' exits 1
expect 'which names the journal and the reason' says 'cannot write the journal .*: File too large (ulimit -f unlimited allows more)'
expect 'and so does the report' prints_words 'the run ended early: cannot write the journal .*: File too large'
expect 'and names no other cause' eval "! prints_words 'interrupted'"
limited -s 256
expect 'a stack of 256 KiB is enough for a run' exits 0
for command in devices doctor; do
    (ulimit -s 256 && "$bench" "$command" >"$work/out" 2>"$work/err")
    expect "and for $command" test $? -lt 2
done
(ulimit -s 256 && "$bench" run --device cpu --workload multiply,matmul,conv --size 64 --size n=1,c=2,h=8,w=8,k=2,r=3,s=3 \
    --budget 0.05s --no-peaks --journal "$work/cpu.jsonl" >"$work/out" 2>"$work/err")
expect 'and for the CPU' test $? -eq 0
(ulimit -v 300000 && "$program" devices --timeout 5s >"$work/out" 2>&1)
expect 'little address space is named' prints_words 'ulimit -v allows 307 MB of address space'
expect 'and no other cause' test "$(grep -ciE 'damaged|lstopo|reinstall' "$work/out")" -eq 0
(ulimit -v 300000 && "$program" run --device cpu --workload multiply --size 1K --budget 1ms --no-peaks >"$work/out" 2>&1)
expect 'the CPU is measured in it' prints '^  multiply 1000 .*native'
while read -r option value; do
    (ulimit "$option" "$value" && "$program" devices --timeout 600s >"$work/out" 2>&1)
    expect "ulimit $option $value: OpenBLAS, which would wait for ever, is left out" prints_words \
        "OpenBLAS needs .* when it is loaded; ulimit $option allows"
done <<'LITTLE'
-v 200000
-d 100000
LITTLE
bench=$program limited -n 8
expect 'eight open files are too few' exits 3
expect 'and the message says so, and what to do' says 'Too many open files (ulimit -n 64 allows more)'

# --- a path with blanks
mkdir "$work/my programs"
ln -s "$program" "$work/my programs/bench"
XDG_STATE_HOME=$work/none "$work/my programs/bench" list >"$work/out" 2>"$work/err"
expect 'a hint quotes a program whose path has blanks' prints "start with '\"$work/my programs/bench\" run'"

# --- a driver that prints 8 MB at the download of each check
faulty download 1 flood
fake_run_of n=1000 --journal "$work/journal.jsonl"
expect 'a driver that prints without end is measured' exits 0
expect 'its log is bounded' test "$(stat -c %s "$work/journal.jsonl.log/fake-1.txt")" -le 1048576
expect 'and has its words' grep -qm1 '^fake driver: a line of eighty' "$work/journal.jsonl.log/fake-1.txt"
jq '.devices[1].faults = [{call: "submit", number: 4, kind: "abort"}, {call: "submit", number: 3, kind: "chatter"},
    {call: "submit", number: 2, kind: "flood"}]' "$tests/program/fake/pair.json" >"$work/script.json"
fake_run_of n=1000 --journal "$work/journal.jsonl"
expect 'words that explain a crash stay' test "$(jq -r 'select(.line == "outcome" and .status == "crashed") | .log' \
    "$work/journal.jsonl")" = 'fake driver: a line that nobody asked for'
jq '.devices[1].faults = [{call: "submit", number: 3, kind: "abort"}]' "$tests/program/fake/pair.json" >"$work/script.json"
fake_run_of n=1000 --journal "$work/journal.jsonl"
expect 'a crash without words has not those of a run before it' test "$(jq -c 'select(.line == "outcome" and
    .status == "crashed") | .log' "$work/journal.jsonl")" = '""'
export BENCH_FAKE=$tests/program/fake/pair.json

# --- the folder for everyone that takes the journal where there is no other
export TMPDIR=$work/shared
mkdir "$TMPDIR"
in_shared() { XDG_STATE_HOME=/proc/none HOME=/proc/none "$bench" "${fakes[@]}" >"$work/out" 2>"$work/err" </dev/null; }
expect 'a run without a folder of its own writes there' in_shared
OWN=$TMPDIR/bench-$(id -u)
export OWN
expect 'in a folder of its own, with a whole journal' has_only_lines "$OWN"/*.jsonl
# A link by another user, under the name that the journal will have in this minute.
behind_links() {
    # shellcheck disable=SC2016 # of the inner shell, whose number becomes that of the program
    XDG_STATE_HOME=/proc/none HOME=/proc/none TZ=UTC bash -c 'printf -v now "%(%s)T"
        for ((at = now; at < now + 60; at++)); do
            printf -v name "$OWN/%(%Y%m%dT%H%M%SZ)T-$$.jsonl" "$at"
            ln -s "$0" "$name"
        done
        exec "$@"' "$work/behind" "$bench" "${fakes[@]}" >"$work/out" 2>"$work/err" </dev/null
    status=$?
}
behind_links
expect 'a run follows no link that is in the place of its journal' exits 2
expect 'and says so' says 'cannot write the journal .*: File exists'
expect 'and writes nothing behind it' test ! -e "$work/behind"

finish
