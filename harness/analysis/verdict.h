#ifndef HARNESS_ANALYSIS_VERDICT_H
#define HARNESS_ANALYSIS_VERDICT_H

/* The class of a speed-up, and its text. Every format prints these classes, and nothing is concluded from a speed-up
 * that is not judged: no headline, reason, break-even, threshold or comparison. */

#include "harness/base/pool.h"
#include "harness/measure/stats.h"

#include <stdbool.h>

/* A smaller difference from 1 counts as none, also in figures that are shown. */
enum { VERDICT_DECIMALS = 6 };

/* The first that applies, in this order: not compared (no speed-up); not judged (no interval, which disturbed runs do
 * not have: is_disturbed in figure.h); equal (all of the interval within 0.95 to 1.05); faster (all above 1); slower
 * (all below 1); unclear. */
enum verdict {
    VERDICT_NONE,
    VERDICT_UNJUDGED,
    VERDICT_UNCLEAR,
    VERDICT_SLOWER,
    VERDICT_EQUAL,
    VERDICT_FASTER,
    VERDICT_COUNT
};
enum verdict verdict_of(const struct estimate *speedup);

/* Faster, slower, equal or unclear. */
bool verdict_is_judged(enum verdict verdict);

/* The same speed-up without its interval, so that it is not judged: for one whose times were disturbed. */
struct estimate verdict_withhold(const struct estimate *speedup);

/* Ends of the interval that counts as equal. */
#define VERDICT_EQUAL_FROM 0.95
#define VERDICT_EQUAL_TO   1.05

/* "faster". Every format prints these words. */
extern const char *const verdict_words[VERDICT_COUNT];

/* The text of a speed-up, the same in every format: "0.97", "-" when missing; and of its interval: "(0.95 - 0.99)", ""
 * while unknown. Three digits of a figure from 1 on, and two decimals below: 2.31, 0.83, 12.3, 456; two digits below
 * 0.1. All three figures have the same decimals, more of them where rounding would contradict the verdict. */
const char *speedup_value(struct pool *pool, const struct estimate *speedup);
const char *speedup_interval(struct pool *pool, const struct estimate *speedup);

/* "2.3", "1.07": a ratio without an interval, to two digits, and more near 1, onto which it is never rounded. */
const char *speedup_ratio(struct pool *pool, double ratio);

#endif
