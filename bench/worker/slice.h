#ifndef BENCH_WORKER_SLICE_H
#define BENCH_WORKER_SLICE_H

/* A slice: some runs of one series without a break. Rounds alternate the slices of several devices. */

#include "bench/worker/rig.h"
#include "harness/journal/record.h"

/* Runs until two windows of runs agree, about a second at most; `run`: seconds of one run then. */
bool slice_warmup(struct rig *rig, enum series series, unsigned *runs, double *run, struct error *err);

/* What a worker keeps of a series between its slices. */
struct pace {
    double run;      /* seconds of one run, the latest value */
    unsigned slices; /* taken so far */
    bool is_phased;  /* all runs of a copied series are timed by phase */
    unsigned timed;  /* runs in slices with events, those for the events left out */
};

/* Runs for about `seconds`, at least once. Returns the members of a journal's slice line from "series" to "phases",
 * "runs", "renewing_ns" where the host wrote inputs, and "flushes" and "flush_ns" of cold runs. Of very many short runs
 * it keeps every n-th. with_events: some runs beside the timed ones are for the device's clock. NULL with err if a run
 * failed. */
json_t *slice_run(struct rig *rig, enum series series, double seconds, bool with_events, struct pace *pace,
                  struct error *err);

#endif
