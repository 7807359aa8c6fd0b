#ifndef BENCH_PLAN_PEAKS_H
#define BENCH_PLAN_PEAKS_H

/* Peaks: the best that each device can do, measured in the same run by the workload `peak`, so that reports can give
 * a share of it. Multiply-adds for each element type in use, memory beyond the caches, and memory of the size of each
 * problem that arithmetic does not clearly bound. They are ordinary cells with a rule of their own, measured last: a
 * failed peak is reported like any failed cell and costs no other row. */

#include "bench/plan/plan.h"
#include "harness/measure/sampler.h"

struct peaks {
    struct rule rule;
    struct plan plan; /* empty if no peaks are needed */
};

/* Plans the peaks of a plan, except those that it holds already; `rule`: of the run. Its plan is to be freed either
 * way; false only when memory is short. */
bool peaks_plan(struct peaks *out, const struct options *options, const struct rule *rule, const struct plan *plan,
                struct error *err);

#endif
