#!/bin/sh
# Prints the path of the oldest NVRTC that is here, or nothing: more drivers load its PTX. It may be in a folder of
# BENCH_LIBRARY_PATH, in CUDA_HOME, beside the nvcc that is found, or in /usr/local/cuda.
nvcc=$(command -v nvcc) && nvcc=$(readlink -f "$nvcc") && toolkit=${nvcc%/bin/nvcc}
folders=${BENCH_LIBRARY_PATH:-}:${CUDA_HOME:+$CUDA_HOME/lib64}:${toolkit:+$toolkit/lib64}:/usr/local/cuda/lib64
for major in 12 13; do
    echo "$folders" | tr ':' '\n' | while read -r folder; do
        if [ -n "$folder" ] && [ -e "$folder/libnvrtc.so.$major" ]; then readlink -f "$folder/libnvrtc.so.$major"; fi
    done
done | head -n 1
