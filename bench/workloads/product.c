#include "bench/workloads/product.h"

#include <float.h>
#include <math.h>

/* The chance that an element of n terms exceeds its bound though it is right is 2 n exp(-lambda^2 / 2) (Higham and Mary
 * 2019, theorem 2.4): 4e-13 for n = 1024, and some 1e-8 for all that one sample looks at. */
static const double lambda = 8.5;

/* Where terms are as often negative as positive, partial sums of i of them are about sqrt(i) and not i large, and the
 * error is some 0.5 u size for any number of terms in any order (Higham and Mary 2020). This is 30 times as much. The
 * largest found was 4: oneDNN, OpenBLAS, CLBlast, plain C, and kernels, 1 to 8191 terms, 40000 elements each. */
static const double balanced = 16;

double product_bound(enum dtype dtype, int64_t terms, double size)
{
    const double n = (double)terms + 1;
    const double tiny = dtype == DTYPE_F32 ? (double)FLT_MIN : DBL_MIN;        /* a device may flush what is below */
    const double roundoff = dtype_roundoff(dtype) + dtype_roundoff(DTYPE_F64); /* the truth has errors of its own */
    return fmin(fmin(n, lambda * sqrt(n)), balanced) * roundoff * size + n * tiny;
}

int64_t product_exact_range(enum dtype dtype, int64_t terms)
{
    const int64_t most = dtype == DTYPE_F32 ? (int64_t)1 << 24 : (int64_t)1 << 53;
    int64_t range = (int64_t)sqrt((double)(most / terms));
    while (range * range > most / terms) /* the root was rounded up */
        range--;
    return range;
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

unsigned product_steps(const struct problem *problem, struct step out[STEPS_MAX])
{
    (void)problem;
    out[0] = (struct step){ .kind = STEP_UPLOAD, .operand = 0 };
    out[1] = (struct step){ .kind = STEP_UPLOAD, .operand = 1 };
    out[2] = (struct step){ .kind = STEP_COMPUTE, .operand = 0 };
    out[3] = (struct step){ .kind = STEP_DOWNLOAD, .operand = 2 };
    return 4;
}
