#!/usr/bin/env bash
# Series beside those in turn, on scripted devices: cold runs, and a device by itself. Prints TAP.
# Usage: program_series.sh PATH-OF-BENCH PATH-OF-TESTS
# shellcheck source=tests/program_parts.sh
source "$2/program_parts.sh"

export BENCH_FAKE=$work/script.json
script() { jq ".devices[1] += {upload_rate: 1e10, download_rate: 1e10} | ${1:-.}" "$tests/fake/pair.json" >"$BENCH_FAKE"; } # filter
lines() { jq -r "$1" "$work/journal.jsonl"; } # filter
count() { lines "select($1) | .line" | wc -l; } # filter

run_for() { # budget option...
    local budget=$1
    shift
    rm -f "$work/journal.jsonl"
    call run --device fake --baseline fake:0 --workload multiply --size n=1000 --seed 7 --budget "$budget" \
        --output "$work/journal.jsonl" "$@"
}

# --- cold: caches are emptied before each run
script '.devices[].run = [0.03]'
run_for 1s
expect 'a warm run flushes nothing' no_value_of '.flushes != null or .flush_bytes != null or .cold == true'
warm_key=$(lines 'select(.line == "cell").key' | head -1)
run_for 1s --cold
cp "$work/out" "$work/cold.txt"
expect 'a cold run succeeds' exits 0
expect 'a cold run is named on its rows' test "$(grep -c 'native, cold' "$work/cold.txt")" -ge 2
expect 'a cold run says how it was done' prints 'cold: caches are flushed before each run, untimed, by going through [0-9.]* [MG]B'
expect 'each cell says that it is cold' test "$(count '.line == "cell" and .cold == true')" -eq 2
expect 'the key of a cold cell is another' test "$(lines 'select(.line == "cell").key' | head -1)" = "${warm_key/@//cold@}"
expect 'a cold cell can be asked for again' test "$(count '.line == "cell" and (.repro | endswith(" --cold"))')" -eq 2
expect 'there are slices' test "$(count '.line == "slice"')" -gt 4
expect 'each run of a slice was flushed before, the discarded ones too' no_value_of \
    '.line == "slice" and .flushes != .discarded + (.wall_ns | length) + ([.phases // {} | .[] | length] | max // 0)'
expect 'no more than one run of a cold slice is discarded' no_value_of '.line == "slice" and .discarded > 1'
expect 'flushing is no part of a time' no_value_of '.line == "slice" and .series == "resident" and any(.wall_ns[]; . != 30000000)'
expect 'many runs with one wait for all are not measured cold' no_value_of '.series == "queued"'
call report --format csv "$work/journal.jsonl"
expect 'CSV says cold' test "$(cells_of cold)" = 1,1
script '.devices[1].run = [0.0005]'
run_for 300ms
expect 'warm and short they are' grep -q '"series":"queued"' "$work/journal.jsonl"
run_for 300ms --cold
expect 'and cold and short they are not' no_value_of '.series == "queued"'

finish
