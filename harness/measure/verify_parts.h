#ifndef HARNESS_MEASURE_VERIFY_PARTS_H
#define HARNESS_MEASURE_VERIFY_PARTS_H

/* What checks of single elements (verify.c) and by weighted sums (verify_lines.c) share, and nobody else. */

#include "harness/measure/verify.h"

/* Parts that a check is cut into whatever the number of threads, each with a finding of its own, so that sums are added
 * and the first wrong element is found in the same order everywhere. */
enum { PARTS = 64 };

/* An element as it stands in the output. */
struct element {
    double value;
    bool poisoned;
};

/* What a check of single elements asks, and of which. */
struct check {
    const void *output;
    enum dtype dtype;
    int64_t count, samples; /* samples == count: every element */
    uint64_t seed;
    verify_truth *truth;
    const void *context;
    struct finding *finding; /* one per part */
};

/* What one part found, up to and including its first wrong element. */
struct finding {
    enum { ALL_RIGHT, VALUE_WRONG, TRUTH_WRONG } kind;
    int64_t checked, index; /* index: of what is wrong */
    struct element found;
    double value, bound; /* what was wrong should have been */
    double smallest_error, largest_error;
    double values, bounds; /* sums of absolute values */
};

/* False when the element is wrong, or when there is nothing to compare it with. */
bool verify_element(const struct check *check, int64_t index, struct finding *finding);

/* Always false: the sentence about a wrong element. */
bool verify_refuse(const struct check *check, const struct finding *wrong, struct error *err);

/* The smallest number of the dtype that is larger than x >= 0; INFINITY above the largest. */
double verify_next(double x, enum dtype dtype);

#endif
