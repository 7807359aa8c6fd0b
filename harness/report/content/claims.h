#ifndef HARNESS_REPORT_CONTENT_CLAIMS_H
#define HARNESS_REPORT_CONTENT_CLAIMS_H

/* What others have published of a problem, beside what a naive timing gives here and what the measurement gives. */

#include "harness/analysis/answer.h"
#include "harness/report/content/document.h"

/* What others have published of a problem. */
struct claim {
    const char *workload, *dtype, *shape;
    const char *chip;    /* part of the device's name that it is about; NULL: it names none */
    const char *quote;   /* what they say, in their words where it is short */
    enum verdict says;   /* of the device against the CPU; of the change since the smaller shape if there is one */
    const char *smaller; /* a smaller shape that they compare with; NULL: none */
};

/* Whether what they say holds here. */
enum claim_outcome { CLAIM_OTHER_CHIP, CLAIM_UNCLEAR, CLAIM_AGREES, CLAIM_DIFFERS };
extern const char *const claim_outcomes[]; /* "not this chip", "unclear", "agrees", "differs" */

/* Whether a claim holds. `answer` gets that to the same problem, on the chip that it names if there is one; NULL: the
 * run did not measure it. */
enum claim_outcome claim_check(const struct answer_set *set, const struct claim *claim, const struct answer **answer);

/* "0.83 (0.62 - 4.3)": the ratio of two naive timings, with the quotients of their extremes; "not timed". */
const char *naive_words(struct pool *pool, const struct answer_set *set, const struct answer *answer);

/* Adds a line for each cell of the block that was timed naively: the time with its extremes and parts. */
void naive_add(struct document *out, const struct figures figures[], unsigned count);

#endif
