#ifndef HARNESS_VERIFY_H
#define HARNESS_VERIFY_H

/* Is the answer right? Checks an output against the truth of single elements in double precision, and says how small an
 * error it would have noticed. It knows neither APIs nor workloads: the truth comes in as a function. */

#include "harness/device.h"
#include "harness/error.h"

#include <stdint.h>

/* True value of element `index`, and how far a correct result may be from it (0: not at all). */
typedef void verify_truth(const void *context, int64_t index, double *value, double *bound);

struct verdict {
    int64_t checked, of;   /* elements */
    double smallest_error; /* an absolute error of this size in a checked element is noticed, whichever it is */
    double largest_error;  /* largest absolute error found among the elements that passed */
    bool weak;             /* the check proves nothing: the allowed error reaches the size of the values themselves */
};

/* Checks every element; used where the truth is exact. */
bool verify_all(struct verdict *out, const void *output, enum dtype dtype, int64_t count, verify_truth *truth,
                const void *context, struct error *err);

/* Checks a seeded sample of at most `sample` elements (first and last always among them); all of a smaller output. */
bool verify_sample(struct verdict *out, const void *output, enum dtype dtype, int64_t count, int64_t sample,
                   uint64_t seed, verify_truth *truth, const void *context, struct error *err);

/* Both fail as STATUS_WRONG with the element, what it is and what it should be: "element 17 of 40000000 is 0.25, should
 * be 0.5 (allowed error 3e-08)"; poison is "never written", any other NaN "not a number". Which wrong element is named,
 * the first, does not depend on the number of threads. A truth that is not finite fails as STATUS_FAILED. */

void verify_poison(void *output, enum dtype dtype, int64_t count); /* fills with a NaN that no arithmetic makes */

/* Guard bands: `bytes` of a seeded pattern, and whether it still stands. The message says how far from the band's start
 * the first changed byte is. */
void verify_guard_write(void *band, size_t bytes, uint64_t seed);
bool verify_guard_read(const void *band, size_t bytes, uint64_t seed, const char *name, struct error *err);

#endif
