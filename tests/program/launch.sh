#!/usr/bin/env bash
# The workloads launch and overlap on scripted devices: what many launches cost, what a program would see that forgets to
# wait, and what moving and computing at the same time brings. Prints TAP.
# Usage: launch.sh PATH-OF-BENCH PATH-OF-TESTS
# shellcheck source=tests/program/lib.sh
source "$2/program/lib.sh"

# A device on which a launch costs the host 10 us and itself 20 us, and which moves and computes at the same time.
jq '.devices[1] += {enqueue: 0.00001, launch: 0.00002, upload_rate: 1e9, download_rate: 1e9}' "$tests/program/fake/pair.json" \
    >"$work/launch.json"
shapes_run() { # workload size...
    local workload=$1 sizes=()
    shift
    for size; do sizes+=(--size "$size"); done
    rm -f "$work/journal.jsonl"
    call run --device fake --baseline fake:0 --workload "$workload" "${sizes[@]}" --budget 1s --seed 7 \
        --memory "${memory:-pinned}" --journal "$work/journal.jsonl"
}
checks_of() { # device: the names of what was looked at before timing
    jq -r --arg device "$1" 'select(.line == "cell" and .device == $device) | .key' "$work/journal.jsonl" |
        while read -r key; do
            jq -r --arg key "$key" 'select(.line == "verify" and .cell == $key and .pass == "before") |
                [.checks[].name] | join(" ")' "$work/journal.jsonl"
        done
}

export BENCH_FAKE=$work/launch.json
shapes_run launch n=1,count=1 n=300007,count=1 n=300007,count=10 n=300007,count=100
expect 'launches are measured' exits 0
expect 'one element, and cuts, are right' test "$(outcome_of fake:1 | sort -u)" = ok
expect 'their table is the golden one' golden launch.txt
expect 'nothing is moved' no_value_of '.line == "slice" and .series == "copied"'
stamps_in() { # size: device times of its runs
    jq -s --arg size "$1" '[.[] | select(.line == "slice" and .series == "resident") |
        select(.cell | contains($size) and endswith("@fake/1")) | .event_ns[]? | select(. != null)] | length' "$work/journal.jsonl"
}
expect 'the smallest launch is timed without time stamps' test "$(stamps_in n=1,count=1)" = 0
expect 'all others have them' test "$(stamps_in n=300007,count=10)" -gt 0
expect 'the calls of a run have a time beside the wait' test "$(jq -s '[.[] | select(.line == "slice") |
    select((.wall_ns | length) != (.enqueue_ns | length))] | length' "$work/journal.jsonl")" = 0
"$bench" report --format csv --all-columns "$work/journal.jsonl" >"$work/out" 2>"$work/err"
rounded() { tr , '\n' | while read -r value; do printf '%.0e,' "$value"; done; } # one digit of each
expect 'a CSV has them in seconds' test "$(cells_of enqueue_s | rounded)" = \
    '0e+00,1e-05,0e+00,1e-05,0e+00,1e-04,0e+00,1e-03,'

for kind in wrong zeros stale; do
    jq --arg kind "$kind" '.devices[1].faults = [{call: "submit", number: 30, kind: $kind}]' "$work/launch.json" \
        >"$work/script.json"
    BENCH_FAKE=$work/script.json shapes_run launch n=300007,count=10
    expect "$kind from some launch on ends as wrong" test "$(outcome_of fake:0) $(outcome_of fake:1)" = 'ok wrong'
done

call run --device fake --baseline fake:0 --workload launch --size n=10000,count=11 --journal "$work/none.jsonl"
expect 'more launches than groups are refused' exits 2
expect 'with both numbers' says 'n=10000 is 10 groups of 1024 elements, which cannot be cut into count=11'

shapes_run overlap n=300007,chunks=1,queues=1 n=300007,chunks=8,queues=1 n=300007,chunks=8,queues=2
expect 'chunks are measured' exits 0
expect 'their table shows what overlapping brings' golden overlap.txt
expect 'and each is checked from the host and back' test "$(checks_of fake:1 | sort -u)" = 'guard exact in chunks random'
memory=mapped shapes_run overlap n=300007,chunks=8,queues=2
expect 'a mapped buffer is not moved by parts' prints 'unsupported: operands are copied in parts, but'
jq '.devices[1].faults = [{call: "download", number: 9, kind: "stale"}]' "$work/launch.json" >"$work/script.json"
BENCH_FAKE=$work/script.json shapes_run overlap n=300007,chunks=8,queues=2
expect 'a chunk that is not brought back ends as wrong' test "$(outcome_of fake:0) $(outcome_of fake:1)" = 'ok wrong'
call run --device fake --baseline fake:0 --workload overlap --size n=300007,chunks=1,queues=2 --journal "$work/none.jsonl"
expect 'a queue without a chunk is refused' says 'queues=2 for chunks=1: a queue without a chunk has nothing to do'

finish
