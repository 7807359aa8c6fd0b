#!/usr/bin/env bash
# What programs read: journals and JSON reports are as their schemas say, what is not is refused by them, and CSV and
# JSON of several journals are one file. Prints TAP.
# Usage: schemas.sh PATH-OF-BENCH PATH-OF-TESTS
# shellcheck source=tests/program/lib.sh
source "$2/program/lib.sh"
results=$tests/../results

if ! python3 -c 'import jsonschema; jsonschema.Draft202012Validator' 2>/dev/null; then
    echo '1..0 # SKIP python3 has no jsonschema that knows draft 2020-12 (python3-jsonschema)'
    exit 0
fi
cat >"$work/validate.py" <<'PYTHON'
import json, sys, jsonschema

schema, *paths = sys.argv[1:]
schema = json.load(open(schema, encoding="utf-8"))
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
valid = True
for path in paths:
    text = open(path, encoding="utf-8")
    for number, value in enumerate(map(json.loads, text) if path.endswith(".jsonl") else [json.load(text)], 1):
        for error in validator.iter_errors(value):
            valid = False
            print(f"{path}:{number}: {list(error.absolute_path)}: {error.message:.200}")
sys.exit(not valid)
PYTHON
# The same, of what this program writes, with members refused that the schema does not describe.
cat >"$work/strict.py" <<'PYTHON'
import json, sys

def close(part):
    if isinstance(part, dict):
        if isinstance(part.get("properties"), dict):
            part.setdefault("additionalProperties", False)
        part = part.values()
    for each in part if not isinstance(part, (str, int, float, bool, type(None))) else ():
        close(each)

schema = json.load(open(sys.argv[1], encoding="utf-8"))
if "journal" in sys.argv[1]: # its kinds of lines are made up of several parts, which have no type
    for part in schema["$defs"].values():
        close(part if part.get("type") == "object" else list(part.get("properties", {}).values()))
    schema["unevaluatedProperties"] = False
else:
    close(schema)
json.dump(schema, sys.stdout)
PYTHON
for schema in journal report; do
    python3 "$work/strict.py" "$results/$schema.schema.json" >"$work/strict-$schema.schema.json"
done
validate_strictly() { python3 "$work/validate.py" "$work/strict-$1.schema.json" "${@:2}" >"$work/err"; } # schema file...
validate() { python3 "$work/validate.py" "$results/$1.schema.json" "${@:2}" >"$work/err"; } # schema file...
lacks() { ! "$@"; }
refuses() { ! validate "$@" && grep -q "$work" "$work/err"; }
all_as_json() { # journal...
    call report --format json "$@"
    cp "$work/out" "$work/report.json"
}

# --- a schema that says nothing of a member refuses nothing in it
described() { # every object that is described says what its members are
    python3 - "$results/$1.schema.json" <<'PYTHON'
import json, sys

def walk(part):
    if isinstance(part, dict):
        if part.get("type") == "array" and "items" not in part:
            sys.exit("an array of anything")
        for value in part.values():
            walk(value)

schema = json.load(open(sys.argv[1], encoding="utf-8"))
walk(schema)
sys.exit(not all("$ref" in p or "type" in p or "const" in p or "enum" in p or "description" in p
                 for d in schema["$defs"].values() for p in d.get("properties", {}).values()))
PYTHON
}
for schema in journal report thresholds; do
    expect "the schema of a $schema says of each member what it is" described $schema
done

# --- what is kept
for journal in "$tests"/golden/mixed.jsonl "$tests"/golden/interrupted.jsonl "$results"/*/*.jsonl; do
    expect "$(basename "$(dirname "$journal")")/$(basename "$journal") is as the schema says" validate journal "$journal"
done
expect "a stranger's journal is not" lacks validate journal "$tests/golden/hostile.jsonl"
all_as_json "$tests"/golden/*.jsonl "$results"/*/*.jsonl
expect 'the report of all journals is as its schema says, strangers'"'"' among them' validate report "$work/report.json"
expect 'it has each of them' test "$(jq '.runs | length' "$work/report.json")" -eq \
    "$(find "$tests/golden" "$results" -name '*.jsonl' | wc -l)"

# --- what is measured now
export BENCH_FAKE=$tests/program/fake/pair.json
fake_run --memory pageable,mapped
expect 'a run on scripted devices is as the schema says, and has no other member' \
    validate_strictly journal "$work/journal.jsonl"
jq -c '.secret = 1' "$work/journal.jsonl" >"$work/secret.jsonl"
expect 'a member that is planted there is found' lacks validate_strictly journal "$work/secret.jsonl"
all_as_json "$work/journal.jsonl"
expect 'so is its report' validate report "$work/report.json"
expect 'the schema describes all that is in it' validate_strictly report "$work/report.json"
jq '.runs[0].devices[0].secret = 1' "$work/report.json" >"$work/secret.json"
expect 'and not what is planted there' lacks validate_strictly report "$work/secret.json"
faulty submit 30 crash
fake_run --quiet
expect 'a run in which a worker dies is as the schema says' validate journal "$work/journal.jsonl"
BENCH_FAKE=$tests/program/fake/crossing.json call sweep multiply --device fake:0,fake:1 --from 1000 --to 1M --points 3 \
    --budget 500ms --journal "$work/sweep.jsonl"
expect 'a sweep is as the schema says, and has no other member' validate_strictly journal "$work/sweep.jsonl"
all_as_json "$work/sweep.jsonl"
expect 'so is its report' validate report "$work/report.json"
jq '{schema: "bench-thresholds/3", devices: .runs[0].thresholds}' "$work/report.json" >"$work/thresholds.json"
expect 'and its thresholds' validate thresholds "$work/thresholds.json"
call run --device cpu --workload multiply --size n=100000 --budget 50ms --journal "$work/cpu.jsonl"
expect 'a run on the CPU is as the schema says, and has no other member' validate_strictly journal "$work/cpu.jsonl"
all_as_json "$work/cpu.jsonl"
expect 'so is its report' validate report "$work/report.json"
expect 'the schema describes all that is in that one' validate_strictly report "$work/report.json"

# --- planted faults
export BENCH_FAKE=$tests/program/fake/pair.json
fake_run --quiet
# Of scripted devices the state of the machine is not asked for.
sed '$d' "$work/journal.jsonl" | cat - <(grep -h '"line":"state"' "$work/cpu.jsonl" | head -n 2) \
    <(tail -n 1 "$work/journal.jsonl") >"$work/sound.jsonl"
expect 'the journal that faults are planted in is without any' validate journal "$work/sound.jsonl"
# Each is planted in the first line of its kind, and all of these lines are validated at once.
faults() { # kind, and a filter over its line
    cat <<'FAULTS'
journal|.schema = "bench-journal/9"
journal|.started = "yesterday"
journal|del(.version)
journal|.command = "bench run"
journal|.host.cores = "two"
journal|.host.memory = -1
device|del(.key)
device|.class = "GPU"
device|.clock = "1 GHz"
device|.computes = "f32"
device|.shares_host_memory = 1
cell|del(.shape)
cell|.key = ""
cell|.flops = "many"
cell|.launches = 1.5
first|.run_ns = 1.5
first|.run_ns = -1
first|.detail = 5
first|.memory_cost = {peak_host: "1 GB"}
verify|.pass = "during"
verify|.checks[0].weak = "no"
verify|del(.checks)
state|.when = "never"
state|.busy = "a lot"
state|.on_battery = 1
slice|del(.number)
slice|.wall_ns = 5
slice|.wall_ns[0] = "5"
slice|.wall_ns[0] = 0.5
slice|.event_ns = {}
slice|.phases = {upload_ns: 5}
stop|del(.reason)
outcome|.status = "fine"
outcome|del(.cell)
end|.status = "over"
end|.line = 5
FAULTS
}
: >"$work/sound-lines.jsonl"
: >"$work/planted.jsonl"
while IFS='|' read -r kind filter; do
    jq -c -n --arg kind "$kind" 'first(inputs | select(.line == $kind))' "$work/sound.jsonl" >>"$work/sound-lines.jsonl"
    tail -n 1 "$work/sound-lines.jsonl" | jq -c "$filter" >>"$work/planted.jsonl"
done < <(faults)
validate journal "$work/planted.jsonl"
planted() { # number of the line: it differs from the sound one, and is refused
    ! cmp -s <(sed -n "$1p" "$work/sound-lines.jsonl") <(sed -n "$1p" "$work/planted.jsonl") &&
        grep -q "^$work/planted.jsonl:$1: " "$work/refused"
}
cp "$work/err" "$work/refused"
fault=0
while IFS='|' read -r kind filter; do
    fault=$((fault + 1))
    expect "a journal is refused for $kind: $filter" planted $fault
done < <(faults)
expect 'the lines are sound before' validate journal "$work/sound-lines.jsonl"
all_as_json "$work/journal.jsonl"
cp "$work/report.json" "$work/sound.json"
while read -r filter; do
    jq "$filter" "$work/sound.json" >"$work/report.json"
    expect "a report is refused for $filter" refuses report "$work/report.json"
done <<'FAULTS'
.schema = "bench-report/1"
.runs = []
del(.runs[0].letter)
.runs[0].letter = "a"
.runs[0].run.seed = null
.runs[0].devices[0].units = -1
.runs[0].absent = {}
.runs[0].blocks[0].races = "yes"
del(.runs[0].blocks[0].cells[0].time_s)
.runs[0].blocks[0].cells[0].outcome.status = "fine"
.runs[0].blocks[0].cells[1].speedup_resident.value = "5x"
.runs[0].blocks[0].cells[1].series.resident.slices = 1.5
.runs[0].blocks[0].cells[1].break_even.outcome = "perhaps"
.runs[0].blocks[0].cells[1].ceiling.bound_by = "luck"
.runs[0].blocks[0].cells[1].energy.package_w = "much"
.runs[0].blocks[0].cells[1].cold = 0
.runs[0].blocks[0].cells[1].state_before.clock_hz = "fast"
FAULTS

# --- several journals in one CSV
journals=("$tests"/golden/{mixed,hostile}.jsonl "$work/journal.jsonl")
call report --format csv --all-columns "${journals[@]}"
cat >"$work/rows.py" <<'PYTHON'
import csv, sys

rows = list(csv.reader(open(sys.argv[1], encoding="utf-8", newline=""), strict=True))
names, rows = rows[0], rows[1:]
assert names[:4] == ["run", "machine", "started", "cell"], names[:4]
assert len(set(names)) == len(names), "a column twice"
assert all(len(row) == len(names) for row in rows), "a row of other columns"
assert sorted({row[0] for row in rows}) == ["A", "B", "C"]
number = {i for i, name in enumerate(names) if name.endswith(("_s", "_bytes", "_hz", "_ratio", "_low", "_high"))}
for row in rows:
    for i, field in enumerate(row):
        assert i in number or not field or field[0] not in "=+-@\t\r" or field == "-", (names[i], field)
        if i in number and field:
            float(field)
PYTHON
expect 'a CSV of several journals has a letter on each row, and no formulas' python3 "$work/rows.py" "$work/out"
expect 'its lines end as RFC 4180 says' lacks grep -qv $'\r$' "$work/out"
finish
