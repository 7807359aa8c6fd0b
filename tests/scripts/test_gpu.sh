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
    env -i PATH="$work/path:/usr/bin:/bin" HOME="$work" "$work/tree/gpu" --output "$work/results" "$@" >"$work/out" 2>&1
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
echo "$@" >>"${0%/*}/calls"
[ "$1" != devices ] || echo "cuda:0  a GPU"
BENCH
program "$work/path/compute-sanitizer" <<<'exit 0'
gpu
expect 'a step that is possible is run' sums_up 'ok      full'
expect 'it is the full suite' grep -q -- '--device all --suite full' "$work/tree/calls"
expect 'kernels are checked' sums_up 'ok      racecheck-matmul'
expect 'a missing test suite is reported' sums_up 'SKIP    conformance-cuda: no backend_suite'
expect 'nothing failed' exits 0

# --- steps that fail, and steps that are skipped
program "$work/tree/backend_suite" <<'SUITE'
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
expect 'a failed step is the exit status' exits 1
gpu --minutes 0
expect 'invalid arguments are refused' exits 2
gpu --minutes
expect 'an argument without its value is refused' exits 2
finish
