#include "harness/analysis/speedup.h"

#include <math.h>
#include <stdio.h>

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

static int decimals_for(const struct estimate *speedup, double half)
{
    const int of_value = decimals_of(speedup->value, isnan(half) ? 2 : 3);
    const int of_half = half > 0 ? decimals_of(half, 2) : of_value;
    return of_half < of_value ? of_half : of_value;
}

static void write_number(char to[TEXT_NUMBER], double value, int decimals)
{
    if (fabs(value) < 1e12)
        snprintf(to, TEXT_NUMBER, "%.*f", decimals, verdict_round(value, decimals));
    else
        text_figure(to, value, NAN);
}

/* With more decimals where rounding would move a figure that decides the verdict onto 1. */
static void write_beside_one(char to[TEXT_NUMBER], double value, int decimals, bool decides)
{
    while (decides && decimals < VERDICT_DECIMALS &&
           verdict_side_of_one(value, decimals) != verdict_side_of_one(value, VERDICT_DECIMALS))
        decimals++;
    write_number(to, value, decimals);
}

/* Around the figure that is shown, and rounded up, so that it covers the interval. */
static double doubt_of(const struct estimate *speedup, int decimals)
{
    const double step = pow(10, -decimals), shown = verdict_round(speedup->value, decimals);
    return fabs(ceil(fmax(speedup->high - shown, shown - speedup->low) / step - 1e-6)) * step;
}

static bool contradicts(enum verdict verdict, double low, double high)
{
    return verdict == VERDICT_EQUAL ? low < VERDICT_EQUAL_FROM - 1e-9 || high > VERDICT_EQUAL_TO + 1e-9
                                    : verdict != VERDICT_UNCLEAR && low < 1 + 1e-9 && high > 1 - 1e-9;
}

void speedup_write(struct speedup_text *out, const struct estimate *speedup)
{
    const enum verdict verdict = verdict_of(speedup);
    const bool is_known = verdict_side(speedup) >= SIDE_SLOWER,
               decides = is_known && verdict > VERDICT_UNCLEAR && verdict != VERDICT_EQUAL;
    const double half = is_known ? fmax(speedup->high - speedup->value, speedup->value - speedup->low) : NAN;
    const int decimals = decimals_for(speedup, half);
    char low[TEXT_NUMBER], high[TEXT_NUMBER], doubt[TEXT_NUMBER];
    out->interval[0] = '\0';
    write_beside_one(out->value, speedup->value, decimals, decides);
    snprintf(out->brief, sizeof out->brief, verdict == VERDICT_NONE ? "%s" : "%s+-?", out->value);
    snprintf(out->words, sizeof out->words, "%s", out->value);
    if (!is_known)
        return;
    write_beside_one(low, speedup->low, decimals, decides);
    write_beside_one(high, speedup->high, decimals, decides);
    snprintf(out->interval, sizeof out->interval, "[%s, %s]", low, high);
    snprintf(out->words, sizeof out->words, "%s (%s - %s)", out->value, low, high);
    const double around = doubt_of(speedup, decimals), shown = verdict_round(speedup->value, decimals);
    write_number(doubt, around, decimals);
    if (around > shown / 2 || contradicts(verdict, shown - around, shown + around))
        snprintf(out->brief, sizeof out->brief, "%s..%s", low, high);
    else
        snprintf(out->brief, sizeof out->brief, "%s+-%s", out->value, doubt + (*doubt == '0' && doubt[1] == '.'));
}

void speedup_write_ratio(char to[TEXT_NUMBER], double ratio)
{
    const double three =
        verdict_round(ratio, decimals_of(ratio, 3)); /* so that it agrees with tables of three digits */
    bool is_near = ratio > VERDICT_EQUAL_FROM && ratio < 1.1;
    write_beside_one(to, is_near ? ratio : verdict_round(three, decimals_of(ratio, 2)),
                     decimals_of(ratio, is_near ? 3 : 2), true);
}
