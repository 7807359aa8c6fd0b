#ifndef HARNESS_REPORT_CONTENT_NOTES_PARTS_H
#define HARNESS_REPORT_CONTENT_NOTES_PARTS_H

/* What the notes*.c files share, and nobody else needs. */

#include "harness/report/content/notes.h"

enum { NOTE_ROOM = 256 };

/* Turbo steps of a busy machine: two short looks at the clock may differ by as much without meaning anything. */
static const double clock_bins = 0.05;

/* Adds a sentence, unless it is there already. */
void note_text(struct notes *notes, const char *text);
__attribute__((format(printf, 2, 3))) void note(struct notes *notes, const char *format, ...);

/* A relative change in a few coarse steps, so that rows share a footnote; 0 for one not worth any. */
double step_below(double change);

/* notes_series.c: how surely the figures of its series are known, and what changed while they were measured; and what a
 * device does by itself. */
void note_series(struct notes *notes, const struct cell_metrics *metrics);
void note_sustained(struct notes *notes, const struct cell_metrics *metrics);

/* notes_machine.c: what the machine did to a cell meanwhile, and what the cell holds in its memory. */
void note_machine(struct notes *notes, const struct cell_metrics *metrics);

/* notes_gpu.c: in which state a GPU was meanwhile, and what its energy counts. */
void note_gpu(struct notes *notes, const struct cell_metrics *metrics);

/* notes_launch.c: what waiting, cutting and overlapping make of a time. */
void note_launches(struct notes *notes, const struct cell_metrics *metrics);

#endif
