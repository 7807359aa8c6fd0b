#!/usr/bin/env bash
# scripts/gpu as on a borrowed server, on the doubles of NVIDIA's driver and libraries: all parts, each once killed in the
# middle, and a publication of what came back on another machine. Problems are small, and the tests of the backend and
# compute-sanitizer are pretended. Prints TAP.
# Usage: test_gpu.sh PATH-OF-CHECKOUT PATH-OF-BENCH
checkout=$1
# shellcheck source=tests/scripts/lib.sh
source "$checkout/tests/scripts/lib.sh"
doubles=$BENCH_LIBRARY_PATH
mkdir "$work/tree" "$work/path" "$work/tmp" "$work/home"
cp "$checkout/scripts/gpu" "$checkout/tests/scripts/gpu_torch.py" "$work/tree"
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
    standard) arguments[-1]=--workload argument='multiply,launch --size n=100K --size n=1,count=1 --budget 50ms --no-ceilings' ;;
    bf16,f16,*) argument=bf16,f32 ;;
    500ms) argument=20ms ;;
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
    "${borrowed[@]}" "$work/tree/gpu" "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
}
# Starts a part and signals all of its processes as soon as a step has written the file.
gpu_killed() { # SIGNAL PART FILE
    local session attempt
    setsid "${borrowed[@]}" "$work/tree/gpu" "$2" >"$work/out" 2>"$work/err" </dev/null &
    session=$!
    for ((attempt = 0; attempt < 6000; attempt++)); do
        ! compgen -G "$work/tmp/*/results/$2/$3" >"$work/seen" || break
        sleep 0.05
    done
    if [ "$1" = KILL ]; then pkill -KILL -s "$session"; else kill -"$1" "$session"; fi
    wait "$session" 2>"$work/err"
    rm -rf "$work"/tmp/*
}
came_back() { # the archive is whole, and obeys the rules for files: 8 of 16 MiB, two folders deep, with plain names
    rm -rf "$work/back" && mkdir "$work/back" && tar -C "$work/back" -xzf "$work/results/results.tar.gz" &&
        [ "$(find "$work/results" -type f | wc -l)" -le 8 ] && [ -z "$(find "$work/results" -mindepth 4)" ] &&
        [ -z "$(find "$work/results" -size +16384k)" ] && ! find "$work/results" -printf '%P\n' | grep '[^A-Za-z0-9._/-]'
}
sums_up() { # PART LINE
    grep -q -- "^$2" "$work/back/results/$1/summary.txt"
}
prints() { cat "$work/out" "$work/err" | grep -q -- "$1"; }
exits() { [ "$status" -eq "$1" ]; }

# --- each part, killed and then run
gpu_killed KILL measure standard.jsonl
expect 'what was ready before a kill comes back' came_back
expect 'it has the steps before' sums_up measure 'ok      doctor'
gpu_killed TERM measure standard.jsonl
expect 'a part that is stopped brings back what it has measured' eval 'came_back && test -s "$work/back/results/measure/standard.jsonl"'
expect 'it says so' sums_up measure 'partly  measure: interrupted'
gpu measure
expect 'the suite is measured' eval "exits 0 && came_back && sums_up measure 'ok      standard'"
expect 'libraries are read first' grep -q 'libcublas.so.12$' "$work/back/results/measure/libraries.txt"
expect 'it could be published on the spot' sums_up measure 'ok      publish'
expect 'the page is made' test -s "$work/back/results/measure/standard.html"
expect 'nothing is left of an interrupted part' eval '! sums_up measure partly'

gpu_killed KILL types conv.jsonl
expect 'a kill of a part keeps the one before' eval "came_back && sums_up measure 'ok      standard'"
expect 'and the steps before' sums_up types 'ok      matmul-4096'
gpu types
expect 'types are measured' eval "exits 0 && came_back && sums_up types 'ok      matmul-8192'"
expect 'by every method' grep -q '"method": *"cublaslt"' "$work/back/results/types/matmul-4096.jsonl"
expect 'PyTorch computes the same' sums_up types 'ok      torch'
expect 'its table has all operators' grep -q '^conv,bf16,.*"conv2d, NHWC"' "$work/back/results/types/torch.csv"

gpu_killed KILL check conformance-cudnn.err
expect 'what was checked before a kill comes back' eval "came_back && sums_up check 'ok      conformance-portable'"
gpu check
expect 'a failed test is the exit status' eval 'exits 1 && came_back'
expect 'it is named' sums_up check 'FAILED  conformance-cublas: status 1'
expect 'a step in which every test was skipped is skipped, with the reason' sums_up check \
    'SKIP    conformance-peer: CUDA lists no second device'
expect 'a step in which some tests were skipped counts' sums_up check 'ok      conformance-copy'
expect 'exit status 77 is a skip, with the last line as reason' sums_up check 'SKIP    conformance-cudnn: no library'
expect 'kernels are checked' sums_up check 'ok      memcheck-matmul'
expect 'a kernel with an error fails' sums_up check 'FAILED  racecheck-conv: status 9'
expect 'what a driver prints is no test' grep -qx 'ok - a line of the driver' "$work/back/results/check/conformance-peer.txt"

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
env -i PATH=/usr/bin:/bin HOME="$work/nobody" "$work/tree/real" publish "$work/back/results/measure/standard.jsonl" \
    --to "$work/shelf" >"$work/out" 2>"$work/err"
expect 'what came back is published elsewhere' eval 'test "$(find "$work/shelf" -name "*.jsonl" | wc -l)" -eq 1'

# --- what stops at once
borrowed+=(BENCH_LIBRARY_PATH="$work/none" LD_LIBRARY_PATH="$work/none" CUDA_HOME="$work/none")
for part in measure types check; do
    gpu "$part" --output "$work/other"
    expect "without a GPU $part stops with the reason" eval "exits 77 && prints 'no device cuda:0.*libcuda.so.1 not found'"
done
borrowed+=(BENCH_LIBRARY_PATH="$doubles" LD_LIBRARY_PATH="$doubles" CUDA_DOUBLE_VERSION=11080)
gpu measure --output "$work/other"
expect 'without a compiler it stops with the reason' eval "exits 77 && prints 'no compiler for kernels: NVRTC none: .*needs a driver for CUDA 12.0'"
for arguments in '' nonsense 'measure --output' 'measure --minutes 10' 'measure types'; do
    # shellcheck disable=SC2086 # words
    gpu $arguments
    expect "'gpu $arguments' is refused" exits 2
done
finish
