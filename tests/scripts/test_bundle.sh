#!/usr/bin/env bash
# Unpacks the archive of scripts/bundle into an empty folder and runs it with an almost empty environment. Prints TAP.
# Usage: test_bundle.sh PATH-OF-CHECKOUT BUILD-FOLDER
checkout=$1
# A less optimised program is built faster, and a larger archive sooner than a small one.
export CFLAGS=-O1 XZ_OPT=-0 BENCH_BUILD=$2/bundle BENCH_SETUP=no LC_ALL=C
# shellcheck source=tests/scripts/lib.sh
source "$checkout/tests/scripts/lib.sh"

# shellcheck disable=SC2317
alone() { # COMMAND...: as on another machine
    env -i PATH=/usr/bin:/bin HOME="$work/nobody" "$@" >"$work/out" 2>"$work/err"
}
files_of() { # folder: without links, and without what belongs to NVRTC
    find "$work"/unpacked/bench-*/"$1" -type f ! -name 'libnvrtc-builtins*' | wc -l
}
# Libraries of the bundle that were loaded from another place. The folder of OpenBLAS for OpenMP is searched first.
loaded_from_elsewhere() {
    local library
    for library in "$work"/unpacked/bench-*/lib/*; do
        sed -n 's/.*calling init: //p' "$work"/loaded.* | grep "/${library##*/}\$" | grep -v -e "$work/unpacked" -e /openblas-openmp/
    done
}

expect 'a bundle is made' "$checkout/scripts/bundle" "$work/bundle.tar.xz"
mkdir "$work/unpacked"
expect 'it can be unpacked' tar -C "$work/unpacked" -xf "$work/bundle.tar.xz"
program=$(echo "$work"/unpacked/bench-*/bench)
expect 'each library has its licence' test "$(files_of lib)" -lt "$(files_of licences)"
for file in man/man1/bench.1 bash-completion/completions/bench.bash zsh/site-functions/_bench fish/vendor_completions.d/bench.fish; do
    expect "it has $file" test -s "${program%/bench}/share/$file"
done
expect 'the links of its documents lead to files' test -z "$(dead_links "${program%/bench}" || echo no links)"
expect 'no driver, and nothing of the C library, is in it' sh -c "! ls $work/unpacked/bench-*/lib | grep -E 'libc\\.|libm\\.|ld-linux|libcuda|libnvidia|libstdc|pocl'"
expect 'it lists the devices' alone "$program" devices
expect 'the processor is among them' grep -q '^cpu ' "$work/out"
expect 'it measures' alone LD_DEBUG=files LD_DEBUG_OUTPUT="$work/loaded" "$program" run --full --device cpu \
    --workload multiply,matmul --size 300 --budget 50ms --no-ceilings --journal "$work/journal.jsonl"
expect 'every library of the bundle is loaded from the bundle' test -z "$(loaded_from_elsewhere)"
expect 'its libraries compute' grep -qE 'onednn|openblas' "$work/out"
expect 'every row is fine' sh -c "! grep -E '\"line\": *\"outcome\"' $work/journal.jsonl | grep -vE '\"status\": *\"(ok|too-slow)\"'"
expect 'it works through a link' sh -c "ln -s $program $work/link && $work/link --version"
wanted=$(readelf -V "${program%/*}"/bin/* "${program%/*}"/lib/* | sed -n 's/_ABI_DT_RELR/_2.36/; s/.*Name: GLIBC_\([0-9.]*\).*/\1/p' | sort -uV | tail -n 1)
expect 'it asks for the C library that its files need' grep -qx "wanted=$wanted" "$program"
sed 's/^wanted=.*/wanted=99.0/' "$program" >"$program.new" && chmod +x "$program.new"
expect 'a C library that is too old is reported' sh -c "! $program.new --version 2>$work/err && grep -q 'needs glibc 99.0 or newer' $work/err"
expect 'invalid arguments are refused' sh -c "! $checkout/scripts/bundle --nonsense 2>/dev/null"
finish
