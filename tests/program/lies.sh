#!/usr/bin/env bash
# Lies, planted on scripted devices and between the program and PoCL. Each must be caught every time: as the outcome of
# its row, or as a note, with nothing else of the report resting on it. Prints TAP.
# Usage: lies.sh PATH-OF-BENCH PATH-OF-TESTS [LAYER BENT-CLOCK]
#
#   what is false                      what catches it, and where
#   an event that takes no time        the event is not positive: figures.c; a note, no event time, no share by it
#   an event of a thousandth           more than the peak measured: roofline.c; less than starting a run: figures.c
#   an event of twice the time         longer than the wait for it: figures.c
#   a kernel that does nothing         the result is poisoned before: check.c; wrong
#   a kernel that writes a part        the same
#   a stale result                     the same, and before the last check one input is new: check.c; wrong
#   a device that stops in the midst   the checks between slices, and the one after the timing: check.c; wrong
#   results that are read wrongly      the same, whole: one wrong byte is enough
#   a wrong element, a NaN, zeros      every element, and a sample after: check.c; wrong (program.sh)
#   a clock that does not move         no sample is positive: rounds.c; impossible (program.sh)
#   a clock that goes back             it must go on from run to run: slice.c; impossible
#   ... within a run, a little         the host's two clocks must agree: worker.c; impossible
#   a clock that leaps                 the same, and the parent knows how long it waited: client.c; impossible
#   ... of all processes together      a slice has a deadline: rounds.c; timeout
#   more than the hardware can         its confirmed peak: plausible.c; impossible (test_plausible.c)
# shellcheck source=tests/program/lib.sh
source "$2/program/lib.sh"
layer=${3:-}
bent=${4:-}

export BENCH_FAKE=$work/script.json
script() { jq ".devices[1] += {upload_rate: 1e10, download_rate: 1e10} | ${1:-.}" "$tests/program/fake/pair.json" >"$BENCH_FAKE"; } # filter
column() { # name: its value on the second row
    call report --format csv --all-columns "$work/journal.jsonl"
    cells_of "$1" | cut -d, -f2
}
# The answer in words and the speed-up do not use what the row says.
gives_no_figure() { # outcome
    local speedup
    speedup=$(column speedup_resident_ratio)
    call report "$work/journal.jsonl"
    test "$speedup" = - && prints "^fake:1: resident not compared"
}
# A row whose device clock lies keeps its headline, by the host's clock.
loses_event_only() { # name
    expect "$1: the run is none the worse for it" exits 0
    expect "$1: the row is fine by the host's clock" test "$(outcome_of fake:1)" = ok
    expect "$1: there is a note" prints "event clock not trustworthy"
    cp "$work/out" "$work/table"
    expect "$1: the clock is called doubtful" test "$(column event_clock)" = doubtful
    expect "$1: no event time is shown" test "$(column event_median_s)" = -
    expect "$1: the speed-up is by the host's clock" test "$(column speedup_resident_ratio | awk '{ print ($1 > 4.9 && $1 < 5.1) }')" -eq 1
}
is_caught() { # name outcome words
    expect "$1: the row is $2" test "$(outcome_of fake:1)" = "$2"
    expect "$1: the row says why" prints "$3"
    expect "$1: exit status 1" exits 1
    expect "$1: the other row is fine" test "$(outcome_of fake:0)" = ok
    expect "$1: there is no figure of it" gives_no_figure "$2"
}

# --- the device's clock
steady='.devices[0].run = [0.1, 0.1001] | .devices[1].run = [0.02, 0.02001]'
script "$steady | .devices[1] += {event_seconds: 0}"
fake_run
loses_event_only 'an event that takes no time'
script "$steady | .devices[1] += {event: 2}"
fake_run
loses_event_only 'an event of twice the time'
script "$steady | .devices[1] += {event: 0.001}"
fake_run --no-peaks
loses_event_only 'an event of a thousandth, no peak known'
fake_run
loses_event_only 'an event of a thousandth'
script '.devices[0].run = [0.01] | .devices[1] += {run: [0.002], event: 0.99}'
fake_run
expect 'a correct event is believed' test "$(column event_clock)" = trusted

# --- the work. A device that computes nothing is done in no time, so that a second of its runs is a thousand of them.
while read -r from kind; do
    script ".devices[1].faults = [{call: \"submit\", number: $from, kind: \"$kind\"}]"
    budget=1s fake_run
    is_caught "$kind from submit $from on" wrong 'wrong: '
done <<'END'
1 nothing
4 nothing
60 nothing
200 nothing
3 stale
60 stale
200 stale
END

# --- the host's clock
for by in -3600 -1 -0.01; do
    for at in 0.9 1.1 1.3; do
        script ".devices[1].jumps = [{at: $at, by: $by}] | .devices[1].run = [0.002]"
        fake_run
        is_caught "a clock that goes back by $by s after $at s" impossible "clock went back by\|took no time\|no time, or less"
    done
done
script '.devices[1].jumps = [{at: 1.1, by: 3600}] | .devices[1].run = [0.002]'
fake_run
is_caught 'a clock that leaps by an hour' timeout 'a slice took 3.*e*.* s by the clock; the limit is 30.0 s'
script '.devices[1].run = [range(150) | 0.002] + [3600]'
fake_run
is_caught 'a run of an hour' timeout 'a slice took'

# --- the same between the program and a real driver
pocl=/etc/OpenCL/vendors/pocl.icd
if [ ! -r "$pocl" ] || [ -z "$layer" ]; then
    tap ok 'between the program and a driver # SKIP PoCL is not installed'
    finish
fi
export OCL_ICD_VENDORS=$pocl
outcome() { jq -r 'select(.line == "outcome").status' "$work/journal.jsonl" | tail -1; }
lie_of() { # size [NAME=VALUE]...
    local size=$1
    shift
    rm -f "$work/journal.jsonl"
    local method=(--method portable)
    test "${workload:-}" != transfer || method=()
    env "$@" "$bench" run --device opencl --baseline none --workload "${workload:-multiply}" "${method[@]}" \
        --size "$size" --budget "${budget:-300ms}" --no-peaks --memory "${memory:-pageable}" --quiet \
        --journal "$work/journal.jsonl" >"$work/out" 2>"$work/err" </dev/null
    status=$?
}
row() { # column
    call report --format csv --all-columns "$work/journal.jsonl"
    cells_of "$1"
}
# Also where it is found after the timing.
keeps_no_time() { test "$(row resident_median_s),$(row copied_median_s)" = -,-; }
claims_nothing() { prints 'resident not compared' && keeps_no_time; }
lie_of 100K OPENCL_LAYERS="$layer"
expect 'PoCL, and the layer: the truth is fine' test "$(outcome)" = ok
while read -r entry from; do
    lie_of 100K OPENCL_LAYERS="$layer" OPENCL_LAYER_STRIKE="${entry/-/ }" OPENCL_LAYER_FROM="$from"
    expect "PoCL, $entry from $from on: wrong" test "$(outcome)" = wrong
    expect "PoCL, $entry from $from on: exit status 1" exits 1
    expect "PoCL, $entry from $from on: nothing is claimed of it" claims_nothing
done <<'END'
lost-kernel 1
lost-kernel 100
idle-kernel 1
idle-kernel 100
recalled-result 3
recalled-result 100
spoiled-read 1
END
# From some read after the checks before the timing on, every result that is read has a few wrong bytes.
has_no_speed() { test "$(row rate_flop_per_s),$(row bandwidth_bytes_per_s),$(row speedup_resident_ratio)" = -,-,-; }
while read -r what size bytes from budget; do
    workload=$what budget=$budget lie_of "$size" OPENCL_LAYERS="$layer" OPENCL_LAYER_STRIKE='spoiled read' \
        OPENCL_LAYER_BYTES="$bytes" OPENCL_LAYER_FROM="$from"
    expect "PoCL, $what $size, $bytes wrong bytes from read $from on: wrong" test "$(outcome)" = wrong
    expect "PoCL, $what $size, $bytes wrong bytes from read $from on: it was timed by then" grep -q '"line":"slice"' "$work/journal.jsonl"
    expect "PoCL, $what $size, $bytes wrong bytes from read $from on: it has no speed" has_no_speed
done <<'END'
transfer bytes=4194304,direction=down 1 20 300ms
multiply 10M 64 9 100ms
multiply 1M 1 9 300ms
overlap n=1000000,chunks=4 1 200 300ms
matmul m=512,n=512,k=512 1 9 300ms
END
memory=mapped lie_of 50K OPENCL_LAYERS="$layer"
expect 'PoCL, the layer, mapped memory: the truth is fine' test "$(outcome)" = ok
for from in 1 100; do
    memory=mapped lie_of 50K OPENCL_LAYERS="$layer" OPENCL_LAYER_STRIKE='spoiled input' OPENCL_LAYER_FROM=$from
    expect "PoCL, inputs that change on their way from $from on: wrong" test "$(outcome)" = wrong
    expect "PoCL, inputs that change on their way from $from on: nothing is claimed of it" claims_nothing
done
while read -r scale clock; do
    lie_of 4M OPENCL_LAYERS="$layer" OPENCL_LAYER_EVENTS="$scale"
    expect "PoCL, events of $scale times the time: the row is fine by the host's clock" test "$(outcome)" = ok
    expect "PoCL, events of $scale times the time: $clock" test "$(row event_clock),$(row event_median_s)" = "$clock,-"
done <<'END'
0 absent
4 doubtful
END
# A run that is long on any machine: the launch cost within a short one is unknown. It moves nothing: a run of half a
# second that moves data is timed by its phases.
workload=peak budget=1s lie_of kind=fma,bytes=4Mi,turns=65536 OPENCL_LAYERS="$layer" OPENCL_LAYER_EVENTS=0.001
expect 'PoCL, events of a thousandth: a note' prints 'event clock not trustworthy'
expect 'PoCL, events of a thousandth: doubtful' test "$(row event_clock),$(row event_median_s)" = doubtful,-

# --- and between the program and the kernel's clock
if [ -z "$bent" ] || grep -q 'libasan\|libtsan' <(ldd "$bench"); then
    tap ok "the host's clock, really # SKIP a sanitizer wants to be loaded first"
    finish
fi
# Without kernel shapes: of those one would be out, and the next measured.
bend() { # name by at words NAME=VALUE...
    local name=$1 by=$2 at=$3 words=$4
    shift 4
    rm -f "$work/marker"
    workload=launch lie_of 1M LD_PRELOAD="$bent" BENT_CLOCK_MARKER="$work/marker" BENT_CLOCK_BY="$by" BENT_CLOCK_AT="$at" "$@"
    expect "$name: it was planted" test -e "$work/marker"
    expect "$name: impossible" test "$(outcome)" = impossible
    expect "$name: the row says why" prints "$words"
    expect "$name: exit status 1" exits 1
    expect "$name: no time was kept" keeps_no_time
}
workload=launch lie_of 1M LD_PRELOAD="$bent"
expect 'a clock that could bend, and does not: fine' test "$(outcome)" = ok
bend "PoCL, the host's clock goes back by an hour" -3600 400 'went back by 3'
bend "PoCL, both clocks go back by an hour" -3600 400 'went back by 3' BENT_CLOCK_ALL=1
bend "PoCL, the host's clock goes back by a tenth" -0.1 400 'went back by\|clocks disagree'
bend "PoCL, the host's clock leaps by an hour" 3600 400 'clocks disagree'
bend "PoCL, both clocks leap by an hour" 3600 400 "the worker's clock counted 3.* s for a request that took" BENT_CLOCK_ALL=1

finish
