#ifndef HARNESS_PUBLISH_INDEX_H
#define HARNESS_PUBLISH_INDEX_H

/* The index of published runs: one matrix of processors against problems, and the machines with all of their runs. A
 * figure comes from the machine's latest run with that problem. */

#include "harness/base/pool.h"
#include "harness/journal/record.h"

#include <stdio.h>

struct index {
    struct pool pool;
    struct index_run **run;
    unsigned runs;
    struct index_row *row; /* processors */
    unsigned rows;
    json_t *problem; /* in how many rows it is, by its name */
};

/* Adds a run; the record is not needed afterwards. Call it machine by machine, with the latest run of each last.
 * `machine` is the name of its directory, `name` that of the journal and its reports without their endings. The index
 * is all zero at first; release it with index_release. When memory is short, `pool` says so. */
void index_add(struct index *index, const char *machine, const char *name, const struct record *record);
void index_release(struct index *index);

/* Writes it as Markdown; the caller checks the stream for errors, and the pool for memory. */
void index_write(const struct index *index, FILE *out);

#endif
