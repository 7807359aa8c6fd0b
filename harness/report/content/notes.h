#ifndef HARNESS_REPORT_CONTENT_NOTES_H
#define HARNESS_REPORT_CONTENT_NOTES_H

/* What a reader needs to know besides the figures of a cell, and of a run as a whole. */

#include "harness/analysis/cell_metrics.h"
#include "harness/report/content/note_list.h"

/* On a cell: what its samples show, then what the run itself noted. To be released. */
void notes_read(struct notes *out, const struct cell_metrics *metrics);

/* On a run: what the run noted, then what the machine does to all figures. To be released. */
void notes_read_run(struct notes *out, const struct record *record);

/* Parts of the notes on a cell, for notes_read: how certain the figures are, and what changed while they were
 * measured; how the device behaves when it runs alone for a long time; what the machine did to the cell, and what the
 * cell keeps in its memory; the state of a GPU, and what its energy counter covers. */
void note_series(struct notes *notes, const struct cell_metrics *metrics);
void note_sustained(struct notes *notes, const struct cell_metrics *metrics);
void note_machine(struct notes *notes, const struct cell_metrics *metrics);
void note_gpu(struct notes *notes, const struct cell_metrics *metrics);

#endif
