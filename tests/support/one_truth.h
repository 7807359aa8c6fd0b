#ifndef TESTS_SUPPORT_ONE_TRUTH_H
#define TESTS_SUPPORT_ONE_TRUTH_H

/* Truths of single elements, for the checks of harness/measure/verify.h. */

#include "harness/measure/verify.h"

#include <math.h>

typedef void one_truth(const void *context, int64_t index, double *value, double *bound);

struct one_by_one {
    one_truth *truth;
    const void *context;
};

static inline void one_by_one(const void *context, int64_t first, int64_t count, double value[], double bound[])
{
    const struct one_by_one *one = context;
    for (int64_t i = 0; i < count; i++) {
        value[i] = bound[i] = NAN;
        one->truth(one->context, first + i, &value[i], &bound[i]);
    }
}

static inline bool verify_sample(struct verification *out, const void *output, enum dtype dtype, int64_t of,
                                 const struct blocks *blocks, int64_t sample, uint64_t seed, one_truth *truth,
                                 const void *context, struct error *err)
{
    const struct one_by_one one = { truth, context };
    return verify_elements(out, output, dtype, of, blocks, sample, seed, one_by_one, &one, err);
}

static inline bool verify_all(struct verification *out, const void *output, enum dtype dtype, int64_t count,
                              one_truth *truth, const void *context, struct error *err)
{
    return verify_sample(out, output, dtype, count, NULL, count, 0, truth, context, err);
}

#endif
