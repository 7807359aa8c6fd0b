#ifndef BENCH_WORKER_SLICE_H
#define BENCH_WORKER_SLICE_H

/* A slice: some runs of one series without a break. Rounds alternate the slices of several devices. */

#include "bench/worker/rig.h"
#include "harness/journal/line.h"

/* Runs until two windows of runs agree, about a second at most; `run`: seconds of one run then. */
bool slice_warmup(struct rig *rig, enum series series, double *run, struct error *err);

/* What a worker keeps of a series between its slices. */
struct pace {
    double run;      /* seconds of one run, the latest value */
    unsigned slices; /* taken so far */
    bool is_phased;  /* all runs of a copied series are timed by phase */
    unsigned timed;  /* runs in slices with events, those for the events left out */
};

/* Runs for about `seconds`, at least once, and adds what a journal's slice line has of that, up to the phases; its
 * series is the one to run, and its times are in the pool. Of very many short runs it keeps every n-th. with_events:
 * some runs beside the timed ones are for the device's clock. False with err if a run failed. */
bool slice_run(struct rig *rig, double seconds, bool with_events, struct pace *pace, struct slice_line *slice,
               struct pool *pool, struct error *err);

#endif
