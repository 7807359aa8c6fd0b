#ifndef HARNESS_ANALYSIS_FLEET_OUTLIER_H
#define HARNESS_ANALYSIS_FLEET_OUTLIER_H

/* Which values of a group are surely too high, where most are good and nobody knows the right value: order statistics
 * of the group alone. Values are logarithms of times. NAN values are left out everywhere.
 *
 * The spread is the larger of two, both scaled to the standard deviation of a normal distribution: the median absolute
 * deviation (MAD), and the median distance of the upper half from the median, which a skewed group needs.
 *
 * The limit allows for a tail as long as that of an exponential distribution: beyond the median a share
 * 2^(-x / u) / 2 of good values is above x, with u the median distance of the upper half. Few values know their spread
 * badly; the limit then grows by the share 8 / n + 65 / n^2, which simulation gave (normal, gamma and exponential
 * groups, 5 to 5,000 values). */

enum { OUTLIER_LEAST = 5 };

struct outlier_rule {
    unsigned count; /* values used */
    double center;  /* their median */
    double spread;  /* robust standard deviation */
    double limit;   /* how far above the center a value is surely too high; NAN for fewer than OUTLIER_LEAST */
};

/* `node` has the node of each value's device; values of a node are adjacent. Devices of a node may share its effect, so
 * they count as fewer values in n above, the fewer the more alike they are. `tests` values are looked at in all: at
 * most one set of that many in twenty has a good value above its limit. `scratch` has room for n values. */
struct outlier_rule outlier_rule_of(const double value[], const unsigned node[], unsigned n, double tests,
                                    double scratch[]);

#endif
