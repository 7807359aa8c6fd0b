#!/bin/sh
# Runs the kernels of the suite under Oclgrind, which finds out-of-bounds accesses, races and uninitialised reads. It
# reports them in its log only; its exit status does not show them. Each test has a process and a log of its own. Kernels
# run in both of their forms, that of a CPU and that of a GPU, on shapes that are small enough for a simulator.
#
# usage: test_kernels.sh SUITE cpu|gpu|gpu-windows|gpu-matmul|gpu-conv
set -u
suite=$1
part=$2
export SUITE_TYPES=few

command -v oclgrind >/dev/null || { echo '1..0 # SKIP oclgrind is not installed'; exit 0; }
folder=$(mktemp -d) || exit 1
trap 'rm -r "$folder"' EXIT

# check CLASS TEST OPTION...: runs one test of the suite, which must pass; Oclgrind's findings are in $folder/log.
check()
{
    class=$1
    name=$2
    shift 2
    rm -f "$folder/log"
    SUITE_BACKEND=opencl SUITE_LARGEST=$largest SUITE_CLASS=$class oclgrind "$@" --log "$folder/log" \
        --check-api --data-races --build-options -cl-opt-disable "$suite" --filter "$name" --tap="$folder/tap" \
        >"$folder/output" 2>&1
    grep "$(basename "$name")" "$folder/tap" | grep '^ok ' | grep -q -v '# SKIP'
}

# report NUMBER WHAT STATUS: one line of TAP, and the beginning of the log after a failure.
report()
{
    if [ "$3" = 0 ]; then
        echo "ok $1 - $2"
    else
        echo "not ok $1 - $2"
        cat "$folder/log" "$folder/output" 2>/dev/null | head -n 40 | sed 's/^/# /'
    fi
}

number=0
expect()
{
    number=$((number + 1))
    report "$number" "$1" "$2"
}

# The same on each class. Windows have the smallest problems only.
whole_numbers()
{
    largest=8000
    check "$1" backend/computes_whole_numbers_exactly && [ ! -s "$folder/log" ]
    expect "whole numbers, kernels as on a $1" $?
}
windows()
{
    largest=1000
    check "$1" backend/leaves_what_lies_around_its_operands_alone && [ ! -s "$folder/log" ]
    expect "windows, kernels as on a $1" $?
}
every_shape()
{
    check "$1" backend/computes_with_every_kernel_shape && [ ! -s "$folder/log" ]
    expect "every kernel shape${SUITE_WORKLOAD:+ of $SUITE_WORKLOAD}, class $1" $?
}

case $part in
cpu)
    whole_numbers CPU
    windows CPU
    every_shape CPU
    # Uninitialised reads only in kernels without scratch: Oclgrind loses track of a buffer that one kernel writes and
    # another reads, when the host has written a part of it or its address is used again.
    largest=3000
    export SUITE_SCRATCH=no
    check CPU backend/computes_whole_numbers_exactly --uninitialized && [ ! -s "$folder/log" ]
    expect 'nothing uninitialised, kernels as on a CPU' $?
    unset SUITE_SCRATCH
    # Nor does it see what the host writes into mapped memory.
    largest=20000
    check CPU backend/computes_random_operands_within_the_bound_in_every_kind_of_memory && [ ! -s "$folder/log" ]
    expect 'every kind of memory' $?
    SUITE_PLANT=1 check CPU planted/writes_past_the_end_of_its_output && grep -q 'Invalid write' "$folder/log"
    expect 'a planted write past the end is seen' $?
    ;;
gpu)
    whole_numbers dGPU
    ;;
gpu-windows)
    # Other types have the same windows. What they compute in them is tested on PoCL.
    SUITE_TYPES=f32
    windows dGPU
    SUITE_TYPES=few
    export SUITE_WORKLOAD
    SUITE_WORKLOAD=launch
    check dGPU backend/computes_whole_numbers_exactly --uninitialized && [ ! -s "$folder/log" ]
    expect 'nothing uninitialised, a run in many launches as on a dGPU' $?
    SUITE_WORKLOAD=multiply
    every_shape dGPU
    # Tiles that are not full, and many steps along k; what is larger takes minutes here.
    SUITE_WORKLOAD=matmul
    largest=600
    export SUITE_SCRATCH=no SUITE_TYPES=f32
    check dGPU backend/computes_whole_numbers_exactly --uninitialized && [ ! -s "$folder/log" ]
    expect 'nothing uninitialised, matmul as on a dGPU' $?
    ;;
gpu-*)
    # An Intel GPU has every kernel shape. A group of each simulates all of its work-items, however small the problem is.
    export SUITE_WORKLOAD="${part#gpu-}" SUITE_ARCHITECTURE='intel xe-lp'
    largest=1000
    every_shape iGPU
    ;;
*)
    echo "Bail out! there is no part $part"
    exit 1
    ;;
esac
echo "1..$number"
