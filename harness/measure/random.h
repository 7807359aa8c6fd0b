#ifndef HARNESS_MEASURE_RANDOM_H
#define HARNESS_MEASURE_RANDOM_H

/* Reproducible operands: element i of stream s under a seed is the same number for every machine, thread count and byte
 * order, because it is a hash of its position (SplitMix64 finaliser; Steele, Lea, Flood 2014), not the next of a
 * sequence. */

#include "harness/base/dtype.h"

#include <stdint.h>

uint64_t random_bits(uint64_t seed, uint64_t stream, uint64_t index);

/* Uniform in [-1, 1) with all bits of the dtype: multiples of 2^-23 for f32, of 2^-52 for f64, and of 2^-10 or 2^-7
 * for the small types; i8 has whole numbers from -64 to 63. f64 has the f32 number's leading bits, so that a
 * computation which cuts off the others is detected. */
double random_uniform(enum dtype dtype, uint64_t seed, uint64_t stream, uint64_t index);

/* Uniform whole numbers in [-range, range]; only one in so many is kept, the others are 0. one_in 0 or 1: all are
 * kept. */
struct integers {
    int64_t range, one_in;
};
int64_t random_integer(uint64_t seed, uint64_t stream, uint64_t index, const struct integers *integers);

/* Fills elements [begin, end) of a dense array, in parallel if OpenMP is there. `integers` NULL, or of range 0: uniform
 * numbers. */
void random_fill(void *array, enum dtype dtype, int64_t begin, int64_t end, uint64_t seed, uint64_t stream,
                 const struct integers *integers);

/* Elements of such an array, without the array. */
struct random_stream {
    uint64_t start;
    enum dtype dtype;
    struct integers integers; /* of range 0: uniform numbers */
};
struct random_stream random_stream_open(enum dtype dtype, uint64_t seed, uint64_t stream,
                                        const struct integers *integers);
/* Writes elements [begin, end) to `elements`, in the calling thread. */
void random_stream_read(const struct random_stream *stream, int64_t begin, int64_t end, void *elements);

#endif
