#!/usr/bin/env bash
# scripts/gpu as on a borrowed server, on the doubles of NVIDIA's driver and libraries: all parts, and a publication of what
# came back on another machine. Problems are small, and the tests of the backend and compute-sanitizer are pretended. Then
# every program is pretended, and `gpu all` is killed in each of its steps. Prints TAP.
# Usage: test_gpu.sh PATH-OF-CHECKOUT PATH-OF-BENCH
checkout=$1
# shellcheck source=tests/scripts/lib.sh
source "$checkout/tests/scripts/lib.sh"
doubles=$BENCH_LIBRARY_PATH
mkdir "$work/tree" "$work/path" "$work/tmp" "$work/home"
cp "$checkout/scripts/gpu" "$checkout"/tests/scripts/gpu_{torch,sensors}.py "$work/tree"
cp "$(realpath "$2")" "$work/tree/real"

program() { # PATH: a program with stdin as its text
    { echo '#!/bin/bash' && cat; } >"$1"
    chmod +x "$1"
}
program "$work/tree/bench" <<'BENCH'
arguments=()
for argument; do
    case $argument in
    4096) argument=m=65,n=33,k=129 ;;
    8192) argument=m=33,n=65,k=70 ;;
    n=32,c=64,*) argument=n=2,c=3,h=13,w=11,k=8,r=3,s=3,stride=1,pad=1 ;;
    standard | quick) arguments[-1]=--workload argument='multiply,launch --size n=100K --size n=1,count=1 --budget 50ms --no-ceilings' ;;
    kind=fma,*) argument=kind=fma,bytes=64Ki,turns=256 ;;
    bytes=64Mi,*) argument=bytes=1Mi,${argument#*,} ;;
    bf16,f16*) argument=bf16,f32 ;;
    500ms | 1s) argument=20ms ;;
    10s) argument=50ms ;;
    esac
    arguments+=("$argument")
done
# shellcheck disable=SC2068 # words
exec "${0%/*}/real" ${arguments[@]}
BENCH
program "$work/tree/backend_suite" <<'SUITE'
echo 'ok - a line of the driver'
for argument; do
    [[ $argument != --tap=* ]] || exec >"${argument#--tap=}"
done
case ${SUITE_METHOD:-} in
cublas) echo 'not ok - computes' && exit 1 ;;
peer) echo 'ok - planted  # SKIP test was skipped' && echo 'ok - backend::computes  # SKIP CUDA lists no second device to copy to' ;;
cudnn) echo "no library" >&2 && exit 77 ;;
copy) echo 'ok - a' && echo 'ok - b # SKIP why' ;;
*) echo 'ok - computes' ;;
esac
SUITE
program "$work/path/compute-sanitizer" <<'CHECKER'
case "$2 ${14}" in
'racecheck conv') exit 9 ;;
*multiply) exec "${@:7}" ;;
esac
CHECKER
program "$work/path/xz" <<<'exit 1'
mkdir -p "$work/torch/torch" "$work/torch/nvidia/cudnn/lib"
cp "$checkout/tests/scripts/torch_double.py" "$work/torch/torch/__init__.py"
program "$work/path/python3" <<PYTHON
export PYTHONPATH=$work/torch BENCH_TORCH_SMALL=1
exec $(python3 -c 'import sys; print(sys.executable)') "\$@"
PYTHON

# shellcheck disable=SC2034 # an array
borrowed=(env -i PATH="$work/path:/usr/bin:/bin" HOME="$work/home" TMPDIR="$work/tmp" OUT="$work/results"
    LD_LIBRARY_PATH="$doubles" BENCH_LIBRARY_PATH="$doubles" CUDA_DOUBLE_CACHE="$CUDA_DOUBLE_CACHE")
gpu() { # argument...: as on a borrowed server
    "${borrowed[@]}" "$work/${tree:-tree}/gpu" "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
}
# Starts a part and stops it as soon as a step has written the file.
gpu_stopped() { # PART FILE
    local session
    setsid "${borrowed[@]}" "$work/tree/gpu" "$1" >"$work/out" 2>"$work/err" </dev/null &
    session=$!
    while kill -0 "$session" && ! compgen -G "$work/tmp/*/results/$1/$2"; do sleep 0.02; done >"$work/seen" 2>&1
    kill -TERM "$session"
    wait "$session" 2>"$work/err"
}
came_back() { # the archive is whole, and obeys the rules for files: 8 of 16 MiB, two folders deep, with plain names
    rm -rf "$work/back" && mkdir "$work/back" && tar -C "$work/back" -xzf "$work/results/results.tar.gz" &&
        [ "$(find "$work/results" -type f | wc -l)" -le 8 ] && [ -z "$(find "$work/results" -mindepth 4)" ] &&
        [ -z "$(find "$work/results" -size +16384k)" ] && ! find "$work/results" -printf '%P\n' | grep '[^A-Za-z0-9._/-]'
}
sums_up() { # PART LINE
    grep -q -- "^$2" <(tr -s ' ' <"$work/back/results/$1/summary.txt" | sed 's/ [0-9]* s / /')
}
prints() { cat "$work/out" "$work/err" | grep -q -- "$1"; }
exits() { [ "$status" -eq "$1" ]; }

# --- each part
gpu_stopped all uploads.jsonl
expect 'a part that is stopped brings back what it has measured' eval 'came_back && test -s "$work/back/results/all/uploads.jsonl"'
expect 'it says so' sums_up all 'partly all: interrupted'
NVML_DOUBLE_WATTS=200 gpu all
expect 'a failed test is the exit status' eval 'exits 1 && came_back'
expect 'it is named' sums_up all 'FAILED conformance-cublas: status 1'
expect 'exit status 77 is a skip, with the last line as reason' sums_up all 'SKIP conformance-cudnn: no library'
expect 'nothing else failed' test "$(grep -c FAILED "$work/back/results/all/summary.txt")" = 1
for step in devices doctor uploads sensors cpu-half cpu-all sustained libraries i8 cublaslt conv standard matmul-8192; do
    expect "$step is ok" sums_up all "ok $step\$"
done
expect 'the summary has the seconds of each step' eval '! grep -qvE "^(ok|SKIP|FAILED) +[0-9]+ s  [a-z0-9-]+" "$work/back/results/all/summary.txt"'
expect 'the last line counts the results' prints '^all took [0-9]* s: 1 FAILED [0-9]* SKIP [0-9]* ok'
renewed() { # FILTER over the slices of a direction
    jq -es "map(select(.line == \"slice\" and (.cell | contains(\"direction=$1/\")))) | length > 0 and all($2)" \
        "$work/back/results/all/uploads.jsonl"
}
expect 'uploads are repeated without writing' renewed up '.kept_ns > 0'
expect 'the cost of sensors is measured' grep -q '^power  .* us, .* at most' "$work/back/results/all/sensors.txt"
expect 'half of the processors are measured' grep -q '"threads":' "$work/back/results/all/cpu-half.jsonl"
expect 'a long load is measured' grep -q '"series":"sustained"' "$work/back/results/all/sustained.jsonl"
expect 'libraries are read first' grep -q 'libcublas.so.12$' "$work/back/results/all/libraries.txt"
expect 'types are measured by every method' grep -q '"method": *"cublaslt"' "$work/back/results/all/cublaslt.jsonl"

gpu torch
expect 'a part keeps the one before' eval "exits 0 && came_back && sums_up all 'ok standard'"
expect 'PyTorch computes the same' sums_up torch 'ok torch'
expect 'its table has all operators' grep -q '^conv,bf16,.*"conv2d, NHWC"' "$work/back/results/torch/torch.csv"

gpu check
expect 'the tests of the backend fail together' eval 'exits 1 && came_back'
expect 'a step in which every test was skipped is skipped, with the reason' sums_up check \
    'SKIP conformance-peer: CUDA lists no second device'
expect 'a step in which some tests were skipped counts' sums_up check 'ok conformance-copy'
expect 'kernels are checked' sums_up check 'ok memcheck-matmul'
expect 'a kernel with an error fails' sums_up check 'FAILED racecheck-conv: status 9'
expect 'what a driver prints is no test' grep -qx 'ok - a line of the driver' "$work/back/results/check/conformance-peer.txt"

# --- little time: the first steps are there, the last have given way, and it ends in time
began=$SECONDS
gpu all --seconds 20 --output "$work/short"
expect 'it ends in time' test $((SECONDS - began)) -le 22
mkdir "$work/short/back" && tar -C "$work/short/back" -xzf "$work/short/results.tar.gz"
expect 'the first steps have their time' grep -q '^ok .* doctor' "$work/short/back/results/all/summary.txt"
expect 'the last steps give way' grep -q '^SKIP *0 s  matmul-8192: the time of this part is over' "$work/short/back/results/all/summary.txt"

# --- a kill in each step: all programs are pretended; that of the step to be killed writes a mark and waits
mkdir "$work/stubs" "$work/stubs/path"
cp "$work/tree/gpu" "$work/stubs"
program "$work/stubs/bench" <<STUB
file=\$(readlink /proc/\$\$/fd/1) step=\$(basename "\$file" .txt)
echo '  cuda:0  a GPU' && echo '  NVRTC 13.0 /a/libnvrtc.so.13'
[[ \$file != *.txt ]] || echo "\$step" >"\${file%txt}mark"
[ "\$step" != "\$(cat "$work/stops")" ] || { trap '' TERM && echo >"$work/stopped" && sleep 30; }
STUB
for name in backend_suite path/python3 path/nvidia-smi path/find; do cp "$work/stubs/bench" "$work/stubs/$name"; done
borrowed+=(PATH="$work/stubs/path:/usr/bin:/bin" OUT="$work/kills")
echo none >"$work/stops"
tree=stubs gpu all
mapfile -t steps < <(awk '{ print $4 }' <(tar -xzOf "$work/kills/results.tar.gz" results/all/summary.txt))
expect 'without a kill every step is there' eval '[ "${#steps[@]}" -ge 17 ] && exits 0'
marks() { tar -tzf "$work/kills/results.tar.gz" | sed -n 's|.*/\(.*\)\.mark$|\1|p' | sort; }
summed() { tar -xzOf "$work/kills/results.tar.gz" results/all/summary.txt | awk '$1 == "ok" { print $4 }'; }
kill_at() { # INDEX of a step: what came back has the steps before, and nothing more
    echo "${steps[$1]}" >"$work/stops"
    rm -rf "$work/stopped" "$work/kills"
    setsid "${borrowed[@]}" "$work/stubs/gpu" all >"$work/out" 2>"$work/err" </dev/null &
    local session=$!
    while kill -0 "$session" && [ ! -e "$work/stopped" ]; do sleep 0.02; done
    pkill -KILL -s "$session"
    wait "$session"
    rm -rf "$work"/tmp/*
    if [ "$1" = 0 ]; then [ ! -e "$work/kills/results.tar.gz" ] && return; fi
    [ "$(summed)" = "$(printf '%s\n' "${steps[@]:0:$1}")" ] && [ "$(marks)" = "$(printf '%s\n' "${steps[@]:0:$1}" | sort)" ]
}
for index in "${!steps[@]}"; do
    expect "a kill in ${steps[index]} costs this step alone" kill_at "$index"
done
echo nvidia-smi >"$work/stops"
tree=stubs gpu all
came_back_from() { tar -xzOf "$work/kills/results.tar.gz" results/all/summary.txt | tr -s ' '; }
expect 'a step that hangs, and that SIGTERM does not end, costs its own seconds' eval \
    "came_back_from | grep -qE '^partly (9|10|11|12) s nvidia-smi: ended after 5 s' && came_back_from | grep -q '^ok .* matmul-8192'"

# --- the table of PyTorch has the rows of this program
cat >"$work/tree/report" <<'CSV'
device,workload,dtype,shape,method,status,headline_s
cuda:0,matmul,f16,"m=64,n=64,k=64",slow,ok,0.002
cuda:0,matmul,f16,"m=64,n=64,k=64",fast,ok,0.001
cuda:0,matmul,f16,"m=64,n=64,k=64",wild,wrong,0.0001
cpu,matmul,f16,"m=64,n=64,k=64",native,ok,0.0001
CSV
program "$work/tree/reporter" <<<"cat \"$work/tree/report\""
"$work/path/python3" "$work/tree/gpu_torch.py" "$work/tree/reporter" "$work/back/results" "$work/torch.csv" >"$work/out" 2>"$work/err"
expect 'the ratio is to the fastest row that is right' grep -qE '^matmul,f16,"m=64,n=64,k=64",fast,0.001,' "$work/torch.csv"

# --- another machine: it has no GPU
mkdir "$work/shelf"
env -i PATH=/usr/bin:/bin HOME="$work/nobody" "$work/tree/real" publish "$work/back/results/all/standard.jsonl" \
    --to "$work/shelf" >"$work/out" 2>"$work/err"
expect 'what came back is published elsewhere' eval 'test "$(find "$work/shelf" -name "*.jsonl" | wc -l)" -eq 1'

# --- what stops at once
borrowed+=(PATH="$work/path:/usr/bin:/bin" BENCH_LIBRARY_PATH="$work/none" LD_LIBRARY_PATH="$work/none" CUDA_HOME="$work/none")
for part in all torch check; do
    gpu "$part" --output "$work/other"
    expect "without a GPU $part stops with the reason" eval "exits 77 && prints 'no device cuda:0.*libcuda.so.1 not found'"
done
borrowed+=(BENCH_LIBRARY_PATH="$doubles" LD_LIBRARY_PATH="$doubles" CUDA_DOUBLE_VERSION=11080)
gpu all --output "$work/other"
expect 'without a compiler it stops with the reason' eval "exits 77 && prints 'no compiler for kernels: NVRTC none: .*needs a driver for CUDA 12.0'"
for arguments in '' nonsense 'all --output' 'all --minutes 10' 'all --seconds 1m' 'all --seconds 0' 'all torch'; do
    # shellcheck disable=SC2086 # words
    gpu $arguments
    expect "'gpu $arguments' is refused" exits 2
done
finish
