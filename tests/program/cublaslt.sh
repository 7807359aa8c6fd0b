#!/usr/bin/env bash
# Matrix multiplication by cuBLASLt in the whole program, on the doubles of NVIDIA's driver and libraries
# (tests/doubles/cuda/cublaslt.c): the heuristics' algorithms are its kernel shapes; what fails, and what is left behind.
# Prints TAP. Usage: cublaslt.sh PATH-OF-BENCH PATH-OF-TESTS
# shellcheck source=tests/program/lib.sh
source "$2/program/lib.sh"

lt_run() { # option...
    rm -f "$work/journal.jsonl" "$work/ledger"
    CUBLASLT_DOUBLE_USED=$work/used CUDA_DOUBLE_LEDGER=$work/ledger call run --device cuda:0 --workload matmul --size m=65,n=33,k=129 --baseline none \
        --no-peaks --method cublaslt --budget 50ms --timeout 2s --journal "$work/journal.jsonl" "$@"
}
nothing_is_left() { [ -s "$work/ledger" ] && ! grep -qvx nothing "$work/ledger"; }
used() { cat "$work/used"; }
detail() { jq -r 'select(.line == "first") | .detail' "$work/journal.jsonl"; }
shape() { jq -r 'select(.line == "first") | .kernel_shape' "$work/journal.jsonl"; }
tried() { # algorithms that were tried, and how each ended
    jq -r 'select(.line == "race") | [.contenders[] | "\(.kernel_shape) \(.end)"] | sort | join(", ")' "$work/journal.jsonl"
}
reason() { jq -r 'select(.line == "outcome" and .status != "ok") | .reason' "$work/journal.jsonl"; }

for dtype in f16 bf16 tf32; do
    NVIDIA_TF32_OVERRIDE=1 lt_run --dtype "$dtype"
    expect "$dtype is computed and right, with sums in f32" test "$(outcome_of cuda:0)" = ok
    expect "$dtype says in what" \
        grep -qx "cuBLASLt 12.4.2, .*f32 accumulation, NVIDIA_TF32_OVERRIDE ignored" <<<"$(detail)"
    expect "$dtype takes the fastest algorithm that computes" test "$(used)" = 3
    expect "$dtype names it" test "$(shape)" = 'algorithm 4'
    expect "$dtype tells of the others: each that is refused or fails costs itself" test "$(tried)" = \
        'algorithm 1 slower, algorithm 2 passed-over, algorithm 3 failed, algorithm 4 measured'
    expect "$dtype releases everything" nothing_is_left
done
lt_run --dtype f16
expect 'a later run takes the same at once' test "$(shape), $(tried)" = 'algorithm 4, '
lt_run --dtype f16 --size m=66,n=34,k=130
expect 'each size has algorithms of its own' grep -q 'algorithm 4 measured' <<<"$(tried)"
for dtype in f32 f64; do
    lt_run --dtype "$dtype"
    expect "$dtype is computed and right" test "$(outcome_of cuda:0)" = ok
    expect "$dtype takes the fastest algorithm that computes" test "$(used)" = 3
done
lt_run --dtype i8 --size m=65,n=36,k=132
expect "i8 is right" test "$(outcome_of cuda:0 | tail -n 1)" = ok
expect "i8 says that an operand is transposed" grep -q 'i32 accumulation, B transposed' <<<"$(detail)"
expect "i8 has the time of that apart" \
    jq -es 'any(.[]; .line == "slice" and (.phases.repack_ns // [] | length) > 0)' "$work/journal.jsonl"
expect "i8 releases everything" nothing_is_left
expect "i8 of another size is unsupported" test "$(outcome_of cuda:0 | head -n 1)" = unsupported
lt_run --dtype i8 --size m=65,n=36,k=132 --method cublas
expect "i8 by cublas: the row says which method has it" grep -q 'see cublaslt' <<<"$(reason)"
lt_run --dtype f16 --size m=1,n=1,k=257 --size m=257,n=3,k=1
expect 'vectors and single elements are right' test "$(outcome_of cuda:0 | sort -u)" = ok
CUDA_DOUBLE_FAULT='cublasLtCreate 2 1' lt_run --dtype i8 --size m=65,n=40,k=132
expect 'a worker starts the library once' test "$(outcome_of cuda:0 | tail -n 1), $(shape)" = 'ok, algorithm 4'
CUBLASLT_DOUBLE_ANSWERS=1 lt_run --dtype f16
expect 'where a library no longer has the one of an earlier run, another is used' test "$(used)" = 0
CUDA_DOUBLE_FAULT='cublasLtMatmul 1 15' CUDA_DOUBLE_ONCE=$work/once lt_run --dtype f16 --retune
expect 'a refusal of the first one costs no more than that' test "$(outcome_of cuda:0), $(shape)" = 'ok, algorithm 4'
CUDA_DOUBLE_CAPABILITY=7.5 lt_run --dtype tf32
expect 'a GPU without TF32 is said to compute in f32' \
    test "$(detail)" = 'cuBLASLt 12.4.2, computed in f32: no TF32 before sm_80'

while read -r name nth kind wanted words; do
    CUDA_DOUBLE_FAULT="$name $nth $kind" lt_run --dtype f16
    expect "$kind in $name $nth ends as $wanted" test "$(outcome_of cuda:0)" = "$wanted"
    expect "$kind in $name $nth says so" grep -q "$words" <<<"$(reason)"
    [ "$wanted" = crashed ] || expect "$kind in $name $nth leaves nothing behind" nothing_is_left
done <<'FAULTS'
cublasLtCreate 0 1 failed CUBLAS_STATUS_NOT_INITIALIZED (1)
cublasLtMatmulDescCreate 0 3 no-memory CUBLAS_STATUS_ALLOC_FAILED (3)
cublasLtMatrixLayoutCreate 0 7 failed CUBLAS_STATUS_INVALID_VALUE (7)
cublasLtMatmulPreferenceCreate 0 3 no-memory CUBLAS_STATUS_ALLOC_FAILED (3)
cublasLtMatmulPreferenceSetAttribute 0 7 failed CUBLAS_STATUS_INVALID_VALUE (7)
cublasLtMatmulAlgoGetHeuristic 0 15 unsupported CUBLAS_STATUS_NOT_SUPPORTED (15)
cublasLtMatmul 0 13 failed CUBLAS_STATUS_EXECUTION_FAILED (13)
cublasLtMatmul 20 crash crashed killed by signal 11
FAULTS
CUBLASLT_DOUBLE_ANSWERS=0 lt_run --dtype f16
expect 'no answer of the heuristics is unsupported' test "$(outcome_of cuda:0)" = unsupported
CUBLASLT_DOUBLE_ANSWERS=-1 lt_run --dtype f16
expect 'nor is a count below 0 believed' test "$(outcome_of cuda:0)" = unsupported
mkdir "$work/alone"
cp "$BENCH_LIBRARY_PATH/libcublas.so.12" "$BENCH_LIBRARY_PATH/libcuda.so.1" "$work/alone"
BENCH_LIBRARY_PATH=$work/alone LD_LIBRARY_PATH=$work/alone lt_run --dtype f16
expect 'a cuBLAS without cuBLASLt says what to install' \
    grep -q 'cuBLAS was loaded without libcublasLt.so.12: install both' <<<"$(reason)"
CUDA_DOUBLE_MEMORY=1000000 lt_run --dtype f16
expect 'a GPU without room for the workspace has no memory' test "$(outcome_of cuda:0)" = no-memory
finish
