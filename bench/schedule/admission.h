#ifndef BENCH_SCHEDULE_ADMISSION_H
#define BENCH_SCHEDULE_ADMISSION_H

/* Admission: which cells are tried at all, by the plan's refusals, the host's memory, and how many workers of this run
 * have died. */

#include "bench/plan/plan.h"

/* Seconds that one run of a cell may take: ten budgets, and no more than the timeout. A longer one is too slow. */
double admission_deadline(const struct options *options);

enum { DEATHS_KEPT = 256 };

struct admission {
    const struct listing *listing;
    unsigned losses[DEVICES_MAX]; /* by device: rows that ended with a dead worker or an unopened device */
    struct death {
        const struct device *device;
        const struct method *method;
    } death[DEATHS_KEPT];
    unsigned deaths;
};

/* False with the cell's outcome: refused by the plan, abandoned, or larger than the memory there is. */
bool admission_allows(const struct admission *admission, const struct cell *cell, struct error *why);

/* Records a dead worker: counts against this method on this device. */
void admission_record_death(struct admission *admission, const struct cell *cell);

/* Records a lost row: counts against the device. */
void admission_record_loss(struct admission *admission, const struct device *device);

#endif
