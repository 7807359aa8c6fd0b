#ifndef HARNESS_REPORT_CONTENT_NOTES_SERIES_H
#define HARNESS_REPORT_CONTENT_NOTES_SERIES_H

/* Notes on the samples of a cell's series. */

#include "harness/analysis/cell_metrics.h"
#include "harness/report/content/note_list.h"

/* How certain the figures are, and what changed while they were measured. */
void note_series(struct notes *notes, const struct cell_metrics *metrics);

/* How the device behaves when it runs alone for a long time. */
void note_sustained(struct notes *notes, const struct cell_metrics *metrics);

#endif
