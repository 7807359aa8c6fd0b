#!/usr/bin/env bash
# Products on scripted devices: their whole output is checked by weighted sums of its lines. Prints TAP.
# Usage: products.sh PATH-OF-BENCH PATH-OF-TESTS
# shellcheck source=tests/program/lib.sh
source "$2/program/lib.sh"

product_run() { # workload size method
    rm -f "$work/journal.jsonl"
    call run --device fake --baseline fake:0 --workload "$1" --size "$2" --method "$3" --budget 1s --seed 7 \
        --journal "$work/journal.jsonl"
}
while read -r workload size method exact; do
    export BENCH_FAKE=$tests/program/fake/pair.json
    product_run "$workload" "$size" "$method"
    expect "$workload $method: right answers are ok" test "$(outcome_of fake:0) $(outcome_of fake:1)" = 'ok ok'
    expect "$workload $method: whole numbers are $exact" test "$(jq -r 'select(.line == "verify" and .pass == "before") |
        [.checks[].name] | join(" ")' "$work/journal.jsonl" | sort -u)" = "guard $exact random"
    for kind in wrong zeros stale; do
        faulty submit 3 "$kind" # the first is part of opening, the second between guard bands
        product_run "$workload" "$size" "$method"
        expect "$workload $method: $kind in the whole output ends as wrong" \
            test "$(outcome_of fake:0) $(outcome_of fake:1)" = 'ok wrong'
        expect "$workload $method: $kind names an element" prints 'wrong: element [0-9]* of [0-9]* \(is\|was\) '
    done
done <<'END'
matmul m=9,n=7,k=5 native exact
conv n=2,c=3,h=7,w=6,k=5,r=3,s=3,pad=1 native exact
conv n=2,c=3,h=7,w=6,k=5,r=3,s=3,pad=1 onednn-winograd rounded
END

finish
