#ifndef BENCH_SCHEDULE_ADMISSION_H
#define BENCH_SCHEDULE_ADMISSION_H

/* Admission: which cells are tried at all, by the plan's refusals, the host's memory, and what this run has seen of the
 * device. */

#include "bench/plan/plan.h"

/* A run that takes more budgets than this is too slow: beside a method with a longer run no other is tried. */
enum { RUN_BUDGETS_MAX = 10 };

/* Seconds that one run of a cell may take: as many budgets, and no more than the timeout. */
double admission_deadline(const struct options *options);

/* What was observed of a cell. */
struct observation {
    const struct cell *cell;
    double run; /* seconds of one run; NAN: its worker died or was killed */
};

struct admission {
    const struct options *options;
    const struct listing *listing;
    unsigned losses[DEVICES_MAX]; /* by device: rows that ended with a dead worker or an unopened device */
    struct observation *observation;
    unsigned observations, room;
};

void admission_free(struct admission *admission);

/* False with the cell's outcome: refused by the plan, abandoned, larger than the memory, or too slow, as predicted from
 * smaller problems of the same kind. */
bool admission_allows(const struct admission *admission, const struct cell *cell, struct error *why);

/* How many of the next workers, in order, are open together: as many as need at most 70 % of the available memory, at
 * least one. */
unsigned admission_group_size(const double bytes[], unsigned count, double available);

/* Predicted seconds of one run, from its own method's runs on smaller problems; NAN if those were too short to tell. */
double admission_predict(const struct admission *admission, const struct cell *cell);

/* Records a dead worker: counts against this method on this device. The cell must outlive the admission, here and
 * below. */
void admission_record_death(struct admission *admission, const struct cell *cell);

/* Records a lost row: counts against the device. */
void admission_record_loss(struct admission *admission, const struct device *device);

/* Records the seconds of one run. */
void admission_record_run(struct admission *admission, const struct cell *cell, double run);

#endif
