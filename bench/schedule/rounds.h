#ifndef BENCH_SCHEDULE_ROUNDS_H
#define BENCH_SCHEDULE_ROUNDS_H

/* Lockstep rounds: the baseline and the devices of one block measured alternately, a short slice each, so that drift,
 * heat and noisy neighbours affect both sides of every ratio alike. */

#include "bench/schedule/cell_run.h"

struct rounds {
    struct context *context;
    struct cell_group group;
    struct cell_run *baseline;         /* one of the group, or NULL */
    struct cell_run *baseline_offload; /* the same for the offload series; NULL: there is one for all */
    bool keeps_baseline;               /* further cells will be compared with the baselines: these stay open */
    unsigned slice_number;             /* slices taken in this block so far */
    struct cell_run *latest;           /* device that was measured since the baseline's latest slice, or NULL */
    unsigned compared;                 /* its series at that time, as bits 1 << series */
    unsigned pass;                     /* that is taken now, from 1 on; 0: the block is not measured in passes */
};

/* Takes the rounds of one pass. False once every series of every cell has its interval, has spent its budget, or has
 * failed. A baseline that is kept for further cells is not measured alone. */
bool rounds_pass(struct rounds *rounds);

/* The same without a break, to the end. */
void rounds_run(struct rounds *rounds);

bool rounds_has_baseline(const struct rounds *rounds, const struct cell_run *cell_run); /* it is one of the baselines */

/* Ends all series of a cell that are still measured: only as long as others needed them. */
void rounds_leave(struct rounds *rounds, struct cell_run *cell_run);

/* Takes one slice of a series, about `length` seconds long, and writes it to the journal. A slice that fails ends the
 * cell: its series are no longer active. Its result is checked if the worker says so, or if the series has run for
 * `whole` seconds by then. */
void rounds_slice(struct rounds *rounds, struct cell_run *cell_run, enum series series, double length, double whole);

/* Ends a series and writes the reason; does nothing if the series is not active. */
void rounds_stop(struct rounds *rounds, struct cell_run *cell_run, enum series series, enum stop why);

#endif
