#ifndef HARNESS_ANALYSIS_POWER_H
#define HARNESS_ANALYSIS_POWER_H

/* Power and energy of a cell, and the state of its GPU meanwhile. */

#include "harness/analysis/times.h"

/* From the vendor's management library, over all readings while the cell was measured. */
struct gpu_metrics {
    unsigned reported, held;        /* headline slices with known throttle reasons, and those that were throttled */
    unsigned held_by[REASON_COUNT]; /* throttled slices by reason */
    double share[REASON_COUNT];     /* of runs without a pause, in which it was throttled, by reason; NAN unknown */
    double clock;                   /* Hz, typical; NAN unknown, as for all below */
    double ecc_errors;              /* uncorrectable errors during the measurement */
    struct gpu_state most;          /* of each reading the highest, but the latest limit of the power; the power itself
                                     * is the mean by the energy counter if that is precise */
};

/* Of runs of the headline without a pause. */
struct power {
    double watts[ENERGY_DOMAINS]; /* idle power included; NAN unknown */
    /* Joules of a run, and FLOP per joule: by the package counters for a device inside a package, by a board's own
     * counter for one that has it. NAN unknown. */
    double energy, flops_per_joule;
    double error; /* relative error of the energy of a board, from its counter's steps; NAN by a package's counter */
    struct gpu_metrics gpu;
};

/* `device` may be NULL. */
void power_read(struct power *out, const struct cell_record *cell, const struct device *device);

void gpu_metrics_read(struct gpu_metrics *out, const struct cell_record *cell);

/* Whether a reason held the clock down for a part of the runs without a pause that is worth a word. */
bool gpu_is_held(const struct gpu_metrics *gpu, enum gpu_reason reason);

/* Whether anything is known. */
bool gpu_metrics_are_known(const struct gpu_metrics *gpu);

/* Throttle reasons: "software power cap, hardware power brake"; "" if there were none. */
void gpu_metrics_reasons(const struct gpu_metrics *gpu, char *to, size_t room);

#endif
