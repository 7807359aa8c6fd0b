#ifndef BENCH_SCHEDULE_ROUNDS_H
#define BENCH_SCHEDULE_ROUNDS_H

/* Lockstep rounds: the baseline and the devices of one block measured alternately, a short slice each, so that drift,
 * heat and noisy neighbours affect both sides of every ratio alike. */

#include "bench/schedule/runner.h"

struct rounds {
    struct context *context;
    struct runner **runner; /* those that are measured together; the baselines are among them */
    unsigned runners;
    struct runner *baseline[USES]; /* what each use is compared with; NULL: nothing */
    unsigned slice_number;         /* slices taken in this block so far */
    struct runner *latest;         /* device that was measured since the baseline's latest slice, or NULL */
    unsigned compared;             /* its series at that time, as bits 1 << series */
};

/* Takes rounds until every series of every runner has its interval, has spent its budget, or has failed. A baseline is
 * measured as long as another runner needs it; one without others by itself. */
void rounds_run(struct rounds *rounds);

bool rounds_is_baseline(const struct rounds *rounds, const struct runner *runner);

/* Ends all series that are still measured: only as long as others needed them. */
void rounds_leave(struct rounds *rounds, struct runner *runner);

/* Takes one slice of a series, about `length` seconds long, and writes it to the journal. A slice that fails ends the
 * cell: its series are no longer active. Its result is checked if the worker says so, or if the series has run for
 * `check_after` seconds by then: those of a whole sustained series, INFINITY for any other. */
void rounds_slice(struct rounds *rounds, struct runner *runner, enum series series, double length, double check_after);

/* Ends a series and writes the reason; does nothing if the series is not active. */
void rounds_stop(struct rounds *rounds, struct runner *runner, enum series series, enum stop why);

#endif
