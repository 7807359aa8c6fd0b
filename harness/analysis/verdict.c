#include "harness/analysis/verdict.h"

#include <math.h>

double verdict_round(double value, int decimals)
{
    double scale = pow(10, decimals);
    return round(value * scale) / scale;
}

int verdict_side_of_one(double value, int decimals)
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
    if (verdict_side_of_one(speedup->low, VERDICT_DECIMALS) > 0)
        return VERDICT_FASTER;
    return verdict_side_of_one(speedup->high, VERDICT_DECIMALS) < 0 ? VERDICT_SLOWER : VERDICT_UNCLEAR;
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
