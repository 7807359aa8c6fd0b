#ifndef BENCH_PLAN_CELL_H
#define BENCH_PLAN_CELL_H

/* A cell: one problem on one device, with one method and one kind of memory. A value. Its texts are its names in the
 * journal and the command that measures it again. */

#include "bench/cli/options.h"
#include "bench/worker/request.h"
#include "bench/workloads/workload.h"

enum { CELL_TEXT = 512 };

struct cell {
    struct problem problem;
    const struct method *method;         /* NULL for a workload that only moves data */
    char kernel_shape[KERNEL_SHAPE_MAX]; /* of the method; "": its first. Not a part of the key */
    const struct device *device;
    enum memory memory;
    size_t flush;         /* bytes that the host reads before each timed run to empty its caches; 0: runs are warm */
    bool is_peak;         /* planned by us, so that rows have a share of it (peaks.h) */
    unsigned row;         /* of the report, numbered over the whole plan; its contenders differ in the method alone */
    struct error refused; /* why it is not tried; STATUS_OK: it is */
    char key[CELL_TEXT], block[CELL_TEXT], repro[CELL_TEXT];
};

/* Bytes of the method's workspace, beside the operands. */
double cell_workspace(const struct cell *cell);

/* Bytes of host memory that a worker of this cell holds: operands, the host's copies, the inputs of checks, and the
 * device's buffers and workspace if they are in host memory. */
double cell_host_bytes(const struct cell *cell);

/* Bytes of the device's own memory that such a worker holds at most: operands, workspace, and what the driver takes for
 * a context. 0 where that is host memory. */
double cell_device_bytes(const struct cell *cell);

/* Seconds that a slow host takes to fill or check the operands and the method's copies of them: for deadlines. */
double cell_host_seconds(const struct cell *cell);

/* Seconds that a slow host takes for all checks before or after timing, with their runs of `run` seconds. */
double cell_check_seconds(const struct cell *cell, double run);

/* Seconds that opening the cell before its visits, and closing it after them, usually take: for the progress line. */
double cell_opening_seconds(const struct cell *cell);
double cell_closing_seconds(const struct cell *cell);

/* What the progress line calls the cell: "multiply f32, n = 40,000,000", or "peaks: memory, 512 MiB".
 * Returns `to`. */
const char *cell_label(const struct cell *cell, char to[CELL_TEXT]);

/* What a journal says of the cell, but for its baselines and what it is measured for; `shape` is room for one of its
 * texts. And the request to open it, or another that is about all of it. `host_threads`: threads of our own loops. */
struct cell_record cell_stated(const struct cell *cell, char shape[SHAPE_MAX]);
struct request cell_request(const struct cell *cell, enum request_kind kind, const struct options *options,
                            unsigned host_threads);

#endif
