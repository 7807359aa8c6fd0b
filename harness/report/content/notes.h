#ifndef HARNESS_REPORT_CONTENT_NOTES_H
#define HARNESS_REPORT_CONTENT_NOTES_H

/* What a reader needs to know besides the figures of a cell: what its samples show, then what the run itself noted. */

#include "harness/analysis/cell_metrics.h"
#include "harness/report/content/note_list.h"

/* To be released. */
void notes_read(struct notes *out, const struct cell_metrics *metrics);

#endif
