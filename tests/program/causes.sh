#!/usr/bin/env bash
# Why a GPU is not there, or a device does not work: the cause that was met, whole, on every screen. And what drivers and
# systems lack and a run can do without. Prints TAP.
# Usage: causes.sh PATH-OF-BENCH PATH-OF-TESTS PATH-OF-UNBOUND
# shellcheck source=tests/program/lib.sh
source "$2/program/lib.sh"
unbound=$3
form=

words() { tr -s ' \n' ' ' <"$1"; }
has() { words "$1" | grep -cF -- "$2" >/dev/null; } # file text: wherever a line ends

# --- every code for which the program has advice, on every screen
source=$tests/../bench/backends/cuda/driver
# shellcheck disable=SC2013 # words
codes() { # of the table in driver.c, names by driver.h
    sed -n '/^} remedies/,/^};/s/^ *{ \([A-Z_0-9]*\)[ ,].*/\1/p' "$source.c" | while read -r code; do
        case $code in
            [0-9]*) echo "$code" ;;
            *) sed -n "s/^ *$code = \([0-9]*\).*/\1/p" "$source.h" ;;
        esac
    done
}
expect 'the table of advice is read' test "$(codes | wc -l)" -gt 15
small=(run --workload multiply --size 100 --budget 1ms --threads 1)
export OCL_ICD_VENDORS=$work/no-drivers
while read -r code; do
    export CUDA_DOUBLE_FAULT="cuInit 1 $code"
    call devices --format json
    reason=$(jq -r '.absent[] | select(.backend == "cuda").reason' "$work/out")
    expect "$code: a name, and advice to its end" eval \
        '[[ $reason == CUDA_ERROR_*" ($code): "*"; "* ]] && grep -qF -- "${reason: -12}\"" "$source.c"'
    expect "$code: devices as JSON has the cause" test "$(jq -r '.no_gpu | contains("'"$code"'")' "$work/out")" = true
    call devices
    expect "$code: devices" has "$work/out" "$reason"
    call doctor
    expect "$code: doctor" has "$work/out" "$reason"
    call doctor --format json
    expect "$code: doctor as JSON" has "$work/out" "$reason"
    for word in cuda gpu; do
        call "${small[@]}" --device $word
        expect "$code: run --device $word" has "$work/err" "$reason"
    done
    call "${small[@]}" --journal "$work/$code.jsonl"
    expect "$code: run, before it measures" has "$work/err" "$reason"
    expect "$code: run, in its report" has "$work/out" "$reason"
    call report "$work/$code.jsonl" --format json
    expect "$code: the report as JSON" has "$work/out" "$reason"
done < <(codes)
unset CUDA_DOUBLE_FAULT
CUDA_DOUBLE_FAULT='cuInit 1 100' call devices
expect 'a driver that finds no GPU is no failure' prints_words 'No GPU on this machine'

# --- folders of drivers
mkdir "$work/empty" "$work/other"
touch "$work/other/readme"
while read -r variable folder says; do
    unset OCL_ICD_VENDORS
    env "$variable=$folder" "$bench" devices >"$work/out" 2>"$work/err"
    expect "$variable=${folder#"$work"}: $says" prints_words "$variable is $folder, $says"
done <<FOLDERS
OCL_ICD_VENDORS $work/empty which has no .icd file
OPENCL_VENDOR_PATH $work/empty which has no .icd file
OCL_ICD_VENDORS $work/other which has no .icd file
OCL_ICD_VENDORS $work/none which cannot be read
OPENCL_VENDOR_PATH $work/none which cannot be read
FOLDERS

pocl=$(ls /etc/OpenCL/vendors/pocl*.icd 2>/dev/null)
layer=$BENCH_LIBRARY_PATH/libopencl_layer.so
if [ -z "$pocl" ] || [ ! -e "$layer" ]; then
    expect 'PoCL: skipped, it is not installed' true
    finish
fi
export OCL_ICD_VENDORS=$pocl
on_pocl=(run --device opencl --baseline none --workload multiply --size 20000 --budget 5ms)
ran() { exits 0 && prints '^  multiply 20K .*portable'; }

# A loader that looks elsewhere: it does not know the variable that this program searches by.
loader=$(ldconfig -p | sed -n 's/.*libOpenCL.so.1 .*=> //p' | head -1)
mkdir "$work/loader"
sed 's/OPENCL_VENDOR_PATH/OPENCL_VENDOR_PATZ/' "$loader" >"$work/loader/libOpenCL.so.1"
(
    unset OCL_ICD_VENDORS
    LD_LIBRARY_PATH=$work/loader:$LD_LIBRARY_PATH OPENCL_VENDOR_PATH=$work/empty call "${on_pocl[@]}"
    expect 'what the loader finds by itself is measured' ran
    exit $failures
)
failures=$((failures + $?)) number=$((number + 1))

# What hides or changes a driver is named by each command, and by a run that may do without it.
for command in doctor devices 'devices -d opencl' 'run -d opencl' 'run --time 30s --budget 1ms --no-peaks multiply -n 1K'; do
    # shellcheck disable=SC2086 # words
    CUDA_DOUBLE_FAULT='cuInit 1 100' POCL_DEVICES=nonsense "$bench" $command >"$work/out" 2>"$work/err"
    cat "$work/err" >>"$work/out"
    expect "$command names POCL_DEVICES" prints_words 'POCL_DEVICES is "nonsense"'
done
export POCL_EXTRA_BUILD_FLAGS=--nonsense
call doctor
expect 'a variable that spoils the compiler is to be unset' prints_words 'POCL_EXTRA_BUILD_FLAGS is "--nonsense": unset it unset'
call "${on_pocl[@]}"
expect 'and a run names it instead of the cache' prints_words 'failed, .*; POCL_EXTRA_BUILD_FLAGS is "--nonsense": unset it'
export POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable
call devices
expect 'one that slows it down is noted' prints_words 'POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable may make it slower: unset it'
unset POCL_EXTRA_BUILD_FLAGS

# A broken driver beside one without devices.
mkdir "$work/two"
echo 'int main(void) { return 0; }' | cc -x c -shared -fPIC -o "$work/broken.so" - 2>"$work/err"
echo "$work/broken.so" >"$work/two/z.icd"
echo "$work/none.so" >"$work/two/a.icd"
OCL_ICD_VENDORS=$work/two call "${on_pocl[@]}"
expect 'of two drivers one that is broken is named' says "no device: $work/two/a.icd: .*none.so: cannot open"

# --- the cache of compiled kernels
export TMPDIR=$work/tmp
mkdir "$TMPDIR"
for folder in /proc/none /dev/null/x; do
    POCL_CACHE_DIR=$folder call "${on_pocl[@]}" --journal "$work/cache.jsonl"
    expect "a cache in $folder is replaced by a private one" ran
    form=--full call report "$work/cache.jsonl"
    expect 'and the report says so' prints_words "its cache $folder cannot be written or is full: a private one is used; POCL_CACHE_DIR names another"
    rm -f "$work/cache.jsonl"
done
expect 'the private one is for this user alone' test "$(stat -c %a "$TMPDIR"/bench-kernels-*)" = 700
TMPDIR=$work/none POCL_CACHE_DIR=/dev/null/x call "${on_pocl[@]}"
expect 'a TMPDIR that is gone does not lose the device' ran
mkdir "$work/cache.d"
export POCL_CACHE_DIR=$work/cache.d
while IFS='|' read -r name file how; do
    rm -rf "${POCL_CACHE_DIR:?}"/*
    call "${on_pocl[@]}"
    call doctor
    find "$POCL_CACHE_DIR" -name "$file" -exec truncate -s "$how" {} +
    [ "$file" = '*.so' ] || find "$POCL_CACHE_DIR" -name '*.so' -delete
    call doctor
    expect "$name: doctor names the cache and empties it" prints_words \
        "cache of compiled kernels is damaged rm -r '$POCL_CACHE_DIR'"
    call "${on_pocl[@]}"
    expect "$name: a run names it, too" prints_words "\(failed\|crashed\), .*; its cache $POCL_CACHE_DIR may be damaged: see 'bench doctor'"
done <<'DAMAGES'
an empty program|program.bc|0
an empty kernel|*.so|0
a cut kernel|*.so|3000
DAMAGES
unset POCL_CACHE_DIR

# --- doctor calls fine what it used
export OPENCL_LAYERS=$layer
while read -r fault; do
    FAULT=$fault call doctor
    expect "after $fault the device is not fine" prints_words "To fix opencl:0: .* does not compute: .* answered CL_.* (${fault##* })"
done <<'FAULTS'
clBuildProgram 1+ -3
clCreateContext 1+ -2
clEnqueueNDRangeKernel 1+ -5
FAULTS
FAULT='clGetDeviceInfo 1+ -30' call devices
expect 'a device with a blank name has one' prints_words 'opencl:0 a device without a name'

# --- what a run can do without
FAULT='clCreateCommandQueue 1+ -35' call "${on_pocl[@]}" --journal "$work/queue.jsonl"
expect 'a queue without profiling is used' ran
call report --format json "$work/queue.jsonl"
expect 'and the report has it' prints '"event_clock": "absent"'
unset OPENCL_LAYERS
"$unbound" "$bench" run --workload multiply --size 20000 --budget 5ms --no-peaks --journal "$work/unbound.jsonl" \
    >"$work/out" 2>"$work/err"
status=$?
if [ $status = 77 ]; then
    expect 'binding refused: skipped, this system has no filter of system calls' true
else
    expect 'a system that binds no threads measures the CPU and PoCL' prints '^  multiply 20K .*native .*portable'
    form=--full call report "$work/unbound.jsonl"
    expect 'and the report says so' prints_words 'this system forbids binding threads to cores'
fi
finish
