#!/usr/bin/env bash
# The whole program on scripted devices that keep operands in a layout of their own: what repacking costs is shown and
# compared, and what is forgotten is found. Prints TAP.
# Usage: layouts.sh PATH-OF-BENCH PATH-OF-TESTS
# shellcheck source=tests/program/lib.sh
source "$2/program/lib.sh"

scripted() { # jq filter over the usual pair of devices
    jq "$1" "$tests/program/fake/pair.json" >"$work/script.json"
    export BENCH_FAKE=$work/script.json
}
phases_of() { # device id: the names of the phases that its copied runs were taken in
    jq -r --arg device "$1" 'select(.line == "cell" and .device == $device) | .key' "$work/journal.jsonl" |
        while read -r key; do
            jq -r --arg key "$key" 'select(.line == "slice" and .cell == $key and .series == "copied" and .phases != {}) |
                .phases | keys_unsorted | join(" ")' "$work/journal.jsonl" | sort -u
        done
}
first_repack_of() { # device id, in ns
    jq -r --arg place "fake/${1#fake:}" 'select(.line == "first" and (.cell | endswith($place))) | .repack_ns' \
        "$work/journal.jsonl"
}
copied_is() { # from to: that of the second device; its interval is known, so the two were measured in turn
    "$bench" report --format csv --all-columns "$work/journal.jsonl" >"$work/out" 2>"$work/err"
    python3 - "$work/out" "$1" "$2" <<'PYTHON'
import csv, sys

row = list(csv.DictReader(open(sys.argv[1], encoding="utf-8")))[1]
ratio, low = (float(row["speedup_copied_" + part] or "nan") for part in ("ratio", "low"))
print(ratio, low)
sys.exit(not (float(sys.argv[2]) < ratio < float(sys.argv[3]) and low > 0))
PYTHON
}

# --- in host memory
scripted '.devices[0] += {repack: 0.001}'
fake_run
expect 'a baseline that repacks is measured' test "$(outcome_of fake:0) $(outcome_of fake:1)" = 'ok ok'
expect 'a baseline that repacks in place moves nothing' test "$(phases_of fake:0)" = 'repack_ns compute_ns'
expect 'the first run has its repacking, both ways together' test "$(first_repack_of fake:0)" = 3000000
expect 'where nothing is repacked the first run says nothing of it' test "$(first_repack_of fake:1)" = null
expect 'a device that repacks nothing has its phases as ever' test "$(phases_of fake:1)" = 'upload_ns compute_ns download_ns'
expect 'a baseline that repacks is compared with copied for copied' copied_is 1.05 1.12 # 10 + 3 ms with 8 + 2 + 2
scripted '.devices[0] += {repack: 0.001} | .devices[1] = (.devices[0] | del(.repack) | .run = [0.0099, 0.01, 0.0101])'
fake_run
expect 'what works in place computes on inputs that are written before each run' test "$(phases_of fake:1)" = compute_ns
expect 'what works in place is compared with copied runs' copied_is 1.28 1.32
scripted '.devices[1] = .devices[0] + {repack: 0.001, keeps: "output", run: [0.0099, 0.01, 0.0101]}'
fake_run
expect 'a cell that repacks its output has that as a phase' test "$(phases_of fake:1)" = 'repack_ns compute_ns'
expect 'a cell that repacks its output does so once' test "$(first_repack_of fake:1)" = 1000000
expect 'a cell that repacks is compared with a baseline in place' copied_is 0.89 0.93
expect 'a baseline in place has copied runs of one phase' test "$(phases_of fake:0)" = compute_ns
scripted '.devices[0].methods = {onednn: {run: [0.0099, 0.01, 0.0101], repack: 0.001}, native: {run: [0.02]}}'
rm -f "$work/journal.jsonl"
call run --device fake:0 --baseline fake:0 --workload matmul --size m=16,n=8,k=4 --method onednn,native --budget 1s \
    --journal "$work/journal.jsonl"
expect 'of two methods of one device one may repack' test "$(phases_of fake:0 | paste -sd,)" = 'repack_ns compute_ns,compute_ns'
expect 'of two methods of one device both have copied runs to compare' copied_is 0.62 0.68 # 10 + 3 ms with 20

# --- repacking counts where methods are ranked
scripted ".devices[].run = [0.05] | .devices[1] += {upload_rate: 1e10, download_rate: 1e10} |
    .devices[].methods = {onednn: {run: [0.004], repack: 0.003}, openblas: {run: [0.008]}, native: {run: [0.006]}}"
rm -f "$work/journal.jsonl"
call run --device fake --baseline fake:0 --workload matmul --size m=16,n=8,k=4 --budget 1s --journal "$work/journal.jsonl"
chosen_for() { # resident or copied: the method on each device, by the races
    jq -r --arg for "$1" 'select(.line == "race" and .["for"] == $for) | .contenders[] | select(.["end"] == "measured") |
        .method' "$work/journal.jsonl" | paste -sd' '
}
expect 'data that stay and data that move have a race each' test "$(chosen_for resident), $(chosen_for copied)" = 'onednn onednn, native native'
expect 'two winners are two cells of a row' test "$(jq -r 'select(.line == "cell") | "\(.method) \(.measures)"' \
    "$work/journal.jsonl" | paste -sd' ')" = 'onednn resident native copied onednn resident native copied'
expect 'a race with repacking says so' prints '^raced on fake:0, [0-9]* rounds, with layout conversion: native 6.00 ms'
call report --format json "$work/journal.jsonl"
expect 'JSON has the time with repacking' test "$(jq -c '[.runs[].blocks[].races[] |
    select(.device == "fake:0" and .["for"] == "copied") | .contenders[] | select(.method == "onednn") | .wall_ns]' "$work/out")" = '[13000000]'

# --- beside transfers
for keeps in all output; do
    scripted ".devices[1] += {repack: 0.001, keeps: \"$keeps\"}"
    fake_run --memory pageable,pinned,mapped,mapped-copy
    expect "a device that keeps $keeps verifies in every kind of memory" test "$(outcome_of fake:1 | sort -u | tr '\n' ' ')" = 'ok '
    expect "a device that keeps $keeps shows its repacking beside its transfers" \
        test "$(phases_of fake:1 | sort -u)" = 'upload_ns repack_ns compute_ns download_ns'
done

# --- what goes wrong
# A right result from before lies in the method's layout, and nothing is computed any more, or brought there or back.
while read -r keeps in_place call_name call_number kind status_wanted; do
    scripted "$(printf '.devices[1] += {repack: 0.001, keeps: "%s", works_in_host_memory: %s, faults: [{call: "%s", number: %s, kind: "%s"}]}' \
        "$keeps" "$in_place" "$call_name" "$call_number" "$kind")"
    fake_run
    expect "$kind in $call_name $call_number where $keeps is kept ends as $status_wanted (in place: $in_place)" \
        test "$(outcome_of fake:1)" = "$status_wanted"
done <<'END'
all true submit 200 stale wrong
all false submit 200 stale wrong
output true submit 200 stale wrong
output true repack 1 stale wrong
all false repack 1 stale wrong
all true repack 200 stale wrong
all true repack 9 fail failed
output false repack 50 crash crashed
END

finish
