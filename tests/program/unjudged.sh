#!/usr/bin/env bash
# Figures that decide nothing: in the journals of a real run, speed-ups lose their intervals, runs with transfers take
# less than computing alone, or a peak has one slice. Whatever the output, none concludes.
# Usage: unjudged.sh PATH-OF-BENCH PATH-OF-TESTS
# shellcheck source=tests/program/lib.sh
source "$2/program/lib.sh"

# Programs of jq: the first slice of each series, of all cells or of peaks; times with transfers cut to three tenths.
first_of='foreach inputs as $line ({seen: {}, keep: true};
    "\($line.cell) \($line.series)" as $series
    | .keep = ($line.line != "slice" or (.seen[$series] | not) or ($line.cell | test($of) | not))
    | if $line.line == "slice" then .seen[$series] = true else . end; if .keep then $line else empty end)'
short_totals='inputs | if .line == "slice" and .series == "copied" then .wall_ns |= map(. * 0.3 | floor) else . end'
make() { jq -cn --arg of "$4" "$3" "$tests/journals/$2.jsonl" >"$work/$1.jsonl"; } # name journal program cells
make rounds standard "$first_of" ''
make totals standard "$short_totals" ''
make peaks standard "$first_of" '^peak'
# Looks: alone before all else, then beside a neighbour before each slice of the device, and before most of all slices.
# Without the largest multiply, whose copied series has too few slices to be called disturbed.
looks='foreach (inputs | select(.line != "look") | select("\(.cell)\(.key)\(.block)" | test("n=160000000") | not)) as $line ({begun: false, slices: 0, some: []};
    .some = [] | if $line.line != "slice" then . else .slices += 1
        | if .begun then . else .begun = true | .some = [range(40) | {line: "look", processor: 0, rate: 6}] end
        | .some += [{line: "look", processor: 0,
            rate: (if ($line.cell | test($of)) and .slices % 9 != 0 then 3 else 6 end)}] end;
    .some[], $line)'
make neighbour standard "$looks" 'opencl'
make neighbours standard "$looks" ''
make sizes sweep-multiply "$first_of" ''

outputs() { # name: as every format, in files called so
    local format
    for format in txt md json csv html; do call report "$work/$1.jsonl" -o "$work/$1.$format"; done
    form='' call report "$work/$1.jsonl" -o "$work/$1.brief" -f table
}
lacks() { ! sed -E 's/<[^>]*>/ /g' "$work/$1" | grep -vE '^ *(\.|--)|raced on|slower:' | grep -E "$2" >"$work/out"; }
verdicts() { jq -r "[.runs[].blocks[].cells[].$2.verdict] | unique | join(\", \")" "$work/$1.json"; }
in_csv() { python3 -c 'import csv, sys
print(", ".join(sorted({row[sys.argv[2]] for row in csv.DictReader(open(sys.argv[1]))})))' "$work/$1.csv" "$2"; }
uses() { jq -r "[.runs[].blocks[].cells[].break_even.outcome] | unique | join(\", \")" "$work/$1.json"; }

# --- no interval
outputs rounds
for file in brief txt md html; do
    expect "without intervals $file answers that nothing was judged" grep -q 'Not judged: multiply, matmul and conv' "$work/rounds.$file"
    expect "without intervals $file has no break-even" lacks "rounds.$file" 'break-even|[0-9] uses of the same data on'
    expect "without intervals $file calls no row faster or slower" \
        lacks "rounds.$file" '\) +(faster|slower|equal)|: (Yes|No) for|faster[:,] (multiply|matmul|conv)'
done
expect 'without intervals the screen has nothing that concludes' \
    lacks rounds.brief '[0-9]x( |,|\)|$)|(faster|slower|equal|unclear)$|pays|^Why'
for use in resident copied; do
    expect "without intervals JSON judges none: $use" test "$(verdicts rounds speedup_$use)" = 'not compared, not judged'
    expect "without intervals CSV judges none: $use" test "$(in_csv rounds speedup_${use}_verdict)" = 'not compared, not judged'
done
expect 'without intervals no number of uses is known, nor that there is none' test "$(uses rounds)" = 'none, unclear'
call compare "$work/rounds.jsonl" "$tests/journals/standard-2.jsonl" -f json
expect 'without intervals no speed-up has changed, and none is the same' \
    test "$(jq -r '[.cells[] | (.resident_speedup, .copied_speedup).verdict // empty] | unique | join(", ")' "$work/out")" = unsure
call compare "$work/rounds.jsonl" "$tests/journals/standard-2.jsonl"
expect 'without intervals the comparison shows no change of a speed-up' eval "! grep -qE '^  (FASTER|SLOWER|SAME) .* (portable|clblast) ' '$work/out'"

# --- a total below its part
outputs totals
for file in brief txt md html; do
    expect "totals below their parts: $file judges no row with transfers" \
        eval "sed 's/<[^>]*>/ /g' '$work/totals.$file' | grep -q 'Copied at every use:[* ]*Not judged: multiply, matmul and conv'"
    expect "totals below their parts: $file has no break-even" lacks "totals.$file" 'break-even|[0-9] uses of the same data on'
done
expect 'totals below their parts: the rest is judged' grep -q '0.99  ([0-9.]* - [0-9.]*)  equal .* not judged' "$work/totals.brief"
expect 'totals below their parts: JSON judges none' test "$(verdicts totals speedup_copied)" = 'not compared, not judged'
expect 'totals below their parts: CSV judges none' test "$(in_csv totals speedup_copied_verdict)" = 'not compared, not judged'
expect 'totals below their parts: no number of uses' test "$(uses totals)" = 'none, unclear'
call compare "$work/totals.jsonl" "$tests/journals/standard-2.jsonl" -f json
expect 'totals below their parts: not compared' \
    test "$(jq -r '[.cells[].copied_speedup.verdict // empty] - ["unsure"] | join(", ")' "$work/out")" = ''

# --- somebody else used the cores in most slices, of one device or of all
for name in neighbour neighbours; do
    outputs $name
    for file in brief txt md html; do
        expect "$name: $file answers that nothing was judged" grep -q 'Not judged: multiply, matmul and conv' "$work/$name.$file"
        expect "$name: $file has no break-even" lacks "$name.$file" 'break-even|[0-9] uses of the same data on'
        expect "$name: $file calls no row faster or slower" \
            lacks "$name.$file" '\) +(faster|slower|equal)|: (Yes|No) for|faster[:,] (multiply|matmul|conv)'
    done
    for use in resident copied; do
        expect "$name: JSON judges none: $use" test "$(verdicts $name speedup_$use)" = 'not compared, not judged'
    done
    expect "$name: no number of uses" test "$(uses $name)" = 'none, unclear'
done
expect 'neighbours: the screen says so first' grep -q 'Disturbed: other load' "$work/neighbours.brief"
expect 'neighbours: no reason from peaks that were disturbed' lacks neighbours.txt 'reaches [0-9]+ % of|is limited by'

# --- one slice of a peak
outputs peaks
for file in brief txt md html; do
    expect "peaks of one slice: $file has no share above 100 %" lacks "peaks.$file" '(^| )1[0-9][1-9] % of'
    expect "peaks of one slice: $file gives no reason from them" lacks "peaks.$file" 'reaches [0-9]+ % of'
done

# --- a sweep of which no size is judged
outputs sizes
for file in txt md html; do
    expect "sizes that are not judged: $file knows no crossing" \
        test "$(sed 's/<[^>]*>/ /g' "$work/sizes.$file" | grep -c 'not known: no difference could be shown')" -ge 3
done
expect 'sizes that are not judged: JSON knows no crossing' \
    test "$(jq -c '[.runs[].thresholds[][].memory[][] | .sure, .pays] | unique' "$work/sizes.json")" = '[null,[]]'

finish
