#ifndef HARNESS_ANALYSIS_THRESHOLD_H
#define HARNESS_ANALYSIS_THRESHOLD_H

/* From which size on a device pays: sizes to measure, and where measured speed-ups cross 1. A sweep uses this while it
 * measures, a report afterwards. */

#include "harness/analysis/curve.h"

/* A point is sure when its interval, taken to be at least one percent wide on each side, does not contain 1; one
 * without an interval never is. A point is trusted when a neighbour is sure of the same side: of many points a sure one
 * is sometimes wrong, and would create false crossings. */
enum threshold_side { SURELY_SLOWER = -1, NOT_SURE = 0, SURELY_FASTER = 1 };
enum threshold_side threshold_side(const struct estimate *speedup);

enum threshold_outcome {
    THRESHOLD_UNSURE, /* no point is trusted */
    THRESHOLD_NEVER,  /* slower at all trusted points */
    THRESHOLD_ALWAYS, /* faster at all trusted points */
    THRESHOLD_CROSSES
};

/* Speed-up 1 lies between these sizes: the last trusted point before it and the first after it. */
struct crossing {
    double low, high;
    bool is_up; /* from slower to faster */
};

enum { CROSSINGS_MAX = 8 };

struct threshold {
    enum threshold_outcome outcome;
    struct crossing crossing[CROSSINGS_MAX]; /* by size; they go up and down in turn */
    unsigned crossings;
    double sure_from, sure_to; /* smallest and largest trusted size; NAN: none */
    double first, last;        /* smallest and largest size with a speed-up; NAN: none */
    double lone;               /* a sure but untrusted size that contradicts "never" or "always"; NAN: none */
};

/* Unsure points between two trusted ones that differ are part of the crossing; those without an interval are ignored.
 */
void threshold_find(struct threshold *out, const struct curve *curve, enum mode mode);

/* The size to measure next to narrow a crossing: the middle, by ratio, of the widest gap between neighbours that surely
 * differ. If the middle cannot be distinguished from 1, the crossing is found and only its edges are refined, roughly.
 * NAN when done: the ends are within 5 %, or no other multiple of `multiple` is between them. *gap is the ratio of the
 * ends. */
double threshold_next(const struct curve *curve, enum mode mode, double multiple, double *gap);

/* Up to `points` sizes from `from` to `to`, both included, evenly spaced by ratio, rounded to two digits (more if
 * neighbours would be equal) and to multiples of `multiple` if larger. Returns how many are different. */
unsigned threshold_grid(double from, double to, unsigned points, double multiple, double out[]);

#endif
