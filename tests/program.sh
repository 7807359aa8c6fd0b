#!/usr/bin/env bash
# The whole program on scripted devices: what it prints, what it writes, how it exits. Prints TAP.
# Usage: program.sh PATH-OF-BENCH PATH-OF-TESTS
set -u
export LC_ALL=C
bench=$1
tests=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_STATE_HOME=$work/state
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

# Runs bench; its exit status, output and messages are in $status, out and err.
call() {
    "$bench" "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
}

exits() { [ "$status" -eq "$1" ]; }
says() { grep -q -- "$1" "$work/err"; }
prints() { grep -q -- "$1" "$work/out"; }
is_json() { jq -e . "$work/out" >"$work/err"; }
ended_as() { # status: of the whole run
    jq -e -s --arg status "$1" 'map(select(.line == "end" and .status == $status)) | length == 1' \
        "$work/journal.jsonl" >"$work/err"
}

# A script of the usual pair of devices in which the GPU has one fault.
faulty() { # call number kind
    jq --arg call "$1" --argjson number "$2" --arg kind "$3" \
        '.devices[1].faults = [{call: $call, number: $number, kind: $kind}]' "$tests/fake/pair.json" >"$work/script.json"
    export BENCH_FAKE=$work/script.json
}

# The usual run on whatever script is set, or one of another size.
fake_run_of() { # size option...
    local size=$1
    shift
    rm -f "$work/journal.jsonl"
    call run --device fake --baseline fake:0 --workload multiply --size "$size" --budget 3s --seed 7 "$@"
}
fake_run() { fake_run_of n=1000 --output "$work/journal.jsonl" "$@"; }

outcome_of() { # device id
    jq -r --arg device "$1" 'select(.line == "cell" and .device == $device) | .key' "$work/journal.jsonl" |
        while read -r key; do
            jq -r --arg key "$key" 'select(.line == "outcome" and .cell == $key) | .status' "$work/journal.jsonl"
        done
}

golden() { # name: the report must be what tests/golden holds, but for the machine it was made on
    sed -e '/^machine/d' -e '/^opencl /d' "$work/out" >"$work/seen"
    if [ "${UPDATE_GOLDEN:-}" ]; then cp "$work/seen" "$tests/golden/$1"; fi
    diff "$tests/golden/$1" "$work/seen" >"$work/err"
}

if ! command -v jq >/dev/null; then
    echo '1..0 # SKIP jq is not installed'
    exit 0
fi

# --- what it says about itself
call --version
expect 'the version is one line' prints '^bench [0-9.]*$'
call --help
expect 'help is on standard output and succeeds' exits 0
expect 'help names the verbs' prints 'devices'
call
expect 'nothing to do is a usage error' exits 2
call rnu
expect 'a mistyped verb is answered with the right one' says "'run'"

# --- mistakes
call run --dtype f31
expect 'an unknown element type is a usage error' exits 2
expect 'an unknown element type names the option and the nearest word' says "--dtype.*f31.*f32"
for size in n=0 n=-1 n=1e400 n=99999999999999999999 n= n=1,n=2 m=4 x; do
    call run --workload multiply --size "$size" --device cpu --output "$work/none.jsonl"
    expect "size $size is refused" exits 2
    expect "size $size is refused in one sentence" says '--size'
done
expect 'a refused size leaves no journal behind' test ! -e "$work/none.jsonl"
call run --device nonesuch --output "$work/none.jsonl"
expect 'no matching device is exit status 3' exits 3
expect 'no matching device says what there is' says 'nonesuch.*cpu'
call run --device cpu --workload multiply --size 1000 --output "$work/nowhere/journal.jsonl"
expect 'a journal that cannot be written is found before anything is measured' exits 2
expect 'a journal that cannot be written is named' says 'nowhere'
call report "$work/absent.jsonl"
expect 'an absent journal is refused' exits 2
expect 'an absent journal is named' says 'absent.jsonl'

# --- a whole run
export BENCH_FAKE=$tests/fake/pair.json
call devices --device fake
expect 'scripted devices are listed' prints 'fake:1'
fake_run
expect 'a run on scripted devices succeeds' exits 0
expect 'its table is the golden one' golden pair.txt
expect 'every cell ends with an outcome' test "$(outcome_of fake:0) $(outcome_of fake:1)" = 'ok ok'
cp "$work/out" "$work/first"
call report "$work/journal.jsonl"
expect 'the report of the journal is the table of the run' cmp -s "$work/first" "$work/out"
fake_run
expect 'the same script gives the same table again' cmp -s "$work/first" "$work/out"
call report --format csv "$work/journal.jsonl"
expect 'CSV is one header and one line a cell' test "$(wc -l <"$work/out")" -eq 3
call report --format json "$work/journal.jsonl"
expect 'JSON is JSON' is_json
if localedef -i de_DE -f UTF-8 "$work/de_DE.UTF-8" >/dev/null 2>&1; then
    fake_run
    for format in table csv json; do
        call report --format "$format" "$work/journal.jsonl"
        cp "$work/out" "$work/pointed"
        LOCPATH=$work LC_ALL=de_DE.UTF-8 call report --format "$format" "$work/journal.jsonl"
        expect "a locale with a decimal comma changes nothing in a $format" cmp -s "$work/pointed" "$work/out"
    done
else
    tap ok 'a locale with a decimal comma changes nothing # SKIP localedef makes none here'
fi
fake_run --memory mapped,mapped-copy
expect 'what is mapped for writing is written whole, what is mapped for reading is only read' \
    test "$(outcome_of fake:1 | sort -u | tr '\n' ' ')" = 'ok '
call run --device all --baseline none --workload multiply --size 1000 --budget 0.2s --quiet --output "$work/all.jsonl"
expect 'scripted devices are no part of all' test -z "$(jq -r 'select(.backend == "fake")' "$work/all.jsonl")"

# --- everything that can go wrong on one device, and only there
while read -r call_name call_number kind status_wanted; do
    faulty "$call_name" "$call_number" "$kind"
    fake_run --timeout 1s
    expect "$kind in $call_name $call_number ends as $status_wanted" test "$(outcome_of fake:1)" = "$status_wanted"
    expect "$kind in $call_name $call_number leaves the baseline alone" test "$(outcome_of fake:0)" = ok
    case $status_wanted in
    ok | unsupported | no-memory) expect "$kind in $call_name $call_number is exit status 0" exits 0 ;;
    *) expect "$kind in $call_name $call_number is exit status 1" exits 1 ;;
    esac
done <<'END'
open 1 fail failed
open 1 unsupported unsupported
open 1 crash crashed
open 1 chatter ok
alloc 2 no-memory no-memory
prepare 1 fail failed
prepare 1 abort crashed
upload 1 crash crashed
submit 1 wrong wrong
submit 1 zeros wrong
submit 1 nan wrong
submit 1 beyond wrong
submit 3 stale wrong
submit 9 stale wrong
submit 200 wrong wrong
submit 200 crash crashed
submit 200 exit crashed
submit 200 half-line crashed
submit 200 hang timeout
finish 200 fail failed
download 1 chatter ok
END

# --- more than there is memory for
fake_run_of n=1T --output "$work/journal.jsonl"
expect 'operands larger than the device are no-memory' test "$(outcome_of fake:1)" = no-memory
expect 'operands larger than the machine are no-memory, and nothing is wrong with that' exits 0
expect 'no-memory names both numbers' prints 'no-memory: .*TB.*B'
jq '.devices[1].memory = 1e15 | .devices[0].memory = 1e15' "$tests/fake/pair.json" >"$work/script.json"
BENCH_FAKE=$work/script.json fake_run_of n=1T --output "$work/journal.jsonl"
expect 'operands that only the machine cannot hold are refused before they are allocated' prints 'no-memory: needs'

# --- a driver that dies while it lists
jq '.list = "crash"' "$tests/fake/pair.json" >"$work/script.json"
BENCH_FAKE=$work/script.json call devices
expect 'a driver that crashes while listing costs its own line' prints 'fake.*none.*signal 11'
expect 'a driver that crashes while listing leaves the others' prints '^cpu'

# --- trouble around the run
export BENCH_FAKE=$tests/fake/pair.json
fake_run_of n=1000 --output /dev/full
expect 'a full disk is exit status 1' exits 1
expect 'a full disk is said' says 'No space left'
expect 'a full disk costs no report' prints 'fake:1'
"$bench" run --device fake --baseline fake:0 --workload multiply --size n=1000 --budget 1s --quiet \
    --output "$work/pipe.jsonl" 2>"$work/err" | true
expect 'a closed pipe ends the program with a message' test "${PIPESTATUS[0]}" -eq 1
fake_run
call report "$work/journal.jsonl" >/dev/full
cp "$work/journal.jsonl" "$work/kept.jsonl"
call run --device fake --baseline fake:0 --workload multiply --size n=1000 --output "$work/kept.jsonl"
expect 'a journal that is there already is a usage error' exits 2
expect 'a journal that is there already is named' says 'kept.jsonl exists already'
expect 'a journal that is there already is left alone' cmp "$work/journal.jsonl" "$work/kept.jsonl"
head -c -20 "$work/journal.jsonl" >"$work/cut.jsonl"
call report "$work/cut.jsonl"
expect 'a truncated journal is reported' exits 0
expect 'a truncated journal is said to be' says 'cut off'
echo 'not a journal' >"$work/foreign.jsonl"
call report "$work/foreign.jsonl"
expect 'a foreign file is refused' exits 2

# --- the user interrupts
jq '.devices[1].faults = [{call: "submit", number: 200, kind: "hang"}]' "$tests/fake/pair.json" >"$work/script.json"
rm -f "$work/journal.jsonl"
BENCH_FAKE=$work/script.json "$bench" run --device fake --baseline fake:0 --workload multiply --size n=1000 \
    --budget 1s --output "$work/journal.jsonl" >"$work/out" 2>"$work/err" </dev/null &
sleep 1.5
kill -INT $!
wait $!
status=$?
expect 'an interrupt is exit status 130' exits 130
expect 'an interrupt keeps what was measured' test "$(outcome_of fake:0)" = ok
expect 'an interrupt still prints the report' prints 'fake:0'
expect 'an interrupted journal has its end' ended_as interrupted

echo "1..$number"
exit "$((failures > 0))"
