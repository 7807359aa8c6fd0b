#include "harness/analysis/fleet/outlier.h"

#include "harness/measure/stats.h"

#include <stdlib.h>

static const double normal_quartile = 0.6744897501960817; /* quantile of the normal distribution at 75 % */
static const double false_fleets = 0.05;                  /* share of fleets in which a good value is accused */

/* How many independent values those of devices are worth when those of a node share its effect:
 * count / (1 + (k - 1) r) with k devices a node and r the share of the variance that is between nodes. What is within
 * nodes comes from the differences of neighbours in a node. */
static double independent(const double value[], const unsigned node[], unsigned n, const struct outlier_rule *rule,
                          double difference[])
{
    unsigned differences = 0, nodes = 0, last = n;
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
    double between = rule->spread > 0 && differences > 0 ? fmax(0, 1 - pow(within / rule->spread, 2)) : 1;
    return rule->count / (1 + ((double)rule->count / nodes - 1) * between);
}

struct outlier_rule outlier_rule_of(const double value[], const unsigned node[], unsigned n, double tests,
                                    double scratch[])
{
    unsigned count = 0;
    for (unsigned i = 0; i < n; i++)
        if (isfinite(value[i]))
            scratch[count++] = value[i];
    qsort(scratch, count, sizeof *scratch, stats_compare);
    struct summary summary = stats_summary(scratch, count);
    /* no interpolation: of eight values two may be outliers */
    double upper = count > 0 ? scratch[3 * (count - 1) / 4] - summary.median : NAN;
    struct outlier_rule rule = { count, summary.median, fmax(summary.mad, upper) / normal_quartile, NAN };
    if (count < OUTLIER_LEAST)
        return rule;
    upper = rule.spread * normal_quartile;
    double share = false_fleets / fmax(tests, count);
    double worth = independent(value, node, n, &rule, scratch);
    rule.limit = upper * log2(0.5 / share) * (1 + 8 / worth + 65 / worth / worth);
    return rule;
}
