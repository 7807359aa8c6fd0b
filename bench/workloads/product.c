#include "bench/workloads/product.h"

#include <float.h>
#include <math.h>

/* Chance that one element exceeds its bound though it is right: 2 exp(-lambda^2 / 2), about 1e-15. */
static const double lambda = 8.5;

double product_bound(enum dtype dtype, int64_t terms, double size)
{
    double tiny = dtype == DTYPE_F32 ? (double)FLT_MIN : DBL_MIN; /* a device may flush what is below */
    return lambda * sqrt((double)terms + 1) * dtype_roundoff(dtype) * size + (double)terms * tiny;
}

int64_t product_exact_range(enum dtype dtype, int64_t terms)
{
    const double most = dtype == DTYPE_F32 ? 0x1p24 : 0x1p53;
    int64_t range = (int64_t)sqrt(most / (double)terms);
    return range > 0 ? range : 1;
}
