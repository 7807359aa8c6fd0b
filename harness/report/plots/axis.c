#include "harness/report/plots/drawing.h"

#include <math.h>
#include <stdio.h>

double axis_at(const struct axis *axis, double value)
{
    double share = axis->is_log ? log(value / axis->from) / log(axis->to / axis->from)
                                : (value - axis->from) / (axis->to - axis->from);
    return axis->start + share * axis->length;
}

void axis_include(struct axis *axis, double value)
{
    static const double most = 1e15; /* no machine gets there */
    if (!(fabs(value) < most) || (axis->is_log && !(value > 1 / most)))
        return;
    axis->from = fmin(axis->from, value); /* fmin ignores NAN */
    axis->to = fmax(axis->to, value);
}

void axis_widen(struct axis *axis, double share)
{
    if (axis->is_log) {
        double factor = pow(axis->to / axis->from, share);
        axis->from /= factor;
        axis->to *= factor;
        return;
    }
    double room = (axis->to - axis->from) * share;
    axis->from -= room;
    axis->to += room;
}

/* Adds a value that is on the axis. Returns false when there are too many. */
static bool add(const struct axis *axis, double value, double tick[], unsigned *count)
{
    double slack = axis->is_log ? axis->from * 1e-9 : (axis->to - axis->from) * 1e-9;
    if (value < axis->from - slack || value > axis->to + slack)
        return true;
    if (*count == TICKS_MAX)
        return false;
    tick[(*count)++] = value + 0; /* -0 becomes 0 */
    return true;
}

/* Powers of ten times a few values, for every so many decades. Returns the count, 0 if there are too many. */
static unsigned log_set(const struct axis *axis, const double mantissa[], double every, double tick[])
{
    unsigned count = 0;
    for (double at = every * floor(log10(axis->from) / every); at <= log10(axis->to); at += every)
        for (unsigned i = 0; mantissa[i] > 0; i++)
            if (!add(axis, mantissa[i] * pow(10, at), tick, &count))
                return 0;
    return count;
}

static unsigned even_set(const struct axis *axis, double step, double tick[])
{
    unsigned count = 0;
    for (double at = ceil(axis->from / step - 1e-9); at * step <= axis->to + step * 1e-9; at++)
        if (!add(axis, at * step, tick, &count))
            return 0;
    return count;
}

/* Whether the texts do not touch: side by side, or one above the other. */
static bool has_room(const struct axis *axis, value_writer *write, const double tick[], unsigned count)
{
    double before = 0;
    for (unsigned i = 0; i < count; i++) {
        char text[32];
        write(text, sizeof text, tick[i]);
        double size = axis->length > 0 ? drawing_width(text) + 6 : 2 * DRAWING_LINE;
        if (i > 0 && fabs(axis_at(axis, tick[i]) - axis_at(axis, tick[i - 1])) < (before + size) / 2)
            return false;
        before = size;
    }
    return count > 0;
}

unsigned axis_ticks(const struct axis *axis, value_writer *write, double tick[TICKS_MAX])
{
    static const double steps[] = { 1, 2, 5 };
    static const double mantissas[][8] = { { 1, 1.5, 2, 3, 5, 7, 0 }, { 1, 2, 5, 0 }, { 1, 3, 0 }, { 1, 0 } };
    static const double few_decades = 0.5;
    bool is_even = !axis->is_log || log10(axis->to / axis->from) < few_decades;
    double decade = pow(10, floor(log10((axis->to - axis->from) / 20)));
    for (unsigned i = 0; i < 12 && axis->to > axis->from; i++) {
        unsigned count = is_even ? even_set(axis, steps[i % 3] * decade * pow(10, i / 3), tick)
                                 : log_set(axis, mantissas[i < 3 ? i : 3], i < 3 ? 1 : i - 2, tick);
        if (has_room(axis, write, tick, count))
            return count;
    }
    return 0;
}

void write_plain(char to[], size_t room, double value)
{
    if (fabs(value) >= 1e3 && fabs(value) < 1e6)
        snprintf(to, room, "%d,%03d", (int)(value / 1000 + 1e-9), (int)fmod(fabs(value) + 1e-6, 1000));
    else
        snprintf(to, room, "%.6g", fabs(value) < 1e-12 ? 0 : value);
}

void write_times(char to[], size_t room, double value)
{
    char plain[32];
    write_plain(plain, sizeof plain, value);
    snprintf(to, room, "%s\u00d7", plain);
}

void write_count(char to[], size_t room, double value)
{
    static const char *const suffix[] = { "", "k", "M", "G", "T" };
    unsigned power = 0;
    while (value >= 999.9999 && power < 4) {
        value /= 1000;
        power++;
    }
    snprintf(to, room, "%.6g%s", value, suffix[power]);
}
