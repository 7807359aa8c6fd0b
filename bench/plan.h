#ifndef BENCH_PLAN_H
#define BENCH_PLAN_H

/* What may be measured: options x devices x workloads become cells, in blocks of one problem each, the device of the
 * baseline first in its block. Cells that share a row are candidates for it, of which calibration leaves one. Planning
 * asks no driver and takes no time. */

#include "bench/listing.h"
#include "bench/options.h"
#include "bench/workload.h"
#include "harness/host.h"

enum { CELL_TEXT = 512 };

struct cell {
    struct problem problem;
    const struct variant *variant; /* NULL for a workload that only moves data */
    const struct device *device;
    enum memory memory;
    size_t flush;         /* bytes that the host reads before each timed run to empty its caches; 0: runs are warm */
    unsigned row;         /* of the report, numbered over the whole plan: its candidates differ in nothing but method */
    struct error refused; /* why it need not even be tried; STATUS_OK: it is to be measured */
    char key[CELL_TEXT], block[CELL_TEXT], repro[CELL_TEXT];
};

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

/* Adds one problem on one device, in its best kind of memory: a row whose candidates are the methods that suit it,
 * none where no method does. False only when memory is short. */
bool plan_add(struct plan *plan, const struct options *options, const struct problem *problem,
              const struct device *device, struct error *err);

/* Bytes of host memory that a worker for this cell will hold: operands, the host's copies, and the device's buffers and
 * workspace where it lives in host memory. */
double cell_host_bytes(const struct cell *cell);

/* Seconds that the host may take on a slow machine to fill operands, or to go through them for a check, the method's
 * own copies of them included: what deadlines are made of. */
double cell_host_seconds(const struct cell *cell);

/* The cell as a journal line, with the key of the cell that it is compared with ("" for none), and as a worker's
 * request to open it; `host_threads`: those of our own loops. */
json_t *cell_to_json(const struct cell *cell, const char *baseline);
json_t *cell_to_request(const struct cell *cell, const struct options *options, unsigned host_threads);

/* Seconds that each series of a cell may take. */
double plan_budget(const struct options *options);

#endif
