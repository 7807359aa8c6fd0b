#ifndef HARNESS_PUBLISH_INDEX_H
#define HARNESS_PUBLISH_INDEX_H

/* The index of published runs, as Markdown: a table for each problem with the best figures of a CPU and a GPU of each
 * machine, the results of sweeps, and a list of the machines with their runs. A row of a problem comes from the
 * machine's latest run with that problem and links to it. */

#include "harness/base/pool.h"
#include "harness/journal/record.h"

#include <stdio.h>

struct index {
    struct pool pool;
    struct index_run **run;
    unsigned runs, run_room;
    struct index_row *row;
    unsigned rows, row_room;
    struct index_curve *curve;
    unsigned curves, curve_room;
};

/* Adds a run; the record is not needed afterwards. Call it machine by machine, with the latest run of each last.
 * `machine` is the name of its directory, `name` that of the journal and its report without their endings. False when
 * memory is short. The index is all zero at first; release it with index_release. */
bool index_add(struct index *index, const char *machine, const char *name, const struct record *record);
void index_release(struct index *index);

/* Writes it; the caller checks the stream for errors. False when memory is short. */
bool index_write(const struct index *index, FILE *out);

#endif
