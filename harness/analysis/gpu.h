#ifndef HARNESS_ANALYSIS_GPU_H
#define HARNESS_ANALYSIS_GPU_H

/* GPU metrics of a cell from the vendor's management library, over all readings while it was measured. */

#include "harness/journal/record.h"

struct gpu_metrics {
    unsigned reported, held;        /* headline slices with known throttle reasons, and those that were throttled */
    unsigned held_by[REASON_COUNT]; /* throttled slices by reason */
    double clock;                   /* Hz, typical; NAN unknown, as for all below */
    double ecc_errors;              /* uncorrectable errors during the measurement */
    struct gpu_state most;          /* of each reading the highest, but the latest limit of the power; the power itself
                                     * is the mean by the energy counter if that is precise */
};

void gpu_metrics_read(struct gpu_metrics *out, const struct cell_record *cell, enum series headline);

/* Whether the relative error of an energy reading, by the counter's steps, is small enough to report. */
bool gpu_energy_is_precise(double error);

/* Whether anything is known. */
bool gpu_metrics_are_known(const struct gpu_metrics *gpu);

/* Throttle reasons: "software power cap, hardware power brake"; "" if there were none. */
void gpu_metrics_reasons(const struct gpu_metrics *gpu, char *to, size_t room);

#endif
