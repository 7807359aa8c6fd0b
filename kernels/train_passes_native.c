#include "kernels/native_vector.h"
#include "kernels/train_products.h"

/* What follows each product where a library computes a step of train. A library leaves a pass out that it does itself.
 */

/* A1 = max(X W1, 0), element by element. */
NATIVE_SLICE(train_rectify)
{
    (void)dim;
    REAL *a1 = operand[TRAIN_A1];
    for (int64_t i = begin; i < end; i++)
        a1[i] = a1[i] > 0 ? a1[i] : 0;
}

/* dZ2 = A1 W2 - Y, and the losses, in rows of the batch. */
NATIVE_SLICE(train_compare)
{
    const int64_t out = dim[TRAIN_OUT];
    const REAL *y = operand[TRAIN_Y];
    REAL *dz2 = operand[TRAIN_DZ2], *losses = operand[TRAIN_LOSSES];
    for (int64_t row = begin; row < end; row += TRAIN_ROWS) {
        const int64_t last = end - row < TRAIN_ROWS ? end : row + TRAIN_ROWS;
        REAL sum = 0;
        for (int64_t i = row * out; i < last * out; i++) {
            dz2[i] -= y[i];
            sum += dz2[i] * dz2[i];
        }
        losses[row / TRAIN_ROWS] = sum / 2;
    }
}

/* W less a step along its gradient, which `to` holds. */
static void descend(REAL *restrict to, const REAL *restrict w, int64_t begin, int64_t end)
{
    for (int64_t i = begin; i < end; i++)
        to[i] = w[i] - (REAL)TRAIN_STEP * to[i];
}

/* Element by element; who has the first adds up the losses, too. */
NATIVE_SLICE(train_descend_w2)
{
    descend(operand[TRAIN_NEW_W2], operand[TRAIN_W2], begin, end);
    if (begin > 0 || end == 0)
        return;
    const REAL *losses = operand[TRAIN_LOSSES];
    REAL sum = 0;
    for (int64_t i = 0; i * TRAIN_ROWS < dim[TRAIN_BATCH]; i++)
        sum += losses[i];
    *(REAL *)operand[TRAIN_LOSS] = sum;
}

/* dZ1 = dZ2 W2' where A1 > 0, element by element. */
NATIVE_SLICE(train_mask)
{
    (void)dim;
    const REAL *restrict a1 = operand[TRAIN_A1];
    REAL *restrict dz1 = operand[TRAIN_DZ1];
    for (int64_t i = begin; i < end; i++)
        dz1[i] = a1[i] > 0 ? dz1[i] : 0;
}

NATIVE_SLICE(train_descend_w1)
{
    (void)dim;
    descend(operand[TRAIN_NEW_W1], operand[TRAIN_W1], begin, end);
}
