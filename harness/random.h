#ifndef HARNESS_RANDOM_H
#define HARNESS_RANDOM_H

/* Reproducible operands: element i of stream s under a seed is the same number on every machine, thread count and byte
 * order, because each is a hash of its own place (SplitMix64 finaliser; Steele, Lea, Flood 2014), not the next of a
 * sequence. */

#include "harness/device.h"

#include <stdint.h>

uint64_t random_bits(uint64_t seed, uint64_t stream, uint64_t index);

/* Uniform in [-1, 1) with as many bits as the dtype has: multiples of 2^-23 for f32, and for f64 of 2^-52, the same but
 * for the bits that come after, so that a computation which cuts them off is seen. */
double random_uniform(enum dtype dtype, uint64_t seed, uint64_t stream, uint64_t index);

/* Uniform integer in [-range, range]. */
int64_t random_integer(uint64_t seed, uint64_t stream, uint64_t index, int64_t range);

/* Fill elements [begin, end) of a dense array; parallel where OpenMP is there. */
void random_fill_uniform(void *array, enum dtype dtype, int64_t begin, int64_t end, uint64_t seed, uint64_t stream);
void random_fill_integer(void *array, enum dtype dtype, int64_t begin, int64_t end, uint64_t seed, uint64_t stream,
                         int64_t range);

#endif
