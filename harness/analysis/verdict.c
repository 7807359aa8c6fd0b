#include "harness/analysis/verdict.h"

#include "harness/base/text.h"

#include <math.h>

static double verdict_round(double value, int decimals)
{
    double scale = pow(10, decimals);
    return round(value * scale) / scale;
}

/* -1 below 1, 0 at it, 1 above, of a figure rounded to so many decimals. */
static int side_of_one(double value, int decimals)
{
    double shown = verdict_round(value, decimals);
    return (shown > 1) - (shown < 1);
}

const char *const verdict_words[VERDICT_COUNT] = {
    [VERDICT_NONE] = "not compared", [VERDICT_UNJUDGED] = "not judged", [VERDICT_UNCLEAR] = "unclear",
    [VERDICT_SLOWER] = "slower",     [VERDICT_EQUAL] = "equal",         [VERDICT_FASTER] = "faster",
};

enum verdict verdict_of(const struct estimate *speedup)
{
    if (isnan(speedup->value))
        return VERDICT_NONE;
    if (isnan(speedup->low) || isnan(speedup->high))
        return VERDICT_UNJUDGED;
    if (speedup->low >= VERDICT_EQUAL_FROM && speedup->high <= VERDICT_EQUAL_TO)
        return VERDICT_EQUAL;
    if (side_of_one(speedup->low, VERDICT_DECIMALS) > 0)
        return VERDICT_FASTER;
    return side_of_one(speedup->high, VERDICT_DECIMALS) < 0 ? VERDICT_SLOWER : VERDICT_UNCLEAR;
}

bool verdict_is_judged(enum verdict verdict)
{
    return verdict > VERDICT_UNJUDGED;
}

struct estimate verdict_withhold(const struct estimate *speedup)
{
    struct estimate withheld = *speedup;
    withheld.low = withheld.high = NAN;
    return withheld;
}

static int exponent(double value)
{
    return value > 0 && isfinite(value) ? (int)floor(log10(value)) : 0;
}

/* The decimals of so many significant digits, also if rounding carries: of two, 0.997 is 1.0. */
static int decimals_of(double value, int digits)
{
    int decimals = digits - 1 - exponent(value);
    decimals -= exponent(verdict_round(value, decimals)) > exponent(value);
    return decimals > VERDICT_DECIMALS ? VERDICT_DECIMALS : decimals < 0 ? 0 : decimals;
}

static const char *number_text(struct pool *pool, double value, int decimals)
{
    return fabs(value) < 1e12 && !(value < 1e-5) ? pool_print(pool, "%.*f", decimals, verdict_round(value, decimals))
                                                 : pool_copy(pool, text_figure(value).text);
}

/* Whether the figures still say, with so many decimals, what they say in full. */
static bool agrees(const struct estimate *speedup, int decimals)
{
    const struct estimate shown = { .value = verdict_round(speedup->value, decimals),
                                    .low = verdict_round(speedup->low, decimals),
                                    .high = verdict_round(speedup->high, decimals) };
    return verdict_of(&shown) == verdict_of(speedup);
}

static int speedup_decimals(const struct estimate *speedup)
{
    int decimals = speedup->value < 0.1 ? decimals_of(speedup->value, 2)
                   : speedup->value < 1 ? 2
                                        : decimals_of(speedup->value, 3);
    while (decimals < VERDICT_DECIMALS && !agrees(speedup, decimals))
        decimals++;
    return decimals;
}

const char *speedup_value(struct pool *pool, const struct estimate *speedup)
{
    return number_text(pool, speedup->value, speedup_decimals(speedup));
}

const char *speedup_interval(struct pool *pool, const struct estimate *speedup)
{
    const int decimals = speedup_decimals(speedup);
    return !verdict_is_judged(verdict_of(speedup))
               ? ""
               : pool_print(pool, "(%s - %s)", number_text(pool, speedup->low, decimals),
                            number_text(pool, speedup->high, decimals));
}

const char *speedup_ratio(struct pool *pool, double ratio)
{
    int decimals = decimals_of(ratio, ratio > 1 && ratio < 1.1 ? 3 : 2);
    while (decimals < VERDICT_DECIMALS && side_of_one(ratio, decimals) != side_of_one(ratio, VERDICT_DECIMALS))
        decimals++;
    return number_text(pool, ratio, decimals);
}
