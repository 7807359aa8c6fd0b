#ifndef HARNESS_MEASURE_FINGERPRINT_H
#define HARNESS_MEASURE_FINGERPRINT_H

/* Remembers a result that was found right, by weighted sums of its bits block by block, and finds the blocks in which a
 * later result differs. Every comparison uses weights that no comparison before it has used. A sum modulo 2^64 is of
 * words of 32 bits with odd weights of 64 bits (multilinear hashing: Lemire and Kaser, Strongly universal string
 * hashing is fast, 2014). One wrong word always changes the sum of its block. Several in one block cancel each other
 * with a probability of at most 2^-32, whichever bits are wrong: the difference of two words has at most 31 zeros below
 * its lowest one. */

#include "harness/measure/verify.h"

#include <stddef.h>

/* Words of 32 bits in a block. */
enum { FINGERPRINT_WORDS = 512, FINGERPRINT_BYTES = FINGERPRINT_WORDS * 4 };

struct fingerprint {
    uint64_t *sum;                    /* of each block of the remembered result; NULL: nothing is remembered */
    uint64_t seed;                    /* of the weights of these sums */
    struct verification verification; /* of the remembered result */
};

/* A result beside the remembered one. */
struct differences {
    int64_t *block; /* the blocks that differ, increasing; all of them where nothing is remembered */
    int64_t count;
    uint64_t *sum; /* of each block, with new weights */
};

/* Reads `bytes` of a result once. Fails only with STATUS_NO_MEMORY. End with one of the next two, after a failure too.
 */
bool fingerprint_compare(const struct fingerprint *known, const void *result, size_t bytes, struct differences *out,
                         struct error *err);
/* The result was right: it is the remembered one from now on. */
void fingerprint_accept(struct fingerprint *known, struct differences *differences);
void fingerprint_refuse(struct differences *differences);

void fingerprint_forget(struct fingerprint *known);

#endif
