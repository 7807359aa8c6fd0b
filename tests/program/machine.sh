#!/usr/bin/env bash
# The program on this machine's own devices: the state before and after a cell, its memory, and the effect of another
# load. Prints TAP.
# Usage: machine.sh PATH-OF-BENCH PATH-OF-TESTS PATH-OF-THREAD-DOUBLE
# shellcheck source=tests/program/lib.sh
source "$2/program/lib.sh"

journal=$work/journal.jsonl
small_run() { # option...
    rm -f "$journal"
    call run --workload multiply --size 4M --baseline none --quiet --journal "$journal" "$@"
}
holds() { # jq filter over all lines of the journal
    jq -e -s "$1" "$journal" >"$work/err" 2>&1
}
first_of() { # memory: the line "first" of that row
    jq -c --arg memory "/$1@" 'select(.line == "first" and (.cell | contains($memory)))' "$journal"
}
memory_of() { # memory filter: over the memory cost of that row
    first_of "$1" | jq -e ".memory_cost | $2" >"$work/err"
}

# --- the CPU itself
small_run --device cpu --budget 0.3s
expect 'a run on this machine succeeds' exits 0
expect 'the state is read before and after' holds '[.[] | select(.line == "state").when] == ["before", "after"]'
expect 'the CPU time of the run itself is recorded, and grows' holds \
    '[.[] | select(.line == "state").own] | .[0] > 0 and .[1] > .[0]'
if grep -qw fma /proc/cpuinfo; then
    expect 'between slices it looks whether others compute on the cores, at most once in 20 ms' holds \
        'map(select(.line == "end").elapsed_ns)[0] as $ns | map(select(.line == "look" and .rate > 0)) | length > 0 and length <= 1 + $ns / 2e7'
fi
expect 'the end line has the time that reading the state took' holds \
    'map(select(.line == "end"))[0] | .probes_ns > 0 and .probes_ns < .elapsed_ns'
expect 'a CPU device does not wait' test "$(first_of pageable | jq -r .wait)" = none
expect 'a CPU holds its operands once' memory_of pageable \
    '.device_operands == 48e6 and .host_operands == 0 and .held_twice == 0'
expect 'the process holds at least its operands' memory_of pageable '.peak_host >= 48e6'
expect 'the head names the energy counters, or says that there are none' holds \
    '.[0].host.energy | test("package|psys|dram|unavailable")'
expect 'the processor has one clock, and it is measured' holds \
    '.[0].host.clock as $clock | $clock == null or (map(select(.line == "device")) | all(.clock == $clock and .clock_origin == "measured"))'
expect 'energy is recorded only if there are counters' holds \
    '(.[0].host.energy | startswith("unavailable")) != (map(select(.line == "meter")) | any(.energy_j.package > 0))'

# --- who computes: variables and OpenMP runtimes that would leave cores unused have no effect, a limit has a reason
mask=$(taskset -cp $$ | sed 's/.*: *//')
first=${mask%%[,-]*}
libomp=$(find /usr/lib/llvm-* -name libomp.so.5 2>/dev/null | head -1)
cores_with() { # variable...: cores that were to compute and that did, of a run with these
    env OCL_ICD_VENDORS=/nonexistent "$@" "$bench" run --workload multiply --size 1M --baseline none --device cpu --budget 0.1s --quiet --no-peaks \
        --journal "$journal" >"$work/out" 2>"$work/err"
    jq -r 'select(.line == "first") | "\(.cores_computing) of \(.cores_planned)"' "$journal"
    rm -f "$journal"
}
if [ "$(nproc)" -gt 1 ]; then
    all=$(cores_with A=1)
    expect 'every allowed core computes' test "${all% of *}" = "${all#* of }"
    for variables in OMP_NUM_THREADS=1 OMP_PROC_BIND=true OMP_PLACES="{$first}" GOMP_CPU_AFFINITY="$first" \
        'OMP_DYNAMIC=true OMP_MAX_ACTIVE_LEVELS=0' OPENBLAS_NUM_THREADS=1 ${libomp:+"LD_PRELOAD=$libomp"} \
        ${libomp:+"LD_PRELOAD=$libomp KMP_HW_SUBSET=1c KMP_AFFINITY=compact OMP_PROC_BIND=true"}; do
        # shellcheck disable=SC2086 # the variables are words
        expect "$variables: every allowed core computes" test "$(cores_with $variables)" = "$all"
    done
    cores_with LD_PRELOAD="$3" THREAD_DOUBLE_FILE="$work/processors" >"$work/moved"
    expect 'a thread that a library started itself may use every allowed core' test "$(cat "$work/processors")" = "$(nproc)"
    expect 'a mask is obeyed' test "$(taskset -c "$first" "$bench" devices --device cpu | sed -n 's/^ *units  *\([0-9]*\),.*/\1/p')" = 1
    expect 'a limit is obeyed' test "$(cores_with OMP_THREAD_LIMIT=1)" = "1 of ${all#* of }"
    expect 'and named' prints_words "not judged: CPU held back: 1 of ${all#* of } planned cores computed"
    expect 'with its variable' prints_words 'OMP_THREAD_LIMIT=1 leaves cores unused: unset it'
    "$bench" run --workload multiply --size 4M --baseline none --device cpu --budget 3s --quiet --no-peaks \
        --journal "$journal" >"$work/out" 2>"$work/err" &
    parent=$!
    wait_until has_slice
    taskset -cp "$first" "$parent" >"$work/moved"
    wait "$parent"
    expect 'a run whose cores change is not judged' prints_words 'the allowed cores or the quota changed meanwhile'
fi

# --- another load: two processes for each processor, so that it shows whatever our affinity mask is
loads=()
for ((i = 0; i < 2 * $(nproc); i++)); do
    (while :; do :; done) &
    loads+=($!)
done
small_run --device cpu --budget 1s
kill "${loads[@]}"
wait "${loads[@]}" 2>/dev/null
reports_load() { grep -qE 'other programs kept over|something else wanted the processors' <(tr -s ' \n' ' ' <"$work/out"); }
if holds 'map(select(.line == "state")) | any(.busy == null)'; then
    expect 'another load is reported # SKIP this system does not show how busy the processors are' true
else
    expect 'another load is reported' reports_load
fi

# --- a driver on the CPU: its memory is the host's
pocl=/etc/OpenCL/vendors/pocl.icd
if [[ -r $pocl ]]; then
    export OCL_ICD_VENDORS=$pocl
    small_run --device opencl --budget 0.3s --memory pageable,mapped,mapped-copy
    expect 'a driver decides how it waits' test "$(first_of pageable | jq -r .wait)" = driver
    expect 'a driver uses memory of its own' memory_of pageable '.context_host > 1e6'
    expect 'pageable memory holds operands twice' memory_of pageable '.host_operands == 48e6 and .held_twice == 48e6'
    expect 'so does a copy into mapped memory' memory_of mapped-copy '.held_twice == 48e6'
    expect 'mapped memory holds them once' memory_of mapped '.host_operands == 0 and .held_twice == 0'
    OCL_ICD_FILENAMES=libpocl.so.2 "$bench" devices >"$work/out" 2>"$work/err"
    expect 'devices of two drivers have numbers of their own' eval "grep -q '^opencl:0 ' '$work/out' && grep -q '^opencl:1 ' '$work/out'"
else
    expect 'memory of a driver # SKIP PoCL is not installed' true
fi

# --- scripted time: nothing of this machine is recorded
export BENCH_FAKE=$tests/program/fake/pair.json
fake_run --threads 1
expect 'a scripted device has no state' no_value_of '.line == "state"'
expect 'a scripted device has no memory cost' no_value_of '.line == "first" and .memory_cost != null'
expect 'a scripted device counts no energy' no_value_of '.line == "meter"'

finish
