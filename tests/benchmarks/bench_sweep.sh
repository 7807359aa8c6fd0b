#!/usr/bin/env bash
# How well thresholds repeat: sweeps of the same workload one after the other, the interval of each, and whether all of
# them overlap. Figures to read; only sweeps that fail are failures.
# Usage: bench_sweep.sh PATH-OF-BENCH [SWEEPS [WORKLOAD [OPTION-OF-SWEEP...]]]
set -euo pipefail
export LC_ALL=C
bench=$1
sweeps=${2:-5}
workload=${3:-multiply}
shift $(($# < 3 ? $# : 3))
options=("$@")
((${#options[@]})) || options=(--device "cpu,opencl:0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v python3 >/dev/null || { echo 'SKIP: there is no python3' && exit 77; }

for ((i = 1; i <= sweeps; i++)); do
    start=$(date +%s)
    "$bench" sweep "$workload" "${options[@]}" --quiet --journal "$work/$i.jsonl" --thresholds "$work/$i.json" >"$work/out"
    echo "sweep $i: $(($(date +%s) - start)) s, $(grep -c '"line": *"outcome"' "$work/$i.jsonl") cells"
done
python3 - "$work" "$sweeps" <<'PYTHON'
import json, sys

found = {}
for i in range(int(sys.argv[2])):
    for key, entries in json.load(open(f"{sys.argv[1]}/{i + 1}.json"))["devices"].items():
        for entry in entries.values():
            for memory, modes in entry["memory"].items():
                for mode, says in modes.items():
                    found.setdefault(f"{entry['id']} {memory} {mode}", []).append(says)


def interval(says):
    return says["pays"][0]["from"] if says["outcome"] == "crosses" and says["pays"] else None


for what, all_of in found.items():
    known = [interval(says) for says in all_of if interval(says)]
    print(f"{what}: " + ", ".join(str(interval(says) or says["outcome"]) for says in all_of))
    if known:
        low, high = max(k[0] for k in known), min(k[1] for k in known)
        print(f"  {len(known)} thresholds, " + (f"all hold [{low}, {high}]" if low <= high else "which do not all overlap"))
PYTHON
