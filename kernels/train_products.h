#ifndef KERNELS_TRAIN_PRODUCTS_H
#define KERNELS_TRAIN_PRODUCTS_H

/* A step of train as five products of matrices, for libraries that have a gemm, and what each leaves to be done element
 * by element. bench/workloads/train.h has its formulas. */

#include <stdbool.h>

/* The dims, and the arrays: operands, and after them scratch. */
enum { TRAIN_BATCH, TRAIN_IN, TRAIN_HIDDEN, TRAIN_OUT };
enum { TRAIN_X, TRAIN_Y, TRAIN_W1, TRAIN_W2, TRAIN_NEW_W1, TRAIN_NEW_W2, TRAIN_LOSS, TRAIN_OPERANDS };
enum { TRAIN_A1 = TRAIN_OPERANDS, TRAIN_DZ2, TRAIN_DZ1, TRAIN_LOSSES, TRAIN_ARRAYS };

/* C = A B of dense row-major arrays, C m x n, k terms each. One that is transposed holds the k x m elements of A', or
 * the n x k elements of B'. */
struct train_product {
    unsigned a;
    bool a_is_transposed;
    unsigned b;
    bool b_is_transposed;
    unsigned c;
    unsigned m, n, k; /* dims */
};

/* In order, each with what follows it: */
enum { TRAIN_PRODUCTS = 5 };
static const struct train_product train_products[TRAIN_PRODUCTS] = {
    /* A1 = max(A1, 0) */
    { TRAIN_X, false, TRAIN_W1, false, TRAIN_A1, TRAIN_BATCH, TRAIN_HIDDEN, TRAIN_IN },
    /* dZ2 = dZ2 - Y, and the losses of some rows each */
    { TRAIN_A1, false, TRAIN_W2, false, TRAIN_DZ2, TRAIN_BATCH, TRAIN_OUT, TRAIN_HIDDEN },
    /* new W2 = W2 - TRAIN_STEP new W2, and the sum of the losses */
    { TRAIN_A1, true, TRAIN_DZ2, false, TRAIN_NEW_W2, TRAIN_HIDDEN, TRAIN_OUT, TRAIN_BATCH },
    /* dZ1 = dZ1 where A1 > 0, else 0 */
    { TRAIN_DZ2, false, TRAIN_W2, true, TRAIN_DZ1, TRAIN_BATCH, TRAIN_HIDDEN, TRAIN_OUT },
    /* new W1 = W1 - TRAIN_STEP new W1 */
    { TRAIN_X, true, TRAIN_DZ1, false, TRAIN_NEW_W1, TRAIN_IN, TRAIN_HIDDEN, TRAIN_BATCH },
};

#endif
