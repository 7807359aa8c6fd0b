#ifndef HARNESS_ANALYSIS_SPEEDUP_H
#define HARNESS_ANALYSIS_SPEEDUP_H

/* The text of a speed-up. Its rounded figures never contradict its verdict. */

#include "harness/analysis/verdict.h"
#include "harness/base/text.h"
#include "harness/measure/stats.h"

/* Two significant digits of the doubt, but at most three of the figure, and all figures to the same place. An end of
 * the interval has more digits where rounding would contradict the verdict. */
struct speedup_text {
    char value[TEXT_NUMBER];            /* "0.97"; "-" when missing; two digits without an interval */
    char interval[2 * TEXT_NUMBER + 8]; /* "[0.95, 0.99]"; "" while unknown */
    /* In few columns: "0.97+-.02"; "1.1+-?" while the interval is unknown; "0.02..0.11", its ends, where the doubt is
     * over half of the figure or the interval is so lopsided that +- would contradict the verdict. */
    char brief[2 * TEXT_NUMBER + 8];
    char words[3 * TEXT_NUMBER + 8]; /* "0.97 (0.95 - 0.99)"; the value alone while the interval is unknown */
};

void speedup_write(struct speedup_text *out, const struct estimate *speedup);

/* "2.3", "1.07": a ratio without an interval, to two digits, and more near 1, onto which it is never rounded. */
void speedup_write_ratio(char to[TEXT_NUMBER], double ratio);

#endif
