#include "harness/measure/variance_pooling.h"

#include "harness/measure/stats.h"

#include <math.h>
#include <stdlib.h>

/* The least variance assumed: the layout of code and stack alone changes times by a thousandth (Mytkowicz et al.,
 * Producing Wrong Data Without Doing Anything Obviously Wrong, 2009). */
static const double variance_least = 0.002 * 0.002;

/* The pooled variance has at most the freedom of a third of the cells, and of ten: few cells show little of how alike
 * all are, and many cells share the hours of their runs. */
enum { COMMON_PART = 3, COMMON_MOST = 10 };

static const double normal_10 = 1.281551565544600; /* quantile of the normal distribution at 90 % */
static const double normal_1 = 2.326347874040841;  /* at 99 % */

/* Quantile of log(s^2 / sigma^2), s^2 being the variance of normal values and `at` its place in a normal distribution,
 * by the cube root that makes a chi-squared variable nearly normal (Wilson and Hilferty 1931). */
static double log_variance_at(double at, double freedom)
{
    double ninth = 2 / (9 * freedom);
    return 3 * log(fmax(1 - ninth + at * sqrt(ninth), 0.01));
}

/* First and second derivative of digamma, for x > 0: by recurrence up to where the asymptotic series (Abramowitz and
 * Stegun 6.4.12, 6.4.13) are exact to twelve digits. */
static double trigamma(double x)
{
    double sum = 0;
    for (; x < 12; x++)
        sum += 1 / (x * x);
    double f = 1 / (x * x);
    return sum + 1 / x + f / 2 + f / x * (1 / 6.0 - f * (1 / 30.0 - f * (1 / 42.0 - f / 30)));
}

static double tetragamma(double x)
{
    double sum = 0;
    for (; x < 12; x++)
        sum -= 2 / (x * x * x);
    double f = 1 / (x * x);
    return sum - f * (1 + 1 / x + f * (0.5 - f * (1 / 6.0 - f * (1 / 6.0 - f * 0.3))));
}

/* The x at which trigamma is y, by Newton's method on 1 / trigamma, which is convex and nearly straight (Smyth 2004,
 * appendix). */
static double trigamma_inverse(double y)
{
    double x = 0.5 + 1 / y;
    for (unsigned i = 0; i < 50; i++) {
        double at = trigamma(x), step = at * (1 - at / y) / tetragamma(x);
        x += step;
        if (fabs(step) < 1e-10 * x)
            break;
    }
    return x;
}

/* The pooled variance, and its freedom, which follows from how far the variances differ beyond chance. From their
 * median and lower tail only: disturbed cells are in the upper tail (same purpose as Phipson et al. 2016).
 * `log_variance` has the expected deviation by chance subtracted. */
static struct variance common_of(const double log_variance[], unsigned known, double freedom)
{
    double middle = stats_median(log_variance, known), low = stats_quantile(log_variance, known, 0.1);
    double chance = log_variance_at(0, freedom) - log_variance_at(-normal_10, freedom);
    double beyond = ((middle - low) * (middle - low) - chance * chance) / (normal_10 * normal_10);
    double worth = beyond > 0 ? 2 * trigamma_inverse(beyond) : INFINITY;
    double chief = middle + log_variance_at(0, worth); /* of variances that differ the median is above it */
    return (struct variance){ exp(chief), fmin(worth, fmin(known / (double)COMMON_PART, COMMON_MOST) * freedom) };
}

/* A variance farther from the pooled one than chance allows in one of a hundred, in either direction, is kept:
 * otherwise a disturbed cell would seem too steady, and a shift of a steady one would be lost. */
static void mix(struct variance *cell, struct variance common)
{
    double own = fmax(cell->variance, variance_least), apart = log(own / common.variance);
    if (!(cell->freedom > 0)) {
        *cell = common;
    } else if (apart > log_variance_at(normal_1, cell->freedom) || apart < log_variance_at(-normal_1, cell->freedom)) {
        cell->variance = own;
    } else {
        double freedom = cell->freedom + common.freedom;
        cell->variance = (common.freedom * common.variance + cell->freedom * own) / freedom;
        cell->freedom = freedom;
    }
}

/* For too few cells to know how alike they are. */
static void mix_few(struct variance *cell, struct variance all, struct variance usual)
{
    if (!(cell->freedom > 0)) {
        *cell = all;
        return;
    }
    mix(cell, usual);
    cell->variance = fmax(cell->variance, all.variance);
}

bool variance_pool(struct variance cell[], unsigned cells, struct variance usual)
{
    double *log_variance = malloc((cells + 1) * sizeof *log_variance), sum = 0, freedom = 0;
    unsigned known = 0;
    for (unsigned i = 0; log_variance && i < cells; i++) {
        if (!(cell[i].freedom > 0))
            continue;
        log_variance[known++] = log(fmax(cell[i].variance, variance_least)) - log_variance_at(0, cell[i].freedom);
        sum += cell[i].freedom * cell[i].variance;
        freedom += cell[i].freedom;
    }
    struct variance common = { fmax(sum / freedom, variance_least), freedom / known };
    if (known >= POOL_CELLS_MIN)
        common = common_of(log_variance, known, freedom / known);
    else if (known < 2) /* nothing shows that this machine is a usual one */
        usual.freedom = 0;
    for (unsigned i = 0; known > 0 && i < cells; i++) {
        if (known >= POOL_CELLS_MIN)
            mix(&cell[i], common);
        else
            mix_few(&cell[i], common, usual);
    }
    bool is_complete = log_variance != NULL;
    free(log_variance);
    return is_complete;
}

/* The continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8), by the method of Lentz. */
static double beta_fraction(double x, double a, double b)
{
    double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), value = d;
    for (unsigned m = 1; m < 500; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / (1 + even * d);
        c = 1 + even / c;
        value *= c * d;
        d = 1 / (1 + odd * d);
        c = 1 + odd / c;
        value *= c * d;
        if (fabs(c * d - 1) < 1e-14)
            break;
    }
    return value;
}

/* The regularised incomplete beta function. */
static double beta_share(double x, double a, double b)
{
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(x, a, b) / a;
    return 1 - front * beta_fraction(1 - x, b, a) / b;
}

double student_beyond(double t, double freedom)
{
    if (freedom > 1e6)
        return erfc(t / sqrt(2));
    return beta_share(freedom / (freedom + t * t), freedom / 2, 0.5);
}

double student_quantile(double confidence, double freedom)
{
    if (!(confidence > 0 && confidence < 1 && freedom > 0))
        return NAN;
    double low = 0, high = 1;
    while (student_beyond(high, freedom) > 1 - confidence && high < 1e9)
        high *= 2;
    for (unsigned i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (student_beyond(middle, freedom) > 1 - confidence)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}
