#ifndef BENCH_SCHEDULE_ADMISSION_H
#define BENCH_SCHEDULE_ADMISSION_H

/* Which cells are opened at all, by what is known before: the plan's refusals, the host's memory, and what this run has
 * seen of the device so far. */

#include "bench/plan/plan.h"

/* What came of a cell that was tried or measured. */
struct observation {
    const struct cell *cell;
    double run; /* seconds of one run; NAN: its worker died, or had to be killed */
};

struct admission {
    const struct options *options;
    const struct listing *listing;
    unsigned losses[DEVICES_MAX]; /* rows that ended with a dead worker, or one that could not open it, by device */
    struct observation *observation;
    unsigned observations, room;
};

void admission_free(struct admission *admission);

/* False with the outcome that the cell gets without being tried: refused by the plan, abandoned, larger than the
 * memory, or too slow by what its device did with a smaller problem of the same kind. */
bool admission_allows(const struct admission *admission, const struct cell *cell, struct error *why);

/* Seconds that one run of the cell will take by what its own method did with smaller problems; NAN where it was not
 * seen at work long enough to tell. */
double admission_predict(const struct admission *admission, const struct cell *cell);

bool admission_is_death(enum status status); /* of a worker, which crashed or had to be killed */

/* A worker of the cell died, or had to be killed: held against the method on this device. The cell must live as long as
 * the gate, here and below. */
void admission_saw_death(struct admission *admission, const struct cell *cell);

/* No other method took the dead one's place, or the device could not be opened: held against the device. */
void admission_saw_loss(struct admission *admission, const struct device *device);

/* One run of the cell took so long. */
void admission_saw_run(struct admission *admission, const struct cell *cell, double run);

#endif
