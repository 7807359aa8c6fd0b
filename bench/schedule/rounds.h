#ifndef BENCH_SCHEDULE_ROUNDS_H
#define BENCH_SCHEDULE_ROUNDS_H

/* Lockstep rounds: the baseline and the devices of one block measured in slice_number, a short slice each, so that
 * drift, heat and noisy neighbours hit both sides of every ratio alike. */

#include "bench/plan/plan.h"
#include "bench/schedule/progress.h"
#include "bench/schedule/run_log.h"
#include "bench/worker/client.h"
#include "harness/measure/sampler.h"

/* One series that a cell is measured in. */
struct series_state {
    bool active;
    double run;    /* seconds of one warm run */
    double spent;  /* seconds of slices so far */
    double last;   /* of the latest one */
    double beside; /* seconds that the baseline spent for it */
};

/* A cell with its worker, while its block is measured. */
struct cell_run {
    const struct cell *cell;
    struct client *client; /* NULL once it is over */
    struct series_state series[SERIES_COUNT];
    bool offloads;        /* it moves or repacks operands; otherwise its resident series is its offload series, too */
    bool counts_energy;   /* the device counts what it takes itself */
    long driver_log;      /* bytes that its device had printed before */
    bool was_replaced;    /* its first worker died */
    bool lacks_device;    /* its worker failed to open the device */
    struct error outcome; /* STATUS_OK until something goes wrong */
};

struct rounds {
    struct cell_run *cell_run;
    unsigned cell_runs;
    struct cell_run *baseline; /* one of them, or NULL */
    struct rule rule;
    const struct worker_setup *setup;
    const struct options *options;
    struct run_log *run_log;
    struct progress *progress;
    unsigned slice_number; /* slices taken in this block so far */
    unsigned beside;  /* the baseline's series that the latest slice_number was compared with, as bits 1 << series */
    bool interrupted; /* by the user: everything stops where it is */
};

/* Measures until every series of every contender has its interval, its budget is spent, or it failed. */
void rounds_run(struct rounds *rounds);

/* One slice of a series, about `seconds` long: measured, written down, and found fault with. Where that is the end of
 * the contender its series are active no more. */
void rounds_slice(struct rounds *rounds, struct cell_run *cell_run, enum series series, double seconds);

/* Ends a series and says why; nothing where it is not active. */
void rounds_stop(struct rounds *rounds, struct cell_run *cell_run, enum series series, enum stop why);

#endif
