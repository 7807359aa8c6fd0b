#!/bin/sh
# The CUDA Toolkits' compilers of kernel texts that are here, one path a line, the oldest first and one of each major
# version: in the folders of BENCH_LIBRARY_PATH, in CUDA_HOME, beside the nvcc that is found, in /usr/local/cuda.
nvcc=$(command -v nvcc) && nvcc=$(readlink -f "$nvcc") && toolkit=${nvcc%/bin/nvcc}
for major in 12 13; do
    echo "${BENCH_LIBRARY_PATH:-}:${CUDA_HOME:+$CUDA_HOME/lib64}:${toolkit:+$toolkit/lib64}:/usr/local/cuda/lib64" | tr ':' '\n' |
        while read -r folder; do
            if [ -n "$folder" ] && [ -e "$folder/libnvrtc.so.$major" ]; then
                readlink -f "$folder/libnvrtc.so.$major"
                break
            fi
        done
done
