#!/usr/bin/env bash
# NVIDIA's libraries on the doubles: which version is used, what is reported of the others, and the effect of one that is
# missing or fails. The double of cuBLAS (tests/doubles/cuda/cublas.c) computes exactly as the call asks.
# Prints TAP. Usage: cuda_libraries.sh PATH-OF-BENCH PATH-OF-TESTS
# shellcheck source=tests/program/lib.sh
source "$2/program/lib.sh"

doubles=$BENCH_LIBRARY_PATH
problem='--workload matmul --size m=65,n=33,k=129'
cublas_run() { # option...: a problem by cuBLAS against the CPU
    rm -f "$work/journal.jsonl" "$work/ledger"
    # shellcheck disable=SC2086 # words
    CUDA_DOUBLE_LEDGER=$work/ledger call run --device cuda:0 $problem --method "${methods:-native,cublas}" \
        --budget 50ms --timeout 2s --journal "$work/journal.jsonl" "$@"
}
nothing_is_left() { [ -s "$work/ledger" ] && ! grep -qvx nothing "$work/ledger"; }
detail() { jq -r 'select(.line == "first" and (.detail | test("cuBLAS"))) | .detail' "$work/journal.jsonl"; }
reason() { jq -r 'select(.line == "outcome" and .status != "ok") | .reason' "$work/journal.jsonl"; }
library() { # name jq-filter: of a library of the GPU's, in the journal
    jq -r --arg name "$1" "select(.line == \"device\" and .id == \"cuda:0\") | .libraries[] |
        select(.name == \$name) | $2" "$work/journal.jsonl"
}

# --- the list of devices
mkdir "$work/both" "$work/partial"
cp "$doubles/libcublas_13.so" "$work/both/libcublas.so.13.4.2"
ln -s libcublas.so.13.4.2 "$work/both/libcublas.so.13"
cp "$doubles/libcublas.so.12" "$work/both/libcublas.so.12"
sed 's/cublasSetWorkspace_v2/cublasSetWorkspace_vZ/g' "$doubles/libcublas.so.12" >"$work/partial/libcublas.so.12"
call devices --device cuda
expect 'a library is listed with its place' prints '^ *cuBLAS *12, .*/libcublas.so.12\(;.*\)\?$'
expect 'the compiler, too' prints '^ *NVRTC *12, .*/libnvrtc.so.12\(;.*\)\?$'
expect 'a missing library says so' prints '^ *NVML *'

# --- a run
NVIDIA_TF32_OVERRIDE=1 methods=cublas cublas_run --baseline none
expect 'a product is computed and right' test "$(outcome_of cuda:0)" = ok
expect 'its row says in what' grep -q 'cuBLAS 12.4.2, .*f32 accumulation.*, NVIDIA_TF32_OVERRIDE ignored' <<<"$(detail)"
expect 'everything is released' nothing_is_left
cublas_run
expect 'the journal has where the library is' test "$(library cuBLAS '.version + " " + (.path | split("/")[-1])')" = '12 libcublas.so.12'
expect 'the report has which there are' prints_words 'with .*cuBLAS 12'

# --- the version: test_cuda_library.c has what is taken and what is refused
BENCH_LIBRARY_PATH=$work/both CUDA_DOUBLE_VERSION=12080 cublas_run
expect 'a driver of CUDA 12 gets the older of both' grep -q 'cuBLAS 12.4.2' <<<"$(detail)"
BENCH_LIBRARY_PATH=$work/partial cublas_run
expect 'a library that lacks a function is unsupported' test "$(outcome_of cuda:0)" = unsupported
expect 'a library that lacks a function names it' grep -q 'cuBLAS has no function cublasSetWorkspace_v2' <<<"$(reason)"
expect "a library that lacks a function affects the GPU's row only" test "$(outcome_of cpu)" = ok

# --- a library that fails
while read -r name nth kind wanted words; do
    CUDA_DOUBLE_FAULT="$name $nth $kind" cublas_run
    expect "$kind in $name $nth ends as $wanted" test "$(outcome_of cuda:0)" = "$wanted"
    expect "$kind in $name $nth says so" grep -q "$words" <<<"$(reason)"
    expect "$kind in $name $nth affects the GPU's row only" test "$(outcome_of cpu)" = ok
    expect "$kind in $name $nth leaves nothing behind" nothing_is_left
done <<'FAULTS'
cublasCreate_v2 1 3 no-memory CUBLAS_STATUS_ALLOC_FAILED (3)
cublasGemmEx 1 8 unsupported CUBLAS_STATUS_ARCH_MISMATCH (8)
cublasGemmEx 1 15 unsupported CUBLAS_STATUS_NOT_SUPPORTED (15)
cublasGemmEx 3 13 failed CUBLAS_STATUS_EXECUTION_FAILED (13)
cublasGemmEx 2 99 failed error 99
FAULTS

# --- a step of training: its products by the library, and kernels compiled by NVRTC between them
problem='--workload train --size batch=35,in=19,hidden=67,out=5'
cublas_run
expect 'a step is computed and right' test "$(outcome_of cuda:0)" = ok
expect 'a step says who computes what' grep -q 'f32 accumulation.*, own kernels after each product, NVRTC' <<<"$(detail)"
while read -r fault wanted words; do
    CUDA_DOUBLE_FAULT=${fault//,/ } cublas_run
    expect "a step with $fault ends as $wanted" test "$(outcome_of cuda:0)" = "$wanted"
    expect "a step with $fault says so" grep -q "$words" <<<"$(reason)"
    expect "a step with $fault leaves nothing behind" nothing_is_left
done <<'FAULTS'
cublasGemmEx,4,15 unsupported CUBLAS_STATUS_NOT_SUPPORTED (15)
cublasGemmEx,8,13 failed CUBLAS_STATUS_EXECUTION_FAILED (13)
cuLaunchKernel,8,801 failed CUDA_ERROR_NOT_SUPPORTED (801)
cuModuleGetFunction,5,500 failed CUDA_ERROR_NOT_FOUND (500)
FAULTS
FAULT='cuLaunchKernel 1+ spoil' cublas_run
expect 'a step whose kernels have no effect is wrong' test "$(outcome_of cuda:0)" = wrong
problem='--workload matmul --size m=65,n=33,k=129'
CUDA_DOUBLE_MEMORY=1000000 cublas_run
expect 'a GPU without room for the workspace has no memory' test "$(outcome_of cuda:0)" = no-memory
finish
