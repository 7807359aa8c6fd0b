#!/usr/bin/env bash
# Sweeps on scripted devices, whose costs per run and per element say where one overtakes the other. Prints TAP.
# Usage: sweep.sh PATH-OF-BENCH PATH-OF-TESTS
# shellcheck source=tests/program/lib.sh
source "$2/program/lib.sh"

# The CPU takes 0.1 ms and 10 ns an element, the GPU 1 ms and 1 ns, and 6 ns more to move one: they are as fast as each
# other at 100,000 elements that stay there, at 107,143 that are used ten times, at 300,000 that are moved each time.
export BENCH_FAKE=$tests/program/fake/crossing.json

sweep() { # option...
    rm -f "$work/journal.jsonl"
    call sweep --device fake:0,fake:1 --seed 7 --journal "$work/journal.jsonl" "$@"
}
lines() { jq -r "$1" "$work/journal.jsonl"; } # filter
sizes() { lines 'select(.line == "cell" and .device == "fake:1").shape' | tr '\n' ' '; }
refused() { # what words... -- option...: a usage error that says these words and leaves no journal
    local name=$1 words=$2
    shift 2
    sweep "$@"
    expect "$name is a usage error" exits 2
    expect "$name is answered with what would be right" says "$words"
    expect "$name leaves no journal" test ! -e "$work/journal.jsonl"
}
threshold() { # mode filter: of the GPU's only memory, in the file
    jq -r ".devices[\"fake/1\"][\"multiply f32\"].memory.pinned[\"$1\"]$2" "$work/thresholds.json"
}
holds() { # mode size: the interval of its only crossing does, and its ends are within 25 %
    jq -e --arg mode "$1" --argjson size "$2" '.devices["fake/1"]["multiply f32"].memory.pinned[$mode].pays |
        length == 1 and .[0].until == null and
        (.[0].from | .[0] <= $size and $size <= .[1] and .[1] <= 1.25 * .[0])' "$work/thresholds.json"
}

# --- mistakes
call sweep
expect 'a sweep of nothing is a usage error' exits 2
expect 'a sweep of nothing says what it needs' says 'WORKLOAD.*bench sweep multiply'
refused 'a workload that is none' "'multply'.*multiply" multply
refused 'two workloads' 'is a second WORKLOAD' multiply matmul
refused 'a workload that only moves data' 'nothing to compare' transfer
refused 'a workload of parts' 'launch cannot be swept: it is multiply in parts' launch
refused 'a workload that measures limits' 'peak cannot be swept: it measures the limits of a device' peak
call sweep --help
swept=$(sed -n 's/^  \([a-z]\S*\) .* from [0-9]* to [0-9]*$/\1/p' "$work/out" | paste -sd, | sed 's/,/, /g')
expect 'the help lists workloads to sweep' eval '[[ $swept = *multiply*matmul* ]]'
refused 'a word that is no workload' "'foo' is not a workload that can be swept; use one of $swept$" foo
refused 'a sweep downwards' 'from 1000 to 10' multiply --from 1000 --to 10
refused 'a size that is none' "--from: 'x'" multiply --from x
refused 'a sweep with all dimensions fixed' 'nothing to sweep' matmul --size m=1,n=2,k=3
refused 'a dimension that is none' "'z=3'.*m={}" matmul --size z=3
refused 'a bare size' "'1000' fixes no dimension" multiply --size 1000
refused 'a dimension given twice' "'n=2'.*or one twice" matmul --size 'n=1,n=2'
refused 'places of its own, one of them missing' 'n=... is missing' matmul --size 'm={}'
refused 'two element types' 'one element type' multiply --dtype f32,f64
refused 'two shapes' 'one shape' matmul --size m=64 --size n=64
refused 'a size that the workload refuses' '^bench: no sweep from .* to 10000000000000: at n=10000000000000: n of multiply must be .*, not .10000000000000' multiply --to 10T
refused 'a size that only the element type refuses' 'at m=4,n=4,k=600000: sums of 600000 products in i8' matmul --dtype i8 --size 'm=4,n=4,k={}' --to 600000
refused 'a shape that the workload refuses' 'at m=[0-9]*,n=100,k={: k of matmul must be .*, not .{' matmul --size 'm={},n=100,k={'
refused 'a shape that does not go with a size' '^bench: no sweep from 2 to .*: at n=1,c=64,h=2,w=2,.*: a filter of 7 x 7' conv --size 'n=1,h={},w={},r=7,s=7,pad=0' --from 2
call sweep multiply --device fake:0 --from 1K --to 100K --points 2 --budget 100ms --journal "$work/none.jsonl"
expect 'one device beside the CPU is compared with it' exits 0
call sweep multiply --device cpu --journal "$work/none2.jsonl"
expect 'the CPU alone is compared with nothing: a usage error, as a device matched' exits 2
expect 'the CPU alone is answered with what would be right' says 'name two, the baseline first'
call sweep multiply --device nonesuch,fake:1
expect 'a baseline that is none is no device that matched' exits 3
expect 'a baseline that is none is named with its option' says "--device.*nonesuch"
echo '{"schema": "other"}' >"$work/other.json"
refused 'a file of something else for the thresholds' 'not a file of thresholds' multiply --thresholds "$work/other.json"
refused 'a directory for the thresholds' 'exists already, and is not a file of thresholds' multiply --thresholds "$work"
: >"$work/nothing.json"
refused 'an empty file for the thresholds' 'nothing.json: exists already, and is not a file of thresholds' multiply --thresholds "$work/nothing.json"
expect 'a file of something else is left as it is' grep -q other "$work/other.json"
refused 'thresholds where nothing can be written' 'nowhere' multiply --thresholds "$work/nowhere/thresholds.json"
call run --uses 3
expect 'an option of sweeps is answered with the command that has it' says "bench sweep"

# --- a whole sweep
sweep multiply --from 1000 --to 1M --thresholds "$work/thresholds.json"
expect 'a sweep succeeds' exits 0
expect 'its report is the golden one' golden sweep.txt
found() { grep -A1 '^ *faster, ' "$1" | grep -v '^ *$\|^--' | sed 's/^ *//'; } # file
expect 'docs/sweep.md shows these words' test "$(found "$tests/../docs/sweep.md")" = "$(found "$tests/golden/sweep.txt")"
cp "$work/out" "$work/first"
cp "$work/journal.jsonl" "$work/whole.jsonl"
expect 'its journal says what was swept' test "$(lines 'select(.line == "sweep") | "\(.workload) \(.shape) \(.baseline) \(.uses)"')" = 'multiply n={} fake:0 10'
expect 'the grid is opened first, every fourth of its sizes before those between them' \
    test "$(sizes | cut -d' ' -f1-9)" = 'n=1000 n=32000 n=1000000 n=5600 n=180000 n=2400 n=13000 n=75000 n=420000'
expect 'further sizes join those that are open' \
    test "$(lines 'select(.line == "cell" or .line == "stop") | .line' | sed '/stop/q' | grep -c cell)" -gt 18
expect 'further sizes lie where one device overtakes the other' \
    test "$(sizes | cut -d' ' -f10- | tr ' ' '\n' | sed 's/n=//' | awk 'NF && ($1 < 75000 || $1 > 420000)' | wc -l)" -eq 0
expect 'no size is measured twice' test "$(sizes | tr ' ' '\n' | sort | uniq -d | grep -c .)" -eq 0
expect 'nothing is queued in a sweep' no_value_of '.line == "slice" and .series == "queued"'
expect 'data that stays pays where the script has it' holds resident 100000
expect 'ten uses pay where the script has it' holds uses 107143
expect 'data that is moved pays where the script has it' holds copied 300000
expect 'the file says how many uses' test "$(threshold uses .count)" = 10
call report "$work/journal.jsonl"
expect 'the report of the journal is that of the sweep' cmp -s "$work/first" <(without_faults "$work/out")
call report --format csv --all-columns "$work/journal.jsonl"
expect 'CSV has a line for each cell' test "$(($(wc -l <"$work/out") - 1))" -eq "$(lines 'select(.line == "cell").key' | wc -l)"
call report --format json "$work/journal.jsonl"
jq -c 'select(.line == "cell" or .line == "slice" or .line == "outcome" or .line == "stop" or .line == "verify" | not)' \
    "$work/whole.jsonl" >"$work/empty.jsonl"
call report "$work/empty.jsonl"
expect 'a sweep without a cell is reported' prints 'Nothing was measured'
head -n -1 "$work/whole.jsonl" >"$work/cut.jsonl"
call report "$work/cut.jsonl"
expect 'a journal without its end is of a sweep that was broken off' prints '^the sweep was broken off: '
expect 'so say the messages' says 'the sweep did not reach its end'
{
    cat "$work/whole.jsonl"
    jq -c 'select(.line == "sweep")' "$work/whole.jsonl"
} >"$work/twice.jsonl"
call report "$work/twice.jsonl"
expect 'a second sweep line is passed over' cmp -s "$work/first" <(without_faults "$work/out")

# --- what a program loads
few=(--from 1000 --to 1M --points 3 --budget 0.5s --quiet)
sweep multiply "${few[@]}" --memory mapped --uses 2 --thresholds "$work/thresholds.json"
expect 'another sweep takes the place of the one before' test "$(jq -c '.devices["fake/1"]["multiply f32"].memory | keys' "$work/thresholds.json")" = '["mapped"]'
sweep matmul --from 16 --to 64 --points 3 --budget 0.5s --method native --thresholds "$work/thresholds.json"
expect 'another workload is added to the file' test "$(jq -c '.devices["fake/1"] | keys' "$work/thresholds.json")" = '["matmul f32","multiply f32"]'
expect 'methods by name are curves by name' prints '^sweep of .*: fake:1 native (pinned) against'
sweep matmul --from 16 --to 64 --points 3 --budget 0.5s --method native --size k=32 --thresholds "$work/thresholds.json"
expect 'fixed dimensions are fixed, the others grow' test "$(sizes)" = 'm=16,n=16,k=32 m=64,n=64,k=32 m=32,n=32,k=32 m=48,n=48,k=32 '
expect 'another shape takes the place of the one before' \
    test "$(jq -r '.devices["fake/1"]["matmul f32"].unit' "$work/thresholds.json")" = m=n
sweep train --to 10 --points 3 --budget 0.1s --method native --thresholds "$work/train.json"
expect 'batches of a few samples are measured at the usual width of layers' \
    test "$(lines 'select(.line == "end").status') $(sizes | tr ' ' '\n' | sort -V | paste -sd' ')" = \
    'complete batch=1,in=784,hidden=1024,out=10 batch=3,in=784,hidden=1024,out=10 batch=10,in=784,hidden=1024,out=10'

if python3 -c 'import jsonschema' 2>/dev/null; then
    expect 'the file is as its schema says' python3 -c 'import json, sys, jsonschema
jsonschema.validate(*[json.load(open(path)) for path in sys.argv[1:]])' "$work/thresholds.json" "$tests/../results/thresholds.schema.json"
else
    tap ok 'the file is as its schema says # SKIP python3 has no jsonschema'
fi

# --- a budget that is too small still gives an interval
sweep multiply --from 1000 --to 1M --points 3 --budget 30ms --quiet --thresholds "$work/thresholds.json"
expect 'a few visits have an interval' prints '^ *1,000 .*0.11 (0.1'
expect 'a few visits that agree by far show where it crosses' prints 'resident: from somewhere between n = [0-9,]* and [0-9,]* on'

# --- what goes wrong
jq '.devices[1].faults = [{call: "submit", number: 3, kind: "zeros"}]' "$tests/program/fake/crossing.json" >"$work/script.json"
BENCH_FAKE=$work/script.json sweep multiply "${few[@]}"
expect 'wrong answers are exit status 1' exits 1
expect 'wrong answers have rows that say so' prints '1,000  wrong: '
expect 'wrong answers have no threshold' prints 'not known'
cp "$work/thresholds.json" "$work/before.json"
jq '.devices[1].faults = [{call: "submit", number: 1, kind: "crash"}]' "$tests/program/fake/crossing.json" >"$work/script.json"
BENCH_FAKE=$work/script.json sweep multiply "${few[@]}" --thresholds "$work/thresholds.json"
expect 'a device that crashes at every size is exit status 1' exits 1
expect 'a device that crashes has rows that say so' prints '1,000  crashed: '
expect 'a device that crashes has no threshold' prints 'not known: no difference could be shown at any size'
expect 'a device that crashes leaves what is known of it' cmp -s "$work/before.json" "$work/thresholds.json"
BENCH_FAKE=$tests/program/fake/crossing.json
rm -f "$work/journal.jsonl"
"$bench" sweep multiply --device fake:0,fake:1 --seed 7 --to 1M --journal "$work/journal.jsonl" \
    --thresholds "$work/thresholds.json" >"$work/out" 2>"$work/err" &
parent=$!
has_three_sizes() { grep -q '"outcome".*n=5600/' "$work/journal.jsonl" 2>/dev/null; }
expect 'an interrupt: the sweep has begun' wait_until has_three_sizes
kill -INT "$parent"
wait "$parent"
status=$?
expect 'an interrupt is exit status 130' exits 130
expect 'an interrupt says that thresholds stay' says 'thresholds.json is left as it was'
expect 'an interrupt leaves a journal with its end' ended_as interrupted
expect 'an interrupt: what was measured is reported' prints '^ *1,000 .*0.11 ('
expect 'an interrupt: so is what that says' prints '^faster, resident: '
expect 'an interrupt: it is a sweep that was interrupted' prints '^the sweep was interrupted: '
expect 'an interrupt leaves the thresholds of the sweep before' cmp -s "$work/before.json" "$work/thresholds.json"

# --- resumed: the journal may come from somebody else, and names no file to be written
"$bench" sweep --resume "$work/journal.jsonl" --thresholds "$work/asked.json" >"$work/out" 2>"$work/err" </dev/null
status=$?
expect 'a resumed sweep is completed' exits 0
expect 'it writes the thresholds that it is asked for' jq -e '.devices["fake/1"]' "$work/asked.json"
expect 'and not those of the journal' cmp -s "$work/before.json" "$work/thresholds.json"

finish
