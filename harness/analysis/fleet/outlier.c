#include "harness/analysis/fleet/outlier.h"

#include "harness/measure/stats.h"

#include <stdlib.h>

static const double normal_quartile = 0.6744897501960817; /* quantile of the normal distribution at 75 % */
static const double false_fleets = 0.05;                  /* share of fleets in which a good value is accused */
static const double least_step = 0.02;                    /* between two groups */

static int by_value(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

/* The finite values in order; NULL when memory is short. To be released. */
static double *sorted(const double value[], unsigned n, unsigned *count)
{
    double *out = malloc((n + 1) * sizeof *out);
    *count = 0;
    for (unsigned i = 0; out && i < n; i++)
        if (isfinite(value[i]))
            out[(*count)++] = value[i];
    if (out)
        qsort(out, *count, sizeof *out, by_value);
    return out;
}

/* The limit by the length of the group's own tail; infinite where two quantiles do not give it. */
static double tail_limit(const double value[], unsigned n, double upper, double share)
{
    const double far = n >= 1000 ? 0.025 : 0.05; /* at least 25 values are beyond */
    const double caution = 0.85;                 /* so that an exponential tail keeps the promise (simulation) */
    double center = stats_quantile(value, n, 0.5), distance = stats_quantile(value, n, 1 - far) - center;
    double power = caution * log(-log(2 * far) / log(2)) / log(distance / upper);
    if (!(power >= 1))
        return INFINITY;
    return distance * pow(log(2 * share) / log(2 * far), 1 / fmin(2, power));
}

/* How many independent values `count` values of devices are worth when those of a node share its effect:
 * count / (1 + (k - 1) r) with k devices a node and r the share of the variance that is between nodes. What is within
 * nodes comes from the differences of neighbours in a node. NAN when memory is short. */
static double independent(const double value[], const unsigned node[], unsigned n, unsigned count, double spread)
{
    double *difference = malloc((n + 1) * sizeof *difference);
    unsigned differences = 0, nodes = 0, last = n;
    if (!difference)
        return NAN;
    for (unsigned i = 0; i < n; i++) {
        if (!isfinite(value[i]))
            continue;
        if (last < n && node[last] == node[i])
            difference[differences++] = fabs(value[i] - value[last]);
        else
            nodes++;
        last = i;
    }
    double within = stats_median(difference, differences) / normal_quartile / sqrt(2);
    double between = spread > 0 && differences > 0 ? fmax(0, 1 - pow(within / spread, 2)) : 1;
    free(difference);
    return count / (1 + ((double)count / nodes - 1) * between);
}

bool outlier_rule_make(struct outlier_rule *out, const double value[], const unsigned node[], unsigned n, double tests)
{
    unsigned count;
    double *good = sorted(value, n, &count);
    *out = (struct outlier_rule){ .center = NAN, .spread = NAN, .limit = NAN };
    if (!good)
        return false;
    struct summary summary = stats_summary(good, count);
    /* no interpolation: of eight values two may be outliers */
    double upper = count > 0 ? good[3 * (count - 1) / 4] - summary.median : NAN;
    *out = (struct outlier_rule){ count, summary.median, fmax(summary.mad, upper) / normal_quartile, NAN };
    if (count >= OUTLIER_LEAST) {
        double share = false_fleets / fmax(tests, count), worth = independent(value, node, n, count, out->spread);
        upper = out->spread * normal_quartile;
        out->limit = upper * log2(0.5 / share) * (1 + 8 / worth + 65 / worth / worth);
        if (worth >= OUTLIER_TAIL && upper > 0)
            out->limit = fmin(out->limit, tail_limit(good, count, upper, share));
    }
    free(good);
    return count < OUTLIER_LEAST || !isnan(out->limit);
}

/* A value and the node of its device. */
struct item {
    double value;
    unsigned node;
};

static int by_item(const void *a, const void *b)
{
    return by_value(&((const struct item *)a)->value, &((const struct item *)b)->value);
}

/* How many of `count` items in order a group needs: a fifth, of OUTLIER_LEAST nodes. `step` is -1 from the last item
 * down. */
static unsigned least_of(const struct item *item, int step, unsigned count)
{
    unsigned seen[OUTLIER_LEAST], nodes = 0, least = 0;
    for (; least < count && nodes < OUTLIER_LEAST; least++, item += step) {
        unsigned i = 0;
        while (i < nodes && seen[i] != item->node)
            i++;
        if (i == nodes)
            seen[nodes++] = item->node;
    }
    return nodes < OUTLIER_LEAST ? count + 1 : least > count / 5 ? least : count / 5;
}

/* Where sorted values are cut into two groups that are clearly apart: at the widest gap that leaves at least `low`
 * values below and `high` above. 0: nowhere. */
static unsigned cut_of(const double value[], unsigned count, unsigned low, unsigned high)
{
    unsigned cut = 0;
    double widest = least_step / 2;
    for (unsigned at = low; at + high <= count; at++)
        if (value[at] - value[at - 1] > widest) {
            widest = value[at] - value[at - 1];
            cut = at;
        }
    struct summary fast = stats_summary(value, cut), slow = stats_summary(value + cut, count - cut);
    double step = slow.median - fast.median;
    return cut > 0 && step > least_step && step > 5 * (fast.mad + slow.mad) && widest > 0.5 * step ? cut : 0;
}

unsigned outlier_levels(unsigned level[], const double value[], const unsigned node[], unsigned n)
{
    unsigned count, items = 0;
    double *good = sorted(value, n, &count);
    struct item *item = malloc((n + 1) * sizeof *item);
    unsigned cut = 0;
    for (unsigned i = 0; item && i < n; i++)
        if (isfinite(value[i]))
            item[items++] = (struct item){ value[i], node[i] };
    if (good && item && count > 0) {
        qsort(item, count, sizeof *item, by_item);
        cut = cut_of(good, count, least_of(item, 1, count), least_of(item + count - 1, -1, count));
    }
    for (unsigned i = 0; i < n; i++)
        level[i] = cut > 0 && value[i] >= good[cut];
    unsigned levels = good && item ? 1 + (cut > 0) : 0;
    free(good);
    free(item);
    return levels;
}
