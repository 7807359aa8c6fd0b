#!/usr/bin/env bash
# The program on the doubles of CUDA and of the management library (tests/doubles): what the journal and the reports have
# of the GPU's state, and that an error of the management library is no error of the cell. Prints TAP.
# Usage: gpu.sh PATH-OF-BENCH PATH-OF-TESTS
# shellcheck source=tests/program/lib.sh
source "$2/program/lib.sh"

journal=$work/journal.jsonl
gpu_run() {
    rm -f "$journal"
    call run --device cuda:0 --workload multiply --size 100K --method native,portable --budget 600ms --timeout 60s \
        --journal "$journal" "$@"
}
holds() { # jq filter over all lines of the journal about the GPU's cells
    jq -e -s --arg of cuda/ 'map(select((.cell // "") | contains($of))) | '"$1" "$journal" >"$work/err" 2>&1
}
prints_note() { grep -c -- "$1" <(tr -s ' \n' ' ' <"$work/out") >/dev/null; }
ended_well() { [ "$status" -eq 0 ] && [ "$(outcome_of cuda:0)" = ok ]; }
nothing_of_gpu() { holds 'all(has("gpu") or has("counts_energy") or .line == "meter" | not)'; }

# --- all of it
export NVML_DOUBLE_WATTS=200 NVML_DOUBLE_STEP=20 NVML_DOUBLE_CLOCK=1755 NVML_DOUBLE_OTHERS=1 NVML_DOUBLE_ECC=0
export NVML_DOUBLE_REASONS='0x0 1'
call devices
expect 'the settings of the owner are listed' prints '^ *board  *700 W at most, ECC on, persistence mode off'
gpu_run
expect 'a GPU that is watched is measured' ended_well
expect 'its state is recorded before and after the timing' holds \
    '[.[] | select(.line == "state") | .gpu | .temperature == 61 and .power_limit == 700] == [true, true]'
expect 'slices have its clock and the reasons for it' holds \
    'map(select(.line == "slice" and has("gpu"))) | length > 0 and all(.gpu | .after.sm_clock == 1755e6 and .after.reasons == [] and (has("before") | not))'
expect 'reading the state is recorded, and short' holds \
    'map(select(.line == "slice" and has("gpu"))) | all(.probes_ns > 0 and .probes_ns < .elapsed_ns)'
expect 'what a reading takes is known before' holds 'map(select(.line == "first"))[0].reading_ns > 0'
expect 'the memory of the process on the device is recorded' holds \
    'map(select(.line == "first"))[0].memory_cost | .context_device == 536870912 and .held_device == 536870912'
expect 'runs are metered once' holds 'map(select(.line == "meter")) | length == 1 and .[0].runs > 0'
expect 'the last run for the meter is checked, but is no timed run' holds \
    'map(select(.pass == "after"))[0] | any(.checks[]; .name == "left behind") and .checked_runs == (.checks | length) - 2'
expect 'the energy measured is that of the script' holds \
    'map(select(.line == "meter"))[0] | (.energy_j.gpu / (.elapsed_ns / 1e9) / 200 - 1 | fabs) < .error'
expect 'the meter counts whole steps' holds \
    'map(select(.line == "meter"))[0].energy_j.gpu / 4 | . - round | fabs < 0.01'
expect 'the report shows the state of the GPU' prints_note 'ran at 1.75 of 1.98 GHz, up to 61 degrees Celsius, up to [0-9]* of 700 W'
expect 'others on the GPU are a note' prints_note 'other processes used this GPU, 1 process with 1.07 GB of its memory'
expect 'a clock below its maximum is no note by itself' eval "! prints_note 'held down'"
run_j=$(jq -s 'map(select(.line == "meter"))[0] | .energy_j.gpu / .runs' "$journal")
call report --format json "$journal"
cell_of_gpu() { jq -e "[.runs[].blocks[].cells[] | select(.device == \"cuda:0\")][0] | $1" "$work/out" >"$work/err"; }
expect 'the energy of a run is the energy measured by its runs' cell_of_gpu ".energy.run_j / $run_j | . > 0.999 and . < 1.001"
expect 'work by it is of that energy' cell_of_gpu ".energy.flop_per_j * $run_j / .work_flop | . > 0.999 and . < 1.001"

gpu_run --cold
expect 'nor has a row whose caches are emptied between its runs' holds 'any(.line == "slice") and all(.line != "meter")'

# --- a reading takes 5 ms, and the clock is never held down when it is made
export NVML_DOUBLE_COST=5 NVML_DOUBLE_HELD=0.4 NVML_DOUBLE_STEP=1
rm -f "$journal"
call run --device cuda:0 --workload multiply --size 100K --size 200K --suite standard --no-peaks --method portable --timeout 60s \
    --journal "$journal"
expect 'a GPU whose sensors are slow is measured' test "$status" -eq 0
expect 'readings take at most 3 % of the run' jq -e -s 'last | .line == "end" and .probes_ns <= 0.03 * .elapsed_ns' "$journal"
expect 'each row is read again, after 20 times what it takes at least' holds \
    'map(select(.line == "slice" and .gpu)) | group_by(.cell) | length == 2 and
     all(length > 1 and all(range(1; length) as $i | .[$i].at_ns - .[$i - 1].at_ns >= 20 * .[$i].probes_ns; .))'
expect 'each row has its energy within 10 %' holds \
    'map(select(.line == "meter")) | length == 2 and all(.energy_j.gpu / (.elapsed_ns / 1e9) / 200 | . > 0.9 and . < 1.1)'
expect 'its counters tell that the power cap held the clock down' holds \
    'map(select(.line == "meter")) | all(.held | .power_cap_ns > 0 and .heat_ns == 0 and (has("sync_boost_ns") | not))'
expect 'and a note says so' prints_note 'in [34][0-9] % of its runs without pauses the clock was held down: software power cap'
unset NVML_DOUBLE_COST NVML_DOUBLE_HELD

# --- nothing is computed, so nothing is metered
rm -f "$journal"
call run --device cuda:0 --workload transfer --size bytes=1Mi,direction=up --memory pinned --budget 300ms --timeout 60s \
    --journal "$journal"
expect 'a copy to a GPU that counts its energy is measured' ended_well
expect 'a copy is not metered' holds 'any(.counts_energy == true) and all(.line != "meter")'

# --- test_nvml.c has what the library may lack, test_gpu.c what follows from it
call explain 'software power cap'
expect 'a reason is explained' prints 'nvidia-smi -pl'

# --- a GPU that is lost during the run, and no library
NVML_DOUBLE_LOST=40 gpu_run
expect 'a GPU that the library loses is measured all the same' ended_well
expect 'it is known until then' holds 'map(select(.line == "state" or .line == "slice"))[0] | has("gpu")'
expect 'and unknown from there on' holds 'map(select(.line == "state" or .line == "slice")) | last | has("gpu") | not'

libraries=$(cut -d: -f1 <<<"$LD_LIBRARY_PATH")
mkdir "$work/none"
ln -s "$libraries/libcuda.so.1" "$libraries/libnvrtc.so.12" "$work/none"
LD_LIBRARY_PATH=$work/none gpu_run
expect 'without a library the GPU is measured' ended_well
expect 'without a library nothing is known' nothing_of_gpu
unset "${!NVML_DOUBLE_@}"
gpu_run
expect 'where nothing is supported the GPU is measured' ended_well
expect 'where nothing is supported nothing is known' nothing_of_gpu
finish
