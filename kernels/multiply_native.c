#include "kernels/native_stream.h"

/* c = a * b, element by element; operands a, b, c. The extent is the elements. Software prefetching, 512 bytes to 64
 * KiB ahead, was tried and changed nothing. */

static inline ELEMENT product(ELEMENT a, ELEMENT b)
{
    return element_of(real_of(a) * real_of(b));
}

static inline elements products(const ELEMENT *a, const ELEMENT *b)
{
    return narrow(vector_read(a) * vector_read(b));
}

NATIVE_SLICE(multiply)
{
    const ELEMENT *restrict a = operand[0], *restrict b = operand[1];
    ELEMENT *restrict c = operand[2];
    int64_t i = begin;

    for (; i + LANES <= end; i += LANES)
        *(elements_anywhere *)(c + i) = products(a + i, b + i);
    for (; i < end; i++)
        c[i] = product(a[i], b[i]);
}

/* Single elements up to the first whole line of c, whole lines, and what is left. */
NATIVE_SLICE(multiply_streaming)
{
    enum { LINE = NATIVE_LINE / sizeof(ELEMENT) };
    const ELEMENT *restrict a = operand[0], *restrict b = operand[1];
    ELEMENT *restrict c = operand[2];
    int64_t i = begin;

    for (; i < end && (uintptr_t)(c + i) % NATIVE_LINE != 0; i++)
        c[i] = product(a[i], b[i]);
    for (; i + LINE <= end; i += LINE)
        for (int k = 0; k < LINE; k += LANES)
            STREAM(c + i + k, products(a + i + k, b + i + k));
    STREAM_END();
    for (; i < end; i++)
        c[i] = product(a[i], b[i]);
}
