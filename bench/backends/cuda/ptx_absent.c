#include "bench/backends/cuda/ptx.h"

const struct ptx ptx_built = { 0 };
