#include "harness/analysis/threshold.h"

#include <math.h>

/* The smallest relative half width assumed: each point is measured in its own process, whose memory layout matters that
 * much. */
static const double narrowest = 0.01;

/* Gaps with a smaller ratio need no further point: between two sure points that differ, and between a sure one and an
 * unsure one at a crossing. */
static const double close_enough = 1.05, edge_enough = 1.5;

static bool has_interval(const struct estimate *speedup)
{
    return !isnan(speedup->value) && !isnan(speedup->low) && !isnan(speedup->high);
}

enum threshold_side threshold_side(const struct estimate *speedup)
{
    if (!has_interval(speedup))
        return NOT_SURE;
    const double least = narrowest * speedup->value;
    if (fmin(speedup->low, speedup->value - least) > 1)
        return SURELY_FASTER;
    return fmax(speedup->high, speedup->value + least) < 1 ? SURELY_SLOWER : NOT_SURE;
}

static enum threshold_side side_at(const struct curve *curve, enum mode mode, unsigned at)
{
    return threshold_side(&curve->point[at].speedup[mode]);
}

/* The side of a trusted point, NOT_SURE for others. Points without an interval are no neighbours. */
static enum threshold_side trusted_side(const struct curve *curve, enum mode mode, unsigned at)
{
    const enum threshold_side side = side_at(curve, mode, at);
    for (int step = -1; step <= 1; step += 2) {
        unsigned beside = at + (unsigned)step; /* 0 - 1 is beyond any count */
        while (beside < curve->points && !has_interval(&curve->point[beside].speedup[mode]))
            beside += (unsigned)step;
        if (beside < curve->points && side_at(curve, mode, beside) == side)
            return side;
    }
    return NOT_SURE;
}

static void add_crossing(struct threshold *out, double low, double high, bool is_up)
{
    if (out->crossings < CROSSINGS_MAX)
        out->crossing[out->crossings++] = (struct crossing){ low, high, is_up };
}

void threshold_find(struct threshold *out, const struct curve *curve, enum mode mode)
{
    enum threshold_side before = NOT_SURE;
    *out = (struct threshold){ .sure_from = NAN, .sure_to = NAN, .first = NAN, .last = NAN, .lone = NAN };
    for (unsigned i = 0; i < curve->points; i++) {
        const double size = curve->point[i].size;
        const enum threshold_side side = trusted_side(curve, mode, i);
        if (!isnan(curve->point[i].speedup[mode].value)) {
            out->first = fmin(out->first, size); /* ignores a NAN */
            out->last = size;
        }
        if (side == NOT_SURE)
            continue;
        if (before == NOT_SURE)
            out->sure_from = size;
        else if (side != before)
            add_crossing(out, out->sure_to, size, side == SURELY_FASTER);
        out->sure_to = size;
        before = side;
    }
    if (before != NOT_SURE)
        out->outcome = before == SURELY_FASTER ? THRESHOLD_ALWAYS : THRESHOLD_NEVER;
    if (out->crossings > 0)
        out->outcome = THRESHOLD_CROSSES;
    for (unsigned i = 0; i < curve->points && out->crossings == 0; i++)
        if (before * side_at(curve, mode, i) < 0)
            out->lone = curve->point[i].size;
}

/* Rounded to so many digits, and to a multiple if it is larger. */
static double readable(double size, int digits, double multiple)
{
    double unit = pow(10, floor(log10(size)) + 1 - digits);
    double rounded = unit > 1 ? round(size / unit) * unit : round(size);
    return rounded > multiple ? round(rounded / multiple) * multiple : rounded;
}

/* The side of the nearest sure point from `at` in the direction of `step`. */
static enum threshold_side sure_side_from(const struct curve *curve, enum mode mode, unsigned at, int step)
{
    while (at < curve->points && side_at(curve, mode, at) == NOT_SURE)
        at += (unsigned)step; /* 0 - 1 is beyond any count */
    return at < curve->points ? side_at(curve, mode, at) : NOT_SURE;
}

/* The largest ratio of the gap after a point that is not refined; between two unsure points there is nothing to find.
 */
static double enough_after(const struct curve *curve, enum mode mode, unsigned at)
{
    const enum threshold_side one = side_at(curve, mode, at), other = side_at(curve, mode, at + 1);
    if (one == NOT_SURE && other == NOT_SURE)
        return INFINITY;
    return one == NOT_SURE || other == NOT_SURE ? edge_enough : close_enough;
}

double threshold_next(const struct curve *curve, enum mode mode, double multiple, double *gap)
{
    double next = NAN;
    *gap = 1;
    for (unsigned i = 0; i + 1 < curve->points; i++) {
        const double low = curve->point[i].size, high = curve->point[i + 1].size, ratio = high / low,
                     middle = readable(sqrt(low * high), 3, multiple);
        const bool is_crossed =
            sure_side_from(curve, mode, i, -1) * sure_side_from(curve, mode, i + 1, 1) < 0; /* of two sides */
        if (!is_crossed || ratio <= enough_after(curve, mode, i) || ratio <= *gap || middle <= low || middle >= high)
            continue;
        next = middle;
        *gap = ratio;
    }
    return next;
}

/* Digits that keep neighbours of a grid different; at least two. */
static int digits_for(double step)
{
    return step > 1 ? (int)fmax(2, ceil(1 - log10(step - 1))) : 2;
}

unsigned threshold_grid(double from, double to, unsigned points, double multiple, double out[])
{
    unsigned count = 0;
    int digits = digits_for(pow(to / from, 1 / (points - 1.0)));
    for (unsigned i = 0; i < points; i++) {
        double size = i == 0            ? from
                      : i + 1 == points ? to
                                        : readable(from * pow(to / from, i / (points - 1.0)), digits, multiple);
        if (count == 0 || (size > out[count - 1] && size <= to))
            out[count++] = size;
    }
    return count;
}
