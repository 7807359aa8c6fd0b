#!/bin/bash
# The program with CLBlast as the method, on PoCL: whatever goes wrong with the library is a row with a reason, and never
# a figure. TAP.
#
# usage: test_opencl_clblast.sh BENCH LAYER
set -uo pipefail
bench=$1 layer=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export XDG_STATE_HOME=$folder OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd
number=0

[[ -r $OCL_ICD_VENDORS ]] || { echo '1..0 # SKIP PoCL is not installed' && exit 0; }

compared=(--device opencl --baseline none)
run() { # WORKLOAD SIZE [NAME=VALUE]...: the report, on one line, goes to $said, the exit status to $status
    local workload=$1 size=$2
    shift 2
    said=$(env "$@" "$bench" run --full --no-peaks "${compared[@]}" --method clblast --workload "$workload" \
        --size "$size" --dtype f32 --budget 500ms --timeout 100s 2>"$folder/stderr")
    status=$?
    said=${said//$'\n'/ }
    while [[ $said == *'  '* ]]; do said=${said//  / }; done
}

check() { # SENTENCE CONDITION...
    local sentence=$1
    shift
    number=$((number + 1))
    if "$@"; then
        echo "ok $number - $sentence"
        return
    fi
    echo "not ok $number - $sentence"
    printf 'status %s, said:\n%s\n%s\n' "$status" "$said" "$(tail "$folder/stderr")" | sed 's/^/# /'
    failed=yes
}

says() { [[ $said == *"$1"* ]]; }
lacks() { [[ $said != *"$1"* ]]; }
own_baseline() { says 'baseline: cpu ' && lacks 'baseline: cpu clblast'; } # which of its methods wins, the processor decides
ends_with() { [[ $status == "$1" ]]; }

small=m=67,n=131,k=53
run matmul "$small"
if says 'unsupported: CLBlast cannot be loaded'; then
    echo '1..0 # SKIP CLBlast is not installed'
    exit 0
fi
check "a run that goes well has figures" says 'GFLOP/s'
check "and ends well" ends_with 0

: >"$folder/libclblast.so.1"
run matmul "$small" LD_LIBRARY_PATH="$folder"
check "a library that cannot be loaded: unsupported, and the package is named" says \
    "unsupported: needs Debian's package libclblast1: "
check "a library that cannot be loaded: nothing is compared" says "resident not compared"
check "a library that cannot be loaded: no failure, but nothing was measured" ends_with 3

run conv n=1,c=1,h=512,w=512,k=1,r=20,s=20 POCL_MEMORY_LIMIT=1
check "it wants more in one buffer than the device allows: no memory" says \
    'no-memory: CLBlastSconvgemm allocates a buffer of 388878400 bytes'
check "it wants more in one buffer than the device allows: nothing is compared" says "resident not compared"

run matmul "$small" OPENCL_LAYERS="$layer" OPENCL_LAYER_STRIKE='lost kernel'
check "kernels that do nothing: wrong" says ' wrong: '
check "kernels that do nothing: nothing is compared" says "resident not compared"
check "kernels that do nothing: that is a failure" ends_with 1

run matmul "$small" OPENCL_LAYERS="$layer" OPENCL_LAYER_STRIKE=crash
check "a driver that crashes inside the library: crashed" says ' crashed: '
check "a driver that crashes inside the library: that is a failure" ends_with 1

training=batch=35,in=19,hidden=67,out=5
run train "$training"
check "a step of training has figures" says 'GFLOP/s'
check "a step of training ends well" ends_with 0

run train "$training" OPENCL_LAYERS="$layer" OPENCL_LAYER_STRIKE='lost kernel'
check "a step whose kernels do nothing: wrong" says ' wrong: '
check "a step whose kernels do nothing: that is a failure" ends_with 1

compared=(--device opencl --device cpu)
run matmul "$small"
check "the CPU is the baseline with a method of its own" own_baseline
check "a row without the method is not called a comparison" lacks 'cpu was not compared'

echo "1..$number"
[[ -z ${failed:-} ]]
