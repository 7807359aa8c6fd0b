#ifndef BENCH_SCHEDULE_ROUNDS_H
#define BENCH_SCHEDULE_ROUNDS_H

/* Lockstep rounds: the baseline and the devices of one block measured in turn, a short slice each, so that drift, heat
 * and noisy neighbours hit both sides of every ratio alike. */

#include "bench/plan/plan.h"
#include "bench/schedule/progress.h"
#include "bench/schedule/run_log.h"
#include "bench/worker/client.h"
#include "harness/measure/sampler.h"

/* One series that a cell is measured in. */
struct course {
    bool active;
    double run;    /* seconds of one warm run */
    double spent;  /* seconds of slices so far */
    double last;   /* of the latest one */
    double beside; /* seconds that the baseline spent for it */
};

/* A cell with its worker, while its block is measured. */
struct contender {
    const struct cell *cell;
    struct remote *remote; /* NULL once it is over */
    struct course course[SERIES_COUNT];
    bool offloads;        /* it moves or repacks operands; otherwise its resident series is its offload series, too */
    bool counts_energy;   /* the device counts what it takes itself */
    long chatter;         /* bytes that its device had printed before */
    bool was_replaced;    /* its first worker died */
    bool lacks_device;    /* its worker failed to open the device */
    struct error outcome; /* STATUS_OK until something goes wrong */
};

struct rounds {
    struct contender *contender;
    unsigned contenders;
    struct contender *baseline; /* one of them, or NULL */
    struct rule rule;
    const struct remote_setup *setup;
    const struct options *options;
    struct ledger *ledger;
    struct progress *progress;
    unsigned turn;    /* slices taken in this block so far */
    unsigned beside;  /* the baseline's series that the latest turn was compared with, as bits 1 << series */
    bool interrupted; /* by the user: everything stops where it is */
};

/* Measures until every series of every contender has its interval, its budget is spent, or it failed. */
void rounds_run(struct rounds *rounds);

/* One slice of a series, about `seconds` long: measured, written down, and found fault with. Where that is the end of
 * the contender its series are active no more. */
void rounds_slice(struct rounds *rounds, struct contender *contender, enum series series, double seconds);

/* Ends a series and says why; nothing where it is not active. */
void rounds_stop(struct rounds *rounds, struct contender *contender, enum series series, enum stop why);

#endif
