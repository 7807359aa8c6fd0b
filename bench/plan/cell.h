#ifndef BENCH_PLAN_CELL_H
#define BENCH_PLAN_CELL_H

/* What one row is, or may become: a problem on a device, with a method and a kind of memory. A value: its texts are
 * what it is called in the journal, and how to measure it again. */

#include "bench/cli/options.h"
#include "bench/workloads/workload.h"

#include <jansson.h>

enum { CELL_TEXT = 512 };

struct cell {
    struct problem problem;
    const struct method *method; /* NULL for a workload that only moves data */
    const struct device *device;
    enum memory memory;
    size_t flush;         /* bytes that the host reads before each timed run to empty its caches; 0: runs are warm */
    bool is_ceiling;      /* not asked for: the others are held against it (ceilings.h) */
    unsigned row;         /* of the report, numbered over the whole plan: its candidates differ in nothing but method */
    struct error refused; /* why it need not even be tried; STATUS_OK: it is to be measured */
    char key[CELL_TEXT], block[CELL_TEXT], repro[CELL_TEXT];
};

/* Bytes that the method needs beside the operands. */
double cell_workspace(const struct cell *cell);

/* Bytes of host memory that a worker for this cell will hold: operands, the host's copies, and the device's buffers and
 * workspace where it lives in host memory. */
double cell_host_bytes(const struct cell *cell);

/* Seconds that the host may take on a slow machine to fill operands, or to go through them for a check, the method's
 * own copies of them included: what deadlines are made of. */
double cell_host_seconds(const struct cell *cell);

/* Seconds that getting the cell ready for its rounds usually takes, and checking it after them: for the progress line.
 */
double cell_opening_seconds(const struct cell *cell);
double cell_closing_seconds(const struct cell *cell);

/* What the progress line calls the cell: "multiply/f32/n=40000000", or "ceilings: memory, 512 MiB".
 * Returns `to`. */
const char *cell_label(const struct cell *cell, char to[CELL_TEXT]);

/* The cell as a journal line, with the key of the cell that it is compared with ("" for none), and as a worker's
 * request to open it; `host_threads`: those of our own loops. */
json_t *cell_to_json(const struct cell *cell, const char *baseline);
json_t *cell_to_request(const struct cell *cell, const struct options *options, unsigned host_threads);

#endif
