#include "harness/analysis/breakeven.h"

#include "harness/analysis/verdict.h"

#include <math.h>

const char *const breakeven_outcomes[BREAKEVEN_COUNT] = { "none", "known", "never", "unclear" };

/* The smallest whole number of uses above what the speed-ups make equal, at least `least`. */
static double first_use(double resident, double copied, double first, double least)
{
    return fmax(least, floor(1 + first * (1 / copied - 1) / (1 - 1 / resident)) + 1);
}

struct breakeven breakeven_solve(const struct estimate *resident, const struct estimate *copied, double first)
{
    const enum verdict stays = verdict_of(resident), moves = verdict_of(copied);
    const struct breakeven unclear = { BREAKEVEN_UNCLEAR, NAN, NAN, NAN };
    const double least = moves == VERDICT_UNCLEAR ? 1 : 2;
    if (stays == VERDICT_NONE || moves == VERDICT_NONE)
        return (struct breakeven){ BREAKEVEN_NONE, NAN, NAN, NAN };
    if (!verdict_is_judged(stays) || !verdict_is_judged(moves))
        return unclear;
    if (resident->high <= 1 && copied->high <= 1)
        return (struct breakeven){ BREAKEVEN_NEVER, NAN, NAN, NAN };
    if (stays != VERDICT_FASTER)
        return unclear;
    if (moves == VERDICT_FASTER)
        return (struct breakeven){ BREAKEVEN_KNOWN, 1, 1, 1 };
    if (!isfinite(first) || first <= 0)
        return unclear;
    return (struct breakeven){
        .outcome = BREAKEVEN_KNOWN,
        .uses = first_use(resident->value, copied->value, first, least),
        .low = first_use(resident->high, copied->high, first, least),
        .high = first_use(resident->low, copied->low, first, least),
    };
}
