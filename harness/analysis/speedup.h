#ifndef HARNESS_ANALYSIS_SPEEDUP_H
#define HARNESS_ANALYSIS_SPEEDUP_H

/* A speed-up in words: on which side of 1 it is, and figures that never say otherwise. */

#include "harness/base/text.h"
#include "harness/measure/stats.h"

enum side {
    SIDE_MISSING,   /* no speed-up is known */
    SIDE_UNCERTAIN, /* one is, but not its interval */
    SIDE_SLOWER,    /* the whole interval lies below 1 */
    SIDE_EVEN,      /* the interval contains 1: no difference could be shown */
    SIDE_FASTER
};

enum side speedup_side(const struct estimate *speedup);

/* The whole interval lies within 2 % of 1: as fast, for all that matters. */
bool speedup_is_close(const struct estimate *speedup);

struct speedup_text {
    char value[TEXT_NUMBER];            /* "0.97"; "-" when missing */
    char interval[2 * TEXT_NUMBER + 8]; /* "[0.95, 0.99]"; "" while unknown */
};

/* As many decimals as the interval allows, and more where fewer would round one of the three figures onto 1 or across
 * it. Without an interval no more than two significant digits. */
void speedup_write(struct speedup_text *out, const struct estimate *speedup);

/* "all 4 rounds from 0.11 to 0.13" */
enum { SPEEDUP_ROUNDS = 2 * TEXT_NUMBER + 48 };
void speedup_write_rounds(char to[SPEEDUP_ROUNDS], const struct estimate *speedup, const struct ratio_range *rounds);

#endif
