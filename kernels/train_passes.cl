/* What follows each product of a step of training where a library computes the products: a kernel each, in the order of
 * kernels/train_products.h, which has the arrays too. Each goes element by element over the result of its product. A
 * group of ITEMS work-items has PORTION elements. Arguments of all kernels are the same. */
#define ARGUMENTS                                                                                                      \
    const GLOBAL REAL *RESTRICT x, const GLOBAL REAL *RESTRICT y, const GLOBAL REAL *RESTRICT w1,                      \
        const GLOBAL REAL *RESTRICT w2, GLOBAL REAL *RESTRICT new_w1, GLOBAL REAL *RESTRICT new_w2,                    \
        GLOBAL REAL *RESTRICT loss, GLOBAL REAL *RESTRICT a1, GLOBAL REAL *RESTRICT dz2, GLOBAL REAL *RESTRICT dz1,    \
        GLOBAL REAL *RESTRICT losses, const INT64 batch, const INT64 in, const INT64 hidden, const INT64 out
#define FIRST                (GROUP * PORTION)
#define END(count)           (FIRST + PORTION < (count) ? FIRST + PORTION : (count))
#define FOR_EACH(i, count)   for (INT64 i = FIRST + ITEM, end = END(count); i < end; i += ITEMS)

/* Adds up what the items have. Item 0 finds the sum in part[0]. */
FUNCTION void items_add(OF_GROUP REAL *part)
{
#if ITEMS > 1
    for (int apart = ITEMS / 2; apart > 0; apart /= 2) {
        BARRIER;
        if ((int)ITEM < apart)
            part[ITEM] += part[ITEM + apart];
    }
#endif
}

/* A1 = max(X W1, 0) */
KERNEL(ITEMS) rectify(ARGUMENTS)
{
    FOR_EACH(i, batch * hidden)
        a1[i] = a1[i] > 0 ? a1[i] : 0;
}

/* dZ2 = A1 W2 - Y, and the loss of each group's elements. */
KERNEL(ITEMS) compare(ARGUMENTS)
{
    SHARED REAL part[ITEMS];
    REAL squares = 0;
    FOR_EACH(i, batch * out) {
        const REAL difference = dz2[i] - y[i];
        dz2[i] = difference;
        squares += difference * difference;
    }
    part[ITEM] = squares;
    items_add(part);
    if (ITEM == 0)
        losses[GROUP] = part[0] / 2;
}

/* W2 less a step along its gradient; and the sum of the losses, by the first group. */
KERNEL(ITEMS) update_w2(ARGUMENTS)
{
    SHARED REAL part[ITEMS];
    FOR_EACH(i, hidden * out)
        new_w2[i] = w2[i] - STEP * new_w2[i];
    if (GROUP == 0) {
        REAL sum = 0;
        for (INT64 i = ITEM; i * PORTION < batch * out; i += ITEMS)
            sum += losses[i];
        part[ITEM] = sum;
        items_add(part);
        if (ITEM == 0)
            *loss = part[0];
    }
}

/* dZ1 = dZ2 W2' where A1 > 0, else 0. */
KERNEL(ITEMS) mask(ARGUMENTS)
{
    FOR_EACH(i, batch * hidden)
        dz1[i] = a1[i] > 0 ? dz1[i] : 0;
}

/* W1 less a step along its gradient. */
KERNEL(ITEMS) update_w1(ARGUMENTS)
{
    FOR_EACH(i, in * hidden)
        new_w1[i] = w1[i] - STEP * new_w1[i];
}
