#!/usr/bin/env bash
# A program with PTX, on a machine with a driver and no compiler. The driver is the double, and the PTX was made by the
# double of NVRTC when the program was built: what is looked at is when it is used, and that it is found, loaded and
# reported, and nothing about code for real GPUs (test_ptx.c). Prints TAP.
# Usage: ptx.sh PATH-OF-BENCH PATH-OF-TESTS PATH-OF-MAKE_PTX
# shellcheck source=tests/program/lib.sh
source "$2/program/lib.sh"

make_ptx=$3
mkdir "$work/driver"
ln -s "$BENCH_LIBRARY_PATH/libcuda.so.1" "$work/driver/libcuda.so.1"
double=$BENCH_LIBRARY_PATH

cuda_run() { # option...
    rm -f "$work/journal.jsonl"
    call run --device cuda:0 --baseline none --method portable --budget 50ms --journal "$work/journal.jsonl" "$@"
}
alone() { # option...: without any NVRTC
    LD_LIBRARY_PATH=$work/driver BENCH_LIBRARY_PATH=$work CUDA_HOME=$work cuda_run "$@"
}
small=(--workload multiply --size 100K)
detail() { jq -r 'select(.line == "first") | .detail' "$work/journal.jsonl"; }

alone "${small[@]}"
expect 'without a compiler a kernel runs and is right' test "$(outcome_of cuda:0)" = ok
expect 'the row says whose code it was' grep -q 'this program.s PTX, by NVRTC 12.4' <<<"$(detail)"
alone "${small[@]}" --dtype f64
expect 'so it does in another type' test "$(outcome_of cuda:0)" = ok

call devices
expect 'the list of devices shows the PTX of the program' prints_words 'PTX 12.4, in this program, by NVRTC'
CUDA_DOUBLE_VERSION=11080 call devices
expect 'the list of devices says that the driver accepts none of it' \
    prints_words 'PTX none: this program.s PTX needs a driver for CUDA 12.4, the driver is for CUDA 11.8'

LD_LIBRARY_PATH=$double cuda_run "${small[@]}"
expect 'a compiler that is there comes first' grep -q ', NVRTC 12.4' <<<"$(detail)"
LD_LIBRARY_PATH=$double CUDA_DOUBLE_ARCHITECTURE=120 cuda_run "${small[@]}"
expect 'a compiler that does not know the GPU is skipped' grep -q 'this program.s PTX' <<<"$(detail)"
LD_LIBRARY_PATH=$double CUDA_DOUBLE_BUILTINS=absent cuda_run "${small[@]}"
expect 'a compiler that lacks its own library is skipped' grep -q 'this program.s PTX' <<<"$(detail)"

while IFS='|' read -r what setting wanted option; do
    # shellcheck disable=SC2086
    (export "${setting?}" && alone $option)
    expect "$what: unsupported" test "$(outcome_of cuda:0)" = unsupported
    expect "$what: reported" grep -q -- "$wanted" "$work/journal.jsonl"
done <<'REFUSALS'
a size that was not compiled|UNUSED=|none for this size|--workload matmul --size m=64,n=64,k=64
an older driver of the same major version|CUDA_DOUBLE_VERSION=12030|needs a driver for CUDA 12.4, the driver is for CUDA 12.3|--workload multiply --size 100K
a GPU that is too old|CUDA_DOUBLE_CAPABILITY=7.0|is for sm_75 and newer, the GPU is sm_70|--workload multiply --size 100K
REFUSALS
for capability in 7.5 8.9 12.0; do
    CUDA_DOUBLE_CAPABILITY=$capability alone "${small[@]}"
    expect "a GPU of compute capability $capability runs it" test "$(outcome_of cuda:0)" = ok
done
CUDA_DOUBLE_FAULT='cuModuleLoadDataEx 1 2' alone "${small[@]}"
expect 'a driver without memory for the code is out of memory' test "$(outcome_of cuda:0)" = no-memory

for code in 218 221 222; do
    CUDA_DOUBLE_FAULT="cuModuleLoadDataEx 0 $code" alone "${small[@]}"
    expect "a driver that refuses the PTX by $code: unsupported" test "$(outcome_of cuda:0)" = unsupported
    expect "a driver that refuses the PTX by $code: named" grep -q "($code)" "$work/journal.jsonl"
done

CUDA_DOUBLE_FAULT="cuModuleLoadDataEx 0 218" alone "${small[@]}"
expect 'what the driver says of the PTX is in the row' \
    grep -q '(218): .*; log of the driver.s compiler: ptxas application ptx input, line 9; error *: Unknown symbol' "$work/journal.jsonl"

PTX_ONLY=multiply "$make_ptx" "$work/one.c" "$double/libnvrtc.so.12" >"$work/made"
expect 'the build reports what it waits for' grep -qx 'bench: Compiling kernels for NVIDIA GPUs, once.' "$work/made"
PTX_ONLY=multiply "$make_ptx" "$work/two.c" "$double/libnvrtc.so.12" >"$work/made"
expect 'a second build makes the same' cmp "$work/one.c" "$work/two.c"
expect 'the table names its compiler' grep -q '^/\* By NVRTC 12.4' "$work/one.c"
CUDA_DOUBLE_BUILTINS=absent PTX_ONLY=multiply "$make_ptx" "$work/three.c" "$double/libnvrtc.so.12" >"$work/made" 2>&1
expect 'a compiler that fails leaves no table' test ! -e "$work/three.c"
expect 'and says why' grep -q 'does not find libnvrtc-builtins.so' "$work/made"
finish
