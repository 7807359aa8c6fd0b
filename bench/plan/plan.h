#ifndef BENCH_PLAN_PLAN_H
#define BENCH_PLAN_PLAN_H

/* What may be measured: options x devices x workloads become cells, in blocks of one problem each, the device of the
 * baseline first in its block. Cells that share a row are candidates for it, of which calibration leaves one. Planning
 * asks no driver and takes no time. */

#include "bench/cli/options.h"
#include "bench/plan/cell.h"
#include "bench/plan/devices.h"
#include "bench/workloads/workload.h"
#include "harness/machine/host.h"

struct plan {
    struct cell *cell; /* those of a row stand together, and so do the rows of a block */
    unsigned cells, room, rows;
};

/* Fails with STATUS_USAGE when the options contradict each other, or leave nothing to measure. `host` is asked for
 * sizes that depend on the machine; `baseline` may be NULL. */
bool plan_make(struct plan *out, const struct options *options, const struct host *host, const struct listing *listing,
               const bool chosen[DEVICES_MAX], const struct device *baseline, struct error *err);
void plan_free(struct plan *plan);

/* The end of the block that begins at `first`: the cells of one problem stand together. */
unsigned plan_block_end(const struct plan *plan, unsigned first);

/* Adds a ceiling: a problem on one device, in its best kind of memory, as a row whose candidates are the methods that
 * suit it; none where no method does. False only when memory is short. */
bool plan_add_ceiling(struct plan *plan, const struct options *options, const struct problem *problem,
                      const struct device *device, struct error *err);

/* Seconds that each series of a cell may take. */
double plan_budget(const struct options *options);

#endif
