#ifndef BENCH_GATE_H
#define BENCH_GATE_H

/* Which cells are opened at all, by what is known before: the plan's refusals, the host's memory, and what this run has
 * seen of the device so far. */

#include "bench/plan.h"

/* One run of a problem, as it was measured or tried. */
struct sight {
    const struct cell *cell;
    double run; /* seconds */
};

struct gate {
    const struct options *options;
    const struct listing *listing;
    unsigned deaths[DEVICES_MAX]; /* of workers, by device */
    struct sight *sight;
    unsigned sights, room;
    bool interrupted; /* by the user */
};

void gate_free(struct gate *gate);

/* False with the outcome that the cell gets without being tried: refused by the plan, abandoned, larger than the
 * memory, or too slow by what its device did with a smaller problem of the same kind. */
bool gate_admits(const struct gate *gate, const struct cell *cell, struct error *why);

/* A worker of the device died, or had to be killed. */
void gate_saw_death(struct gate *gate, const struct device *device);

/* One run of the cell took so long. The cell must live as long as the gate. */
void gate_saw_run(struct gate *gate, const struct cell *cell, double run);

#endif
