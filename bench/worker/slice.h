#ifndef BENCH_WORKER_SLICE_H
#define BENCH_WORKER_SLICE_H

/* A slice: a short stretch of runs of one series, as lockstep rounds alternate them between devices. */

#include "bench/worker/rig.h"
#include "harness/journal/record.h"

/* Runs until two windows of runs agree, at most about a second; `run` is what one run takes then, seconds. */
bool slice_warmup(struct rig *rig, enum series series, unsigned *runs, double *run, struct error *err);

/* What a worker remembers of a series between its slices. */
struct pace {
    double run;      /* seconds of one run, as last seen */
    unsigned slices; /* taken so far */
};

/* Members "discarded", "wall_ns", "event_ns", "enqueue_ns", "phases", "cpu_ns", "elapsed_ns" of a journal's slice line,
 * for a stretch of about `seconds`, at least one run. Of very many short runs one in so many is kept. NULL with err
 * filled when a run failed. */
json_t *slice_run(struct rig *rig, enum series series, double seconds, struct pace *pace, struct error *err);

#endif
