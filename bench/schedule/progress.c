#include "bench/schedule/progress.h"

#include "harness/base/clock.h"
#include "harness/base/process.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const double redraw = 0.1;

/* Weight of the plan against the time passed, in seconds. */
static const double plan_weight = 10;

enum { LINE = 256, WIDTH = 80 };

void progress_start(struct progress *out, bool quiet, double planned, double most)
{
    *out = (struct progress){ .is_quiet = quiet, .planned = planned, .most = most, .started = clock_wall() };
    out->is_drawn = !quiet && terminal_has_escapes(STDERR_FILENO);
}

void progress_note(struct progress *progress, const char *format, ...)
{
    va_list arguments;
    if (progress->is_quiet)
        return;
    progress_wipe(progress);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    putc('\n', stderr);
}

/* One column less than the terminal has, so that nothing wraps. */
static int width_of_terminal(void)
{
    const unsigned columns = terminal_columns(STDERR_FILENO);
    const int width = columns > 0 ? (int)columns : WIDTH;
    return width < LINE ? width - 1 : LINE - 1;
}

void progress_enter(struct progress *progress, double seconds)
{
    progress->current = seconds;
    progress->entered = clock_wall();
}

void progress_leave(struct progress *progress)
{
    progress->done += progress->current;
    progress->current = 0;
}

/* Planned seconds that are over. */
static double done_by(const struct progress *progress, double now)
{
    return progress->done + fmin(progress->current, now - progress->entered);
}

/* In the first seconds the plan counts more than what was seen. */
double progress_predict(const struct progress *progress, double planned)
{
    const double now = clock_wall(), done = done_by(progress, now);
    return planned * (now - progress->started + plan_weight) / (done + plan_weight);
}

void progress_line(struct progress *progress, const char *line)
{
    if (!progress->is_drawn)
        return;
    fprintf(stderr, "\r\033[K%.*s", width_of_terminal(), line);
    fflush(stderr);
    progress->latest = clock_wall();
    progress->on_screen = true;
}

void progress_step(struct progress *progress, bool at_once, const struct cell *cell, const char *format, ...)
{
    char label[CELL_TEXT], step[CELL_TEXT], head[LINE / 2], line[LINE + 2 * CELL_TEXT];
    const double now = clock_wall();
    va_list arguments;
    if (!progress->is_drawn || (!at_once && now - progress->latest < redraw))
        return;
    va_start(arguments, format);
    vsnprintf(step, sizeof step, format, arguments);
    va_end(arguments);
    const double done = done_by(progress, now);
    double percent = progress->planned > 0 ? fmin(99, 100 * done / progress->planned) : 0;
    double left = progress_predict(progress, fmax(0, progress->planned - done));
    left = fmin(left, progress->most - (now - progress->started)); /* fmin ignores NAN */
    int used = snprintf(head, sizeof head, "%3.0f %%  about %.0f s left  ", percent, fmax(1, ceil(left)));
    int room = width_of_terminal() - used - (int)(strlen(cell->device->id) + strlen(step)) - 4;
    snprintf(line, sizeof line, "%s%.*s  %s  %s", head, room > 0 ? room : 0, cell_label(cell, label), cell->device->id,
             step);
    progress_line(progress, line);
}

void progress_wipe(struct progress *progress)
{
    if (!progress->on_screen)
        return;
    fprintf(stderr, "\r\033[K");
    fflush(stderr);
    progress->on_screen = false;
}
