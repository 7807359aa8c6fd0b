#include "bench/progress.h"

#include "harness/clock.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

static const double redraw = 0.1;

void progress_start(struct progress *out, bool quiet, double planned)
{
    *out = (struct progress){ .drawn_at_all = !quiet && isatty(STDERR_FILENO), .planned = planned };
}

void progress_show(struct progress *progress, const char *what)
{
    double now = clock_wall();
    if (!progress->drawn_at_all || now - progress->latest < redraw)
        return;
    double left = fmax(0, progress->planned - progress->done);
    double percent = progress->planned > 0 ? fmin(99, 100 * progress->done / progress->planned) : 0;
    fprintf(stderr, "\r\033[K%3.0f %%  about %.0f s left  %.100s", percent, ceil(left), what);
    fflush(stderr);
    progress->latest = now;
    progress->on_screen = true;
}

void progress_wipe(struct progress *progress)
{
    if (!progress->on_screen)
        return;
    fprintf(stderr, "\r\033[K");
    fflush(stderr);
    progress->on_screen = false;
}
