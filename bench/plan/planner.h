#ifndef BENCH_PLAN_PLANNER_H
#define BENCH_PLAN_PLANNER_H

/* What the plan*.c files share, and nobody else needs. */

#include "bench/plan/plan.h"

/* What is known while one plan is made. */
struct planner {
    struct plan *plan;
    const struct options *options;
    const struct host *host;
    const struct listing *listing;
    const bool *chosen;            /* for each device of the listing: whether it was asked for */
    const struct device *baseline; /* NULL: none */
};

/* plan_cells.c: one method on one device, and whether it can be measured at all. */

/* Whether a method is made for such problems, and for the device's API. */
bool method_runs_on(const struct method *method, const struct problem *problem, const struct device *device);
/* Whether it may be tried on the device, as far as can be told without trying. */
bool method_suits(const struct method *method, const struct problem *problem, const struct device *device);

/* The fair kind of memory for a device: in place where memory is shared, page-locked where it is not. */
enum memory plan_best_memory(const struct device *device, const struct problem *problem);
bool plan_wants_memory(const struct planner *planner, const struct problem *problem, const struct device *device,
                       enum memory memory);

/* One more candidate of the row that is being made, refused already where that can be told. The one that is there where
 * the same was asked for in other words; NULL when memory is short. */
struct cell *plan_add_cell(struct planner *planner, const struct problem *problem, const struct device *device,
                           const struct method *method, enum memory memory, struct error *err);

/* plan_rows.c: the rows of one problem, on the baseline's device first. False only when memory is short. */
bool plan_add_problem(struct planner *planner, const struct problem *problem, struct error *err);

#endif
