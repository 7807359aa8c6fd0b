#ifndef HARNESS_PUBLISH_INDEX_H
#define HARNESS_PUBLISH_INDEX_H

/* The index of published runs, as Markdown: for each problem one table of all machines with the best that a CPU and the
 * best that a GPU of each did, what sweeps found, and the list of the machines with their runs. A row of a problem is
 * of the machine's latest run that has it, and links to that. */

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

/* Takes what the index says of a run; nothing of the record is needed afterwards. Runs come machine by machine, and of
 * each the latest last. `machine` is its folder, `name` that of the journal and its report but for their endings. False
 * when memory is short. The index is zero at first, and to be released. */
bool index_add(struct index *index, const char *machine, const char *name, const struct record *record);
void index_release(struct index *index);

/* Writes it; the caller looks at the stream. False when memory is short. */
bool index_write(const struct index *index, FILE *out);

#endif
