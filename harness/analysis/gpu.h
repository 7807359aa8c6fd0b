#ifndef HARNESS_ANALYSIS_GPU_H
#define HARNESS_ANALYSIS_GPU_H

/* What the maker's library told of a GPU while a cell was measured, of all that looked at it. */

#include "harness/journal/record.h"

struct gpu_metrics {
    unsigned reported, held;        /* slices of the headline that tell what held the clock down, and in which it was */
    unsigned held_by[REASON_COUNT]; /* those by each reason */
    double clock, memory_clock;     /* Hz, typically; NAN unknown, as all that follows */
    double temperature;             /* degrees Celsius, the highest that was seen */
    double power, power_limit;      /* watts, by its counter while runs followed each other, else the highest seen */
    double memory_used;             /* bytes in use by anybody */
    double others, others_memory;   /* processes of others, the most that were seen, and bytes that they held */
    double ecc_errors;              /* that came meanwhile */
};

void gpu_metrics_read(struct gpu_metrics *out, const struct cell_record *cell, enum series headline);

/* Whether its steps leave so little open of what a counter of energy told that it is worth telling. */
bool gpu_energy_is_precise(double error);

/* Whether anything is known. */
bool gpu_metrics_are_known(const struct gpu_metrics *gpu);

/* "software power cap, hardware power brake"; "" where nothing held it. */
void gpu_metrics_reasons(const struct gpu_metrics *gpu, char *to, size_t room);

#endif
