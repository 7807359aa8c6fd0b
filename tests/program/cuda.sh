#!/usr/bin/env bash
# The program on the doubles of NVIDIA's driver and compiler (tests/doubles/cuda). Their figures mean nothing, but
# measuring, checking and reporting work as on a real GPU. Failing GPUs are the subject of cuda_faults.sh.
# Prints TAP. Usage: cuda.sh PATH-OF-BENCH PATH-OF-TESTS
# shellcheck source=tests/program/lib.sh
source "$2/program/lib.sh"

gpus=cuda
cuda_run() { # option...: a small run on $gpus against the CPU
    rm -f "$work/journal.jsonl" "$work/ledger"
    CUDA_DOUBLE_LEDGER=$work/ledger call run --device "$gpus" --workload multiply --size 100K --method native,portable \
        --budget 50ms --timeout 2s --journal "$work/journal.jsonl" "$@"
}
facts_of() { # device jq-filter: of its line in the journal
    jq -r --arg id "$1" "select(.line == \"device\" and .id == \$id) | $2" "$work/journal.jsonl"
}
nothing_is_left() { [ -s "$work/ledger" ] && ! grep -qvx nothing "$work/ledger"; }

# --- the list of devices
call devices
expect 'a GPU is listed' prints '^cuda:0 .*Double 0, not a GPU'
expect 'a GPU is one with memory of its own' prints 'separate from the host'
export CUDA_DOUBLE_DEVICES=2
call devices
expect 'two GPUs are listed' prints '^cuda:1 .*Double 1'
CUDA_LAUNCH_BLOCKING=1 call devices
expect 'a variable that changes how the driver works is shown' prints_words 'CUDA_LAUNCH_BLOCKING=1: the host waits for each launch'
CUDA_LAUNCH_BLOCKING=0 call devices
expect 'one that changes nothing is not' test "$(grep -c CUDA_LAUNCH_BLOCKING "$work/out")" = 0
CUDA_VISIBLE_DEVICES='' call devices
expect 'a CUDA_VISIBLE_DEVICES that hides all GPUs is named' prints '^cuda .*CUDA_VISIBLE_DEVICES is "", which may hide every GPU'
LD_LIBRARY_PATH='' call devices
expect 'without a driver there is a line that says so' prints '^cuda .*libcuda.so.1 not found (no NVIDIA driver installed)'
mkdir "$work/empty" && : >"$work/empty/libcuda.so.1"
LD_LIBRARY_PATH=$work/empty call devices
expect 'a driver that is there but empty is not called missing' prints '^cuda .*libcuda.so.1: file too short: install'
CUDA_DOUBLE_SOC=1 CUDA_DOUBLE_DEVICES=1 cuda_run --device cuda:0
expect 'a GPU on no bus is measured' test "$(outcome_of cuda:0)" = ok
expect 'a GPU on no bus names no place' test "$(facts_of cuda:0 '.key + " " + (.silicon // "")')" = 'cuda/Double-0-not-a-GPU '
CUDA_DOUBLE_FAULT='cuInit 0 803' call devices
expect 'a driver that does not start is named with its answer' prints '^cuda .*803'
expect 'a driver that does not start affects its own devices only' prints '^cpu '

# --- a run
cuda_run
expect 'a run on two GPUs ends well' exits 0
expect 'a GPU is measured' test "$(outcome_of cuda:0)" = ok
expect 'the other one, too' test "$(outcome_of cuda:1)" = ok
expect 'two equal GPUs have keys of their own' test "$(facts_of cuda:0 .key)" != "$(facts_of cuda:1 .key)"
expect 'the report says what compiled the kernel' prints 'cuda:0 .*portable'
expect 'a GPU has its own verdict' prints 'cuda:0'
expect 'everything is released' nothing_is_left
CUDA_DOUBLE_WAKE=$work/wake cuda_run
expect 'the GPUs stay initialised as long as the run lasts' test "$(wc -l <"$work/wake")" -eq 1
gpus=cuda:0
cuda_run --memory all
expect 'every kind of memory ends well' exits 0
expect 'every kind of memory has its row' test "$(outcome_of cuda:0 | sort | uniq -c | tr -s ' ')" = ' 4 ok'
expect 'every kind of memory is released' nothing_is_left
while read -r workload size; do
    rm -f "$work/journal.jsonl" "$work/ledger"
    CUDA_DOUBLE_LEDGER=$work/ledger call run --device cuda:0 --baseline none --workload "$workload" --size "$size" \
        --budget 1ms --journal "$work/journal.jsonl"
    expect "$workload $size is released" eval 'exits 0 && nothing_is_left'
done <<'WORKLOADS'
matmul m=8,n=8,k=8
transfer bytes=2500,direction=within
transfer bytes=2500,direction=peer
transfer bytes=2500,direction=through-host
overlap n=100K,chunks=4,queues=2
WORKLOADS

# --- many launches as one, and a host that sleeps meanwhile
launch_run() { # size option...
    local size=$1
    shift
    rm -f "$work/journal.jsonl" "$work/ledger"
    CUDA_DOUBLE_LEDGER=$work/ledger call run --device cuda:0 --baseline none --workload launch --size "$size" \
        --budget 50ms --timeout 2s --journal "$work/journal.jsonl" "$@"
}
waits() { # how the rows of each method waited
    jq -r 'select(.line == "first") | (.cell | split("/")[3]) + " " + .wait' "$work/journal.jsonl" | tr '\n' ','
}
rows() { jq -r 'select(.line == "cell" and (.ceiling | not)) | .method' "$work/journal.jsonl" | tr '\n' ' '; }
launch_run n=100K,count=7
expect 'a graph has a row beside the launches one by one' test "$(rows)" = 'portable graph '
expect 'a graph is right' test "$(outcome_of cuda:0 | sort -u)" = ok
expect 'a graph is released' nothing_is_left
launch_run n=1,count=1
expect 'a single launch has a row for each way to wait' test "$(waits)" = 'portable spin,graph spin,blocking block,'
expect 'the event for sleeping is released' nothing_is_left
launch_run n=100K,count=7 --method blocking
expect 'many launches have no row for sleeping' test "$(outcome_of cuda:0)" = unsupported
launch_run n=100K,count=7 --method all
expect 'where each method is wanted a graph is one' test "$(rows)" = 'portable graph '
CUDA_DOUBLE_IDLE=1 launch_run n=100K,count=7
expect 'launches that do nothing are wrong, one by one and as a graph' \
    test "$(outcome_of cuda:0 | tr '\n' ' ')" = 'wrong wrong '

# --- what is asked of the driver and of cuBLAS, and of a recommendation both of its sides
asked() { sort -u "$work/asked" | tr '\n' ','; } # what a function was asked for
export CUDA_DOUBLE_ASKED=$work/asked
cuda_run --memory all
expect 'contexts spin, memory is page-locked or mapped, streams do not wait for each other' test "$(asked)" = \
    'cuDevicePrimaryCtxSetFlags_v2 1,cuEventCreate 0,cuMemHostAlloc 3,cuStreamCreate 1,'
rm "$work/asked"
launch_run n=1,count=1 --method blocking
expect 'the event of a host that sleeps lets it sleep, and takes no time' grep -qx 'cuEventCreate 3' "$work/asked"
while read -r capability bytes; do
    rm "$work/asked"
    CUDA_DOUBLE_CAPABILITY=$capability call run --device cuda:0 --baseline none --workload matmul --size m=8,n=8,k=8 \
        --method cublas --budget 1ms --journal "$work/cublas$capability.jsonl"
    expect "cuBLAS has a workspace of $bytes bytes at compute capability $capability" \
        grep -qx "cublasSetWorkspace_v2 $bytes" "$work/asked"
done <<'WORKSPACES'
8.9 4194304
9.0 33554432
12.0 33554432
WORKSPACES
unset CUDA_DOUBLE_ASKED

# --- a run by the clock of the device has all of its launches, and no other
while read -r method ns; do
    CUDA_DOUBLE_TICKS=1 launch_run n=100K,count=7 --method "$method"
    expect "seven launches of $method take as long by the device as the journal says" test "$(jq -s -c \
        '[.[] | select(.line == "slice" and .series == "resident").event_ns[]?] | unique' "$work/journal.jsonl")" = "[$ns]"
done <<'EVENTS'
portable 7000
graph 7000
EVENTS

# --- missing libraries
mkdir "$work/driver"
ln -s "$BENCH_LIBRARY_PATH/libcuda.so.1" "$work/driver/libcuda.so.1"
LD_LIBRARY_PATH=$work/driver BENCH_LIBRARY_PATH='' CUDA_HOME=$work cuda_run
expect 'without a compiler the kernel text is unsupported' test "$(outcome_of cuda:0)" = unsupported
expect 'without a compiler the row says what it needs' prints_words 'libnvrtc\.so\.12'
CUDA_DOUBLE_ARCHITECTURE=80 cuda_run
expect 'for a GPU that is newer than the compiler the driver compiles' test "$(outcome_of cuda:0)" = ok
expect 'the row says so' grep -q 'NVRTC 12.4, PTX for sm_80' "$work/journal.jsonl"
CUDA_DOUBLE_ARCHITECTURE=120 cuda_run
expect 'a GPU that the compiler does not know is unsupported' test "$(outcome_of cuda:0)" = unsupported
expect 'a GPU that the compiler does not know is named' prints 'NVRTC 12.4 cannot compile for this GPU (sm_90)'
for code in 218 221 222; do
    CUDA_DOUBLE_ARCHITECTURE=80 CUDA_DOUBLE_FAULT="cuModuleLoadDataEx 0 $code" cuda_run
    expect "a driver that refuses the PTX by $code: unsupported" test "$(outcome_of cuda:0)" = unsupported
    expect "a driver that refuses the PTX by $code: named" grep -q "($code)" "$work/journal.jsonl"
done
CUDA_DOUBLE_ARCHITECTURE=80 CUDA_DOUBLE_FAULT="cuModuleLoadDataEx 0 218" cuda_run
expect 'what the driver says of the PTX is in the row' \
    grep -q '(218): .*; log of the driver.s compiler: ptxas application ptx input, line 9; error *: Unknown symbol' "$work/journal.jsonl"
CUDA_DOUBLE_FAULT='cuModuleLoadDataEx 1 2' cuda_run
expect 'a driver without memory for the code is out of memory' test "$(outcome_of cuda:0)" = no-memory
CUDA_DOUBLE_BUILTINS=absent cuda_run
expect 'a compiler that lacks its own library says so' prints_words 'does not find libnvrtc-builtins.so'
finish
