#include "harness/report/plots/drawing.h"

#include <math.h>

double axis_at(const struct axis *axis, double value)
{
    double share = axis->is_log ? log(value / axis->from) / log(axis->to / axis->from)
                                : (value - axis->from) / (axis->to - axis->from);
    return axis->start + share * axis->length;
}

void axis_hold(struct axis *axis, double value)
{
    static const double most = 1e15; /* gnuplot counts with room to spare beyond that, and no machine does */
    if (!(fabs(value) < most) || (axis->is_log && !(value > 1 / most)))
        return;
    axis->from = fmin(axis->from, value); /* the other one where one is NAN */
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

void spread(double at[], unsigned count, double gap, double least, double most)
{
    unsigned order[SPREAD_MAX], used = count < SPREAD_MAX ? count : SPREAD_MAX;
    for (unsigned i = 0; i < used; i++) {
        unsigned place = i;
        for (; place > 0 && at[order[place - 1]] > at[i]; place--)
            order[place] = order[place - 1];
        order[place] = i;
    }
    for (unsigned i = 0; i < used; i++)
        at[order[i]] = fmax(at[order[i]], i > 0 ? at[order[i - 1]] + gap : least);
    for (unsigned i = used; i-- > 0;)
        at[order[i]] = fmin(at[order[i]], i + 1 < used ? at[order[i + 1]] - gap : most);
}

/* Values in [1, 10) of which a decade shows one each. */
static const struct {
    double least; /* decades that the axis is long */
    double mantissa[8];
} densities[] = {
    { 2.4, { 1, 0 } },
    { 1.2, { 1, 3, 0 } },
    { 0.5, { 1, 2, 5, 0 } },
    { 0, { 1, 1.5, 2, 3, 5, 7, 0 } },
};
enum { DENSITIES = sizeof densities / sizeof *densities, TICKS_MIN = 3 };

static void put_tick(struct drawing *drawing, const struct axis *axis, value_writer *write, double value,
                     unsigned *count)
{
    char text[32];
    value += 0; /* of two zeros the one without a sign */
    double slack = axis->is_log ? axis->from * 1e-9 : (axis->to - axis->from) * 1e-9;
    if (value < axis->from - slack || value > axis->to * (1 + 1e-9) + (axis->is_log ? 0 : slack))
        return;
    write(text, sizeof text, value);
    if (axis == &drawing->x && drawing->ticks < TICKS_MAX)
        drawing->tick[drawing->ticks++] = value;
    fprintf(drawing->script, "%s\"%s\" %.9g", (*count)++ > 0 ? ", " : "", drawing_text(drawing, text), value);
}

static void even_ticks(struct drawing *drawing, const struct axis *axis, value_writer *write, unsigned *count)
{
    double rough = (axis->to - axis->from) / 5, decade = pow(10, floor(log10(rough)));
    double step = rough / decade > 5   ? 10 * decade
                  : rough / decade > 2 ? 5 * decade
                  : rough / decade > 1 ? 2 * decade
                                       : decade;
    for (double at = ceil(axis->from / step - 1e-9); at * step <= axis->to + step * 1e-9 && *count < 20; at++)
        put_tick(drawing, axis, write, at * step, count);
}

/* One tick besides 1 shows no scale. */
static unsigned ticks_within(const struct axis *axis, const double mantissa[], double every)
{
    unsigned count = 0;
    for (double at = every * floor(log10(axis->from) / every); at <= log10(axis->to); at += every)
        for (unsigned i = 0; mantissa[i] > 0; i++)
            count += mantissa[i] * pow(10, at) >= axis->from && mantissa[i] * pow(10, at) <= axis->to;
    return count;
}

static void log_ticks(struct drawing *drawing, const struct axis *axis, value_writer *write, unsigned *count)
{
    double decades = log10(axis->to / axis->from);
    double every = fmax(1, ceil(decades / 8));
    unsigned density = 0;
    while (density + 2 < DENSITIES && decades < densities[density].least)
        density++;
    while (density + 1 < DENSITIES && ticks_within(axis, densities[density].mantissa, every) < TICKS_MIN)
        density++;
    const double *mantissa = densities[density].mantissa;
    for (double at = every * floor(log10(axis->from) / every); at <= log10(axis->to); at += every)
        for (unsigned i = 0; mantissa[i] > 0; i++)
            put_tick(drawing, axis, write, mantissa[i] * pow(10, at), count);
}

void drawing_ticks(struct drawing *drawing, char which, value_writer *write)
{
    const struct axis *axis = which == 'x' ? &drawing->x : &drawing->y;
    unsigned count = 0;
    drawing->ticks = which == 'x' ? 0 : drawing->ticks;
    fprintf(drawing->script, "set %ctics (", which);
    if (axis->is_log && log10(axis->to / axis->from) > densities[2].least)
        log_ticks(drawing, axis, write, &count);
    else
        even_ticks(drawing, axis, write, &count);
    fputs(")\n", drawing->script);
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

void write_percent(char to[], size_t room, double value)
{
    snprintf(to, room, "%.6g %%", 100 * value);
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
