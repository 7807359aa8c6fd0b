#ifndef BENCH_SCHEDULE_PROGRESS_H
#define BENCH_SCHEDULE_PROGRESS_H

/* The progress line on stderr: what is being measured and the time left. Drawn on a terminal only, a few times a
 * second, and erased before anything else is printed. */

#include "bench/plan/cell.h"

#include <stdbool.h>

struct progress {
    bool is_quiet; /* the user asked for it */
    bool is_drawn; /* stderr is a terminal that takes escape codes, too */
    bool on_screen;
    double planned;         /* seconds that the whole run is predicted to take */
    double most;            /* seconds that it may take; NAN: no limit */
    double done;            /* of the planned seconds, those of blocks that are over */
    double current;         /* of the planned seconds, those of the block that is measured; 0: none is */
    double started, latest; /* clock_wall: of the run, and of the last drawing */
    double entered;         /* clock_wall: the block that is measured began */
};

void progress_start(struct progress *out, bool quiet, double planned, double most);

/* A block that is predicted to take so many seconds begins, and ends. */
void progress_enter(struct progress *progress, double seconds);
void progress_leave(struct progress *progress);

/* Planned seconds as they are predicted to be, by how long what is done has taken. */
double progress_predict(const struct progress *progress, double planned);

/* Prints a line that stays, on a terminal or not, unless --quiet. */
void progress_note(struct progress *progress, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Shows what is waited for, in place of the line before, on a terminal that can redraw it. */
void progress_line(struct progress *progress, const char *line);

/* Shows a step of a cell: "multiply f32, n = 40,000,000  opencl:0  resident  +-1.2 %", of which the first part is
 * shortened to fit. `at_once`: without waiting for the next redraw, before a long step. */
void progress_step(struct progress *progress, bool at_once, const struct cell *cell, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void progress_wipe(struct progress *progress);

#endif
