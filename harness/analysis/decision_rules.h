#ifndef HARNESS_ANALYSIS_DECISION_RULES_H
#define HARNESS_ANALYSIS_DECISION_RULES_H

/* The rules behind the verdict and the summary card: which cell of a block represents a device, and whether the device
 * is faster. A cell that failed or is not finished supports no claim. */

#include "harness/analysis/cell_metrics.h"
#include "harness/analysis/speedup.h"

/* The cell that represents a device in a block, for resident and for moved data alike: if cells differ only in the kind
 * of memory, the fastest resident figure is the luckiest one. */
struct decision {
    const struct device *device;
    const struct cell_metrics *cell;    /* NULL: none could be compared */
    const struct cell_metrics *unsound; /* the first cell that supports no claim */
    unsigned wrong, failed, unverified; /* cells */
};

/* One for each device that was compared with a baseline, in the order of their first cells. Returns how many. */
unsigned decision_find(const struct cell_metrics metrics[], unsigned count, struct decision out[DEVICES_MAX]);

bool decision_is_baseline(const struct cell_metrics *metrics);
/* NULL: there is none. */
const struct cell_metrics *decision_baseline(const struct cell_metrics metrics[], unsigned count);

/* Only a cell that ended well, with a verified answer, supports a claim; and the reason why one does not. */
bool decision_is_sound(const struct cell_metrics *metrics);
const char *decision_flaw(const struct cell_metrics *metrics);

/* The side of a speed-up for decisions: even if it is close to 1. Without an interval only "slower" is possible, if all
 * of at least three rounds say so (threshold_side); "faster" needs an interval. */
enum side decision_side(const struct estimate *speedup, const struct ratio_range *rounds);

/* Why the side of an uncertain speed-up is not clear. Its name is "too few rounds" or "too disturbed". */
enum uncertainty { TOO_FEW_ROUNDS, TOO_DISTURBED };
enum uncertainty decision_uncertainty(const struct estimate *speedup);
const char *uncertainty_name(enum uncertainty uncertainty, bool is_first_word);

/* The speed-up as it may be claimed: if the ends of its interval are over a factor of four apart, with 1 outside, it is
 * the end next to 1, so "at least" or "at most". */
struct estimate decision_claim(const struct estimate *speedup);

/* The same for runs with transfers; nothing can be decided from a disturbed offload series. */
enum side decision_offload(const struct cell_metrics *metrics);

/* Runs with transfers are surely faster than runs without. */
bool decision_is_contradicted(const struct cell_metrics *metrics);

/* When a device is worth using, by its cell. Contradictions between its figures are not considered. */
enum worth {
    WORTH_UNKNOWN,
    WORTH_NOTHING,
    WORTH_NO_GAIN, /* no gain could be shown */
    WORTH_STAYING, /* for resident data */
    WORTH_MOVED,   /* with transfers counted; not known for resident data */
    WORTH_ALWAYS
};
enum worth decision_worth(const struct cell_metrics *metrics);

/* Why the worth is unknown: by the resident speed-up if that is uncertain, else by the offload one. */
enum uncertainty decision_worth_uncertainty(const struct cell_metrics *metrics);

/* For workloads that only move data: the fastest cell of each device. Returns how many. */
unsigned decision_fastest(const struct cell_metrics metrics[], unsigned count,
                          const struct cell_metrics *fastest[DEVICES_MAX]);

#endif
