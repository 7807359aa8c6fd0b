#include "bench/workloads/product.h"

#include <math.h>

/* The probability that a correct element of n terms exceeds its bound is 2 n exp(-lambda^2 / 2) (Higham and Mary 2019,
 * theorem 2.4): 4e-13 for n = 1024, and about 1e-8 for a whole sample. */
static const double lambda = 8.5;

/* If terms are negative as often as positive, partial sums of i terms are about sqrt(i) large, not i, and the error is
 * about 0.5 u size for any number of terms in any order (Higham and Mary 2020). This is 30 times as much. The largest
 * measured was 4: oneDNN, OpenBLAS, CLBlast, plain C, and kernels, 1 to 8191 terms, 40000 elements each. */
static const double balanced = 16;

double product_bound(enum dtype dtype, struct sums sums, int64_t terms, double value, double size)
{
    if (dtype_is_whole(dtype))
        return 0;
    const double n = (double)terms + 1, grown = fmin(n, lambda * sqrt(n)), u = dtype_roundoff(sums.dtype);
    /* Where sums are rounded correctly the truth's own errors count as well. */
    const double of_size =
        sums.may_be_cut_off ? grown * 2 * u : fmin(grown, balanced) * (u + dtype_roundoff(DTYPE_F64));
    const double sum = of_size * size + n * dtype_tiny(sums.dtype);
    if (dtype_bytes(dtype) == dtype_bytes(sums.dtype)) /* sums are stored as they are */
        return sum;
    return sum + dtype_roundoff(dtype) * (fabs(value) + sum) + dtype_tiny(dtype);
}

double product_spread(double bounds, double squares)
{
    return fmin(bounds, lambda * sqrt(squares));
}

/* Largest r such that `terms` products of integers up to r add up to `most` at most. */
static int64_t range_within(double most, int64_t terms)
{
    const double each = floor(most / (double)terms);
    double range = floor(sqrt(each));
    while (range * range > each) /* the root was rounded up */
        range--;
    return (int64_t)range;
}

/* A size that sums are very unlikely to exceed: a uniform integer in [-r, r] has a variance of r (r + 1) / 3, and so
 * has one in `one_in` of them, divided by that. */
static double likely_sum(const struct integers *integers, int64_t terms)
{
    const double deviations = 12, range = (double)integers->range, one_in = (double)integers->one_in;
    return deviations * sqrt((double)terms) * range * (range + 1) / 3 / one_in;
}

struct integers product_exact(enum dtype dtype, int64_t terms)
{
    if (dtype_is_whole(dtype)) /* as timed ones are; product_accepts() limits the terms */
        return (struct integers){ (1 << (dtype_bits(dtype) - 1)) - 1, 1 };
    const double most = ldexp(1, (int)dtype_bits(dtype_sums(dtype))), stored = ldexp(1, (int)dtype_bits(dtype));
    struct integers integers = { range_within(most, terms), 1 };
    if (dtype_sums(dtype) == dtype)
        return integers;
    integers.range = integers.range < (int64_t)stored ? integers.range : (int64_t)stored;
    if (dtype == DTYPE_TF32) /* operands are that small; sums are f32 */
        return integers;
    while (integers.range > 1 && likely_sum(&integers, terms) > stored && integers.range > range_within(stored, terms))
        integers.range--;
    while (likely_sum(&integers, terms) > stored && terms * integers.range * integers.range > (int64_t)stored)
        integers.one_in++;
    return integers;
}

bool product_accepts(enum dtype dtype, int64_t terms, struct error *err)
{
    const int64_t most = (1 << 19) - 1;
    return !dtype_is_whole(dtype) || terms <= most ||
           fail(err, STATUS_USAGE, "sums of %lld products in %s: above %lld products they may exceed 32 bits",
                (long long)terms, dtype_name(dtype), (long long)most);
}

uint64_t product_dot(const void *array, enum dtype dtype, int64_t begin, int64_t count, const uint64_t weight[])
{
    uint64_t sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += weight[i] * whole_at(array, dtype, begin + i);
    return sum;
}

void product_add(const void *array, enum dtype dtype, int64_t begin, int64_t stride, int64_t count, uint64_t weight,
                 uint64_t sum[])
{
    for (int64_t i = 0; i < count; i++)
        sum[i] += weight * whole_at(array, dtype, begin + i * stride);
}

struct integers product_integers(const struct problem *problem)
{
    return product_exact(problem->dtype, problem->workload->sum_length(problem));
}

unsigned product_steps(const struct problem *problem, struct step out[STEPS_MAX])
{
    out[0] = (struct step){ .kind = STEP_UPLOAD, .operand = 0 };
    out[1] = (struct step){ .kind = STEP_UPLOAD, .operand = 1 };
    out[2] = (struct step){ .kind = STEP_COMPUTE, .operand = 0 };
    out[3] = (struct step){ .kind = STEP_DOWNLOAD, .operand = 2 };
    return 4;
}
