#!/usr/bin/env bash
# The whole program on this machine's own devices: the state around a cell, what it takes beside its time, and another
# load beside it. Prints TAP.
# Usage: program_machine.sh PATH-OF-BENCH PATH-OF-TESTS
# shellcheck source=tests/program/parts.sh
source "$2/program/parts.sh"

journal=$work/journal.jsonl
small_run() { # option...
    rm -f "$journal"
    call run --workload multiply --size 4M --baseline none --quiet --output "$journal" "$@"
}
holds() { # jq filter over all lines of the journal
    jq -e -s "$1" "$journal" >"$work/err" 2>&1
}
first_of() { # memory: what the first run of that row told
    jq -c --arg memory "/$1@" 'select(.line == "first" and (.cell | contains($memory)))' "$journal"
}
memory_of() { # memory filter: over the cost of the row with that kind of memory
    first_of "$1" | jq -e ".memory_cost | $2" >"$work/err"
}

# --- the CPU itself
small_run --device cpu --budget 0.3s
expect 'a run on this machine ends well' exits 0
expect 'the state is looked at before and after' holds '[.[] | select(.line == "state").when] == ["before", "after"]'
expect 'what the run burns itself is told, and grows' holds \
    '[.[] | select(.line == "state").own] | .[0] > 0 and .[1] > .[0]'
expect 'the end tells what the looking took' holds \
    'map(select(.line == "end"))[0] | .probes_ns > 0 and .probes_ns < .elapsed_ns'
expect 'a CPU waits for nobody' test "$(first_of pageable | jq -r .wait)" = none
expect 'a CPU holds its operands once' memory_of pageable \
    '.device_operands == 48e6 and .host_operands == 0 and .held_twice == 0'
expect 'the process has at least its operands' memory_of pageable '.peak_host >= 48e6'
expect 'the head tells the energy counters, or that there are none' holds \
    '.[0].host.energy | test("package|psys|dram|unavailable")'
expect 'energy is told where there are counters only' holds \
    '(.[0].host.energy | startswith("unavailable")) != (map(select(.line == "slice")) | all(has("energy_j")))'

# --- another load: two for each processor, so that it shows however many of them we may use
loads=()
for ((i = 0; i < 2 * $(nproc); i++)); do
    (while :; do :; done) &
    loads+=($!)
done
small_run --device cpu --budget 1s
kill "${loads[@]}"
wait "${loads[@]}" 2>/dev/null
tells() { grep -qE 'other programs kept over|something else wanted the processors' <(tr -s ' \n' ' ' <"$work/out"); }
if holds 'map(select(.line == "state")) | any(.busy == null)'; then
    expect 'another load is told # SKIP nothing tells how busy the processors are' true
else
    expect 'another load is told' tells
fi

# --- a driver on the CPU: its memory is the host's
pocl=/etc/OpenCL/vendors/pocl.icd
if [[ -r $pocl ]]; then
    export OCL_ICD_VENDORS=$pocl
    small_run --device opencl --budget 0.3s --memory pageable,mapped,mapped-copy
    expect 'a driver decides how it waits' test "$(first_of pageable | jq -r .wait)" = driver
    expect 'a driver takes memory of its own' memory_of pageable '.context_host > 1e6'
    expect 'pageable memory holds operands twice' memory_of pageable '.host_operands == 48e6 and .held_twice == 48e6'
    expect 'so does a copy into mapped memory' memory_of mapped-copy '.held_twice == 48e6'
    expect 'mapped memory holds them once' memory_of mapped '.host_operands == 0 and .held_twice == 0'
    expect 'the report says so' grep -q 'operands are held twice in what host and device share' <(tr -s ' \n' ' ' <"$work/out")
else
    expect 'memory of a driver # SKIP PoCL is not installed' true
fi

# --- scripted time has nothing to do with this machine
export BENCH_FAKE=$tests/program/fake/pair.json
fake_run --order interleaved
expect 'a scripted device has no state' no_value_of '.line == "state"'
expect 'a scripted device has no memory cost' no_value_of '.line == "first" and .memory_cost != null'
expect 'a scripted device counts no energy' no_value_of '.line == "slice" and has("energy_j")'

echo "1..$number"
exit "$((failures > 0))"
