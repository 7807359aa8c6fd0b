#ifndef HARNESS_ANALYSIS_DECISION_RULES_H
#define HARNESS_ANALYSIS_DECISION_RULES_H

/* Which cell of a block speaks for a device, and on which side it is: for the answer in words and for the one at a
 * glance, so that they are the same. Nothing is claimed from a cell that failed or is not finished. */

#include "harness/analysis/cell_metrics.h"
#include "harness/analysis/speedup.h"

/* The cell that speaks for a device in a block, both for data that stays there and for data that is moved: where only
 * the kind of memory differs, the fastest of several resident figures is the luckiest one. */
struct decision {
    const struct device *device;
    const struct cell_metrics *cell;    /* NULL: none was compared */
    const struct cell_metrics *unsound; /* the first cell of which nothing can be claimed */
    unsigned wrong, failed, unverified; /* cells */
};

/* The one of each device that was compared with something, in the order of their first cells; returns how many. */
unsigned decision_find(const struct cell_metrics metrics[], unsigned count, struct decision out[DEVICES_MAX]);

bool decision_is_baseline(const struct cell_metrics *metrics);
/* NULL where there is none. */
const struct cell_metrics *decision_baseline(const struct cell_metrics metrics[], unsigned count);

/* Only cells that ended well, with the right answer, can carry a claim; and why one carries none. */
bool decision_is_sound(const struct cell_metrics *metrics);
const char *decision_flaw(const struct cell_metrics *metrics);

/* The side of a speed-up that is judged by, which is even where it is close to 1, and why nothing can be judged by one
 * that leans to no side: "too few rounds" or "too disturbed". Without an interval only a loss is one, and only where
 * all rounds say so, three at least, as threshold_side has it; a gain has to be shown. */
enum side decision_side(const struct estimate *speedup, const struct ratio_range *rounds);
const char *decision_reason(const struct estimate *speedup);

/* What may be said of a speed-up: where the ends of its interval are over four times apart, and 1 is not between them,
 * it is the end next to 1, and so "at least" or "at most". */
struct estimate decision_claim(const struct estimate *speedup);

/* The same of runs with every transfer; of an offload that was disturbed nothing can be judged. */
enum side decision_offload(const struct cell_metrics *metrics);
const char *decision_offload_reason(const struct cell_metrics *metrics);

/* Runs with the transfers are surely faster than those without them. */
bool decision_is_contradicted(const struct cell_metrics *metrics);

/* When a device is worth it, by its cell; whether its figures contradict each other is not in it. */
enum worth {
    WORTH_UNKNOWN,
    WORTH_NOTHING,
    WORTH_NO_GAIN, /* that could be shown */
    WORTH_STAYING, /* for data that stays there */
    WORTH_MOVED,   /* with every transfer counted, though for data that stays there it cannot be told */
    WORTH_ALWAYS
};
enum worth decision_worth(const struct cell_metrics *metrics);

/* Of a workload that only moves data: the fastest way of each device; returns how many there are. */
unsigned decision_fastest(const struct cell_metrics metrics[], unsigned count,
                          const struct cell_metrics *fastest[DEVICES_MAX]);

#endif
