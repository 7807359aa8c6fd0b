#ifndef BENCH_SCHEDULE_CEILINGS_H
#define BENCH_SCHEDULE_CEILINGS_H

/* Ceilings: the best that each device can do, measured in the same run by the workload `peak`, so that reports can give
 * a share of it. Multiply-adds for each element type in use, memory beyond the caches, and memory of the size of each
 * problem that arithmetic does not clearly bound. They are ordinary cells with a budget of their own, measured
 * last: a failed ceiling is reported like any failed cell and costs no other row. */

#include "bench/schedule/context.h"

/* Must not move once it is open: its plan points into it. */
struct ceilings {
    struct context *context;
    struct rule rule;            /* of their own; nothing is compared */
    struct options options;      /* those of a repro line */
    struct plan plan;            /* empty if no ceilings are needed */
    const struct plan *run_plan; /* the run's, which may hold ceilings that the user asked for */
};

/* Plans the ceilings of a plan, except those that it holds already. Its plan is to be freed either way; false
 * only when memory is short. */
bool ceilings_open(struct ceilings *out, struct context *context, const struct plan *plan, struct error *err);

/* Seconds that they take: for the progress line, and to be kept of --time. */
double ceilings_seconds(const struct ceilings *ceilings);

/* Measures them, as many as the time of the run allows. False only when memory is short. */
bool ceilings_measure(struct ceilings *ceilings, struct error *err);

#endif
