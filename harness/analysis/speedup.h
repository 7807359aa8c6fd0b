#ifndef HARNESS_ANALYSIS_SPEEDUP_H
#define HARNESS_ANALYSIS_SPEEDUP_H

/* The text of a speed-up, the same in every format. */

#include "harness/analysis/verdict.h"
#include "harness/base/text.h"
#include "harness/measure/stats.h"

/* Three digits of a figure from 1 on, and two decimals below: 2.31, 0.83, 12.3, 456; two digits below 0.1. All three
 * figures have the same decimals, more of them where rounding would contradict the verdict. */
struct speedup_text {
    char value[TEXT_NUMBER];            /* "0.97"; "-" when missing */
    char interval[2 * TEXT_NUMBER + 8]; /* "(0.95 - 0.99)"; "" while unknown */
};

void speedup_write(struct speedup_text *out, const struct estimate *speedup);

/* "2.3", "1.07": a ratio without an interval, to two digits, and more near 1, onto which it is never rounded. Returns
 * `to`. */
const char *speedup_write_ratio(char to[TEXT_NUMBER], double ratio);

#endif
