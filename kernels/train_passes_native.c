#include "kernels/native_train.h"
#include "kernels/train_products.h"

/* What follows each product where a library computes a step of train. A library leaves a pass out that it does itself.
 */

/* A1 = max(X W1, 0), element by element. */
NATIVE_SLICE(train_rectify)
{
    rectify((REAL *)operand[TRAIN_A1] + begin, end - begin);
}

/* dZ2 = A1 W2 - Y, and the losses, in rows of the batch. */
NATIVE_SLICE(train_compare)
{
    const int64_t out = dim[TRAIN_OUT];
    const REAL *y = operand[TRAIN_Y];
    REAL *dz2 = operand[TRAIN_DZ2], *losses = operand[TRAIN_LOSSES];
    for (int64_t row = begin; row < end; row += TRAIN_ROWS) {
        const int64_t rows = least(TRAIN_ROWS, end - row);
        losses[row / TRAIN_ROWS] = difference(dz2 + row * out, y + row * out, rows * out);
    }
}

/* Element by element; who has the first adds up the losses, too. */
NATIVE_SLICE(train_descend_w2)
{
    descend((REAL *)operand[TRAIN_NEW_W2] + begin, (const REAL *)operand[TRAIN_W2] + begin, end - begin);
    if (begin == 0 && end > 0)
        *(REAL *)operand[TRAIN_LOSS] = losses_sum(operand[TRAIN_LOSSES], dim[TRAIN_BATCH]);
}

/* dZ1 = dZ2 W2' where A1 > 0, element by element. */
NATIVE_SLICE(train_mask)
{
    const REAL *restrict a1 = operand[TRAIN_A1];
    REAL *restrict dz1 = operand[TRAIN_DZ1];
    for (int64_t i = begin; i < end; i++)
        dz1[i] = a1[i] > 0 ? dz1[i] : 0;
}

NATIVE_SLICE(train_descend_w1)
{
    descend((REAL *)operand[TRAIN_NEW_W1] + begin, (const REAL *)operand[TRAIN_W1] + begin, end - begin);
}
