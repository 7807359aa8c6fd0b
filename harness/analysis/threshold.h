#ifndef HARNESS_ANALYSIS_THRESHOLD_H
#define HARNESS_ANALYSIS_THRESHOLD_H

/* From which size on something pays: sizes to measure at, and what the speed-ups found there say of where they cross 1.
 * Pure functions: what steers a sweep while it measures reads the same points again in a report. */

#include "harness/measure/stats.h"

#include <stdbool.h>

/* A speed-up measured at one size; above 1 the device is the faster. */
struct threshold_point {
    double size;
    struct estimate speedup;
    struct ratio_range rounds; /* of the ratios that the speed-up is the median of */
};

/* A point is sure when its interval, taken to be one percent wide on each side at least, does not hold 1. Rounds that
 * are too few for an interval are sure when all of them, three at least, lie beyond 1.25 or its inverse, and farther
 * from 1 than from each other, by ratio. A point is trusted when twice as much is still clear of 1, or
 * when a point next to it says the same: of many points one that is only just sure is wrong now and then, and would
 * make a crossing, or two, of nothing. */
enum { THRESHOLD_ROUNDS_MIN = 3 };
enum threshold_side { SURELY_SLOWER = -1, NOT_SURE = 0, SURELY_FASTER = 1 };
enum threshold_side threshold_side(const struct threshold_point *point);

enum threshold_outcome {
    THRESHOLD_UNSURE, /* no point can be trusted */
    THRESHOLD_NEVER,  /* slower wherever it is sure */
    THRESHOLD_ALWAYS, /* faster wherever it is sure */
    THRESHOLD_CROSSES
};

/* Speed-up 1 lies between the two sizes: the largest trusted point before it and the smallest one after it. */
struct crossing {
    double low, high;
    bool is_up; /* from slower to faster */
};

enum { CROSSINGS_MAX = 8 };

struct threshold {
    enum threshold_outcome outcome;
    struct crossing crossing[CROSSINGS_MAX]; /* by size; they go up and down in turn */
    unsigned crossings;
    double sure_from, sure_to; /* the smallest and the largest size of a trusted point; NAN: there is none */
    double first, last;        /* sizes with a known speed-up, sure or not; NAN: there is none */
    double lone; /* a size that is sure of the contrary of "never" or "always", but not trusted; NAN: none */
};

/* Points in any order; those that are not sure and have no interval tell nothing. Unsure points between two trusted
 * ones that differ are part of the crossing. False when memory is short. */
bool threshold_find(struct threshold *out, const struct threshold_point point[], unsigned count);

/* The size to measure next, so that a crossing is known better: the middle, by ratio, of the widest gap between two
 * neighbours that surely differ. Where the middle of such a gap cannot be told from 1 the crossing is as good as found,
 * and only its edges are looked for, roughly. NAN when nothing is left: the ends are within 5 % of each other, or there
 * is no other multiple of `multiple` between them. *gap is the ratio of the gap's ends. */
double threshold_next(const struct threshold_point point[], unsigned count, double multiple, double *gap);

/* Up to `points` sizes from `from` to `to`, both among them, evenly spaced by ratio and rounded to two digits, to more
 * where neighbours would be the same, and to multiples of `multiple` where they are larger. Returns how many differ. */
unsigned threshold_grid(double from, double to, unsigned points, double multiple, double out[]);

#endif
