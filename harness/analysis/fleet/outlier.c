#include "harness/analysis/fleet/outlier.h"

#include "harness/measure/stats.h"

#include <stdlib.h>
#include <string.h>

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

bool outlier_rule_make(struct outlier_rule *out, const double value[], unsigned n, double tests)
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
        double share = false_fleets / fmax(tests, count);
        upper = out->spread * normal_quartile;
        out->limit = upper * log2(0.5 / share) * (1 + 8.0 / count + 65.0 / count / count);
        if (count >= OUTLIER_TAIL && upper > 0)
            out->limit = fmin(out->limit, tail_limit(good, count, upper, share));
    }
    free(good);
    return true;
}

/* Cuts one of the groups of sorted values at the widest gap that leaves enough values on both sides. `end` has where
 * each group ends. False: there is no such gap. */
static bool cut_widest(const double value[], unsigned end[], unsigned groups)
{
    unsigned count = end[groups - 1], least = count / 5 > OUTLIER_LEAST ? count / 5 : OUTLIER_LEAST, best = 0, cut = 0;
    double widest = least_step / 2;
    for (unsigned group = 0, first = 0; group < groups; first = end[group++])
        for (unsigned at = first + least; at + least <= end[group]; at++)
            if (value[at] - value[at - 1] > widest) {
                widest = value[at] - value[at - 1];
                best = group;
                cut = at;
            }
    for (unsigned i = groups; i > best && cut > 0; i--)
        end[i] = end[i - 1];
    if (cut > 0)
        end[best] = cut;
    return cut > 0;
}

/* Whether each group is clearly apart from the next. */
static bool are_apart(const double value[], const unsigned end[], unsigned groups)
{
    bool apart = true;
    for (unsigned i = 0; i + 1 < groups; i++) {
        unsigned first = i > 0 ? end[i - 1] : 0;
        struct summary low = stats_summary(value + first, end[i] - first),
                       high = stats_summary(value + end[i], end[i + 1] - end[i]);
        double step = high.median - low.median;
        apart = apart && step > least_step && step > 5 * (low.mad + high.mad) &&
                value[end[i]] - value[end[i] - 1] > 0.5 * step;
    }
    return apart;
}

unsigned outlier_modes(unsigned mode[], const double value[], unsigned n)
{
    unsigned count, modes = 1, groups = 1, end[MODES_MAX], apart[MODES_MAX];
    double *good = sorted(value, n, &count);
    if (!good)
        return 0;
    end[0] = apart[0] = count;
    while (groups < MODES_MAX && cut_widest(good, end, groups))
        if (are_apart(good, end, ++groups)) {
            modes = groups;
            memcpy(apart, end, sizeof apart);
        }
    for (unsigned i = 0; i < n; i++) {
        mode[i] = 0;
        while (mode[i] + 1 < modes && value[i] >= good[apart[mode[i]]])
            mode[i]++;
    }
    free(good);
    return modes;
}
