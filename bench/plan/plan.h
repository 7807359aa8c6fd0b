#ifndef BENCH_PLAN_PLAN_H
#define BENCH_PLAN_PLAN_H

/* The plan: options x devices x workloads become cells, in blocks of one problem each, the baseline's device first.
 * Cells of one row are contenders, of which a race keeps one. Planning calls no driver. */

#include "bench/cli/options.h"
#include "bench/plan/cell.h"
#include "bench/plan/devices.h"
#include "bench/workloads/workload.h"
#include "harness/base/pool.h"
#include "harness/machine/host.h"

struct plan {
    struct cell *cell; /* ordered by block, then by row */
    unsigned cells, rows;
    struct pool pool;         /* owns these texts: */
    struct labels unmeasured; /* what the options name and no cell measures, and why */
};

/* Fails with STATUS_USAGE if the options contradict each other or leave nothing to measure. `host` decides the sizes
 * that depend on the machine; `baseline` may be NULL. Free the plan either way. */
bool plan_make(struct plan *out, const struct options *options, const struct host *host, const struct listing *listing,
               const bool chosen[DEVICES_MAX], const struct device *baseline, struct error *err);
void plan_free(struct plan *plan);

/* Whether the plan has a cell of the problem on the device; NULL: on any. */
bool plan_has(const struct plan *plan, const struct problem *problem, const struct device *device);

/* The index after the last cell of the block that begins at `first`. */
unsigned plan_block_end(const struct plan *plan, unsigned first);

/* Adds a peak: a row of one problem on one device, in its best kind of memory, with the methods that suit it as
 * contenders; no row if none does. False only when memory is short. */
bool plan_add_peak(struct plan *plan, const struct options *options, const struct problem *problem,
                   const struct device *device, struct error *err);

/* Visits that a series of short runs gets; 0: until it is precise or its budget is spent, as --precision or --budget
 * ask for, and as in suites full and uhd620. */
unsigned plan_visits(const struct options *options);

/* Seconds that each series of a cell may take. */
double plan_budget(const struct options *options);

/* Seconds that one run of a cell may take: ten budgets, and no more than the timeout. A longer one is too slow. */
double plan_deadline(const struct options *options);

#endif
