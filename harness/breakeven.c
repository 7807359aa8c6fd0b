#include "harness/breakeven.h"

#include <math.h>

const char *const breakeven_outcomes[] = { "none", "known", "until", "never", "unknown" };

/* A quantity with its interval; the value is that of the medians. */
struct range {
    double value, low, high;
};

static struct range range_of(const struct estimate *estimate)
{
    return (struct range){ estimate->value, estimate->low, estimate->high };
}

static struct range sum(struct range a, struct range b)
{
    return (struct range){ a.value + b.value, a.low + b.low, a.high + b.high };
}

static struct range difference(struct range a, struct range b)
{
    return (struct range){ a.value - b.value, a.low - b.high, a.high - b.low };
}

/* Of a factor that is never negative. */
static struct range scaled(struct range a, struct range factor)
{
    return (struct range){
        .value = a.value * factor.value,
        .low = a.low * (a.low < 0 ? factor.high : factor.low),
        .high = a.high * (a.high < 0 ? factor.low : factor.high),
    };
}

/* The smallest whole number of uses after which what each saves exceeds the cost. */
static double first_use(double cost, double saving)
{
    return fmax(1, floor(cost / saving) + 1);
}

/* The largest number of uses until which a loss at each use has not eaten up what was saved before the first. */
static double last_use(double cost, double saving)
{
    double exact = cost / saving;
    return fmax(0, ceil(exact) - 1);
}

/* Where a use saves less than nothing, the first is the best there is: it pays only while N saving > cost < 0. */
static struct breakeven of_loss(struct range cost, struct range saving)
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

static struct breakeven solve(struct range cost, struct range saving)
{
    struct breakeven out = { BREAKEVEN_UNKNOWN, NAN, NAN, NAN };
    if (isnan(cost.low + cost.high + saving.low + saving.high)) {
        out.uses = saving.value > 0 ? first_use(cost.value, saving.value) : NAN;
        return out;
    }
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

struct breakeven breakeven_solve(const struct breakeven_parts *parts, enum fetch fetch)
{
    static const struct range one = { 1, 1, 1 };
    struct range saving = scaled(difference(range_of(&parts->speedup), one), range_of(&parts->run));
    struct range cost = sum(range_of(&parts->upload), range_of(&parts->repack));
    cost = difference(cost, range_of(&parts->baseline_repack));
    if (fetch == FETCH_ONCE)
        return solve(sum(cost, range_of(&parts->download)), saving);
    return solve(cost, difference(saving, range_of(&parts->download)));
}

static struct estimate part(const struct cell_record *cell, enum phase phase)
{
    static const struct estimate nothing = { 0, 0, 0, 0, 0 };
    return cell->track[SERIES_OFFLOAD].phase[phase].count > 0 ? record_phase(cell, phase) : nothing;
}

bool breakeven_parts(const struct record *record, const struct cell_record *cell, struct breakeven_parts *out)
{
    const struct cell_record *baseline = record_cell(record, cell->baseline);
    const struct track *offload = &cell->track[SERIES_OFFLOAD];
    if (!baseline || baseline == cell || cell_headline(cell) != SERIES_RESIDENT)
        return false;
    bool moves = offload->phase[PHASE_UPLOAD].count > 0 || offload->phase[PHASE_DOWNLOAD].count > 0 ||
                 offload->phase[PHASE_REPACK].count > 0;
    *out = (struct breakeven_parts){
        .speedup = record_speedup(record, cell, SERIES_RESIDENT),
        .run = record_time(cell, SERIES_RESIDENT),
        .upload = part(cell, PHASE_UPLOAD),
        .download = part(cell, PHASE_DOWNLOAD),
        .repack = part(cell, PHASE_REPACK),
        .baseline_repack = part(baseline, PHASE_REPACK),
    };
    return moves && !isnan(out->speedup.value);
}

struct breakeven breakeven_read(const struct record *record, const struct cell_record *cell, enum fetch fetch)
{
    struct breakeven_parts parts;
    if (breakeven_parts(record, cell, &parts))
        return breakeven_solve(&parts, fetch);
    return (struct breakeven){ BREAKEVEN_NONE, NAN, NAN, NAN };
}
