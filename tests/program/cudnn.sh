#!/usr/bin/env bash
# Convolution by cuDNN in the whole program, on the doubles of NVIDIA's driver and libraries (tests/doubles/cuda): every
# method and type is verified, what fails affects its own row, and what is planted is found.
# Prints TAP. Usage: cudnn.sh PATH-OF-BENCH PATH-OF-TESTS
# shellcheck source=tests/program/lib.sh
source "$2/program/lib.sh"

size=n=2,c=3,h=9,w=7,k=5,r=3,s=3,stride=1,pad=1
conv() { # option...: a small run of methods of conv
    rm -f "$work/journal.jsonl" "$work/ledger"
    CUDA_DOUBLE_LEDGER=$work/ledger call run --device cuda:0 --baseline none --workload conv --size "$size" \
        --budget 50ms --timeout 2s --journal "$work/journal.jsonl" "$@"
}
lines() { jq -r "$1" "$work/journal.jsonl"; } # filter
rows() {                                      # "method type outcome, ..."
    lines 'select(.line == "cell") | "\(.method) \(.dtype) \(.key)"' | while read -r method dtype key; do
        echo "$method $dtype $(lines "select(.line == \"outcome\" and .cell == \"$key\") | .status")"
    done | sort | paste -sd, | sed 's/,/, /g'
}
nothing_is_left() { [ -s "$work/ledger" ] && ! grep -qvx nothing "$work/ledger"; }

# --- methods and types
conv --method all --dtype f32
expect 'every method of f32 is verified' test "$(rows)" = \
    'cudnn f32 ok, cudnn-nhwc f32 ok, cudnn-winograd f32 ok, portable f32 ok'
expect 'everything is released' nothing_is_left
details() { lines 'select(.line == "first") | .detail' | grep -c -- "$1"; }
expect 'library and engine are recorded' test "$(details '^cuDNN 9.2.1 engine 28')" = 2
expect 'the layout is recorded' test "$(details ', NHWC$')" = 1
tried() { # kernel shape: how the choice of it ended
    lines "[select(.line == \"race\").contenders[] | select(.kernel_shape == \"$1\") | \"\(.end) \(.reason // \"\")\"] | first // empty"
}
expect 'the engines are its kernel shapes' test "$(tried 'engine 28' | head -n 1)" = 'measured '
expect 'one that cannot be made costs itself' grep -q '^passed-over .*NOT_SUPPORTED' <<<"$(tried 'engine 67')"
expect 'one whose workspace is too large, too' grep -q '^passed-over .*1099511627776 bytes' <<<"$(tried 'engine 46')"
expect 'and one that fails' grep -q '^failed .*EXECUTION_FAILED' <<<"$(tried 'engine 48')"

# --- planted errors
for wrong in flip half; do
    CUDNN_DOUBLE_WRONG=$wrong conv --method cudnn
    expect "a library that does '$wrong' is wrong" test "$(rows)" = 'cudnn f32 wrong'
done
CUDNN_DOUBLE_WRONG=layout conv --method cudnn-nhwc
expect 'a layout that was not changed is wrong' test "$(rows)" = 'cudnn-nhwc f32 wrong'

# --- failures
while read -r method name nth kind wanted; do
    CUDA_DOUBLE_FAULT="$name $nth $kind" conv --method "$method,portable"
    expect "$kind in $name $nth ends as $wanted and affects its row only" test "$(rows)" = \
        "$method f32 $wanted, portable f32 ok"
    [[ $wanted =~ crashed|timeout ]] || expect "after $kind in $name everything is released" nothing_is_left
done <<'FAULTS'
cudnn cudnnCreate 0 1001 failed
cudnn cudnnCreate 0 3007 unsupported
cudnn cudnnSetStream 0 2000 failed
cudnn cudnnBackendCreateDescriptor 0 4003 no-memory
cudnn cudnnBackendSetAttribute 0 2000 failed
cudnn cudnnBackendFinalize 0 3000 unsupported
cudnn cudnnBackendGetAttribute 0 4000 failed
cudnn cudnnBackendExecute 0 5000 failed
cudnn cudnnBackendExecute 40 5000 failed
cudnn cudnnBackendExecute 40 crash crashed
cudnn cudnnBackendExecute 40 hang timeout
cudnn-nhwc cudnnCreateTensorDescriptor 2 4003 no-memory
cudnn-nhwc cudnnCreateTensorDescriptor 5 4000 failed
cudnn-nhwc cudnnSetTensor4dDescriptor 1 3000 unsupported
cudnn-nhwc cudnnTransformTensor 1 2000 failed
cudnn-nhwc cudnnTransformTensor 3 5000 failed
FAULTS
CUDA_DOUBLE_FAULT='cudnnBackendExecute 0 3000' conv --method cudnn
expect 'where every engine is refused the row is unsupported' test "$(rows)" = 'cudnn f32 unsupported'
CUDNN_DOUBLE_RUNTIME=13010 conv --method cudnn,portable
expect 'a cuDNN for a newer driver is unsupported' test "$(rows)" = 'cudnn f32 unsupported, portable f32 ok'
expect 'and the row says which driver it needs' prints_words 'for CUDA 13 needs a driver for CUDA 13.0'


# LD_LIBRARY_PATH has a part of another folder, and with it of another version.
doubles=$BENCH_LIBRARY_PATH
mkdir "$work/own" "$work/driver"
cp "$doubles"/libcudnn.so.9 "$doubles"/libcudnn_graph.so.9 "$work/own"
ln -s "$doubles/libcuda.so.1" "$work/driver/libcuda.so.1"
BENCH_LIBRARY_PATH=$work/own:$doubles conv --method cudnn
expect 'a cuDNN uses its own parts' test "$(details '^cuDNN 9.2.1 ')" = 1
cp -r "$work/own" "$work/incomplete"
echo 0 >"$work/incomplete/runtime"
BENCH_LIBRARY_PATH=$work/incomplete:$doubles conv --method cudnn,portable
expect 'a cuDNN that ends its process costs its own row' test "$(rows)" = 'cudnn f32 crashed, portable f32 ok'
finish
