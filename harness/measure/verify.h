#ifndef HARNESS_MEASURE_VERIFY_H
#define HARNESS_MEASURE_VERIFY_H

/* Verifies an output against the true values of single elements in double precision, and says how small an error it
 * would have detected. It knows neither APIs nor workloads: the truth is a function of the caller. */

#include "harness/base/dtype.h"
#include "harness/base/error.h"

#include <stdint.h>

/* True values of `count` <= VERIFY_CHUNK elements from `first` on, and how far a correct result may be from each (0:
 * not at all). */
enum { VERIFY_CHUNK = 256 };
typedef void verify_truths(const void *context, int64_t first, int64_t count, double value[], double bound[]);

struct verification {
    int64_t checked, of;   /* elements */
    bool is_sample;        /* of the elements that it was asked to check */
    double smallest_error; /* an absolute error of this size is detected in every checked element */
    double largest_error;  /* largest absolute error found among the elements that passed */
    bool differs;          /* the former right result had other bits; not set by the functions below */
    bool weak;             /* the check proves nothing: the allowed error is as large as the values themselves */
};

/* Some of the blocks of `length` elements that an output is cut into; the last one may have fewer. */
struct blocks {
    const int64_t *number; /* increasing */
    int64_t count, length;
};

/* Checks a seeded sample of at most `sample` of the elements in some blocks, at least one (first and last always among
 * them); all of fewer elements. `of`: elements of the output; blocks NULL: all of them. */
bool verify_elements(struct verification *out, const void *output, enum dtype dtype, int64_t of,
                     const struct blocks *blocks, int64_t sample, uint64_t seed, verify_truths *truths,
                     const void *context, struct error *err);

/* An output whose weighted sums along its middle dimension can be computed without computing its elements, as for
 * products of matrices and convolutions (Freivalds, Fast probabilistic algorithms, 1979). A line is the elements of one
 * sum. */
struct weighted_lines {
    int64_t outer, length, inner; /* the output is [outer][length][inner] */
    const uint64_t *weight;       /* `length` of them, from verify_weights */
    double scale;                 /* elements are multiples of 1 / scale, and are summed up as that many; 0 means 1 */
    /* How far an element, times the scale, may be from a whole number: 0, or less than a half for a method that rounds
     * itself. */
    double slack;
};

/* The true weighted sums, modulo 2^64, of lines [begin, end) of the outer * inner ones; sum[0] is that of `begin`.
 * Called by several threads at once. */
typedef void verify_sums(const void *context, int64_t begin, int64_t end, uint64_t sum[]);

/* Random and odd, so that an error in a single element of a line always changes its sum; several errors cancel each
 * other with a chance of 2^-63 or so. */
void verify_weights(uint64_t weight[], int64_t count, uint64_t seed);

/* Checks that every element is a whole number and that each line has its sum. `truths` is used only in the first wrong
 * line, to find its first wrong element; its bounds are not used. */
bool verify_projection(struct verification *out, const void *output, enum dtype dtype,
                       const struct weighted_lines *lines, verify_sums *sums, verify_truths *truths,
                       const void *context, struct error *err);

/* All of these fail with STATUS_WRONG and the first wrong element, whatever the number of threads: "element 17 of
 * 40000000 is 0.25, should be 0.5 (allowed error 3e-08)"; poison is "never written", any other NaN "not a number". A
 * truth that is not finite, or a wrong sum of right elements, fails with STATUS_FAILED. */

/* Fills with a value that no computation gives: a NaN, or the least integer. */
void verify_poison(void *output, enum dtype dtype, int64_t count);

/* Guard bands: writes `bytes` of a seeded pattern, and checks that it is unchanged. The message names the first changed
 * byte by its distance from the band's start. */
void verify_guard_write(void *band, size_t bytes, uint64_t seed);
bool verify_guard_read(const void *band, size_t bytes, uint64_t seed, const char *name, struct error *err);

#endif
