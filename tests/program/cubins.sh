#!/usr/bin/env bash
# A program with machine code, on a machine with a driver and no compiler. The driver is the double, and
# the code was made by the double of NVRTC when the program was built: what is looked at is which code is chosen, and
# that it is found, loaded and reported, and nothing about code for real GPUs (test_cubins.c). Prints TAP.
# Usage: cubins.sh PATH-OF-BENCH PATH-OF-TESTS PATH-OF-MAKE_CUBINS
# shellcheck source=tests/program/lib.sh
source "$2/program/lib.sh"

make_cubins=$3
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
expect 'the row says whose code it was' grep -q 'this build.s machine code for sm_90, by NVRTC 12.4' <<<"$(detail)"
alone "${small[@]}" --dtype f64
expect 'so it does in another type' test "$(outcome_of cuda:0)" = ok

call devices
expect 'the list of devices shows the machine code of the program' prints_words 'cubins 12.4, in this program, for sm_90, by NVRTC 12.4'
CUDA_DOUBLE_VERSION=11080 call devices
expect 'the list of devices says that the driver accepts none of it' \
    prints_words 'cubins none: this build.s machine code is for CUDA 12, the driver is for CUDA 11.8'

LD_LIBRARY_PATH=$double cuda_run "${small[@]}"
expect 'a compiler that is there comes first' grep -q ', NVRTC 12.4' <<<"$(detail)"
LD_LIBRARY_PATH=$double CUDA_DOUBLE_ARCHITECTURE=--gpu-architecture=sm_120 cuda_run "${small[@]}"
expect 'a compiler that does not know the GPU is skipped' grep -q 'this build.s machine code' <<<"$(detail)"
LD_LIBRARY_PATH=$double CUDA_DOUBLE_BUILTINS=absent cuda_run "${small[@]}"
expect 'a compiler that lacks its own library is skipped' grep -q 'this build.s machine code' <<<"$(detail)"

while IFS='|' read -r what setting wanted option; do
    # shellcheck disable=SC2086
    (export "${setting?}" && alone $option)
    expect "$what: unsupported" test "$(outcome_of cuda:0)" = unsupported
    expect "$what: reported" grep -q -- "$wanted" "$work/journal.jsonl"
done <<'REFUSALS'
a size that was not compiled|UNUSED=|none for this size|--workload matmul --size m=64,n=64,k=64
an older driver|CUDA_DOUBLE_VERSION=11080|is for CUDA 12, the driver is for CUDA 11.8|--workload multiply --size 100K
a GPU of another architecture|CUDA_DOUBLE_CAPABILITY=8.9|is for sm_90.*the GPU is sm_89|--workload multiply --size 100K
a driver that refuses the code|CUDA_DOUBLE_FAULT=cuModuleLoadData 0 209|the driver refuses this build.s machine code|--workload multiply --size 100K
REFUSALS
CUDA_DOUBLE_CAPABILITY=9.1 alone "${small[@]}"
expect 'a newer GPU of the same major version runs the code' test "$(outcome_of cuda:0)" = ok
CUDA_DOUBLE_FAULT='cuModuleLoadData 1 2' alone "${small[@]}"
expect 'a driver without memory for the code is out of memory' test "$(outcome_of cuda:0)" = no-memory

# Two builds that share a folder of kept code; one has the double of NVRTC, the other no compiler.
make_cubins() { # FOLDER: what it says goes to $work/made
    mkdir -p "$work/$1"
    CUBINS_ONLY=multiply "$make_cubins" "$work/$1"/cubins.{c,S,bin} "$work/kept" "$double/libnvrtc.so.12" >"$work/made" 2>&1
}
make_cubins one
expect 'a build makes machine code and shows its progress' grep -qx '3 of 3 pieces of machine code' "$work/made"
touch -d '40 days ago' "$work"/kept/* "$work/kept/of-no-use.cubin"
make_cubins two
expect 'another build that shares it makes nothing anew' sh -c "! grep ' of [0-9]* pieces' $work/made"
expect 'and gets the same' cmp "$work/one/cubins.bin" "$work/two/cubins.bin"
expect 'files that no build has used for a month are removed' test ! -e "$work/kept/of-no-use.cubin"
finish
