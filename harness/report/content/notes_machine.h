#ifndef HARNESS_REPORT_CONTENT_NOTES_MACHINE_H
#define HARNESS_REPORT_CONTENT_NOTES_MACHINE_H

/* Notes on the state of the machine: while a cell was measured, and for the whole run. */

#include "harness/analysis/cell_metrics.h"
#include "harness/report/content/note_list.h"

/* What the machine did to a cell while it was measured, and what the cell keeps in its memory. */
void note_machine(struct notes *notes, const struct cell_metrics *metrics);

/* The state of a GPU while a cell was measured, and what its energy counter covers. */
void note_gpu(struct notes *notes, const struct cell_metrics *metrics);

/* Notes on the run as a whole: what the run noted, then what the machine does to all figures. To be released. */
void notes_read_run(struct notes *out, const struct record *record);

#endif
