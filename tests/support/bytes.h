#ifndef TESTS_SUPPORT_BYTES_H
#define TESTS_SUPPORT_BYTES_H

/* Operands of i8 beyond those that the program has (dtype.h): of all that a byte can be, half are -128 or 127. Where
 * sums saturate in 16 bits, or bytes lose their sign, products of these are wrong. */

#include "harness/measure/random.h"

static inline void fill_extremes(int8_t *to, int64_t count, uint64_t seed, uint64_t stream)
{
    for (int64_t i = 0; i < count; i++) {
        const uint64_t bits = random_bits(seed, stream, (uint64_t)i);
        to[i] = bits & 0x100 ? (int8_t)bits : bits & 0x200 ? INT8_MIN : INT8_MAX;
    }
}

#endif
