#ifndef BENCH_PROGRESS_H
#define BENCH_PROGRESS_H

/* One line on stderr that says what is being measured and how long it may still take. Drawn on a terminal only, a few
 * times a second, and wiped before anything else is printed. */

#include <stdbool.h>

struct progress {
    bool drawn_at_all; /* stderr is a terminal and the user did not ask for quiet */
    bool on_screen;
    double planned, done; /* seconds of measuring if every budget is spent, and so far */
    double latest;        /* clock_wall of the last drawing */
};

void progress_start(struct progress *out, bool quiet, double planned);
/* "multiply/f32/n=40000000  opencl:0  resident +-1.2 %" */
void progress_show(struct progress *progress, const char *what);
void progress_wipe(struct progress *progress);

#endif
