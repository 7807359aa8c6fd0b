#include "harness/random.h"

#include "harness/parallel.h"

static const uint64_t weyl = 0x9e3779b97f4a7c15; /* 2^64 divided by the golden ratio, made odd */

/* Finaliser of SplitMix64: Stafford's thirteenth variant of MurmurHash3's, as in Steele, Lea and Flood, "Fast
 * splittable pseudorandom number generators", OOPSLA 2014, and its reference code. */
static inline uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

/* Where the sequence of one stream starts. Seed and stream are mixed one after the other, so that neighbouring seeds
 * and streams (1 and 2, "a" and "b") do not give the same numbers a few places apart. */
static inline uint64_t stream_start(uint64_t seed, uint64_t stream)
{
    return mix(mix(seed + weyl) + (stream + 1) * weyl);
}

static inline uint64_t bits_at(uint64_t start, uint64_t index)
{
    return mix(start + (index + 1) * weyl);
}

/* The upper 24 or 53 bits, as many as a significand holds. */
static inline double uniform_f32_from(uint64_t bits)
{
    return (double)((int32_t)(bits >> 40) - (1 << 23)) * 0x1p-23;
}

static inline double uniform_f64_from(uint64_t bits)
{
    return (double)((int64_t)(bits >> 11) - ((int64_t)1 << 52)) * 0x1p-52;
}

/* Upper half of the 128-bit product, from four products of halves: C11 has no 128-bit integer. */
static inline uint64_t multiply_high(uint64_t a, uint64_t b)
{
    uint64_t a_low = (uint32_t)a, a_high = a >> 32, b_low = (uint32_t)b, b_high = b >> 32;
    uint64_t middle = a_high * b_low + ((a_low * b_low) >> 32);
    uint64_t other = a_low * b_high + (uint32_t)middle;
    return a_high * b_high + (middle >> 32) + (other >> 32);
}

/* Scaled, not reduced: no division, and a bias of at most (2 range + 1) / 2^64 (Lemire 2019). */
static inline int64_t integer_from(uint64_t bits, int64_t range)
{
    return (int64_t)(multiply_high(bits, 2 * (uint64_t)range + 1) - (uint64_t)range);
}

uint64_t random_bits(uint64_t seed, uint64_t stream, uint64_t index)
{
    return bits_at(stream_start(seed, stream), index);
}

double random_uniform(enum dtype dtype, uint64_t seed, uint64_t stream, uint64_t index)
{
    uint64_t bits = random_bits(seed, stream, index);
    return dtype == DTYPE_F32 ? uniform_f32_from(bits) : uniform_f64_from(bits);
}

int64_t random_integer(uint64_t seed, uint64_t stream, uint64_t index, int64_t range)
{
    return integer_from(random_bits(seed, stream, index), range);
}

struct fill {
    void *array;
    uint64_t start;
    int64_t range; /* of integers only */
};

static void uniform_f32(void *context, int64_t begin, int64_t end)
{
    const struct fill *fill = context;
    float *x = fill->array;
    for (int64_t i = begin; i < end; i++)
        x[i] = (float)uniform_f32_from(bits_at(fill->start, (uint64_t)i));
}

static void uniform_f64(void *context, int64_t begin, int64_t end)
{
    const struct fill *fill = context;
    double *x = fill->array;
    for (int64_t i = begin; i < end; i++)
        x[i] = uniform_f64_from(bits_at(fill->start, (uint64_t)i));
}

static void integer_f32(void *context, int64_t begin, int64_t end)
{
    const struct fill *fill = context;
    float *x = fill->array;
    for (int64_t i = begin; i < end; i++)
        x[i] = (float)integer_from(bits_at(fill->start, (uint64_t)i), fill->range);
}

static void integer_f64(void *context, int64_t begin, int64_t end)
{
    const struct fill *fill = context;
    double *x = fill->array;
    for (int64_t i = begin; i < end; i++)
        x[i] = (double)integer_from(bits_at(fill->start, (uint64_t)i), fill->range);
}

static parallel_body *const fill_uniform[DTYPE_COUNT] = { [DTYPE_F32] = uniform_f32, [DTYPE_F64] = uniform_f64 };
static parallel_body *const fill_integer[DTYPE_COUNT] = { [DTYPE_F32] = integer_f32, [DTYPE_F64] = integer_f64 };

void random_fill_uniform(void *array, enum dtype dtype, int64_t begin, int64_t end, uint64_t seed, uint64_t stream)
{
    struct fill fill = { .array = array, .start = stream_start(seed, stream) };
    parallel_slices(fill_uniform[dtype], &fill, begin, end, PARALLEL_LEAST, 0);
}

void random_fill_integer(void *array, enum dtype dtype, int64_t begin, int64_t end, uint64_t seed, uint64_t stream,
                         int64_t range)
{
    struct fill fill = { .array = array, .start = stream_start(seed, stream), .range = range };
    parallel_slices(fill_integer[dtype], &fill, begin, end, PARALLEL_LEAST, 0);
}
