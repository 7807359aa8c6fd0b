#include "bench/backends/cuda/cuda.h"

const struct routine cuda_cublas[] = { { 0 } };
