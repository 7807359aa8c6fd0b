#ifndef HARNESS_REPORT_CONTENT_NOTES_H
#define HARNESS_REPORT_CONTENT_NOTES_H

/* What a reader must know beside a cell's figures: what its samples betray, then what the run itself noted. */

#include "harness/analysis/cell_metrics.h"

struct notes {
    char **text; /* sentences without a full stop, clean, the most important first */
    unsigned count, room;
};

/* What memory is short for is left out. */
void notes_read(struct notes *out, const struct cell_metrics *metrics);
/* On the run as a whole: what the run noted, then what the machine is and does to all of its figures. */
void notes_read_run(struct notes *out, const struct record *record);
void notes_release(struct notes *notes);

#endif
