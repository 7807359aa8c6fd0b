#!/usr/bin/env bash
# Several GPUs, on the doubles of NVIDIA's driver and compiler (tests/doubles/cuda): copies from one to the next, and
# the names of the devices. Prints TAP. Usage: gpus.sh PATH-OF-BENCH PATH-OF-TESTS
# shellcheck source=tests/program/lib.sh
source "$2/program/lib.sh"

export CUDA_DOUBLE_DEVICES=2
gpus=cuda
baseline=none
copy_run() { # direction option...: of $gpus
    local direction=$1
    shift
    rm -f "$work/journal.jsonl" "$work/ledger"
    CUDA_DOUBLE_LEDGER=$work/ledger call run --device "$gpus" --baseline "$baseline" --workload transfer \
        --size "bytes=2500000,direction=$direction" --budget 50ms --timeout 2s --journal "$work/journal.jsonl" "$@"
}
of_lines() { jq -r "select(.line == \"$1\") | $2 | if type == \"number\" then floor else . end" "$work/journal.jsonl" | sort -u | tr '\n' ' '; }
reason_of() { # device id
    jq -r --slurp --arg device "$1" '(.[] | select(.line == "cell" and .device == $device).key) as $key
        | .[] | select(.line == "outcome" and .cell == $key).reason' "$work/journal.jsonl"
}
# shellcheck disable=SC2317 # `expect` calls it
nothing_is_left() { [ -s "$work/ledger" ] && ! grep -qvx nothing "$work/ledger"; }

# --- from device to device
for direction in peer through-host; do
    copy_run "$direction"
    expect "$direction ends well" exits 0
    expect "$direction is measured and right from each GPU" test "$(outcome_of cuda:0) $(outcome_of cuda:1)" = 'ok ok'
    expect "$direction names its destination" grep -q 'to cuda:1 (Double 1, not a GPU, pci 0000:66:00.0)' \
        <<<"$(of_lines first .detail)"
    expect "$direction has a row that says so" prints "^cuda:0  *$direction to cuda:1  *pinned"
    expect "$direction goes from the last GPU to the first" grep -q 'to cuda:0 (Double 0' <<<"$(of_lines first .detail)"
    expect "$direction counts its bytes once" test "$(of_lines cell .bytes)" = '2500000 '
    expect "$direction is bound by the way there" test "$(of_lines cell .link)" = 'true '
    expect "$direction has no part that brings anything home" test "$(of_lines slice .series)" = 'queued resident '
    expect "$direction gives everything back" nothing_is_left
done
copy_run within
expect 'within ends well' test "$(outcome_of cuda:0) $(outcome_of cuda:1)" = 'ok ok'
expect 'within counts bytes read and bytes written' test "$(of_lines cell .bytes)" = '5000000 '
expect 'within is the driver'"'"'s own command' test "$(of_lines first .detail)" = 'cuMemcpyDtoDAsync '
expect 'within gives everything back' nothing_is_left
baseline=cpu copy_run within
expect 'within is compared with the copy of the CPU' prints '^cpu  *native  *pageable  *baseline'
copy_run peer --memory mapped
expect 'host memory is on no device' prints "unsupported: the operands are in host memory"

# --- one GPU, and GPUs that are apart
CUDA_DOUBLE_DEVICES=1 call run --device cuda:0 --baseline none --workload transfer --size bytes=1Ki,direction=up \
    --size bytes=1Ki,direction=peer --budget 50ms --journal "$work/one.jsonl"
expect 'asked for on the only GPU it says why not' prints 'unsupported: CUDA lists no second device to copy to'
CUDA_DOUBLE_DEVICES=1 call run --device cuda:0 --baseline none --workload transfer --budget 10ms --memory pinned --dry-run
expect 'a suite does not mention pairs that do not exist' test "$(grep -c 'peer\|through-host' "$work/out")" = 0
CUDA_DOUBLE_APART=all copy_run peer
expect 'GPUs without access to each other are unsupported' test "$(outcome_of cuda:0)" = unsupported
expect 'GPUs without access to each other are named' \
    grep -q '^to cuda:1 (.*): the machine gives no direct access' <<<"$(reason_of cuda:0)"
CUDA_DOUBLE_APART=all copy_run through-host
expect 'the way through the host needs no access' test "$(outcome_of cuda:0)" = ok

CUDA_DOUBLE_APART=0 copy_run peer
for gpu in 0 1; do # what one GPU lacks is told of both
    expect "GPU 0 has no access to the other, which the row of GPU $gpu says" \
        grep -q "to cuda:$((1 - gpu)) .*no direct access" <<<"$(reason_of "cuda:$gpu")"
done

# --- calls that fail: each affects its row, and everything is released. cuda_faults.sh has each function.
while read -r direction name nth kind wanted; do
    CUDA_DOUBLE_FAULT="$name $nth $kind" gpus=cuda:0 copy_run "$direction"
    expect "$direction: $kind in $name $nth ends as $wanted" test "$(outcome_of cuda:0)" = "$wanted"
    [ "$kind" -ge 700 ] ||
        expect "$direction: after $kind in $name $nth everything is released" nothing_is_left
done <<'FAULTS'
peer cuMemAlloc_v2 3 2 no-memory
peer cuCtxEnablePeerAccess 1 711 failed
peer cuCtxEnablePeerAccess 2 217 unsupported
peer cuCtxEnablePeerAccess 2 704 ok
peer cuMemcpyPeerAsync 5 719 failed
through-host cuMemcpyPeerAsync 3 700 failed
FAULTS
CUDA_DOUBLE_FAULT='cuMemAlloc_v2 3 2' gpus=cuda:0 copy_run peer
expect 'memory that the other device does not have is said of that one' \
    grep -q '^to cuda:1 (.*): CUDA_ERROR_OUT_OF_MEMORY' <<<"$(reason_of cuda:0)"

# --- names of GPUs: numbers follow the driver, keys do not
names() { # the number of each GPU by the names that the devices have: "0=2 1=0"
    sed -n 's/^cuda:\([0-9]\).*Double \([0-9]\).*/\1=\2/p' "$work/out" | paste -sd' '
}
numbered() { # wanted condition...: what `devices` shows with these in the environment
    local wanted=$1
    shift
    env CUDA_DOUBLE_DEVICES=3 "$@" "$bench" devices --device cuda >"$work/out" 2>"$work/err" </dev/null
    expect "$* numbers GPUs as $wanted" test "$(names)" = "$wanted"
}
numbered '0=0 1=1 2=2' CUDA_DEVICE_ORDER=PCI_BUS_ID
numbered '0=2 1=0 2=1' CUDA_DOUBLE_FASTEST=2
numbered '0=0 1=1 2=2' CUDA_DOUBLE_FASTEST=2 CUDA_DEVICE_ORDER=PCI_BUS_ID
expect 'the order that was asked for is shown' prints_words 'CUDA_DEVICE_ORDER=PCI_BUS_ID'
numbered '0=0 1=2' CUDA_DOUBLE_FASTEST=2 CUDA_VISIBLE_DEVICES=1,0
numbered '0=2 1=0' CUDA_VISIBLE_DEVICES=2,0
numbered '0=2 1=1' CUDA_VISIBLE_DEVICES=GPU-12000000-0000-0000-0000-000000000000,GPU-11
expect 'a list by UUID is shown' prints_words 'CUDA_VISIBLE_DEVICES=GPU-12000000'
numbered '0=1' CUDA_VISIBLE_DEVICES=1,7,0
CUDA_VISIBLE_DEVICES=-1 call devices
expect 'a list that begins with none hides all' prints_words 'CUDA_VISIBLE_DEVICES is "-1", which may hide every GPU'

copy_run within
mv "$work/journal.jsonl" "$work/before.jsonl"
CUDA_VISIBLE_DEVICES=1,0 copy_run within
call compare "$work/before.jsonl" --with "$work/journal.jsonl" --format json
expect 'a comparison knows each GPU by its key, whatever its number' test \
    "$(jq -r '[.cells[] | "\(.device_name[0:8]) \(.old_runs)\(.new_runs)"] | sort | join(", ")' "$work/out")" = \
    'Double 0 11, Double 1 11'
sed '/"line":"\(first\|race\)"/,$d' "$work/before.jsonl" >"$work/begun.jsonl"
peaks=() # what is resumed has the options of its journal
CUDA_VISIBLE_DEVICES=1,0 call run --resume "$work/begun.jsonl"
peaks=(--no-peaks)
expect 'a run does not go on with another GPU of the same number' exits 2
expect 'which GPU that is is said' says 'cuda:0 has changed: its key was cuda/Double-0'

# --- slices of one GPU, and one piece of silicon through two APIs
slice_run() { # UUID: of a slice
    CUDA_DOUBLE_SLICES=1 CUDA_VISIBLE_DEVICES=$1 copy_run within
    of_lines device 'select(.backend == "cuda") | .key + " at " + .silicon'
}
one=$(slice_run MIG-2000) other=$(slice_run MIG-2001)
expect 'a slice is measured' test "$(outcome_of cuda:0)" = ok
expect 'slices have keys of their own' test "$one" != "$other"
expect 'slices are at one place' test "${one##* at }" = "${other##* at }"
expect 'a slice is named' grep -q 'a slice (MIG-20010000) of a GPU' <<<"$(of_lines device .note)"
echo '{"devices": [{"name": "Seen through another API", "silicon": "pci 0000:66:00.0"}]}' >"$work/twin.json"
BENCH_FAKE=$work/twin.json call devices --device cuda,fake
expect 'a GPU through two APIs is one piece of silicon' prints 'the same silicon as cuda:1'
expect 'and the other GPU is none of it' test "$(grep -c 'the same silicon' "$work/out")" = 1
BENCH_FAKE=$work/twin.json call run --device cuda:1,fake --baseline none --workload transfer --memory pinned \
    --size bytes=64Ki,direction=up --budget 50ms --journal "$work/twin.jsonl"
expect 'a report says so, too' prints '^fake:0: .*same silicon as cuda:1'
finish
