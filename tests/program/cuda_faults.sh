#!/usr/bin/env bash
# GPUs that fail, on the doubles of NVIDIA's driver and compiler (tests/doubles/cuda): an error from each of the driver's
# functions, and the kinds of failures that real GPUs have. The row says in one sentence what happened and
# what to do; other devices and later rows go on; the run exits with 1; nothing is left behind. Prints TAP.
# Usage: cuda_faults.sh PATH-OF-BENCH PATH-OF-TESTS
# shellcheck source=tests/program/lib.sh
source "$2/program/lib.sh"

# Options of a run that calls the function in question.
declare -A run_of=(
    [multiply]='--workload multiply --size 1000'
    [mapped]='--workload multiply --size 1000 --memory mapped'
    [graph]='--workload launch --size n=5000,count=3 --method graph'
    [within]='--workload transfer --size bytes=2500,direction=within'
    [peer]='--workload transfer --size bytes=2500,direction=peer'
    [blocking]='--workload launch --size n=1,count=1 --method blocking'
)
export OCL_ICD_VENDORS=$work/no-drivers # each run would load them to say what they show
devices=cuda:0 timeout=1s
gpu_run() { # option...: of $devices, without a baseline
    rm -f "$work/journal.jsonl" "$work/ledger"
    CUDA_DOUBLE_LEDGER=$work/ledger call run --device "$devices" --baseline none --budget 20ms --timeout "$timeout" \
        --journal "$work/journal.jsonl" "$@"
}
run_with() { # fault of-run option...
    local fault=$1 options=${run_of[$2]}
    shift 2
    # shellcheck disable=SC2086 # words
    CUDA_DOUBLE_FAULT=$fault gpu_run $options "$@"
}
outcomes_of() { outcome_of "$1" 2>/dev/null | tr "\n" " "; } # device; nothing where there was no run
reason_of() { # device: of its rows that did not end well
    jq -r --arg device "$1" -n '[inputs] as $line | ($line[] | select(.line == "cell" and .device == $device) | .key) as $key |
        $line[] | select(.line == "outcome" and .cell == $key and .status != "ok") | .reason' "$work/journal.jsonl"
}
# shellcheck disable=SC2317 # expect calls it
nothing_is_left() { [ -s "$work/ledger" ] && ! grep -qvx nothing "$work/ledger"; }

# --- an error from each function
export CUDA_DOUBLE_DEVICES=2
# Releasing may fail without harm; a property of a device may be unknown. Without its number or its
# start there is no device, and status 3 says that none matched.
answers() {
    cat <<'TABLE'
cuInit multiply absent 3
cuDriverGetVersion multiply unsupported 3
cuGetErrorName multiply ok 0
cuGetErrorString multiply ok 0
cuDeviceGetCount multiply absent 3
cuDeviceGet multiply absent 3
cuDeviceGetName multiply ok 0
cuDeviceTotalMem_v2 multiply ok 0
cuDeviceGetAttribute multiply ok 0
cuDeviceGetUuid multiply ok 0
cuDeviceGetUuid_v2 multiply ok 0
cuDevicePrimaryCtxSetFlags_v2 multiply failed 1
cuDevicePrimaryCtxRetain multiply failed 1
cuDevicePrimaryCtxRelease_v2 multiply ok 0
cuCtxSetCurrent multiply failed 1
cuCtxEnablePeerAccess peer failed 1
cuMemcpyPeerAsync peer failed 1
cuMemcpyDtoDAsync_v2 within failed 1
cuMemAlloc_v2 multiply failed 1
cuMemFree_v2 multiply ok 0
cuMemHostAlloc multiply failed 1
cuMemFreeHost multiply ok 0
cuMemHostGetDevicePointer_v2 mapped failed 1
cuMemcpyHtoDAsync_v2 multiply failed 1
cuMemcpyDtoHAsync_v2 multiply failed 1
cuStreamCreate multiply failed 1
cuStreamDestroy_v2 multiply ok 0
cuStreamSynchronize multiply failed 1
cuEventCreate multiply failed 1
cuEventDestroy_v2 multiply ok 0
cuEventSynchronize blocking failed 1
cuEventRecord multiply failed 1
cuEventElapsedTime multiply failed 1
cuModuleLoadDataEx multiply failed 1
cuModuleUnload multiply ok 0
cuModuleGetFunction multiply failed 1
cuFuncGetAttribute multiply failed 1
cuLaunchKernel multiply failed 1
cuStreamBeginCapture_v2 graph failed 1
cuStreamEndCapture graph failed 1
cuGraphDestroy graph ok 0
cuGraphInstantiateWithFlags graph failed 1
cuGraphExecDestroy graph ok 0
cuGraphLaunch graph failed 1
TABLE
}
grep -oE 'CALL\([a-z_]+, "\w+"' "$tests/../bench/backends/cuda/driver.h" | cut -d '"' -f 2 | sort >"$work/symbols"
answers | cut -d ' ' -f 1 | sort >"$work/tested"
expect 'an error from each function of the driver is tested' diff "$work/symbols" "$work/tested"
while read -r name run wanted exit; do
    CUDA_DOUBLE_CALLS=$work/calls run_with "$name 1 801" "$run"
    [ "$wanted" != absent ] || wanted=
    expect "an error from $name ends as ${wanted:-no device}" test "$(outcomes_of cuda:0)" = "${wanted:+$wanted }"
    expect "an error from $name leaves the run with status $exit" exits "$exit"
    expect "an error from $name leaves nothing behind" nothing_is_left
    [ "$wanted" != failed ] ||
        expect "an error from $name is named" grep -q "CUDA_ERROR_.* (801): " <<<"$(reason_of cuda:0)"
done < <(answers)
# shellcheck disable=SC2317 # expect calls it
called() { sort -u "$work/calls" | comm -23 "$work/symbols" - | diff /dev/null -; }
run_with 'cuLaunchKernel 1 801, cuGetErrorName 1 1, cuGetErrorString 1 1' multiply >/dev/null
CUDA_DOUBLE_CALLS=$work/calls run_with 'cuLaunchKernel 1 801' multiply
expect 'these runs have called each function' called
run_with 'cuLaunchKernel 1 801, cuStreamEndCapture 1 901' graph
expect 'of two errors of a recording the first is named' grep -q '(801): ' <<<"$(reason_of cuda:0)"
run_with 'cuLaunchKernel 1 801' graph
expect 'a recording whose launch failed is ended' nothing_is_left
run_with 'cuLaunchKernel 1 801, cuGetErrorName 1 1' multiply
expect 'an answer without a name is reported by its number' grep -q '(801): ' <<<"$(reason_of cuda:0)"

# --- a call that does not come back, and one that crashes
while read -r name run kind wanted; do
    timeout=1s
    [ "$wanted" != timeout ] || timeout=300ms # four times as long is waited for what opens a device
    begin=$SECONDS
    run_with "$name 1 $kind" "$run"
    expect "a $kind in $name ends as $wanted" test "$(outcomes_of cuda:0)" = "${wanted} "
    [ "$kind" != hang ] || expect "a hang in $name is not waited for longer than its deadline" test $((SECONDS - begin)) -lt 25
done <<'FAULTS'
cuMemAlloc_v2 multiply hang timeout
cuStreamSynchronize multiply hang timeout
cuDevicePrimaryCtxRelease_v2 multiply hang ok
cuLaunchKernel multiply crash crashed
cuDevicePrimaryCtxRelease_v2 multiply crash ok
FAULTS
timeout=300ms
run_with 'cuInit 1 hang' multiply
expect 'a driver that hangs during listing loses its devices' exits 3
run_with 'cuInit 1 crash' multiply
expect 'a driver that crashes during listing loses its devices' exits 3

# --- the trouble that real ones have
devices=cuda timeout=1s
gpu_run --workload multiply --size 1000
# A run before has found the kernel shapes, so that nothing is tuned when trouble strikes.
tuning=$XDG_CACHE_HOME/bench/tuning-3.json
cp "$tuning" "$work/tuned.json"
# Strikes once, in the middle of the first row of cuda:0; then come the same row of cuda:1 and another of both.
trouble() { # name fault outcome sentence
    rm -f "$work/once"
    cp "$work/tuned.json" "$tuning"
    # A row that finds no memory with a remembered kernel shape is opened once more, without it.
    [[ $2 != cuMem*Alloc* ]] || rm "$tuning"
    CUDA_DOUBLE_ONCE=$work/once run_with "$2" multiply --size 3000
    expect "$1: the row ends as $3" test "$(outcomes_of cuda:0)" = "$3 ok "
    expect "$1: the other GPU goes on" test "$(outcomes_of cuda:1)" = 'ok ok '
    expect "$1: the message says what to do" test "$(reason_of cuda:0)" = "$4"
    expect "$1: the run exits with 1, or 0 where memory is short" exits "$([ "$3" = no-memory ] && echo 0 || echo 1)"
    expect "$1: nothing is left behind" nothing_is_left
}
trouble 'another process has the GPU' 'cuDevicePrimaryCtxRetain 1 46' failed \
    'CUDA_ERROR_DEVICE_UNAVAILABLE (46): CUDA-capable device(s) is/are busy or unavailable; it allows one process only; nvidia-smi shows which one has it'
trouble 'no memory while allocating' 'cuMemAlloc_v2 2 2' no-memory \
    "CUDA_ERROR_OUT_OF_MEMORY (2): out of memory; nvidia-smi shows what uses the GPU's memory"
trouble 'no page-locked memory' 'cuMemHostAlloc 2 2' no-memory \
    "CUDA_ERROR_OUT_OF_MEMORY (2): out of memory; nvidia-smi shows what uses the GPU's memory"
trouble 'no memory at a launch' 'cuLaunchKernel 4 2' no-memory \
    "CUDA_ERROR_OUT_OF_MEMORY (2): out of memory; nvidia-smi shows what uses the GPU's memory"
trouble 'an illegal address' 'cuLaunchKernel 1 700' failed \
    'CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access was encountered; an error in the method: please report it'
trouble 'an error of memory that ECC cannot correct' 'cuStreamSynchronize 2 214' failed \
    'CUDA_ERROR_ECC_UNCORRECTABLE (214): uncorrectable ECC error encountered; nvidia-smi -q -d ECC counts such errors: reset or replace the GPU'
trouble 'a launch that the watchdog ends' 'cuStreamSynchronize 2 702' failed \
    'CUDA_ERROR_LAUNCH_TIMEOUT (702): the launch timed out and was terminated; the GPU may drive a display: use a smaller --size or another GPU'
trouble 'a launch that fails' 'cuMemcpyDtoHAsync_v2 1 719' failed \
    "CUDA_ERROR_LAUNCH_FAILED (719): unspecified launch failure; 'sudo dmesg | grep Xid' shows the cause: 79 means that the GPU was lost"
trouble 'code for another GPU' 'cuModuleLoadDataEx 1 209' failed \
    'CUDA_ERROR_NO_BINARY_FOR_GPU (209): no kernel image is available for execution on the device; the library is too old or too new for this GPU'
trouble 'an answer that the driver has no text for' 'cuLaunchKernel 1 4711' failed 'error (4711): the driver has no text for it'

# The same in a race: the ninth launch is one of another kernel shape.
rm -f "$work/once" "$tuning"
CUDA_DOUBLE_ONCE=$work/once run_with 'cuLaunchKernel 9 700' multiply
failed_in_race() { # the contenders of cuda:0 that failed, each with its reason
    jq -r 'select(.line == "race" and .device == "cuda:0") | .contenders[] | select(.end == "failed") | .reason' \
        "$work/journal.jsonl"
}
expect 'a fault in a race is recorded, and costs one kernel shape alone' test "$(failed_in_race)" = \
    'CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access was encountered; an error in the method: please report it'
expect 'a fault in a race: the row ends as ok' test "$(outcomes_of cuda:0)" = 'ok '
# shellcheck disable=SC2317 # expect calls it
names_loser() { prints_words 'vectors failed: CUDA_ERROR_ILLEGAL_ADDRESS'; }
expect 'a fault in a race is named in the full report' names_loser
expect 'a fault in a race leaves nothing behind' nothing_is_left

rm -f "$work/once"
cp "$work/tuned.json" "$tuning"
CUDA_DOUBLE_LOST=$work/once run_with 'cuStreamSynchronize 12 999' multiply --size 3000 --size 5000 --size 7000 --size 9000
expect 'a GPU that is lost costs its row and three that cannot open it, and the others are abandoned' \
    test "$(outcomes_of cuda:0 | xargs -n1 | sort | xargs)" = 'abandoned failed failed failed failed'
expect 'a lost GPU does not affect others' test "$(outcomes_of cuda:1)" = 'ok ok ok ok ok '
expect 'the loss is reported' grep -q "(999): unknown error; .*'sudo dmesg | grep Xid' shows the cause" <<<"$(reason_of cuda:0)"
expect 'its abandonment is reported' grep -q '3 rows of this device were lost before: its workers died, or could not open it' <<<"$(reason_of cuda:0)"

# --- one process at a time
export CUDA_DOUBLE_EXCLUSIVE=$work/exclusive CUDA_DOUBLE_DEVICES=1 devices=cuda:0
gpu_run --workload launch --size n=1,count=1
expect 'on a GPU for one process at a time all rows are measured' test "$(outcomes_of cuda:0)" = 'ok ok ok '
timeout=10s gpu_run --workload matmul --size m=33,n=17,k=20 --size m=20,n=17,k=33 --memory all
expect 'on a GPU for one process at a time methods race one after the other' test "$(jq -r \
    'select(.line == "race") | [.contenders[] | select(.end == "measured") | .ratio] | unique[]' "$work/journal.jsonl" |
    sort -u)" = 1
expect 'each problem is a rotation' prints_words 'note: measured in parts (rotations: 2), as not everything fits into memory, or a device takes one process'
expect 'all of its rows are measured' test "$(outcomes_of cuda:0)" = 'ok ok ok ok ok ok ok ok '
unset CUDA_DOUBLE_EXCLUSIVE

# --- memory of the GPU for one row at a time
closed() { # how many rows had been closed when the last was opened
    jq -s '[([to_entries[] | select(.value.line == "first")] | last | .key) as $last |
        ([to_entries[] | select(.value.line == "outcome" and .key < $last)] | length)] | .[]' "$work/journal.jsonl"
}
devices=cpu,cuda:0
paired_run() { # option...
    rm -f "$work/journal.jsonl"
    call run --device "$devices" --budget 20ms --timeout 10s --journal "$work/journal.jsonl" --workload multiply \
        --no-peaks --memory all --format json "$@"
}
paired() { # rows of the GPU with a speed-up and its interval
    jq '[.. | objects | select(has("break_even") and .device == "cuda:0" and .speedup_resident.samples > 0)] | length' \
        "$work/out"
}
CUDA_DOUBLE_MEMORY=64000000 paired_run --size 2000000
expect 'rows that do not fit into the memory of the GPU are open one after the other' test "$(closed)" = 3
expect 'each is measured in turn with the baseline' test "$(paired)" = 4
devices=cuda CUDA_DOUBLE_DEVICES=2

# --- a driver or a library without a function
without() { # library symbol: a copy of the double whose function has another name
    mkdir -p "$work/lacking"
    rm -f "$work/lacking"/*
    sed "s/$2/${2%?}Z/g" "$BENCH_LIBRARY_PATH/$1" >"$work/lacking/$1"
}
without libcuda.so.1 cuMemHostAlloc
LD_LIBRARY_PATH=$work/lacking:$LD_LIBRARY_PATH call devices
expect 'a driver that is too old says what it lacks' \
    prints_words "none: libcuda.so.1 has no function cuMemHostAlloc: the NVIDIA driver is older than CUDA 11.4 (470): install a newer driver; or $work/lacking/libcuda.so.1 is a stub of it"
without libnvrtc.so.12 nvrtcGetCUBIN
BENCH_LIBRARY_PATH=$work/lacking run_with 'none 1 1' multiply
expect 'a library without a function loses its rows' test "$(outcomes_of cuda:0)" = 'unsupported '
expect 'a library without a function is named, and the function' grep -q 'NVRTC.*nvrtcGetCUBIN' <<<"$(reason_of cuda:0)"
finish
