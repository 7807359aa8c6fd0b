/* The change of one quantity in all cells and its significance: the statistics described in comparison.h. */

#include "harness/analysis/compare/comparison_parts.h"

#include <math.h>
#include <stdlib.h>

static const double confidence_shown = 0.95, confidence_needed = 0.997;
static const double least_change = 0.02;      /* of a speed-up: smaller changes have other causes than the program */
static const double least_time_change = 0.1;  /* of a time alone: the variation of a machine from day to day */
static const double least_time_spread = 0.05; /* a smaller one is only a machine's good hour */

/* Standard deviation between runs of the same program, beyond a run's own interval. */
static const double allowance[] = {
    [QUANTITY_RESIDENT] = 0.012, [QUANTITY_COPIED] = 0.012, [QUANTITY_TIME] = 0.14, [QUANTITY_BASELINE] = 0.14
};

/* The variance that is typical of all cells counts in each as this many degrees of freedom. Of fewer cells than
 * CELLS_MANY it is the allowance, which counts half. */
static const double typical_freedom = 8;
enum { CELLS_MANY = 6 };
/* Of a run, the least that is assumed: the layout of code and stack alone changes times by a thousandth (Mytkowicz et
 * al., Producing Wrong Data Without Doing Anything Obviously Wrong, 2009). */
static const double least_spread = 0.002;
static const double normal_1 = 2.326347874040841; /* quantile of the normal distribution at 99 % */

enum { TRIMMED_FROM = 5 }; /* runs on each side; a fifth of them is trimmed at either end */

/* The value of one run. */
struct reading {
    double value;     /* a logarithm; first, since they are sorted by it */
    double error;     /* standard error by the run itself; NAN unknown */
    double disturbed; /* share of the CPU used by others meanwhile */
};

/* The runs of one side and their statistics. */
struct sample_set {
    struct reading *reading;
    unsigned count;
    double middle;      /* winsorized mean of the values */
    unsigned effective; /* number of values that are left as they were */
    double squares;     /* sum of squares about the mean */
    double seen;        /* mean squared error by the runs themselves; NAN unknown */
};

/* Share of the CPU used by other programs and by other guests; 0 if unknown. */
static double share_of_others(const struct record *record, const struct cell_record *cell)
{
    const struct host_state *from = &cell->before, *to = &cell->after;
    double stolen = fmax(0, to->steal - from->steal), all = to->busy - from->busy + to->idle - from->idle + stolen;
    return fmax(0, record_others(record, cell)) + (all > 0 ? stolen / all : 0); /* fmax ignores a NAN */
}

/* What a run says of a quantity. */
static struct estimate estimate_of(const struct entry *entry, enum quantity quantity)
{
    const struct cell_record *cell = quantity == QUANTITY_BASELINE ? entry->baseline : entry->cell;
    if (!cell || entry->is_left_out)
        return estimate_unknown;
    if (quantity >= QUANTITY_TIME)
        return record_time(cell, use_series[cell_headline(cell)]);
    const struct figure *figure = &entry->figure[quantity];
    return figure->is_below_part ? estimate_unknown : figure->speedup;
}

/* Of sorted values: the `cut` outermost at either end become as their neighbours. */
static void sample_set_finish(struct sample_set *side, unsigned cut)
{
    struct reading *reading = side->reading;
    const unsigned last = side->count - 1;
    double sum = 0, errors = 0;
    unsigned known = 0;
    for (unsigned i = 0; i < cut; i++) {
        reading[i] = reading[cut];
        reading[last - i] = reading[last - cut];
    }
    for (unsigned i = 0; i <= last; i++) {
        sum += reading[i].value;
        known += isfinite(reading[i].error);
        errors += isfinite(reading[i].error) ? reading[i].error * reading[i].error : 0;
    }
    side->effective = side->count - 2 * cut;
    side->seen = known > 0 ? errors / known : NAN;
    side->middle = sum / side->count;
    for (unsigned i = 0; i <= last; i++)
        side->squares += pow(reading[i].value - side->middle, 2);
}

/* A variance and its degrees of freedom; 0: unknown. */
struct variance {
    double variance, freedom;
};

/* The data of one cell. */
struct work {
    struct sample_set side[SIDES];
    bool is_known; /* both sides have values */
    struct variance spread;
};

/* `least`: the standard deviation that is assumed at least. */
static void gather(struct work *work, const struct compared *cell, enum quantity quantity, double least,
                   struct pool *pool)
{
    for (unsigned i = 0; i < cell->entries; i++) {
        const struct entry *entry = &cell->entry[i];
        struct sample_set *side = &work->side[entry->side];
        if (entry->cell->outcome.status != STATUS_OK)
            continue;
        const struct estimate estimate = estimate_of(entry, quantity);
        struct reading reading = { .value = log(estimate.value),
                                   .error = log(estimate.high / estimate.low) / (2 * normal_95),
                                   .disturbed = share_of_others(entry->record, entry->cell) };
        if (entry->baseline)
            reading.disturbed = fmax(reading.disturbed, share_of_others(entry->record, entry->baseline));
        if (isfinite(reading.value))
            pool_add(pool, &side->reading, &side->count, &reading, sizeof reading);
    }
    unsigned fewest = work->side[OLD].count < work->side[NEW].count ? work->side[OLD].count : work->side[NEW].count;
    for (unsigned s = 0; s < SIDES; s++) {
        struct sample_set *side = &work->side[s];
        if (side->count == 0)
            continue;
        qsort(side->reading, side->count, sizeof *side->reading, stats_compare);
        sample_set_finish(side, fewest >= TRIMMED_FROM ? side->count / TRIMMED_FROM : 0);
    }
    work->is_known = fewest > 0 && (cell->has_common_baseline || quantity == QUANTITY_TIME);
    const double freedom = (double)work->side[OLD].effective + work->side[NEW].effective - 2,
                 squares = work->side[OLD].squares + work->side[NEW].squares;
    if (work->is_known && freedom > 0)
        work->spread = (struct variance){ fmax(squares / freedom, least * least), freedom };
}

/* Quantile of s^2 / sigma^2, s^2 being the variance of normal values and `at` its place in a normal distribution, by
 * the cube root that makes a chi-squared variable nearly normal (Wilson and Hilferty 1931). */
static double variance_at(double at, double freedom)
{
    const double ninth = 2 / (9 * freedom);
    return pow(fmax(1 - ninth + at * sqrt(ninth), 0.01), 3);
}

/* A variance of few values is unreliable: by chance one cell in a hundred seems ten times as steady as it is. So the
 * typical one is a part of it, unless it is farther off than chance allows in one of a hundred: a disturbed cell would
 * seem too steady, and a shift of a steady one would be lost. */
static void steady(struct variance *cell, struct variance typical)
{
    const double off = cell->variance / typical.variance, freedom = cell->freedom + typical.freedom;
    if (!(cell->freedom > 0))
        *cell = typical;
    else if (off < variance_at(normal_1, cell->freedom) && off > variance_at(-normal_1, cell->freedom))
        *cell = (struct variance){ (cell->freedom * cell->variance + typical.freedom * typical.variance) / freedom,
                                   freedom };
}

/* Of all cells together. The typical variance is a median, which disturbed cells do not move. A cell alone is left as
 * it is: nothing shows that its machine is a usual one. */
static void steady_all(struct work work[], unsigned cells, double allowed, struct pool *pool)
{
    double *known = pool_take(pool, (cells + 1) * sizeof *known);
    struct variance typical = { allowed * allowed, typical_freedom / 2 };
    unsigned count = 0;
    for (unsigned i = 0; known && i < cells; i++) {
        struct variance *spread = &work[i].spread;
        if (!(spread->freedom > 0))
            continue;
        spread->variance = fmax(spread->variance, least_spread * least_spread);
        known[count++] = spread->variance / variance_at(0, spread->freedom);
    }
    if (count >= CELLS_MANY)
        typical = (struct variance){ stats_median(known, count), typical_freedom };
    for (unsigned i = 0; count > 1 && i < cells; i++)
        steady(&work[i].spread, typical);
}

/* Squared standard error of a side's mean. Runs that agree by chance do not vary by less than half of each one's own
 * error, which for few rounds is up to twice too large. NAN where all of these are unknown. */
static double variance_of(const struct sample_set *side, const struct variance *spread, double allowed)
{
    const struct reading *alone = side->reading; /* a single run may have been disturbed itself */
    const double own =
        side->count == 1 ? alone->error * alone->error + alone->disturbed * alone->disturbed : side->seen / 4;
    if (!(spread->freedom > 0))
        return own + allowed * allowed;
    return isnan(own) ? NAN : fmax(spread->variance, own) / side->effective;
}

/* The least change, as a logarithm, that is a verdict. */
static double least_seen(double error, double freedom, enum quantity quantity, double margin)
{
    double beyond = student_quantile(confidence_needed, freedom) * error;
    return quantity >= QUANTITY_TIME ? beyond + log1p(least_time_change)
                                     : fmax(beyond, log1p(fmin(least_change, margin)));
}

static enum change judge(double moved, enum quantity quantity, double margin, const struct shift *shift)
{
    bool is_faster = quantity >= QUANTITY_TIME ? moved < 0 : moved > 0;
    if (fabs(moved) > log1p(shift->visible))
        return is_faster ? CHANGE_FASTER : CHANGE_SLOWER;
    return shift->low >= 1 - margin && shift->high <= 1 + margin ? CHANGE_SAME : CHANGE_UNSURE;
}

static void shift_finish(struct shift *shift, const struct work *work, enum quantity quantity, double margin)
{
    const struct sample_set *old = &work->side[OLD], *new = &work->side[NEW];
    const struct variance *spread = &work->spread;
    *shift = (struct shift){
        .value = { NAN, NAN }, .ratio = NAN, .low = NAN, .high = NAN, .visible = NAN, .change = CHANGE_UNSURE
    };
    for (unsigned s = 0; s < SIDES; s++) {
        shift->runs[s] = work->side[s].count;
        shift->value[s] = shift->runs[s] > 0 ? exp(work->side[s].middle) : NAN;
    }
    if (!work->is_known)
        return;
    double moved = new->middle - old->middle, freedom = spread->freedom > 0 ? spread->freedom : INFINITY;
    double error = sqrt(variance_of(old, spread, allowance[quantity]) + variance_of(new, spread, allowance[quantity]));
    double half = student_quantile(confidence_shown, freedom) * error;
    shift->ratio = exp(moved);
    shift->is_noisy = 2 * half > log(INTERVAL_WIDEST);
    if (isnan(half) || shift->is_noisy)
        return;
    shift->low = exp(moved - half);
    shift->high = exp(moved + half);
    shift->visible = expm1(least_seen(error, freedom, quantity, margin));
    shift->change = judge(moved, quantity, margin, shift);
}

void comparison_shift(struct comparison *comparison, enum quantity quantity)
{
    struct pool *pool = &comparison->pool;
    const unsigned cells = comparison->cells;
    struct work *work = pool_take(pool, (cells + 1) * sizeof *work);
    for (unsigned i = 0; i < cells && !pool->is_short; i++)
        gather(&work[i], &comparison->cell[i], quantity, quantity >= QUANTITY_TIME ? least_time_spread : 0, pool);
    /* a slow hour is one event, however many cells it affects: times have variances of their own */
    if (quantity < QUANTITY_TIME && !pool->is_short)
        steady_all(work, cells, allowance[quantity], pool);
    for (unsigned i = 0; i < cells && !pool->is_short; i++)
        shift_finish(&comparison->cell[i].shift[quantity], &work[i], quantity, comparison->margin);
}
