#!/usr/bin/env bash
# The zip for Windows: built, unpacked in an empty prefix of wine, below a folder with blanks and umlauts, and tried there.
# Arguments: PATH-OF-BENCH PATH-OF-TESTS ROOT.
# shellcheck source=tests/program/lib.sh
. "$2/program/lib.sh" "$1" "$2"
root=$3 build=$(dirname "$(dirname "$(realpath "$1")")")
wine=/usr/lib/wine/wine64
for tool in "$wine" x86_64-w64-mingw32-gcc-posix dpkg-source; do
    command -v "$tool" >/dev/null || { echo "1..0 # SKIP $tool is not installed"; exit 0; }
done
x86_64-w64-mingw32-gcc-posix -shared -static -O2 -o "$work/blas.dll" "$tests/doubles/openblas_double.c"
if ! BENCH_SETUP=no BENCH_BUILD=$build "$root/scripts/package" windows --openblas "$work/blas.dll" "$work" >"$work/out" 2>"$work/err"; then
    if grep -q 'Unable to fetch\|Unable to find a source package\|Could not resolve' "$build/setup.log"; then
        echo "1..0 # SKIP the distribution's source packages cannot be fetched"
        exit 0
    fi
    expect 'the zip is built' false
    finish
fi
linux=$bench
export LC_ALL=C.UTF-8 WINEPREFIX=$work/prefix WINEDEBUG=-all form=
"$wine" cmd /c exit >/dev/null 2>&1
place="$WINEPREFIX/drive_c/Meine Geräte"
mkdir -p "$place"
python3 -m zipfile -e "$work"/bench-*-windows-x86_64.zip "$place"
cd "$place"/bench-*/ || exit 1

# Runs bench.exe in this folder; its exit status, output and messages are in $status, out and err.
call() {
    timeout 300 "$wine" ./bench.exe "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
}
script_of() { cp "$1" script.json && export BENCH_FAKE=script.json; }
fake() { # JOURNAL OPTION...
    local journal=$1
    shift
    rm -rf "$journal" "$journal.log"
    call run multiply --size 1000 --device fake --baseline fake:0 --time 20s --no-peaks --quiet --journal "$journal" "$@"
}
fault() { # KIND
    jq --arg kind "$1" '.devices[1].faults = [{call: "submit", number: 20, kind: $kind}]' "$tests/program/fake/pair.json" >script.json
    fake fault.jsonl --timeout 5s
}
reason_is() { # REGULAR-EXPRESSION: of the row of the GPU
    jq -e -s --arg words "$1" 'any(.[]; .line == "outcome" and .status != "ok" and (.reason | test($words)))' fault.jsonl >"$work/err"
}
same_csv() { # JOURNAL: as both programs read it
    "$linux" report "$1" --format csv --all-columns >"$work/linux.csv" 2>"$work/err" &&
        "$wine" ./bench.exe report "$1" --format csv --all-columns >"$work/windows.csv" 2>>"$work/err" &&
        cmp "$work/linux.csv" "$work/windows.csv"
}

timeout 120 "$wine" cmd /c bench.exe --version >"$work/out" 2>"$work/err"
expect 'it starts from cmd' prints '^bench [0-9.]*'
for command in workloads devices 'explain roofline' 'run --help' 'list' 'doctor'; do
    # shellcheck disable=SC2086
    call $command
    expect "bench $command" eval 'exits 0 && test -s "$work/out"'
done
expect 'doctor, called last, does not deny a GPU that it cannot see' eval "! prints 'No GPU on this machine'"
call devices
expect 'an OpenBLAS beside it is found' prints 'OpenBLAS *0.3.99'
call run --no-such-option
expect 'bad usage is exit status 2' eval "exits 2 && says 'no-such-option'"

script_of "$tests/program/fake/pair.json"
fake 'lauf ä 1.jsonl' -o 'bericht ö.html'
expect 'a run on scripted devices' eval "exits 0 && prints 'faster'"
expect 'with a page' grep -q '</html>' 'bericht ö.html'
expect 'its journal has no carriage returns' eval "test -s 'lauf ä 1.jsonl' && ! grep -q $'\\r' 'lauf ä 1.jsonl'"
expect 'Linux reads its journal alike' same_csv 'lauf ä 1.jsonl'
BENCH_FAKE=$tests/program/fake/pair.json "$linux" run multiply --size 1000 --device fake --baseline fake:0 --time 20s --no-peaks \
    --quiet --journal linux.jsonl >"$work/out" 2>"$work/err"
expect 'it reads a journal of Linux alike' same_csv linux.jsonl
call report linux.jsonl 'lauf ä 1.jsonl'
expect 'two journals are two runs' eval "exits 0 && ! says 'the same journal'"
call compare linux.jsonl 'lauf ä 1.jsonl'
expect 'both can be compared' prints 'cell'

while read -r kind words; do
    fault "$kind"
    expect "a worker that ends by $kind ends its rows alone" eval "exits 1 && reason_is '$words'"
done <<'END'
crash access violation
abort abort
exit exited with status 0
hang no reply within 5.00 s
END

fault hang
jq '.devices[1].faults[0].number = 60' script.json >later.json && cp later.json script.json
"$wine" ./bench.exe run multiply --size 1000 --device fake --baseline fake:0 --time 60s --no-peaks --quiet --journal held.jsonl \
    >"$work/held" 2>&1 </dev/null &
parent=$!
for _ in $(seq 100); do
    if grep -q '"slice"' held.jsonl 2>/dev/null; then break; fi
    sleep 0.2
done
call run multiply --size 1000 --device fake --baseline fake:0 --no-peaks --quiet --journal held.jsonl
expect 'a journal that is being written is refused' eval "exits 2 && says 'is being written by another run'"
kill -INT "$parent"
wait "$parent"
status=$?
expect 'Ctrl-C is exit status 130' exits 130
expect 'Ctrl-C keeps what was measured' eval "jq -e -s 'any(.[]; .line == \"end\" and .status == \"interrupted\")' held.jsonl"
script_of "$tests/program/fake/pair.json"
fake 'Z:\dev\full'
expect 'a full disk is named' eval "exits 1 && says 'No space left on device'"

unset BENCH_FAKE
rm libopenblas.dll # it computes slowly
call run matmul multiply --size 256 --time 30s --device all --no-peaks --quiet --journal real.jsonl
verified() { # every row ended well, which includes the checks of its results, and each was checked twice
    jq -e -s '(map(select(.line == "outcome")) | length > 1 and all(.status == "ok")) and
        (map(select(.line == "verify")) | length) >= 2 * (map(select(.line == "outcome")) | length)' real.jsonl >"$work/err"
}
expect 'the CPU computes right results' eval "test \$status -le 1 && verified"
if "$wine" ./bench.exe devices 2>"$work/err" | grep -q '^opencl:'; then
    expect 'and so does the OpenCL driver of this machine' grep -q '"device":"opencl:0"' real.jsonl
fi
"${wine%/*}/wineserver" -k -w 2>/dev/null # it keeps files of the prefix open
finish
