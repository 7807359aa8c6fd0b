#ifndef KERNELS_NATIVE_TRAIN_H
#define KERNELS_NATIVE_TRAIN_H

/* What a step of train does element by element, whether the products are ours (train_native.c) or a library's
 * (train_passes_native.c). `count`: elements. */

#include "kernels/native_vector.h"

/* A1 = max(Z1, 0), in place. */
static inline void rectify(REAL *a1, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        a1[i] = a1[i] > 0 ? a1[i] : 0;
}

/* dZ2 = A1 W2 - Y, in place; returns the loss of these elements. */
static inline REAL difference(REAL *dz2, const REAL *y, int64_t count)
{
    REAL sum = 0;
    for (int64_t i = 0; i < count; i++) {
        dz2[i] -= y[i];
        sum += dz2[i] * dz2[i];
    }
    return sum / 2;
}

/* The loss of a batch, from those of TRAIN_ROWS rows each. */
static inline REAL losses_sum(const REAL *losses, int64_t batch)
{
    REAL sum = 0;
    for (int64_t i = 0; i * TRAIN_ROWS < batch; i++)
        sum += losses[i];
    return sum;
}

/* Weights less a step along their gradients, which `to` holds. */
static inline void descend(REAL *restrict to, const REAL *restrict w, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        to[i] = w[i] - (REAL)TRAIN_STEP * to[i];
}

#endif
