#ifndef HARNESS_MEASURE_VERIFY_H
#define HARNESS_MEASURE_VERIFY_H

/* Is the answer right? Checks an output against the truth of single elements in double precision, and says how small an
 * error it would have noticed. It knows neither APIs nor workloads: the truth comes in as a function. */

#include "harness/base/dtype.h"
#include "harness/base/error.h"

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

/* An output whose weighted sums along its middle dimension are known without computing a single element of it: what
 * products of matrices and convolutions have (Freivalds, Fast probabilistic algorithms, 1979). */
struct lines {
    int64_t outer, length, inner; /* the output is [outer][length][inner] */
    const uint64_t *weight;       /* `length` of them, as verify_weights makes them */
    /* How far an element may be from a whole number: 0, or less than a half where the method itself rounds. */
    double slack;
};

/* Weighted sums modulo 2^64 that the lines at places [begin, end) of the outer * inner ones must have; sum[0] is that
 * of `begin`. Several threads call it at once. */
typedef void verify_sums(const void *context, int64_t begin, int64_t end, uint64_t sum[]);

/* Random and odd, so that an error in a single element of a line always changes its sum; several errors cancel each
 * other with a chance of 2^-63 or so. */
void verify_weights(uint64_t weight[], int64_t count, uint64_t seed);

/* Checks every element of a result in whole numbers: that each is one, and that each line has its sum. `truth` is asked
 * only about the first line that is wrong, to find and name its first wrong element; its bounds are not used. */
bool verify_lines(struct verdict *out, const void *output, enum dtype dtype, const struct lines *lines,
                  verify_sums *sums, verify_truth *truth, const void *context, struct error *err);

/* All of them fail as STATUS_WRONG with the element, what it is and what it should be: "element 17 of 40000000 is 0.25,
 * should be 0.5 (allowed error 3e-08)"; poison is "never written", any other NaN "not a number". Which wrong element is
 * named, the first, does not depend on the number of threads. A truth that is not finite, or sums that no element
 * explains, fail as STATUS_FAILED. */

void verify_poison(void *output, enum dtype dtype, int64_t count); /* fills with a NaN that no arithmetic makes */

/* Guard bands: `bytes` of a seeded pattern, and whether it still stands. The message says how far from the band's start
 * the first changed byte is. */
void verify_guard_write(void *band, size_t bytes, uint64_t seed);
bool verify_guard_read(const void *band, size_t bytes, uint64_t seed, const char *name, struct error *err);

#endif
