#include "harness/measure/random.h"

#include "harness/base/element.h"
#include "harness/base/parallel.h"

static const uint64_t weyl = 0x9e3779b97f4a7c15; /* 2^64 divided by the golden ratio, made odd */

/* Finaliser of SplitMix64: Stafford's thirteenth method of MurmurHash3's, as in Steele, Lea and Flood, "Fast
 * splittable pseudorandom number generators", OOPSLA 2014, and its reference code. */
static inline uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

/* Start of a stream's sequence. Seed and stream are mixed one after the other, so that neighbouring seeds and streams
 * do not give the same numbers a few positions apart. */
static inline uint64_t stream_start(uint64_t seed, uint64_t stream)
{
    return mix(mix(seed + weyl) + (stream + 1) * weyl);
}

static inline uint64_t bits_at(uint64_t start, uint64_t index)
{
    return mix(start + (index + 1) * weyl);
}

/* Uses as many upper bits as a significand holds; of an integer type the number that they are. */
static inline double uniform_from(uint64_t bits, enum dtype dtype, unsigned significand)
{
    const double number = (double)((int64_t)(bits >> (64 - significand)) - ((int64_t)1 << (significand - 1)));
    return dtype == DTYPE_I8 ? number : number * (2.0 / (double)((int64_t)1 << significand));
}

__extension__ typedef unsigned __int128 wide;

/* Scaled instead of reduced modulo: no division, and a bias of at most (2 range + 1) / 2^64 (Lemire 2019). Different
 * bits decide whether it is kept. */
static inline int64_t integer_from(uint64_t bits, const struct integers *integers)
{
    if (integers->one_in > 1 && mix(bits) % (uint64_t)integers->one_in != 0)
        return 0;
    return (int64_t)((uint64_t)((wide)bits * (2 * (uint64_t)integers->range + 1) >> 64) - (uint64_t)integers->range);
}

uint64_t random_bits(uint64_t seed, uint64_t stream, uint64_t index)
{
    return bits_at(stream_start(seed, stream), index);
}

double random_uniform(enum dtype dtype, uint64_t seed, uint64_t stream, uint64_t index)
{
    return uniform_from(random_bits(seed, stream, index), dtype, dtype_bits(dtype));
}

int64_t random_integer(uint64_t seed, uint64_t stream, uint64_t index, const struct integers *integers)
{
    return integer_from(random_bits(seed, stream, index), integers);
}

struct fill {
    void *array;
    int64_t first; /* element of the array */
    struct random_stream stream;
};

static inline void put_elements(const struct fill *fill, enum dtype dtype, unsigned significand, int64_t begin,
                                int64_t end)
{
    const struct random_stream stream = fill->stream;
    if (stream.integers.range > 0)
        for (int64_t i = begin; i < end; i++)
            element_put(fill->array, dtype, i - fill->first,
                        (double)integer_from(bits_at(stream.start, (uint64_t)i), &stream.integers));
    else
        for (int64_t i = begin; i < end; i++)
            element_put(fill->array, dtype, i - fill->first,
                        uniform_from(bits_at(stream.start, (uint64_t)i), dtype, significand));
}

/* The frequent types are constants for the compiler, so that their inner loops have no branches. */
static void fill_slice(void *context, int64_t begin, int64_t end)
{
    const struct fill *fill = context;
    if (fill->stream.dtype == DTYPE_F32)
        put_elements(fill, DTYPE_F32, 24, begin, end);
    else if (fill->stream.dtype == DTYPE_F64)
        put_elements(fill, DTYPE_F64, 53, begin, end);
    else
        put_elements(fill, fill->stream.dtype, dtype_bits(fill->stream.dtype), begin, end);
}

struct random_stream random_stream_open(enum dtype dtype, uint64_t seed, uint64_t stream,
                                        const struct integers *integers)
{
    return (struct random_stream){ stream_start(seed, stream), dtype, integers ? *integers : (struct integers){ 0 } };
}

void random_fill(void *array, enum dtype dtype, int64_t begin, int64_t end, uint64_t seed, uint64_t stream,
                 const struct integers *integers)
{
    struct fill fill = { array, 0, random_stream_open(dtype, seed, stream, integers) };
    parallel_slices(fill_slice, &fill, begin, end, PARALLEL_LEAST, 0);
}

void random_stream_read(const struct random_stream *stream, int64_t begin, int64_t end, void *elements)
{
    fill_slice(&(struct fill){ elements, begin, *stream }, begin, end);
}
