#!/usr/bin/env bash
# The whole program on scripted devices: what it prints, what it writes, how it exits. Prints TAP.
# Usage: program.sh PATH-OF-BENCH PATH-OF-TESTS
# shellcheck source=tests/program/lib.sh
source "$2/program/lib.sh"

# --- what it says about itself
call --version
expect 'the version comes first' eval "head -1 '$work/out' | grep -qE '^bench [0-9]+[.][0-9]+[.][0-9]+(, commit ([0-9a-f]{7,}(-dirty)?|unknown))$'"
expect 'then backends and libraries' eval "prints '^backends  *cpu' && prints '^libraries  *jansson [0-9]'"
call workloads
expect 'workloads are listed with their methods' prints '^    openblas  *OpenBLAS.*(cpu)$'
call --help
expect 'help is on standard output and succeeds' exits 0
expect 'help names the verbs' prints 'devices'
call
expect 'nothing to do is a usage error' exits 2
call rnu
expect 'a mistyped verb is answered with the right one' says "'run'"

# --- mistakes
call run --dtype f31
expect 'an unknown element type is a usage error' exits 2
expect 'an unknown element type names the option and the nearest word' says "--dtype.*f31.*f32"
call run --workload multiply --size n=0 --device cpu --journal "$work/none.jsonl"
expect 'a refused size is a usage error' exits 2
expect 'a refused size is answered in one sentence' says '--size'
expect 'a refused size leaves no journal behind' test ! -e "$work/none.jsonl"
call run --device nonesuch --journal "$work/none.jsonl"
expect 'no matching device is exit status 3' exits 3
expect 'no matching device says what there is' says 'nonesuch.*cpu'
call run --device cpu --baseline nonesuch --journal "$work/none.jsonl"
expect 'no matching baseline is exit status 3, too' exits 3
expect 'no matching baseline names its option' says "--baseline: 'nonesuch'.*cpu"
call run --device cpu --workload multiply --size 1000 --journal "$work/nowhere/journal.jsonl"
expect 'a journal that cannot be written is found before anything is measured' exits 2
expect 'a journal that cannot be written is named' says 'nowhere'
call run --device cpu --workload multiply --size 1000 --time 10ms --journal "$work/none.jsonl"
expect 'a time in which no problem fits is a usage error' exits 2
expect 'it says how long the shortest problem takes' \
    says 'nothing to measure: --time 10.0 ms allows no problem; the shortest, multiply f32, n = 1,000, is predicted to take [0-9.]* s: give more$'
expect 'it leaves no journal behind' test ! -e "$work/none.jsonl"
call report "$work/absent.jsonl"
expect 'an absent journal is refused' exits 2
expect 'an absent journal is named' says 'absent.jsonl'

# --- a whole run
export BENCH_FAKE=$tests/program/fake/pair.json
call devices --device cpu
expect 'the processor has no driver: what made the code for it is a compiler' \
    sh -c "grep -q '^ *compiler ' $work/out && ! grep -q '^ *driver ' $work/out"
if env -u OCL_ICD_VENDORS -u BENCH_FAKE "$bench" devices 2>&1 | grep -q '^opencl:0'; then
    env -u OCL_ICD_VENDORS -u BENCH_FAKE "$bench" run --device cpu --workload multiply --size 1K --budget 50ms --quiet \
        --no-peaks --journal "$work/cpu.jsonl" >"$work/out" 2>&1
    expect 'a run on the processor alone does not report what OpenCL lacks' \
        sh -c "grep -q '\"line\": *\"end\"' $work/cpu.jsonl && ! grep -q '\"absent\".*\"opencl\"' $work/cpu.jsonl"
else
    expect 'what else OpenCL lacks # SKIP it has no device here' true
fi
call devices --device fake
expect 'scripted devices are listed' prints 'fake:1'
fake_run
expect 'a run on scripted devices succeeds' exits 0
expect 'a problem that was visited twice has a line' says '^\[1/1\] multiply 1000   CPU [0-9.]* ms   GPU [12][0-9.]* ms   [45].[0-9]* so far$'
expect 'its table is the golden one' golden pair.txt
expect 'every cell ends with an outcome' test "$(outcome_of fake:0) $(outcome_of fake:1)" = 'ok ok'
cp "$work/out" "$work/first"
call report "$work/journal.jsonl"
expect 'the report of the journal is the table of the run' cmp -s "$work/first" "$work/out"
fake_run
expect 'the same script gives the same table again' cmp -s <(grep -v ' [0-9][0-9]:[0-9][0-9][ ,]' "$work/first") \
    <(grep -v ' [0-9][0-9]:[0-9][0-9][ ,]' "$work/out") # the time of day
call report --format csv --all-columns "$work/journal.jsonl"
expect 'CSV is one header and one line a cell' test "$(wc -l <"$work/out")" -eq 3
call report --format json "$work/journal.jsonl"
expect 'JSON is JSON' is_json
fake_run --memory mapped,mapped-copy
expect 'what is mapped for writing is written whole, what is mapped for reading is only read' \
    test "$(outcome_of fake:1 | sort -u | tr '\n' ' ')" = 'ok '
jq '.devices[].memory = 1000' "$tests/program/fake/pair.json" >"$work/script.json" # too small for anything: only the plan matters
BENCH_FAKE=$work/script.json call run --suite quick --device fake --baseline none --workload multiply --journal "$work/quick.jsonl"
expect 'a quick suite stays quick when its workload is named' test "$(jq -r 'select(.line == "cell").shape' "$work/quick.jsonl" | sort -u)" = n=40000000
call run --device all --baseline none --workload multiply --size 1000 --budget 0.2s --quiet --journal "$work/all.jsonl"
expect 'a run on all devices has an end' is_journal "$work/all.jsonl"
expect 'a run on all devices has the CPU in it' \
    test "$(jq -r 'select(.line == "device" and .backend == "cpu") | .id' "$work/all.jsonl")" = cpu
expect 'scripted devices are no part of all' \
    test "$(jq -r 'select(.line == "device" and .backend == "fake") | .id' "$work/all.jsonl" | wc -l)" -eq 0
rm -f "$work/journal.jsonl"
call run --device fake --workload multiply --size 1000 --size 2000 --size 3000 --budget 3s --no-peaks --journal "$work/journal.jsonl"
expect 'what the problems took is no more than the run' jq -es '(map(select(.line == "spent") | to_entries[] | select(.key | endswith("_ns")) | .value) | add)
    <= (.[] | select(.line == "end") | .elapsed_ns)' "$work/journal.jsonl"
rm -f "$work/journal.jsonl"
call run --device fake --baseline none --workload multiply --size 1000 --budget 3s --journal "$work/journal.jsonl"
expect 'a run without a baseline succeeds' exits 0
expect 'a run without a baseline measures every device' test "$(outcome_of fake:0) $(outcome_of fake:1)" = 'ok ok'
expect 'a run without a baseline has none in its journal' no_value_of '(.baseline // "") != ""'
call report --format csv --all-columns "$work/journal.jsonl"
repro() { jq -r 'select(.line == "cell" and .device == "fake:1") | .repro' "$work/journal.jsonl"; }
expect 'a cell says how it is measured again' test "$(repro)" = "bench run --device fake:1 --workload multiply --dtype f32 \
--size n=1000 --memory pinned --method native --baseline none --budget 3s --no-peaks"
expect 'a run without a baseline has no speed-up' \
    test "$(cells_of speedup_resident_ratio),$(cells_of speedup_copied_ratio)" = '-,-,-,-'
call report "$work/journal.jsonl" "$work/all.jsonl"
expect 'two journals are reported in one call' exits 0
expect 'two journals are reported: the first' prints 'fake:1'
expect 'two journals are reported: the second' prints '^cpu: '
call report "$work/journal.jsonl" "$work/absent.jsonl"
expect 'two journals of which one is absent are exit status 2' exits 2
expect 'two journals of which one is absent: the other is reported' prints 'fake:1'
"$bench" report "$work/journal.jsonl" "$work/absent.jsonl" >"$work/both" 2>&1
expect 'that one is absent is said once' test "$(grep -c 'absent.jsonl: No such file' "$work/both")" -eq 1
expect 'after the report' test "$(tail -1 "$work/both" | grep -c 'absent.jsonl: No such file')" -eq 1

# --- as it is typed: the status, where the first line is (out or err), what it says, the command
journal=$work/typed.jsonl
while read -r expected where says command; do
    rm -f "$journal"
    eval "form='' \"\$bench\" $command" >"$work/out" 2>"$work/err" </dev/null
    status=$?
    expect "$command is exit status $expected" exits "$expected"
    expect "$command says ${says//_/ }" eval "head -1 '$work/$where' | grep -q -- '${says//_/ }'"
done <<'END'
0 out ^[0-9.]*_m*s_*multiply_f32,_n_=_1,000__(fake:0_fake:1)$ run multiply --size 1000 --device fake --baseline fake:0 --dry-run
0 out ^left_out_.*(.*the_device_has_8.00_GB)$ run multiply --size 1T --device fake:1 --baseline none --no-peaks --dry-run
0 out ^[0-9.]*_s_*multiply_f32,_n_=_1,000__(fake:0_fake:1)$ sweep multiply --device fake:0,fake:1 --from 1000 --to 2000 --dry-run
0 err ^not_measured:_clblast:_no_chosen_device_has run matmul --size 8 --method native,clblast --device cpu --dry-run
0 err ^not_measured:_conv,_transfer run --size 64 --device cpu --dry-run
2 err ^bench:_nothing_to_measure:_--time sweep multiply --device fake:0,fake:1 --time 1ms --journal "$journal"
2 err ^bench:_nothing_to_measure:_--time run multiply --device fake --time 1ms --dry-run
2 err ^bench:_--dry-run:_a_resumed_run run --resume "$work/journal.jsonl" --dry-run
2 err ^bench:_run:_.quick._is_not_a_workload_(did_you_mean_.--suite_quick.?)$ run quick
2 err ^bench:_cannot_write_the_journal_ run multiply --size 1000 --device fake --journal "$work/nowhere/a"
0 err ^journal: run multiply --size 1000 --device fake --baseline fake:0 --budget 50ms --memory pinned --no-peaks --journal "$journal"
0 out ^#_chosen_problems report "$work/journal.jsonl" -f md
0 out ^Is_the_GPU_worth_it report "$work/journal.jsonl" -f txt
2 err ^bench:_--size_n=0:_n_of_multiply_must_be_ run multiply --device fake --size n=0
END
call run multiply --size 1000 --device cpu --budget 20ms --memory mapped --journal "$journal"
expect 'on a CPU a kind of memory has no effect, which is said' says '^--memory has no effect on cpu, which computes in host memory$'
expect 'a dry run leaves nothing' test -z "$(find "$XDG_STATE_HOME" -name '*.jsonl')"

# --- what is asked for is on the screen: a command, then words of its report
rm -f "$journal"
while read -r says command; do
    rm -f "$journal"
    eval "form='' \"\$bench\" $command --quiet --no-peaks --journal '$journal'" >"$work/out" 2>"$work/err" </dev/null
    expect "$command shows ${says//_/ }" prints_words "${says//_/ }"
done <<'END'
!_not_measured:_multiply_has_no_element_type_i8 run multiply matmul --size 8 --dtype i8 --device cpu --budget 20ms
!_not_measured:_clblast:_no_chosen_device_has run matmul --size 8 --method native,clblast --device cpu --budget 20ms
transfer_256_MiB_within run transfer --device cpu --suite quick --budget 50ms
chosen_problems,_cold,_20 run multiply --size 1000 --device cpu --budget 20ms --cold
chosen_problems,_sustained_20.0_ms,_20 run multiply --size 1000 --device cpu --budget 20ms --sustained 20ms
peak_read_1_MiB run peak --size kind=read,bytes=1Mi,passes=3 --device cpu --budget 20ms
END

# --- waiting for quiet cores: a /proc/stat whose processors are busy for some seconds, and then idle
put_stat() { # BUSY IDLE: ticks; in place, so that there is no moment without them
    local cpu
    for cpu in '' $(seq 0 $(($(nproc --all) - 1))); do printf 'cpu%s %10d 0 0 %10d 0 0 0 0 0 0\n' "$cpu" "$1" "$2"; done |
        dd of="$work/stat" conv=notrunc status=none
}
as_stat() { unshare -rm sh -c 'mount --bind "$0" /proc/stat && exec "$@"' "$work/stat" "$@"; }
waits() { # TIME TICK...: of the processors, each half a second
    local most=$1 tick writer
    shift
    put_stat 0 0
    for tick; do put_stat $((tick * 50)) 0 && sleep 0.5; done &
    writer=$!
    rm -f "$journal"
    as_stat "$bench" run multiply --size 1000 --device cpu --budget 20ms --no-peaks --wait-quiet "$most" --time 4s \
        --journal "$journal" >"$work/out" 2>"$work/err" </dev/null
    kill "$writer"
}
put_stat 0 0
if as_stat true 2>/dev/null; then
    waits 60s {1..10} {10..10}{,,,,,,,,,,,,,,,,,,,,,,,,,,,,,}
    expect 'a run that waits for quiet cores says for what' says '^waiting at most [0-9. a-z]* for quiet cores: other programs use [0-9.]* of [0-9]*$'
    expect 'and when it has waited' says '^waited [0-9.]* s for quiet cores: other programs used up to [0-9.]* of [0-9]*$'
    expect 'its report says it, too' prints_words 'waited [0-9.]* s for quiet cores'
    expect 'the time of waiting is none of --time' grep -q '"line":"outcome".*"status":"ok"' "$journal"
    unshare -rm sh -c 'mount -t tmpfs none /proc && "$@"' - "$bench" run --device cpu 2>"$work/err" || true
    expect 'a system without /proc is named, and what mounts it' says 'sudo mount -t proc proc /proc'
    waits 2s {1..20}
    expect 'a time to wait that is over ends in vain, and measures' eval "says '^waited .* still used ' && is_journal '$journal'"
else
    tap ok 'a run waits for quiet cores # SKIP nothing can be mounted here'
fi

# --- several files of one report
"$bench" report "$work/journal.jsonl" -o "$work/several.html" -o "$work/several.csv" -o - >"$work/out"
expect 'each -o gets the report in its own format' \
    eval "head -1 '$work/several.html' | grep -qi doctype && head -1 '$work/several.csv' | grep -q ^run, && prints worth"
rm -f "$journal" "$work/several.csv"
fake_run_of n=1000 --journal "$journal" -o "$work/nowhere/a.html" -o "$work/several.csv"
expect 'one that cannot be written is found before anything is measured' eval "exits 2 && ! test -e '$work/several.csv' && ! test -e '$journal'"

# --- everything that can go wrong on one device, and only there
while read -r call_name call_number kind status_wanted; do
    faulty "$call_name" "$call_number" "$kind"
    fake_run --timeout 1s
    expect "$kind in $call_name $call_number ends as $status_wanted" test "$(outcome_of fake:1)" = "$status_wanted"
    expect "$kind in $call_name $call_number leaves the baseline alone" test "$(outcome_of fake:0)" = ok
    case $status_wanted in
    ok | unsupported | no-memory) expect "$kind in $call_name $call_number is exit status 0" exits 0 ;;
    *) expect "$kind in $call_name $call_number is exit status 1" exits 1 ;;
    esac
done <<'END'
open 1 fail failed
open 1 unsupported unsupported
open 1 chatter ok
alloc 2 no-memory no-memory
prepare 1 fail failed
submit 1 wrong wrong
submit 2 input wrong
submit 200 wrong wrong
submit 200 crash crashed
submit 200 half-line crashed
submit 200 hang timeout
finish 200 fail failed
download 1 chatter ok
close 1 chatter ok
END

# Results were checked before the device is closed.
while read -r kind words; do
    faulty close 1 "$kind"
    fake_run --timeout 1s
    expect "$kind at the close leaves the figures" test "$(outcome_of fake:1)" = ok
    expect "$kind at the close is in a note of its row" prints_words "its worker failed at the end: $words"
    expect "and of no other" test "$(grep -c 'failed at the end' "$work/journal.jsonl")" -eq 1
done <<'END'
crash killed by signal 11 (Segmentation fault) during the closing of the device
exit exited with status 0 during the closing of the device
hang no reply within 1.00 s during the closing of the device (--timeout gives more)
END

# A warm-up may take a second, and much less is expected of it.
faulty submit 6 hang
fake_run --timeout 2s
expect 'a hang in the warm-up is waited for as long as --timeout says' \
    prints_words 'no reply within 2.00 s during the warm-up (resident) (--timeout gives more)'

# A death has no reason of its own: what the driver printed before it is the nearest to one.
jq '.devices[1].faults = [{call: "submit", number: 101, kind: "abort"}, {call: "submit", number: 100, kind: "chatter"}]' \
    "$tests/program/fake/pair.json" >"$work/script.json"
BENCH_FAKE=$work/script.json fake_run --timeout 1s
expect 'a crash is reported with the last lines of the driver' \
    prints_words 'crashed: killed by signal 6 (Aborted) during the timed runs (resident); it printed last: fake driver: a'
expect 'its outcome names the request that it died at' \
    test "$(jq -r 'select(.line == "outcome" and .status == "crashed") | .where' "$work/journal.jsonl")" = slice
jq '.devices[0].faults = .devices[1].faults | del(.devices[1].faults)' "$work/script.json" >"$work/twice.json"
cp "$work/journal.jsonl" "$work/once.jsonl"
BENCH_FAKE=$work/twice.json fake_run --timeout 1s
expect 'of a baseline that dies twice its second worker is quoted, too' \
    eval "grep -q 'died once' '$work/journal.jsonl' && test \"\$(jq -r 'select(.line == \"outcome\" and .status == \"crashed\").log' '$work/journal.jsonl')\" = 'fake driver: a line that nobody asked for'"
sed 's/"status": *"crashed"/"status": "wrong"/' "$work/once.jsonl" >"$work/wrong.jsonl"
call report "$work/wrong.jsonl"
expect 'a failure with a reason of its own is reported without them' test "$(grep -c 'printed last' "$work/out")" -eq 0

# --- more than there is memory for
fake_run_of n=1T --journal "$work/journal.jsonl"
expect 'operands larger than the device are no-memory' test "$(outcome_of fake:1)" = no-memory
expect 'a run of which nothing was measured is exit status 3' exits 3
expect 'no-memory names both numbers' prints 'no-memory: .*TB.*B'
jq '.devices[1].memory = 1e15 | .devices[0].memory = 1e15' "$tests/program/fake/pair.json" >"$work/script.json"
BENCH_FAKE=$work/script.json fake_run_of n=1T --journal "$work/journal.jsonl"
expect 'operands that only the machine cannot hold are refused before they are allocated' prints 'no-memory: needs'

# --- a driver that dies while it lists
jq '.list = "crash"' "$tests/program/fake/pair.json" >"$work/script.json"
BENCH_FAKE=$work/script.json call devices
expect 'a driver that crashes while listing costs its own line' prints 'fake.*none.*signal 11'
expect 'a driver that crashes while listing leaves the others' prints '^cpu'
for word in fake FAKE:1; do
    BENCH_FAKE=$work/script.json call devices --device "$word"
    expect "$word without devices is answered with the reason" says "^bench: --device $word: .*signal 11.*; there is cpu"
done

# --- why there is no GPU
mkdir "$work/vendors"
echo "$work/libbroken.so" >"$work/vendors/broken.icd"
echo 'no library' >"$work/libbroken.so"
OCL_ICD_VENDORS=$work/vendors BENCH_FAKE=$tests/program/fake/pair.json call doctor
expect 'doctor begins with the GPUs, or with why there is none' \
    grep -qE '^(GPU: |No GPU on this machine: |No GPU can be used: )' <(head -1 "$work/out")
expect 'a driver that cannot be loaded is to be fixed' test "$(sed -n '/^To fix/,/^OK/p' "$work/out" | tr -s ' \n' ' ' |
    grep -c "broken.icd: OCL_ICD_VENDORS is .* $work/libbroken.so: .* unset OCL_ICD_VENDORS")" -eq 1
expect 'what is to be fixed is exit status 1' exits 1
OCL_ICD_VENDORS=$work/vendors BENCH_FAKE=$tests/program/fake/pair.json call doctor --format json
expect 'doctor has the same as JSON' jq -e '.headline != "" and (.ok | length > 0) and
    (.to_fix | any(.text | contains("libbroken.so: "))) and (.to_fix | all(.command != ""))' "$work/out"

headline=$(env -u BENCH_FAKE "$bench" doctor --format json | jq -r .headline)
unchosen=(run --workload multiply --size n=1000 --budget 50ms --journal "$work/unchosen.jsonl")
if [[ $headline == 'No GPU '* ]]; then
    call "${unchosen[@]}"
    expect 'a run without a GPU says why before it measures' grep -qF "$headline" <(head -2 "$work/err")
    rm -f "$work/unchosen.jsonl"
    call "${unchosen[@]}" --device cpu
    expect 'not where the devices were chosen' test "$(grep -c 'No GPU' "$work/err")" -eq 0
    call sweep multiply --from 1000 --to 2000 --points 2 --budget 50ms --journal "$work/unchosen-sweep.jsonl"
    expect 'a sweep without a GPU says it too' grep -qF "$headline" "$work/err"
    expect 'and its journal keeps it, as a sentence' grep -q '"line":"absent","backend":"gpu".*"reason":"No GPU [^"]*[.]"' "$work/unchosen-sweep.jsonl"
else
    expect 'a run without a GPU says why # SKIP there is one' true
fi

# --- trouble around the run
export BENCH_FAKE=$tests/program/fake/pair.json
fake_run_of n=1000 --journal /dev/full
expect 'a full disk is exit status 1' exits 1
expect 'a full disk is said' says 'No space left'
expect 'and nothing is measured on it' says 'ended after 0 of 1 problems'
(trap '' XFSZ && ulimit -f 40 && # KiB
    fake_run_of 1000 --size 2000 --size 3000 --journal "$work/half.jsonl" && echo "$status" >"$work/status")
expect 'a disk that is full in the middle ends the run with exit status 1' test "$(cat "$work/status")" -eq 1
expect 'with the command that completes it' says "bench run --resume $work/half.jsonl' completes it once"
expect 'what was measured until then is reported, of all problems' prints '^  multiply 3000  .*  faster'
on_small_disk() { # COMMAND...: with a disk of 1 MiB as $work/small
    mkdir -p "$work/small"
    unshare -rm sh -c 'mount -t tmpfs -o size=1m none "$0" && "$@"' "$work/small" "$@"
}
if on_small_disk true 2>/dev/null; then
    on_small_disk "$bench" run --device fake --baseline fake:0 --workload multiply --size 1000 --journal \
        "$work/small/run.jsonl" >"$work/out" 2>"$work/err"
    expect 'a disk without room for a journal is refused before anything is measured' says \
        'small/run.jsonl has 1.05 MB left, and a run may need 8.00 MB: make room, or name another with --journal'
    expect 'with nothing printed' test ! -s "$work/out"
else
    tap ok 'a disk without room for a journal is refused # SKIP no disk may be mounted here'
fi
call_unheard run --no-peaks --device fake --baseline fake:0 --workload multiply --size n=1000 --budget 1s --quiet \
    --journal "$work/pipe.jsonl"
expect 'a closed pipe ends a run as it ends other programs' exits 141
expect 'a closed pipe ends a run without a word' test ! -s "$work/err"
expect 'a closed pipe costs no journal' is_journal "$work/pipe.jsonl"
fake_run
cp "$work/journal.jsonl" "$work/kept.jsonl"
call run --device fake --baseline fake:0 --workload multiply --size n=1000 --journal "$work/kept.jsonl"
expect 'a journal that is there already is a usage error' exits 2
expect 'a journal that is there already is named' says 'kept.jsonl exists already'
expect 'a journal that is there already is left alone' cmp "$work/journal.jsonl" "$work/kept.jsonl"
for format in table csv json; do
    call_unheard report --format "$format" "$work/journal.jsonl"
    expect "a closed pipe ends a report as $format" exits 141
    expect "a closed pipe is no message of a report as $format" test ! -s "$work/err"
    call_on_full_disk report --format "$format" "$work/journal.jsonl"
    expect "a full disk is an error of a report as $format" test "$status" -ne 0
    expect "a full disk is said by a report as $format" says 'the report: No space left'
done
call_unheard report "$work/journal.jsonl" "$work/absent.jsonl"
expect 'other errors are reported too' says 'absent.jsonl: No such file'
call_unheard explain
expect 'a closed pipe ends other commands, too' exits 141
expect 'a closed pipe is no message of theirs' test ! -s "$work/err"
call_on_full_disk --help
expect 'a full disk ends the help with exit status 1' exits 1
cat "$work/journal.jsonl" "$work/journal.jsonl" >"$work/twice.jsonl"
call report "$work/twice.jsonl" "$work/journal.jsonl"
expect 'a damaged journal before a good one is exit status 2' exits 2
expect 'a damaged journal does not prevent the report of a good one after it' prints '^run B: journal[.]jsonl$'

# --- arguments that are no text
call run --device $'\xff\xfe' --journal "$work/none.jsonl"
expect 'a device that is no UTF-8 is exit status 3' exits 3
call run --size $'\xff' --journal "$work/none.jsonl"
expect 'a size that is no UTF-8 is exit status 2' exits 2
expect 'a size that is no UTF-8 is answered in UTF-8' iconv -f utf-8 -t utf-8 "$work/err"
fake_run_of n=1000 --journal "$work/odd"$'\xff'.jsonl
expect 'an output that is no UTF-8 is written' exits 0
expect 'an output that is no UTF-8 is a journal' is_journal "$work/odd"$'\xff'.jsonl
(exec -a '' "$bench" --version) >"$work/out" 2>"$work/err"
expect 'a program without a name works' prints '^bench [0-9.]*, commit .*$'

# --- times that are none, or too long
jq '.devices[1].run = [40]' "$tests/program/fake/pair.json" >"$work/script.json"
BENCH_FAKE=$work/script.json fake_run
expect 'a run longer than ten budgets is too-slow' test "$(outcome_of fake:1)" = too-slow
expect 'a run longer than ten budgets leaves the baseline alone' test "$(outcome_of fake:0)" = ok
expect 'a run longer than ten budgets is said with both numbers' prints 'too-slow: one run takes 40.* s, and the limit is 30[.0]* s'
jq '.devices[1].run = [0]' "$tests/program/fake/pair.json" >"$work/script.json"
BENCH_FAKE=$work/script.json fake_run
expect 'a clock that does not move is impossible' test "$(outcome_of fake:1)" = impossible
expect 'a clock that does not move leaves the baseline ok' test "$(outcome_of fake:0)" = ok
expect 'a clock that does not move is exit status 1' exits 1
call report --format csv --all-columns "$work/journal.jsonl"
expect 'a clock that does not move has no speed-up' test "$(cells_of speedup_resident_ratio | cut -d, -f2)" = -
rm -f "$work/journal.jsonl" # of many long runs until its time is over, next to none are made
BENCH_FAKE=$work/script.json call run --device fake:1 --baseline none --workload transfer --memory mapped \
    --size bytes=16Mi,direction=up --budget 50ms --timeout 20s --journal "$work/journal.jsonl"
expect 'a clock that does not move is found by a few runs' test "$(outcome_of fake:1)" = impossible

# --- workers that are done away with: without its rival the baseline goes on to the end of the budget
budget=20s long_run
kill -KILL "$(worker_of fake-1)"
long_run_ends
expect 'a worker that is killed is crashed' test "$(outcome_of fake:1)" = crashed
expect 'a worker that is killed leaves the baseline alone' test "$(outcome_of fake:0)" = ok
expect 'a worker that is killed is exit status 1' exits 1
expect 'a worker that is killed is named with its signal' prints 'crashed: .*signal 9'
long_run
kill -KILL "$(worker_of fake-0)"
wait_until has_gone_on
kill -INT "$parent"
long_run_ends
expect 'a baseline whose worker is killed goes on with a fresh one' test "$(outcome_of fake:0) $(outcome_of fake:1)" = 'ok ok'
expect 'a baseline whose worker is killed says so' prints 'its worker died once (killed by signal 9'
call report --format csv --all-columns "$work/journal.jsonl"
expect 'a baseline whose worker is killed is compared with all the same' test "$(cells_of speedup_resident_rounds | cut -d, -f2)" -gt 10
budget=20s long_run --timeout 1s
kill -STOP "$(worker_of fake-1)"
long_run_ends
expect 'a worker that is stopped is a timeout' test "$(outcome_of fake:1)" = timeout
expect 'a worker that is stopped leaves the baseline alone' test "$(outcome_of fake:0)" = ok
expect 'a worker that is stopped is exit status 1' exits 1
printf '#!/bin/bash\nunset PATH\nexec %q "$@"\n' "$bench" >"$work/pathless"
chmod +x "$work/pathless"
known=$bench bench=$work/pathless
long_run
bench=$known
mapfile -t left < <(workers | cut -d ' ' -f 1)
has_path() { tr '\0' '\n' <"/proc/${left[0]}/environ" | grep -c '^PATH=/.*:/usr/bin:'; }
expect 'where there is no PATH a worker has one all the same' has_path
kill -KILL "$parent"
long_run_ends
expect 'there were two workers' test "${#left[@]}" -eq 2
expect 'a parent that is killed takes its workers along' wait_until is_gone "${left[@]}"

# --- moving data, with the baseline's device among those that were asked for
call run --device fake --baseline fake:0 --workload transfer --size bytes=4K,direction=up --memory pageable,pinned --budget 1s --quiet --journal "$work/moved.jsonl"
expect 'a workload that only moves data has no methods to choose from' exits 0
call run --device fake --baseline fake:1 --workload transfer --size bytes=4K,direction=up --memory pageable,pinned --budget 1s --quiet --journal "$work/moved.jsonl"
expect 'nor where a GPU is the baseline: each kind of its memory is measured' test "$(jq -r 'select(.line == "outcome" and
    (.cell | endswith("@fake/1"))) | .status' "$work/moved.jsonl" | sort | uniq -c | tr -s ' ')" = ' 2 ok'

# --- the user interrupts
while read -r expected signals; do
    long_run
    mapfile -t left < <(workers | cut -d ' ' -f 1)
    for signal in $signals; do kill "-$signal" "$parent"; done
    long_run_ends
    expect "$signals is exit status $expected" exits "$expected"
    expect "$signals keeps what was measured" test "$(outcome_of fake:0)" = ok
    expect "$signals still prints the report" prints 'fake:0'
    expect "$signals leaves a journal with an end" ended_as interrupted
    expect "$signals leaves no worker behind" wait_until is_gone "${left[@]}"
done <<'END'
130 INT
143 TERM
129 HUP
130 INT INT
END
# Also while a device does not answer.
faulty submit 200 hang
long_run
kill -INT "$parent"
long_run_ends
expect 'an interrupt while a device hangs is exit status 130' exits 130
expect 'an interrupt while a device hangs keeps what was measured' test "$(outcome_of fake:0)" = ok
expect 'an interrupt while a device hangs leaves a journal with an end' ended_as interrupted

finish
