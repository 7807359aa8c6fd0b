/* Where a device begins to pay, from any points. The input is numbers of 16 bits, five to a point, after three for the
 * grid. */

#include "harness/analysis/threshold.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS_MAX = 64, GRID_MAX = 100 };

struct numbers {
    const uint8_t *at;
    size_t left;
};

/* Numbers near 1 and far from it, with some that are none. */
static double number(struct numbers *numbers)
{
    static const double special[] = { 0, -1, NAN, INFINITY, -INFINITY, 1, 1e-300, 1e300 };
    uint16_t bits = 0;
    if (numbers->left < sizeof bits)
        return 1;
    memcpy(&bits, numbers->at, sizeof bits);
    numbers->at += sizeof bits;
    numbers->left -= sizeof bits;
    return bits < 8 ? special[bits] : exp((bits - 0x8000) / 2048.0);
}

static unsigned read_points(struct curve_point point[POINTS_MAX], struct numbers *numbers)
{
    unsigned count = 0;
    while (count < POINTS_MAX && numbers->left > 0) {
        struct curve_point *to = &point[count++];
        *to = (struct curve_point){ .size = fabs(round(1000 * number(numbers))) };
        struct estimate *speedup = &to->speedup[MODE_RESIDENT];
        speedup->value = number(numbers);
        speedup->low = speedup->value / number(numbers);
        speedup->high = speedup->value * number(numbers);
        speedup->samples = (unsigned)fmin(20, fmax(0, number(numbers)));
        to->size = fmin(1e15, to->size >= 1 ? to->size : 1);
    }
    qsort(point, count, sizeof *point, stats_compare);
    return count;
}

static void check_threshold(const struct threshold *found)
{
    must(found->outcome <= THRESHOLD_CROSSES && found->crossings <= CROSSINGS_MAX, "crossings fit");
    must((found->outcome == THRESHOLD_CROSSES) == (found->crossings > 0), "what crosses has a crossing");
    for (unsigned i = 0; i < found->crossings; i++) {
        const struct crossing *crossing = &found->crossing[i];
        must(crossing->low <= crossing->high, "a crossing is from a smaller size to a larger one");
        must(i == 0 || (crossing->low >= crossing[-1].high && crossing->is_up != crossing[-1].is_up),
             "crossings go up and down in turn");
    }
    must(isnan(found->first) || found->first <= found->last, "sizes begin before they end");
}

/* A sweep must end: each size is new, until there is none. */
static void check_next(const struct curve *curve, double multiple)
{
    const struct curve_point *point = curve->point;
    double gap, size = threshold_next(curve, MODE_RESIDENT, multiple, &gap);
    must(isnan(size) || (size > point[0].size && size < point[curve->points - 1].size),
         "the next size lies between those that are known");
    must(isnan(size) || size <= multiple || fmod(size, multiple) == 0, "a larger size is a multiple");
    for (unsigned i = 0; i < curve->points; i++)
        must(isnan(size) || size != point[i].size, "the next size is new");
}

static void check_grid(double from, double to, unsigned points, double multiple)
{
    double size[GRID_MAX];
    unsigned sizes = threshold_grid(from, to, points, multiple, size);
    must(sizes > 0 && sizes <= points, "a grid has no more sizes than asked for");
    for (unsigned i = 0; i < sizes; i++)
        must(size[i] >= from && size[i] <= to && (i == 0 || size[i] > size[i - 1]), "a grid goes up in its range");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct numbers numbers = { data, size };
    struct curve_point point[POINTS_MAX];
    struct threshold found;
    double from = fmin(1e12, fmax(1, round(1000 * number(&numbers)))),
           to = fmin(1e15, fmax(from, round(1000 * number(&numbers)))), some = fmin(64, fmax(1, number(&numbers)));
    const struct curve curve = { .point = point, .points = read_points(point, &numbers) };
    threshold_find(&found, &curve, MODE_RESIDENT);
    check_threshold(&found);
    check_next(&curve, 1);
    check_next(&curve, floor(some));
    check_grid(from, to, (unsigned)some + 1, 1);
    return 0;
}
