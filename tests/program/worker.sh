#!/usr/bin/env bash
# Requests to one worker process, on a scripted device whose method has several kernel shapes. Prints TAP.
# Usage: worker.sh PATH-OF-BENCH PATH-OF-TESTS
# shellcheck source=tests/program/lib.sh
source "$2/program/lib.sh"

export BENCH_FAKE=$work/script.json
script() { # filter of the shapes
    jq ".devices[1] |= (.compile = 0.5 | .run = [0.01] | .methods.native.kernel_shapes = ({
        \"first\": {}, \"quick\": {compile: 0.25, run: [0.004]}, \"slow\": {run: [0.05]},
        \"wrong\": {faults: [{call: \"submit\", kind: \"wrong\"}]},
        \"large\": {faults: [{call: \"prepare\", kind: \"unsupported\"}]}} | ${1:-.}))" "$tests/program/fake/pair.json" >"$BENCH_FAKE"
}

ask() { # request...: one worker answers all of them
    printf '%s\n' "$@" >"$work/requests"
    "$bench" worker "$BASHPID" <"$work/requests" 3>"$work/out" 2>"$work/err"
}
reply() { # number filter
    jq -s -e ".[$1 - 1] | $2" "$work/out" >/dev/null
}
open_request() { # members
    ask "{\"do\": \"list\", \"backend\": \"fake\", \"source\": \"$BENCH_FAKE\"}"
    jq -c --arg source "$BENCH_FAKE" "{do: \"open\", device: (.devices[1] + {source: \$source, id: \"fake:0\"}), workload: \"multiply\",
        dtype: \"f32\", shape: \"n=1000\", method: \"native\", memory: \"pageable\", seed: 7, threads: 0, flush: 0} + $1" "$work/out"
}
choose() { echo "{\"do\": \"kernel_shape\", \"kernel_shape\": \"$1\"}"; }
before='{"do": "verify", "pass": "before"}'
after='{"do": "verify", "pass": "after"}'
resident='{"do": "slice", "series": "resident", "ns": 100000000}'
copied='{"do": "slice", "series": "copied", "ns": 100000000}'

script
echo 'no memory of a call' >"$work/fourth"
ask "$(open_request '{}')" 4<>"$work/fourth"
expect 'a file that is open where a parent passes memory stays as it is' \
    test "$(cat "$work/fourth")" = 'no memory of a call'
ask "$(open_request '{}')"
expect 'a cell opens with the first kernel shape' reply 1 '.ok and .kernel_shape == "first"'
expect 'and says which there are' reply 1 '.kernel_shapes == ["first", "quick", "slow", "wrong", "large"]'
ask "$(open_request '{kernel_shape: "quick"}')"
expect 'or with the one that is asked for' reply 1 '.kernel_shape == "quick" and .compile_ns == 250000000 and .run_ns == 4000000 and .alloc_ns == 0 and .filling_ns == 0'
ask "$(open_request '{kernel_shape: "of another release"}')"
expect 'a name that the method does not have is unsupported' reply 1 \
    '.status == "unsupported" and (.message | test("no kernel shape .of another release. here"))'
script '{}'
ask "$(open_request '{}')"
expect 'a method without a choice names none' reply 1 '.ok and .kernel_shape == "" and has("kernel_shapes") == false'

script
ask "$(choose quick)"
expect 'a kernel shape needs a cell' reply 1 '.ok == false and .status == "usage"'
ask "$(open_request '{}')" "$before" "$resident" "$(choose quick)" "$before" "$resident" "$(choose first)" "$resident" "$(choose quick)" "$resident"
expect 'a new kernel shape is compiled' reply 4 '.ok and .compile_ns == 250000000 and .detail == "scripted"'
expect 'the first is checked whole' reply 2 '[.checks[].name] == ["guard", "random"]'
expect 'it is checked on the operands of the first, whole' reply 5 \
    '[.checks[] | [.name, .checked == .of]] == [["guard", true], ["random", true]]'
expect 'later slices are of the new one' reply 6 'all(.wall_ns[]; . == 4000000)'
expect 'one that is prepared is not compiled again' reply 7 '.ok and .compile_ns == 0'
expect 'and the first is as it was' reply 8 'all(.wall_ns[]; . == 10000000)'
expect 'each may have its turn again' reply 10 'all(.wall_ns[]; . == 4000000)'

ask "$(open_request '{}')" "$before" "$(choose large)" "$resident" "$(choose nonsense)" "$resident"
expect 'one that the device cannot have is unsupported' reply 3 '.ok == false and .status == "unsupported"'
expect 'and the former one goes on' reply 4 '.ok and all(.wall_ns[]; . == 10000000)'
expect 'one that the method does not have is unsupported' reply 5 '.status == "unsupported" and (.message | test("multiply has no kernel shape .nonsense. here"))'
expect 'and the former one goes on then, too' reply 6 '.ok'

ask "$(open_request '{}')" "$before" "$(choose wrong)" "$before" "$(choose first)" "$before" "$resident" "$after"
expect 'a wrong one is seen by its own checks' reply 4 '.ok == false and .status == "wrong"'
expect 'and the others are still right' reply 8 '.ok and [.checks[].name] == ["left behind", "once more"]'

# What one kernel shape left on the host is no result of another.
ask "$(open_request '{}')" "$before" "$copied" "$(choose quick)" "$before" "$resident" "$after" \
    "$(choose first)" "$copied" "$after" "$copied" "$(choose quick)" "$resident" "$after"
expect 'without a copied run of its own nothing was brought back' reply 7 '.ok and all(.checks[]; .name != "brought back")'
expect 'with one it was' reply 10 '.ok and .checks[0].name == "brought back"'
expect 'but not for the other' reply 14 '.ok and all(.checks[]; .name != "brought back")'

# The result of a slice's last run, between slices.
check='{"do": "check", "series": "resident"}'
script '{}'
ask "$(open_request '{}')" "$before" "$resident" "$check" "$resident" "$check" "$copied" "$after"
expect 'a check is due after a slice' reply 3 '.ok and .check_due and .runs == (.wall_ns | length)'
expect 'the result is right' reply 4 '.ok and .check_every == 1'
expect 'and so is the next one' reply 6 '.ok'
expect 'what was not checked by then is checked at the end' reply 8 \
    '.checked_runs == 2 and [.checks[].name] == ["brought back", "left behind", "once more"]'
ask "$(open_request '{}')" "$before" "$resident" "$check" "$check"
expect 'a result that was checked is not there to be checked again' reply 5 '.status == "wrong" and (.message | test("never written"))'
four=("$resident" "$resident" "$resident" "$resident")
# What a measurement of energy left is checked, and counts as no timed run, until a slice follows.
declare -A runs=([resident]=$resident [copied]=$copied [metered]='{"do": "meter", "series": "copied", "ns": 1000000}')
while read -r first second counted; do
    ask "$(open_request '{}')" "$before" "${runs[$first]}" "${runs[$second]}" "$after"
    expect "$first, then $second: $counted of the results are of timed runs" reply 5 ".ok and .checked_runs == $counted"
done <<'END'
metered metered 0
copied metered 0
metered copied 2
metered resident 1
END
ask "$(open_request '{}')" "$before" '{"do": "slice", "series": "copied", "ns": 100000000, "phased": true}' "$copied"
expect 'a series may be timed by phase in every run' reply 3 '.ok and (.phases.compute_ns | length) == .runs and (.wall_ns | length) == .runs'
expect 'and every other run again' reply 4 '.ok and (.phases.compute_ns | length) < .runs'
ask "$(open_request '{}')" "$before"
expect 'before the timing no run is a timed one' reply 2 '.ok and (has("checked_runs") | not)'
jq '.devices[1] |= (.run = [0.06] | .faults = [{call: "submit", number: 20, kind: "rounded"}])' "$BENCH_FAKE" >"$work/rounds.json"
cp "$work/rounds.json" "$BENCH_FAKE"
short='{"do": "slice", "series": "resident", "ns": 10000000}'
ask "$(open_request '{workload: "matmul", shape: "16"}')" "$short"
expect 'a first run as long as a card needs to wake is not followed by another' reply 2 '.ok and (.discarded // 0) == 0 and .runs == 1'
ask "$(open_request '{workload: "matmul", shape: "16"}')" "$before" "$short" "$check" "$resident" "${four[@]}" "${four[@]}" "${four[@]}" "$check"
expect 'a result with the bits of the one before is told from' reply 4 '.ok and .check_differs != true'
expect 'one that was rounded in another way, and is right, too' reply 18 '.ok and .check_differs'
script '{}'
for n in 1 2 3; do
    ask "$(open_request "{do: \"naive\", shape: \"n=$n\"}")"
    expect "of $n elements as many are read as there are" reply 1 '.ok and .status == "ok"'
done
# A check that takes as long as two thirds of a slice: a fifth of the time, in which a card is woken, too, is enough for one after
# every third slice.
script '{}'
jq '.devices[1].download_rate = 6e4' "$BENCH_FAKE" >"$work/slow.json"
cp "$work/slow.json" "$BENCH_FAKE"
ask "$(open_request '{}')" "$before" "$resident" "$check" "${four[@]}" "$check" "${four[@]}" "$check" "${four[@]}"
expect 'a check that takes long is not due before its time, counted from the latest one' jq -s -e \
    '[range(2; 18) as $i | .[$i].check_due == true | if . then $i else empty end] == [2, 6, 7, 11, 12, 16, 17]' "$work/out"
expect 'and says after how many slices it comes' jq -s -e '[.[3, 8, 13].check_every] == [1, 3, 3]' "$work/out"
# The first check is expected to take twice as long as the output takes to be poisoned: 2 * 67 ms of 100 ms slices.
script '{}'
jq '.devices[1].upload_rate = 6e4' "$BENCH_FAKE" >"$work/slow.json"
cp "$work/slow.json" "$BENCH_FAKE"
ask "$(open_request '{}')" "$before" "${four[@]}" "${four[@]}" "$check"
expect 'the first check is not due before its time either' jq -s -e \
    '[range(2; 10) as $i | .[$i].check_due == true | if . then $i else empty end] == [7, 8, 9]' "$work/out"
script '{}'
sustained='{"do": "slice", "series": "sustained", "ns": 100000000}'
ask "$(open_request '{}')" "$before" "$sustained" "$sustained" '{"do": "check", "series": "sustained"}' "$resident"
expect 'a series without a pause has no check that is due' reply 3 '.ok and has("check_due") == false'
expect 'nor has its next slice' reply 4 '.ok and has("check_due") == false'
expect 'its last result is checked, and no other one is due' reply 5 '.ok and has("check_every") == false'
expect 'the series beside it has its own checks' reply 6 '.check_due'
ask "$(open_request '{}')" "$before" '{"do": "warmup", "series": "copied"}' '{"do": "slice", "series": "copied", "ns": 1000000}'
expect 'a card is woken before a slice that one run fills' reply 4 '.ok and .discarded >= 1'

# A fault in one series, by the call that comes before. Of copied runs the last of a slice may be one by phase, and in the
# next it is another. What a series has left is wrong in its check, and right in those of the others.
rounds=()
for series in resident queued copied copied; do
    rounds+=("{\"do\": \"slice\", \"series\": \"$series\", \"ns\": 50000000}" "{\"do\": \"check\", \"series\": \"$series\"}")
done
while read -r call after kind wrong; do
    script '{}'
    jq ".devices[1].faults = [{call: \"$call\", after: \"$after\", kind: \"$kind\"}]" "$BENCH_FAKE" >"$work/faulty.json"
    cp "$work/faulty.json" "$BENCH_FAKE"
    ask "$(open_request '{}')" "${rounds[@]}"
    expect "$call after $after, $kind: wrong are $wrong" test "$(jq -s -r \
        '[.[2, 4, 6, 8].status == "wrong"] | [["resident", "queued", "copied", "copied"], .] | transpose |
        map(select(.[1])[0]) | unique | join(",")' "$work/out")" = "$wrong"
done <<'END'
submit submit zeros queued
submit upload wrong copied
submit upload zeros copied
END

while read -r call nth kind; do
    script '{}'
    jq ".devices[1].faults = [{call: \"$call\", number: $nth, kind: \"$kind\"}]" "$BENCH_FAKE" >"$work/faulty.json"
    cp "$work/faulty.json" "$BENCH_FAKE"
    ask "$(open_request '{}')" "$before" "$resident" "$check" "$resident" "$resident" "$resident" "$check"
    expect "$call, $kind from number $nth on: right before" reply 7 '.ok'
    expect "$call, $kind from number $nth on: wrong after" reply 8 '.status == "wrong"'
done <<'END'
submit 40 wrong
download 8 stale
END

# --- a program that is replaced while it runs, by an upgrade
script '{}'
cp "$bench" "$work/replaced" && exec 9<"$work/replaced"
printf '#!/bin/sh\nexit 9\n' >"$work/other" && chmod +x "$work/other" && mv "$work/other" "$work/replaced"
/proc/self/fd/9 run --device fake --baseline fake:0 --workload multiply --size n=1000 --budget 0.2s --quiet \
    --journal "$work/replaced.jsonl" >"$work/out" 2>"$work/err"
status=$?
exec 9<&-
expect 'the workers of a run are of its own program, not of what is there now' exits 0

finish
