#!/usr/bin/env bash
# scripts/gpu on a machine whose programs are stand-ins: what it runs, skips and sums up. Prints TAP.
# Usage: test_gpu.sh PATH-OF-CHECKOUT
set -u
checkout=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/tree" "$work/path"
cp "$checkout/scripts/gpu" "$work/tree/gpu"
number=0
failures=0
expect() { # name condition...
    local name=$1 outcome=ok
    shift
    number=$((number + 1))
    if ! "$@" >"$work/seen" 2>&1; then
        outcome='not ok'
        failures=$((failures + 1))
    fi
    echo "$outcome $number - $name"
    [ "$outcome" = ok ] || sed 's/^/# /' "$work/seen" "$work/out" | tail -n 30
}
program() { # name: what is on standard input
    { echo '#!/bin/bash' && cat; } >"$1"
    chmod +x "$1"
}
gpu() { # argument...: as on another machine, which has next to no programs
    env -i PATH="$work/path:/usr/bin:/bin" HOME="$work" "$work/tree/gpu" --output "$work/results" "$@" >"$work/out" 2>&1
    status=$?
}
# shellcheck disable=SC2317 # `expect` calls them
sums_up() { grep -q -- "^$1" "$work/out"; }
# shellcheck disable=SC2317
exits() { [ "$status" -eq "$1" ]; }
program "$work/path/python3" <<<'exit 1' # without PyTorch

# --- nothing to try
program "$work/tree/bench" <<'BENCH'
[ "$1" = devices ] && echo "cpu  a processor"
BENCH
gpu
expect 'without a GPU nothing was tried' exits 77
expect 'and that is told' sums_up "SKIP    full: no device 'cuda:0'"

# --- a GPU, and no tests of backends
program "$work/tree/bench" <<'BENCH'
echo "$@" >>"${0%/*}/calls"
[ "$1" != devices ] || echo "cuda:0  a GPU"
BENCH
program "$work/path/compute-sanitizer" <<<'exit 0'
gpu
expect 'what is there is run' sums_up 'ok      full'
expect 'the full suite is' grep -q -- '--device all --suite full' "$work/tree/calls"
expect 'kernels are checked' sums_up 'ok      racecheck-matmul'
expect 'what is not there is told' sums_up 'SKIP    conformance-cuda: no backend_suite'
expect 'nothing failed' exits 0

# --- tests that fail, that skip, that are missing something, and that take too long
program "$work/tree/backend_suite" <<'SUITE'
case ${SUITE_METHOD:-} in
cublas) echo 'not ok - computes' && exit 1 ;;
peer) echo 'ok - planted  # SKIP test was skipped' && echo 'ok - backend::computes  # SKIP CUDA shows no other device to copy to' ;;
cudnn) echo "no library" >&2 && exit 77 ;;
copy) echo 'ok - a' && echo 'ok - b # SKIP why' ;;
*) echo 'ok - computes' ;;
esac
SUITE
program "$work/path/compute-sanitizer" <<<'exit 9'
gpu
expect 'the methods of libraries are tested by name' sums_up 'FAILED  conformance-cublas: status 1'
expect 'our own code is' sums_up 'ok      conformance-cuda'
expect 'tests that were all skipped are none, and the reason is told' sums_up \
    'SKIP    conformance-peer: CUDA shows no other device'
expect 'tests of which some were skipped are some' sums_up 'ok      conformance-copy'
expect 'what says that it cannot is skipped with its words' sums_up 'SKIP    conformance-cudnn: no library'
expect 'a kernel that is found out fails' sums_up 'FAILED  memcheck-multiply: status 9'
expect 'what failed is the exit status' exits 1
gpu --minutes 0
expect 'arguments that make no sense are refused' exits 2
gpu --minutes
expect 'an argument without its value is refused' exits 2
echo "1..$number"
exit "$((failures > 0))"
