#!/usr/bin/env bash
# Interrupted runs that are completed with --resume: what is kept, what is added, and what is refused. A resumed run has
# the visits of an uninterrupted one. Prints TAP.
# Usage: resume.sh PATH-OF-BENCH PATH-OF-TESTS
# shellcheck source=tests/program/lib.sh
source "$2/program/lib.sh"

whole=$work/whole.jsonl part=$work/part.jsonl
# With so little memory that every working set is small, and peaks take no time.
jq '.devices[].memory = 2e6 | .devices[].by_definition = true | .devices[].upload_rate = 1e10 |
    .devices[].download_rate = 1e10' "$tests/program/fake/pair.json" >"$work/script.json"
export BENCH_FAKE=$work/script.json
begin() { # journal option...
    local journal=$1
    shift
    rm -f "$journal"
    "$bench" run --device fake --baseline fake:0 --workload multiply --size 1000 --size 2000 --size 3000 \
        --size 4000 --seed 7 --journal "$journal" "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
}
resume() { # option...
    "$bench" run --resume "$part" "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
}
line_of() { grep -n -- "$1" "$whole" | sed -n "${2:-1}p" | cut -d: -f1; } # pattern [which]: the number of that line
cut_after() { head -n "$1" "$whole" >"$part"; }                          # line
of_part() { jq -r "$1" "$part"; }                                        # filter
holds() { jq -e -s "$1" "$part" >"$work/err" 2>&1; }                     # filter over all lines
# All four problems on both devices, for both uses. The visit in which it ended may be half a one.
has_all_visits() {
    holds 'map(select(.line == "slice")) | group_by(.cell, .series) | map(map(.visit) | unique | length) |
        length == 16 and min == 24 and max <= 25'
}
keeps() { cmp -s <(head -n "$1" "$whole") <(head -n "$1" "$part"); } # lines
# Read from its file it is the same, and nothing in it contradicts anything.
is_sound() {
    "$bench" report "$part" >"$work/again" 2>"$work/err" && diff "$work/again" "$work/out" && [ ! -s "$work/err" ]
}
no_word_of() { ! grep -q -- "$1" "$work/out"; }
at_grows() { holds 'map(select(.line == "slice").at_ns) | . == sort'; }

begin "$whole" --no-peaks
expect 'the run that is cut below succeeds' exits 0
blocks=$(jq -r 'select(.line == "done").block' "$whole" | paste -sd' ')
expect 'each block says that it is done' test "$blocks" = \
    'multiply/f32/n=1000 multiply/f32/n=2000 multiply/f32/n=3000 multiply/f32/n=4000'

# --- wherever it ends
middle=$(line_of '"line":"slice"' 201)
declare -A place=(
    ['while a problem was opened']=$(($(line_of '"line":"first".*n=2000')))
    ['in the middle of a visit']=$middle
    ['between a block and its last word']=$(($(line_of '"line":"done"' 2) - 1))
    ['just before its end']=$(line_of '"line":"done"' 4)
)
for name in "${!place[@]}"; do
    cut_after "${place[$name]}"
    resume
    expect "a run that ended $name is completed" exits 0
    expect "a run that ended $name has all visits" has_all_visits
    expect "a run that ended $name keeps what it had" keeps "${place[$name]}"
    expect "a run that ended $name leaves a journal with the same report" is_sound
    expect "a run that ended $name has a clock that goes on" at_grows
    expect "a run that ended $name says that it was resumed" prints '^note: resumed on 20'
done

# --- what is shown
cut_after "$(line_of '"line":"done"')"
resume
expect 'it shows what is left' says "^resuming $part: 3 problems to go$"
expect 'only what is left is finished' test "$(of_part 'select(.line == "done").block' | paste -sd' ')" = "$blocks"
expect 'the end has the time of both parts' holds \
    'map(select(.line == "end").elapsed_ns)[0] >= (map(select(.line == "slice").at_ns) | max)'

# --- more than once
cut_after "$middle"
resume
cp "$part" "$work/once.jsonl"
head -n $(($(grep -n '"line":"resume"' "$work/once.jsonl" | cut -d: -f1) + 60)) "$work/once.jsonl" >"$part"
resume
expect 'a run can be resumed twice' has_all_visits
expect 'a run that was resumed twice leaves a sound journal' is_sound
expect 'the report has a note on it' test "$(grep -c '^note: resumed' "$work/out")" -ge 1
cp "$work/out" "$work/twice.txt"
expect 'its clock goes on through both' at_grows

# --- nothing to do
resume
expect 'a complete run is no error' exits 0
expect 'a complete run prints that nothing is left' says 'nothing left to do, this run is complete'
expect 'a complete run is reported' cmp -s "$work/twice.txt" "$work/out"
cp "$part" "$work/before.jsonl"
resume --quiet --format csv
expect 'a complete run can be reported in another format' prints ',workload,dtype,'
expect 'nothing is written to the journal of a complete run' cmp -s "$part" "$work/before.jsonl"

# --- interrupted; tests/faults/kill.py kills
rm -f "$part"
jq '.devices[1].run = [range(500) | 0.002 + . / 2e5]' "$BENCH_FAKE" >"$work/long.json"
long() { # signal: a run of three problems gets it while they are measured in turn
    rm -f "$part"
    BENCH_FAKE=$work/long.json "$bench" run --device fake --baseline fake:0 --workload multiply --size 1000 \
        --size 2000 --size 3000 --budget 12s --precision 0.1% --no-peaks --journal "$part" >"$work/out" 2>"$work/err" </dev/null &
    parent=$!
    wait_until has_begun_second
    kill "-$1" "$parent"
    wait "$parent" 2>/dev/null
    status=$?
}
has_begun_second() { grep '"line":"slice"' "$part" 2>/dev/null | grep -q n=2000; }
long TERM
expect 'an interrupted run names the command that completes it' says "bench run --resume $part' completes it"
BENCH_FAKE=$work/long.json resume
expect 'an interrupted run can be completed' exits 0
expect 'an interrupted run is complete then' holds 'map(select(.line == "end")) | last.status == "complete"'
expect 'an interrupted run has each block once' \
    test "$(of_part 'select(.line == "done").block' | sort | uniq -d | wc -l)" -eq 0
expect 'an interrupted run keeps no note on what was not begun' no_word_of 'not begun'
expect 'an interrupted run leaves a sound journal' is_sound

# --- peaks
begin "$whole"
cut_after $(($(line_of '"block":"peak' 3) + 4))
resume
expect 'a run that ended among its peaks is completed' exits 0
expect 'the others are measured' test "$(of_part 'select(.line == "done").block' | sort)" = \
    "$(jq -r 'select(.line == "done").block' "$whole" | sort)"
cut_after "$(line_of '"line":"done".*n=1000')"
resume
expect 'peaks are not measured again' holds '[.[] | select(.line == "cell" and .ceiling)] | map(.key) | . == unique or
    (length == (unique | length))'
expect 'later cells are compared with the peaks of the earlier part' prints 'bound by'

# --- what is refused
begin "$whole" --no-peaks
cut_after "$(line_of '"line":"done"')"
jq -c 'if .line == "journal" then .host.name = "Another" else . end' "$part" >"$work/before.jsonl"
cp "$work/before.jsonl" "$part"
resume
expect 'another processor is refused' exits 2
expect 'another processor is refused with a reason' says 'its name was Another and is'
expect 'another processor leaves the journal as it is' cmp -s "$part" "$work/before.jsonl"
for option in '--budget 1s' '--device cpu' '--seed 8' '--cold' '--journal x.jsonl' '--size 5000'; do
    cut_after "$(line_of '"line":"done"')"
    # shellcheck disable=SC2086
    resume $option
    expect "$option beside --resume is refused" exits 2
    expect "$option beside --resume is refused with a reason" says "${option%% *}: a resumed run has the options of its journal"
done
cut_after "$(line_of '"line":"done"')"
cp "$part" "$work/before.jsonl"
resume -o "$part"
expect 'a report in place of the journal is refused' \
    eval "exits 2 && says 'is one of the journals' && cmp -s '$part' '$work/before.jsonl'"
rm "$part"
resume
expect 'a journal that is not there is refused' says 'No such file'
cut_after "$(line_of '"line":"done"')"
exec 9<"$part"
flock -x 9
resume
exec 9<&-
expect 'a journal that is being written is refused' exits 2
expect 'a journal that is being written is refused with a reason' says 'being written by another run'

# --- sweeps
export BENCH_FAKE=$tests/program/fake/crossing.json
"$bench" sweep multiply --device fake:0,fake:1 --from 1000 --to 1M --points 4 --seed 7 \
    --journal "$work/sweep.jsonl" >"$work/sweep.txt" 2>&1
whole=$work/sweep.jsonl
cut_after $(($(line_of '"line":"done"' 2) + 9))
resume
expect 'a sweep is not resumed by a run' says "begun by 'bench sweep'"
"$bench" sweep --resume "$part" >"$work/out" 2>"$work/err"
status=$?
expect 'a sweep is completed' exits 0
expect 'a sweep shows what is left' says "^resuming $part: [0-9]* problems* to go$"
expect 'a sweep leaves no size that it had begun' no_word_of 'not finished'
expect 'a sweep finds what a whole one does' diff <(grep -o '^faster, .*: from [^ ]*' "$work/sweep.txt") <(grep -o '^faster, .*: from [^ ]*' "$work/out")
"$bench" sweep multiply --resume "$part" >"$work/out" 2>"$work/err"
status=$?
expect 'a workload beside --resume is refused' says 'has the WORKLOAD of its journal'

# --- this machine
unset BENCH_FAKE
rm -f "$part"
"$bench" run --device cpu --workload multiply --size 100000 --size 200000 --budget 0.2s --no-peaks --quiet \
    --journal "$part" >"$work/out" 2>"$work/err" </dev/null
cp "$part" "$work/whole.jsonl"
whole=$work/whole.jsonl
cut_after $(($(line_of '"line":"done"') + 6))
resume --quiet
expect 'a run on this machine is completed' exits 0
expect 'a run on this machine leaves a sound journal' is_sound
expect 'a run on this machine has a clock that goes on' at_grows

finish
