#ifndef BENCH_SCHEDULE_PROGRESS_H
#define BENCH_SCHEDULE_PROGRESS_H

/* One line on stderr that says what is being measured and how long it may still take. Drawn on a terminal only, a few
 * times a second, and wiped before anything else is printed. */

#include <stdbool.h>

struct progress {
    bool is_quiet; /* the user asked for it */
    bool is_drawn; /* stderr is a terminal, too */
    bool on_screen;
    double planned, done;   /* seconds of measuring if every budget is spent, and so far */
    double started, latest; /* clock_wall: of the run, and of the last drawing */
};

void progress_start(struct progress *out, bool quiet, double planned);

/* A line that stays, on a terminal or not, unless the user asked for quiet. */
void progress_note(struct progress *progress, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "multiply f32, n = 40,000,000" and "opencl:0  resident  +-1.2 %", the one shortened so that the other fits as well.
 */
void progress_show(struct progress *progress, const char *what, const char *doing);

/* The same at once, as nothing else may be shown for long. */
void progress_announce(struct progress *progress, const char *what, const char *doing);
void progress_wipe(struct progress *progress);

#endif
