#include "harness/analysis/speedup.h"

#include <math.h>
#include <stdio.h>

/* A smaller difference from 1 counts as none, here and in all figures shown. */
enum { DECIMALS_MAX = 6 };

static double rounded(double value, int decimals)
{
    double scale = pow(10, decimals);
    return round(value * scale) / scale;
}

/* -1 below 1, 0 at it, 1 above. */
static int side_of_one(double value, int decimals)
{
    double shown = rounded(value, decimals);
    return (shown > 1) - (shown < 1);
}

enum side speedup_side(const struct estimate *speedup)
{
    if (isnan(speedup->value))
        return SIDE_MISSING;
    if (isnan(speedup->low) || isnan(speedup->high))
        return SIDE_UNCERTAIN;
    if (side_of_one(speedup->high, DECIMALS_MAX) < 0)
        return SIDE_SLOWER;
    return side_of_one(speedup->low, DECIMALS_MAX) > 0 ? SIDE_FASTER : SIDE_EVEN;
}

const char *const verdict_words[VERDICT_COUNT] = {
    [VERDICT_NONE] = "not compared", [VERDICT_UNCLEAR] = "unclear", [VERDICT_SLOWER] = "slower",
    [VERDICT_EQUAL] = "about equal", [VERDICT_FASTER] = "faster",
};
const char *const verdict_symbols[VERDICT_COUNT] = {
    [VERDICT_NONE] = "", [VERDICT_UNCLEAR] = "?", [VERDICT_SLOWER] = "v", [VERDICT_EQUAL] = "=", [VERDICT_FASTER] = "^",
};

enum verdict speedup_verdict(const struct estimate *speedup)
{
    static const double least_equal = 0.95, most_equal = 1.05;
    enum side side = speedup_side(speedup);
    if (side == SIDE_MISSING || side == SIDE_UNCERTAIN)
        return side == SIDE_MISSING ? VERDICT_NONE : VERDICT_UNCLEAR;
    if (speedup->low >= least_equal && speedup->high <= most_equal)
        return VERDICT_EQUAL;
    return side == SIDE_FASTER ? VERDICT_FASTER : side == SIDE_SLOWER ? VERDICT_SLOWER : VERDICT_UNCLEAR;
}

static int exponent(double value)
{
    return value > 0 && isfinite(value) ? (int)floor(log10(value)) : 0;
}

static int at_least(int least, int value)
{
    return value > least ? value : least;
}

static bool keeps_side(double value, int decimals)
{
    return isnan(value) || side_of_one(value, decimals) == side_of_one(value, DECIMALS_MAX);
}

/* Two significant digits, also if rounding carries: 0.997 is 1.0. */
static int decimals_unknown(double value)
{
    int decimals = 1 - exponent(value);
    if (decimals > DECIMALS_MAX)
        return DECIMALS_MAX;
    return decimals < 1 ? 0 : decimals - (exponent(rounded(value, decimals)) > exponent(value));
}

/* The last digit shown is the first uncertain one, within two or three significant digits; two without an interval. */
static int decimals_for(const struct estimate *speedup)
{
    if (isnan(speedup->low) || isnan(speedup->high))
        return decimals_unknown(speedup->value);
    double half = (speedup->high - speedup->low) / 2 * (1 + 1e-9); /* 0.41 - 0.39 falls just short of 0.02 */
    int leading = exponent(speedup->value);
    int decimals = half > 0 ? -exponent(half) : 2 - leading;
    decimals = decimals > 2 - leading ? 2 - leading : at_least(1 - leading, decimals);
    decimals = at_least(0, decimals > DECIMALS_MAX ? DECIMALS_MAX : decimals);
    while (decimals < DECIMALS_MAX && !(keeps_side(speedup->value, decimals) && keeps_side(speedup->low, decimals) &&
                                        keeps_side(speedup->high, decimals)))
        decimals++;
    return decimals;
}

static void write_number(char to[TEXT_NUMBER], double value, int decimals)
{
    if (fabs(value) < 1e12)
        snprintf(to, TEXT_NUMBER, "%.*f", decimals, rounded(value, decimals));
    else
        text_figure(to, value, NAN);
}

void speedup_write(struct speedup_text *out, const struct estimate *speedup)
{
    char low[TEXT_NUMBER], high[TEXT_NUMBER];
    int decimals = decimals_for(speedup);
    out->interval[0] = '\0';
    write_number(out->value, speedup->value, decimals);
    if (speedup_side(speedup) < SIDE_SLOWER)
        return;
    write_number(low, speedup->low, decimals);
    write_number(high, speedup->high, decimals);
    snprintf(out->interval, sizeof out->interval, "[%s, %s]", low, high);
}
