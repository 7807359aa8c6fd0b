#include "harness/analysis/breakeven.h"

#include "harness/analysis/figures.h"

#include <math.h>

const char *const breakeven_outcomes[] = { "none", "known", "until", "never", "unknown", "contradicted" };

/* Quantities with their intervals; the value is that of the medians. */
static struct estimate sum(struct estimate a, struct estimate b)
{
    return (struct estimate){ .value = a.value + b.value, .low = a.low + b.low, .high = a.high + b.high };
}

static struct estimate difference(struct estimate a, struct estimate b)
{
    return (struct estimate){ .value = a.value - b.value, .low = a.low - b.high, .high = a.high - b.low };
}

/* The product of two quantities that are never negative. */
static struct estimate product(struct estimate a, struct estimate b)
{
    return (struct estimate){ .value = a.value * b.value, .low = a.low * b.low, .high = a.high * b.high };
}

/* The smallest whole number of uses whose savings exceed the cost. */
static double first_use(double cost, double saving)
{
    return fmax(1, floor(cost / saving) + 1);
}

/* The largest number of uses whose losses do not exceed what is saved before the first. */
static double last_use(double cost, double saving)
{
    double exact = cost / saving;
    return fmax(0, ceil(exact) - 1);
}

/* If each use loses time, the first is the best one: it pays only while N saving > cost < 0. */
static struct breakeven of_loss(struct estimate cost, struct estimate saving)
{
    struct breakeven out = { BREAKEVEN_UNKNOWN, NAN, NAN, NAN };
    bool may_pay = saving.high > cost.low, surely_pays = saving.low > cost.high;
    if (!may_pay)
        out.outcome = BREAKEVEN_NEVER;
    else if (surely_pays)
        out = (struct breakeven){
            .outcome = BREAKEVEN_UNTIL,
            .uses = last_use(cost.value, saving.value),
            .low = last_use(cost.high, saving.low),
            .high = last_use(cost.low, saving.high),
        };
    return out;
}

static struct breakeven solve(struct estimate cost, struct estimate saving)
{
    struct breakeven out = { BREAKEVEN_UNKNOWN, NAN, NAN, NAN };
    if (saving.high < 0 || (saving.high == 0 && cost.low >= 0))
        return of_loss(cost, saving);
    if (saving.high > 0)
        out.low = first_use(cost.low, saving.high);
    if (!(saving.low > 0)) {
        out.high = INFINITY;
        return out;
    }
    out.outcome = BREAKEVEN_KNOWN;
    out.uses = first_use(cost.value, saving.value);
    out.high = first_use(cost.high, saving.low);
    return out;
}

static bool is_whole(struct estimate range)
{
    return !isnan(range.low) && !isnan(range.high);
}

/* A ratio of times is never negative, even if its interval is unknown: for a device that is surely slower it does not
 * matter how long transfers take. */
static struct estimate at_least_nothing(struct estimate ratio)
{
    return is_whole(ratio) ? ratio : (struct estimate){ .value = ratio.value, .low = 0, .high = INFINITY };
}

/* Without intervals only "never" is certain. Otherwise the medians are used. */
static struct breakeven by_medians(struct estimate cost, struct estimate saving, bool is_lost)
{
    struct breakeven out = { is_lost ? BREAKEVEN_NEVER : BREAKEVEN_UNKNOWN, NAN, NAN, NAN };
    if (!is_lost && saving.value > 0)
        out.uses = first_use(cost.value, saving.value);
    return out;
}

/* Costs and savings are in units of the device's runs. */
struct breakeven breakeven_solve(const struct breakeven_parts *parts, enum fetch fetch)
{
    static const struct estimate one = { .value = 1, .low = 1, .high = 1 };
    enum { SPEEDUP, UPLOAD, DOWNLOAD, REPACK, BASELINE_REPACK, PARTS };
    struct estimate part[PARTS] = { parts->speedup, parts->upload, parts->download, parts->repack,
                                    parts->baseline_repack };
    bool all_known = true;
    for (unsigned i = 0; i < PARTS; i++)
        all_known &= is_whole(part[i]);
    for (unsigned i = UPLOAD; i < PARTS; i++)
        part[i] = at_least_nothing(part[i]);
    struct estimate saving = difference(part[SPEEDUP], one);
    struct estimate cost = difference(sum(part[UPLOAD], part[REPACK]), product(part[BASELINE_REPACK], part[SPEEDUP]));
    if (fetch == FETCH_ONCE)
        cost = sum(cost, part[DOWNLOAD]);
    else
        saving = difference(saving, part[DOWNLOAD]);
    return all_known ? solve(cost, saving) : by_medians(cost, saving, saving.high <= 0 && cost.low >= 0);
}

/* A phase of the cell that was measured with transfers, in runs of the one that computes. */
static struct estimate part(const struct cell_record *moving, enum phase phase, const struct cell_record *computing)
{
    static const struct estimate nothing = { 0, 0, 0, 0, 0 };
    return moving->track[SERIES_COPIED].phase[phase].count > 0 ? record_phase_in_runs(moving, phase, computing)
                                                               : nothing;
}

/* What a run on freshly written data takes longer than one that repeats: repacking and, if both sides were measured so,
 * computing on what the caches do not have. Each method repacks in its own way: of a cell without a copied series
 * only the first repacking is known. */
static struct estimate beyond_a_run(const struct cell_record *moving, const struct cell_record *computing,
                                    bool both_fresh)
{
    struct estimate repack = part(moving, PHASE_REPACK, computing), compute = part(moving, PHASE_COMPUTE, computing);
    if (moving != computing && !isnan(computing->first.repack)) {
        repack = estimate_unknown;
        repack.value = computing->first.repack / record_time(computing, SERIES_RESIDENT).value;
    } else if (both_fresh && !isnan(compute.low) && !isnan(repack.low)) {
        repack.value = fmax(0, repack.value + compute.value - 1);
        repack.low = fmax(0, repack.low + compute.low - 1);
        repack.high = fmax(0, repack.high + compute.high - 1);
    }
    return repack;
}

static bool computes_on_fresh_data(const struct cell_record *cell)
{
    return cell->track[SERIES_COPIED].phase[PHASE_COMPUTE].count > 0;
}

bool breakeven_parts(const struct record *record, const struct cell_record *cell, const struct estimate *speedup,
                     struct breakeven_parts *out)
{
    const struct cell_record *baseline = record_cell(record, cell->baseline);
    const struct cell_record *moving = record_copied_of(record, cell), *fresh;
    const struct track *copied = &moving->track[SERIES_COPIED];
    bool measures_ceiling = cell->roof != ROOF_NONE;
    if (!baseline || baseline == cell || cell_headline(cell) != SERIES_RESIDENT || measures_ceiling)
        return false;
    fresh = record_copied_of(record, baseline);
    bool both_fresh = computes_on_fresh_data(moving) && computes_on_fresh_data(fresh);
    bool moves = copied->phase[PHASE_UPLOAD].count > 0 || copied->phase[PHASE_DOWNLOAD].count > 0;
    *out = (struct breakeven_parts){
        .speedup = *speedup,
        .upload = part(moving, PHASE_UPLOAD, cell),
        .download = part(moving, PHASE_DOWNLOAD, cell),
        .repack = beyond_a_run(moving, cell, both_fresh),
        .baseline_repack = beyond_a_run(fresh, baseline, both_fresh),
    };
    return moves && !isnan(out->speedup.value);
}

static bool surely_pays_at_once(const struct breakeven *breakeven)
{
    return (breakeven->outcome == BREAKEVEN_KNOWN && breakeven->high <= 1) ||
           (breakeven->outcome == BREAKEVEN_UNTIL && breakeven->low >= 1);
}

static bool cannot_pay_at_once(const struct breakeven *breakeven)
{
    if (breakeven->outcome == BREAKEVEN_UNTIL)
        return breakeven->high < 1;
    return breakeven->outcome == BREAKEVEN_NEVER || breakeven->low > 1;
}

/* The largest copied speed-up that the parts allow: all transfers take no time. */
static double most_copied(const struct breakeven_parts *parts)
{
    const struct estimate *speedup = &parts->speedup;
    double most = isnan(speedup->high) ? speedup->value : speedup->high;
    return parts->baseline_repack.value > 0 ? most * (1 + parts->baseline_repack.high) : most;
}

struct breakeven breakeven_correct(struct breakeven breakeven, const struct breakeven_parts *parts,
                                   const struct estimate *copied)
{
    const struct breakeven contradicted = { BREAKEVEN_CONTRADICTED, NAN, NAN, NAN };
    bool pays = copied->low > 1, loses = copied->high < 1;
    if (pays && (cannot_pay_at_once(&breakeven) || copied->low > most_copied(parts)))
        return contradicted;
    if (loses && surely_pays_at_once(&breakeven))
        return contradicted;
    if (loses && breakeven.outcome == BREAKEVEN_KNOWN) {
        breakeven.uses = fmax(2, breakeven.uses);
        breakeven.low = fmax(2, breakeven.low);
    }
    if (!pays || breakeven.outcome == BREAKEVEN_UNTIL || surely_pays_at_once(&breakeven))
        return breakeven;
    /* If transfers cost time and it still pays at the first use, each use gains, unless the gain is the baseline's
     * repacking. */
    if (breakeven.outcome == BREAKEVEN_KNOWN || !(parts->baseline_repack.value > 0))
        return (struct breakeven){ BREAKEVEN_KNOWN, 1, 1, 1 };
    return (struct breakeven){ BREAKEVEN_UNKNOWN, 1, 1, INFINITY };
}

/* The first use surely pays, as runs with transfers are faster. */
static struct breakeven from_the_first(const struct breakeven *breakeven)
{
    bool may_end = breakeven->outcome == BREAKEVEN_UNKNOWN && breakeven->uses == 1;
    if (may_end || breakeven->outcome == BREAKEVEN_UNTIL || breakeven->outcome == BREAKEVEN_CONTRADICTED)
        return *breakeven;
    return (struct breakeven){ BREAKEVEN_KNOWN, 1, 1, 1 };
}

struct breakeven breakeven_decide(struct breakeven breakeven, enum verdict resident, enum verdict copied)
{
    static const struct breakeven never = { BREAKEVEN_NEVER, NAN, NAN, NAN };
    enum breakeven_outcome outcome = breakeven.outcome;
    if (outcome == BREAKEVEN_NONE || outcome == BREAKEVEN_CONTRADICTED)
        return breakeven;
    if (resident == VERDICT_UNJUDGED || copied == VERDICT_UNJUDGED)
        return (struct breakeven){ BREAKEVEN_UNKNOWN, NAN, NAN, NAN };
    if (copied == VERDICT_FASTER)
        return from_the_first(&breakeven);
    bool is_settled = copied == VERDICT_SLOWER || copied == VERDICT_EQUAL;
    if ((resident == VERDICT_SLOWER || resident == VERDICT_EQUAL) && is_settled)
        return never;
    if (resident != VERDICT_FASTER)
        return outcome == BREAKEVEN_NEVER ? never : (struct breakeven){ BREAKEVEN_UNKNOWN, NAN, NAN, NAN };
    if (outcome == BREAKEVEN_UNTIL)
        return (struct breakeven){ BREAKEVEN_UNKNOWN, NAN, NAN, NAN };
    if (is_settled) {
        breakeven.uses = breakeven.uses < 2 ? 2 : breakeven.uses; /* not fmax, which ignores NAN */
        breakeven.low = breakeven.low < 2 ? 2 : breakeven.low;
    }
    breakeven.high = breakeven.high < 2 ? 2 : breakeven.high;
    return breakeven;
}
