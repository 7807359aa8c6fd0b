#!/usr/bin/env bash
# scripts/gpu with pretended programs: which steps it runs and skips, and its summary. Prints TAP.
# Usage: test_gpu.sh PATH-OF-CHECKOUT
checkout=$1
# shellcheck source=tests/scripts/lib.sh
source "$checkout/tests/scripts/lib.sh"
mkdir "$work/tree" "$work/path"
cp "$checkout/scripts/gpu" "$work/tree/gpu"

program() { # name: a program with stdin as its text
    { echo '#!/bin/bash' && cat; } >"$1"
    chmod +x "$1"
}
gpu() { # argument...: as on another machine with few programs
    env -i PATH="$work/path:/usr/bin:/bin" HOME="$work" OUT="$work/results" "$work/tree/gpu" "$@" >"$work/out" 2>&1
    status=$?
}
# shellcheck disable=SC2317 # `expect` calls them
sums_up() { grep -q -- "^$1" "$work/out"; }
# shellcheck disable=SC2317
exits() { [ "$status" -eq "$1" ]; }
program "$work/path/python3" <<<'exit 1' # without PyTorch

# --- no GPU
program "$work/tree/bench" <<'BENCH'
[ "$1" = devices ] && echo "cpu  a processor"
BENCH
gpu
expect 'without a GPU no step is run' exits 77
expect 'the skip is reported' sums_up "SKIP    full: no device 'cuda:0'"

# --- a GPU, and no tests of backends
program "$work/tree/bench" <<'BENCH'
echo "$@ $BENCH_LIBRARY_PATH" >>"${0%/*}/calls"
while [ $# -gt 0 ]; do
    case $1 in
    devices) echo "cuda:0  a GPU" ;;
    --journal) echo a journal >"$2" ;;
    --output) echo a page >"$2" ;;
    --format) printf 'status,method,headline_s\nok,fast,0.001\nok,slow,0.002\nwrong,wild,0.0001\n' ;;
    esac
    shift
done
BENCH
mkdir -p "$work/torch/torch" "$work/torch/nvidia/cudnn/lib"
cp "$checkout/tests/scripts/gpu_torch.py" "$work/tree"
cp "$checkout/tests/scripts/torch_double.py" "$work/torch/torch/__init__.py"
program "$work/path/python3" <<PYTHON
export PYTHONPATH=$work/torch BENCH_TORCH_SMALL=1
exec $(python3 -c 'import sys; print(sys.executable)') "\$@"
PYTHON
program "$work/path/compute-sanitizer" <<<'exit 0'
gpu
expect 'a step that is possible is run' sums_up 'ok      full'
expect 'it is the full suite' grep -q -- '--device all --suite full' "$work/tree/calls"
expect 'the standard suite comes first' eval "grep -o -- '--suite [a-z]*' \"$work/tree/calls\" | head -n 1 | grep -qx -- '--suite standard'"
expect 'its journal is made a page' eval "grep -q journal $work/results/standard.*.jsonl && grep -q page $work/results/standard.*.html"
expect 'PyTorch computes the same' sums_up 'ok      torch'
expect 'the ratio is to the fastest row that is right' grep -qE '^matmul,f16,"m=64,n=64,k=64",fast,0.001,' "$work/results/torch.csv"
expect 'the libraries of PyTorch are found' grep -q "$work/torch/nvidia/cudnn/lib\$" "$work/tree/calls"
expect 'the summary is kept' grep -q 'ok      standard' "$work/results/summary.txt"
expect 'kernels are checked' sums_up 'ok      racecheck-matmul'
expect 'a missing test suite is reported' sums_up 'SKIP    conformance-cuda: no backend_suite'
expect 'nothing failed' exits 0

# --- steps that fail, and steps that are skipped
program "$work/tree/backend_suite" <<'SUITE'
echo 'ok - a line of the driver'
for argument; do
    [[ $argument != --tap=* ]] || tap=${argument#--tap=}
done
exec >"$tap"
case ${SUITE_METHOD:-} in
cublas) echo 'not ok - computes' && exit 1 ;;
peer) echo 'ok - planted  # SKIP test was skipped' && echo 'ok - backend::computes  # SKIP CUDA lists no second device to copy to' ;;
cudnn) echo "no library" >&2 && exit 77 ;;
copy) echo 'ok - a' && echo 'ok - b # SKIP why' ;;
*) echo 'ok - computes' ;;
esac
SUITE
program "$work/path/compute-sanitizer" <<<'exit 9'
gpu
expect 'the methods of libraries are tested by name' sums_up 'FAILED  conformance-cublas: status 1'
expect 'our own kernels are tested' sums_up 'ok      conformance-cuda'
expect 'a step in which every test was skipped is skipped, with the reason' sums_up \
    'SKIP    conformance-peer: CUDA lists no second device'
expect 'a step in which some tests were skipped counts' sums_up 'ok      conformance-copy'
expect 'exit status 77 is a skip, with the last line as reason' sums_up 'SKIP    conformance-cudnn: no library'
expect 'a kernel with an error fails' sums_up 'FAILED  memcheck-multiply: status 9'
expect 'what a driver prints goes to another file' grep -qx 'ok - a line of the driver' "$work/results/conformance-peer.txt"
expect 'a failed step is the exit status' exits 1

# --- OpenCL of NVIDIA alone
program "$work/tree/bench" <<'BENCH'
[ "$1" = devices ] && printf 'opencl:0  a GPU\n  platform  NVIDIA CUDA\n'
BENCH
gpu
expect 'the tests of OpenCL need no CUDA' sums_up 'ok      conformance-opencl'
expect 'those of CUDA do' sums_up "SKIP    conformance-cuda: no device 'cuda:0'"
expect 'that is a success' exits 0

# --- arguments
gpu --minutes 0
expect 'invalid arguments are refused' exits 2
gpu --minutes
expect 'an argument without its value is refused' exits 2
finish
