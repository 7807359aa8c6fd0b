#ifndef HARNESS_REPORT_CONTENT_NOTES_H
#define HARNESS_REPORT_CONTENT_NOTES_H

/* What a reader needs to know besides the figures of a cell, and of a run as a whole: only what changes what he does.
 */

#include "harness/analysis/cell_metrics.h"
#include "harness/report/content/note_list.h"

/* On a cell: what its samples show, then what the run itself noted. */
struct notes notes_read(struct pool *pool, const struct cell_metrics *metrics);

/* On a run: what the run noted, then what the machine does to all figures. */
struct notes notes_read_run(struct pool *pool, const struct record *record);

/* A part of the notes on a cell, for notes_read: what the machine and the state of a GPU did to it. */
void note_machine(struct notes *notes, const struct cell_metrics *metrics);

#endif
