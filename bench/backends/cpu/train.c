#include "bench/backends/cpu/cpu.h"
#include "harness/base/parallel.h"
#include "kernels/train_products.h"

/* What goes element by element in a step of train whose products a library computes. */

static void scratch(const struct problem *problem, int64_t bytes[SCRATCH_MAX])
{
    const int64_t real = (int64_t)dtype_bytes(problem->dtype), batch = problem->dim[TRAIN_BATCH];
    bytes[TRAIN_A1 - TRAIN_OPERANDS] = bytes[TRAIN_DZ1 - TRAIN_OPERANDS] = real * batch * problem->dim[TRAIN_HIDDEN];
    bytes[TRAIN_DZ2 - TRAIN_OPERANDS] = real * batch * problem->dim[TRAIN_OUT];
    bytes[TRAIN_LOSSES - TRAIN_OPERANDS] = real * ((batch + TRAIN_ROWS - 1) / TRAIN_ROWS);
}

NATIVE_DECLARE(NATIVE_REALS, train_rectify)
NATIVE_DECLARE(NATIVE_REALS, train_compare)
NATIVE_DECLARE(NATIVE_REALS, train_descend_w2)
NATIVE_DECLARE(NATIVE_REALS, train_mask)
NATIVE_DECLARE(NATIVE_REALS, train_descend_w1)

const struct native cpu_train_passes = {
    .passes = TRAIN_PRODUCTS,
    .pass = { { NATIVE_VERSIONS(NATIVE_REALS, train_rectify), .grain = PARALLEL_LEAST,
                .over = { { TRAIN_BATCH, 1 }, { TRAIN_HIDDEN, 1 } } },
              { NATIVE_VERSIONS(NATIVE_REALS, train_compare), .grain = TRAIN_ROWS, .over = { { TRAIN_BATCH, 1 } } },
              { NATIVE_VERSIONS(NATIVE_REALS, train_descend_w2), .grain = PARALLEL_LEAST,
                .over = { { TRAIN_HIDDEN, 1 }, { TRAIN_OUT, 1 } } },
              { NATIVE_VERSIONS(NATIVE_REALS, train_mask), .grain = PARALLEL_LEAST,
                .over = { { TRAIN_BATCH, 1 }, { TRAIN_HIDDEN, 1 } } },
              { NATIVE_VERSIONS(NATIVE_REALS, train_descend_w1), .grain = PARALLEL_LEAST,
                .over = { { TRAIN_IN, 1 }, { TRAIN_HIDDEN, 1 } } } },
    .scratch = scratch,
};
