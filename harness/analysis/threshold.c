#include "harness/analysis/threshold.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

enum threshold_side threshold_side(const struct threshold_point *point)
{
    const struct estimate *speedup = &point->speedup;
    if (!has_interval(speedup))
        return NOT_SURE;
    const double least = narrowest * speedup->value;
    if (fmin(speedup->low, speedup->value - least) > 1)
        return SURELY_FASTER;
    return fmax(speedup->high, speedup->value + least) < 1 ? SURELY_SLOWER : NOT_SURE;
}

/* The points sorted by size, with or without those that have no interval; NULL when memory is short. */
static struct threshold_point *sorted_points(const struct threshold_point point[], unsigned *count, bool with_unknown)
{
    struct threshold_point *sorted = malloc((*count + 1) * sizeof *sorted);
    unsigned kept = 0;
    for (unsigned i = 0; sorted && i < *count; i++)
        if (with_unknown || has_interval(&point[i].speedup))
            sorted[kept++] = point[i];
    if (sorted)
        qsort(sorted, kept, sizeof *sorted, stats_compare);
    *count = kept;
    return sorted;
}

/* The side of a trusted point, NOT_SURE for others. */
static enum threshold_side trusted_side(const struct threshold_point sorted[], unsigned count, unsigned at)
{
    const enum threshold_side side = threshold_side(&sorted[at]);
    const bool is_alike = (at > 0 && threshold_side(&sorted[at - 1]) == side) ||
                          (at + 1 < count && threshold_side(&sorted[at + 1]) == side);
    return is_alike ? side : NOT_SURE;
}

static void add_crossing(struct threshold *out, double low, double high, bool is_up)
{
    if (out->crossings < CROSSINGS_MAX)
        out->crossing[out->crossings++] = (struct crossing){ low, high, is_up };
}

bool threshold_find(struct threshold *out, const struct threshold_point point[], unsigned count)
{
    *out = (struct threshold){ .sure_from = NAN, .sure_to = NAN, .first = NAN, .last = NAN, .lone = NAN };
    for (unsigned i = 0; i < count; i++)
        if (!isnan(point[i].speedup.value)) { /* fmin ignores a NAN */
            out->first = fmin(out->first, point[i].size);
            out->last = fmax(out->last, point[i].size);
        }
    struct threshold_point *sorted = sorted_points(point, &count, false);
    enum threshold_side before = NOT_SURE;
    if (!sorted)
        return false;
    for (unsigned i = 0; i < count; i++) {
        enum threshold_side side = trusted_side(sorted, count, i);
        if (side == NOT_SURE)
            continue;
        if (before == NOT_SURE)
            out->sure_from = sorted[i].size;
        else if (side != before)
            add_crossing(out, out->sure_to, sorted[i].size, side == SURELY_FASTER);
        out->sure_to = sorted[i].size;
        before = side;
    }
    if (before != NOT_SURE)
        out->outcome = before == SURELY_FASTER ? THRESHOLD_ALWAYS : THRESHOLD_NEVER;
    if (out->crossings > 0)
        out->outcome = THRESHOLD_CROSSES;
    for (unsigned i = 0; i < count && out->crossings == 0; i++)
        if (before * threshold_side(&sorted[i]) < 0)
            out->lone = sorted[i].size;
    free(sorted);
    return true;
}

/* Rounded to so many digits, and to a multiple if it is larger. */
static double readable(double size, int digits, double multiple)
{
    double unit = pow(10, floor(log10(size)) + 1 - digits);
    double rounded = unit > 1 ? round(size / unit) * unit : round(size);
    return rounded > multiple ? round(rounded / multiple) * multiple : rounded;
}

/* The nearest sure point from `at` in the direction of `step`; `count` or more: none. */
static unsigned sure_from(const struct threshold_point sorted[], unsigned count, unsigned at, int step)
{
    while (at < count && threshold_side(&sorted[at]) == NOT_SURE)
        at += (unsigned)step; /* 0 - 1 is beyond any count */
    return at;
}

/* Whether the nearest sure points on both sides of the gap after a point differ. */
static bool is_crossed(const struct threshold_point sorted[], unsigned count, unsigned at)
{
    unsigned before = sure_from(sorted, count, at, -1), after = sure_from(sorted, count, at + 1, 1);
    if (before >= count || after >= count)
        return false;
    return threshold_side(&sorted[before]) != threshold_side(&sorted[after]);
}

/* The largest ratio of a gap's ends that is not refined; between two unsure points there is nothing to find. */
static double enough_for(const struct threshold_point *low, const struct threshold_point *high)
{
    enum threshold_side one = threshold_side(low), other = threshold_side(high);
    if (one == NOT_SURE && other == NOT_SURE)
        return INFINITY;
    return one == NOT_SURE || other == NOT_SURE ? edge_enough : close_enough;
}

double threshold_next(const struct threshold_point point[], unsigned count, double multiple, double *gap)
{
    struct threshold_point *sorted = sorted_points(point, &count, true);
    double next = NAN;
    *gap = 1;
    for (unsigned i = 0; sorted && i + 1 < count; i++) {
        double low = sorted[i].size, high = sorted[i + 1].size, middle = readable(sqrt(low * high), 3, multiple);
        double ratio = high / low;
        bool is_wide = ratio > enough_for(&sorted[i], &sorted[i + 1]) && ratio > *gap;
        if (!is_wide || middle <= low || middle >= high || !is_crossed(sorted, count, i))
            continue;
        next = middle;
        *gap = ratio;
    }
    free(sorted);
    return next;
}

/* Digits that keep neighbours of a grid different; at least two. */
static int digits_for(double step)
{
    return step > 1 ? (int)fmin(6, fmax(2, ceil(1 - log10(step - 1)))) : 2;
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
