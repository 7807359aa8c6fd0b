#ifndef BENCH_PLAN_PLANNER_H
#define BENCH_PLAN_PLANNER_H

/* What plan.c and plan_rows.c share: the inputs of a plan that is being made. */

#include "bench/plan/plan.h"

struct planner {
    struct plan *plan;
    const struct options *options;
    const struct host *host;
    const struct listing *listing;
    const bool *chosen;            /* for each device of the listing: whether it was asked for */
    const struct device *baseline; /* NULL: none */
    char without_method[512];      /* the first problems that no method suits, of so many: */
    unsigned without_methods;
};

/* Whether --method names one of the workload's by its name. */
bool plan_names_method(const struct options *options, const struct workload *workload);

/* Adds the rows of one problem, the baseline's device first. False only when memory is short. */
bool plan_add_problem(struct planner *planner, const struct problem *problem, struct error *err);

#endif
