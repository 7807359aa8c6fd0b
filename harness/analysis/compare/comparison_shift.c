/* How one quantity of all cells moved, and how surely: the statistics that comparison.h tells of. */

#include "harness/analysis/compare/comparison_parts.h"
#include "harness/analysis/figures.h"
#include "harness/analysis/variance_pooling.h"

#include <math.h>
#include <stdlib.h>

static const double confidence_shown = 0.95, confidence_needed = 0.997;
static const double normal_95 = 1.959963984540054; /* of the intervals in a record */
static const double least_change = 0.02;           /* of a speed-up: below, other causes than the program suffice */
static const double least_time_change = 0.1;       /* of a time alone: what a machine does from one day to the next */
static const double least_time_spread = 0.05;      /* steadier than that is only a machine's good hour */

/* What one run may be off by, beyond what its own interval holds: standard deviation between runs of one program. Where
 * there are several runs, of a few cells, it counts as much as that many degrees of freedom. */
static const double allowance[] = { [QUANTITY_RESIDENT] = 0.012, [QUANTITY_OFFLOAD] = 0.012, [QUANTITY_TIME] = 0.14 };
static const double allowance_freedom = 4;

enum {
    TRIMMED_FROM = 5,    /* runs a side; each fifth of them is left out at either end */
    RANGE_ROUNDS_MIN = 3 /* of which the range says how far they lie apart */
};

/* What one run says. */
struct reading {
    double value;     /* a logarithm */
    double error;     /* its standard error, as far as the run itself can tell; NAN unknown */
    bool is_rough;    /* ... by the range of a few rounds */
    double disturbed; /* what share of the processors others had meanwhile */
};

/* The runs of one side, and what follows from them. */
struct side {
    struct reading *reading;
    unsigned count, room;
    double middle;      /* trimmed mean of the values */
    unsigned effective; /* how many values it rests on */
    double squares;     /* winsorized sum of squares about its mean */
    double seen;        /* mean squared error of these values, as their runs tell it; NAN where none does */
};

static struct reading reading_of(const struct estimate *estimate, double least, double most)
{
    struct reading reading = { .value = log(estimate->value), .error = NAN };
    if (estimate->low > 0 && isfinite(estimate->high)) {
        reading.error = log(estimate->high / estimate->low) / (2 * normal_95);
    } else if (estimate->samples >= RANGE_ROUNDS_MIN && least > 0) { /* three to five rounds: right within a third */
        reading.error = log(most / least) / (2 * normal_95);
        reading.is_rough = true;
    }
    return reading;
}

static struct reading read_speedup(const struct entry *entry, enum series series)
{
    struct estimate speedup = record_speedup(entry->record, entry->cell, series);
    struct ratio_range range = record_speedup_range(entry->record, entry->cell, series);
    return reading_of(&speedup, range.least, range.most);
}

static struct reading read_time(const struct cell_record *cell)
{
    enum series series = cell_headline(cell);
    const struct track *track = &cell->track[series];
    struct estimate time = record_time(cell, series);
    double least = NAN, most = NAN;
    for (unsigned i = 0; i < track->slices; i++) {
        least = fmin(least, track->slice[i].median);
        most = fmax(most, track->slice[i].median);
    }
    time.samples = track->slices;
    return reading_of(&time, least, most);
}

/* What other programs, and other guests of a hypervisor, had of the processors; 0 where nothing tells. */
static double share_of_others(const struct record *record, const struct cell_record *cell)
{
    const struct host_state *from = &cell->before, *to = &cell->after;
    double stolen = fmax(0, to->steal - from->steal), all = to->busy - from->busy + to->idle - from->idle + stolen;
    return fmax(0, record_others(record, cell)) + (all > 0 ? stolen / all : 0); /* fmax passes over a NAN */
}

static const struct reading no_reading = { .value = NAN, .error = NAN };

typedef struct reading read_entry(const struct entry *entry);

static struct reading read_resident(const struct entry *entry)
{
    return entry->is_in ? read_speedup(entry, SERIES_RESIDENT) : no_reading;
}

static struct reading read_offload(const struct entry *entry)
{
    return entry->is_in ? read_speedup(entry, SERIES_OFFLOAD) : no_reading;
}

static struct reading read_own_time(const struct entry *entry)
{
    return read_time(entry->cell);
}

static struct reading read_held(const struct entry *entry)
{
    return entry->is_in && entry->baseline ? read_time(entry->baseline) : no_reading;
}

static int compare_readings(const void *a, const void *b)
{
    double x = ((const struct reading *)a)->value, y = ((const struct reading *)b)->value;
    return (x > y) - (x < y);
}

/* The values in order, the outermost `cut` at either end left out of the mean, and drawn in for the squares. */
static void side_settle(struct side *side, unsigned cut)
{
    const struct reading *reading = side->reading;
    unsigned first = cut, last = side->count - cut; /* behind it */
    double sum = 0, drawn = 0, errors = 0;
    unsigned known = 0;
    for (unsigned i = first; i < last; i++) {
        sum += reading[i].value;
        known += !isnan(reading[i].error);
        errors += isnan(reading[i].error) ? 0 : reading[i].error * reading[i].error;
    }
    side->seen = known > 0 ? errors / known : NAN;
    side->effective = last - first;
    side->middle = sum / side->effective;
    for (unsigned i = 0; i < side->count; i++)
        drawn += reading[i < first ? first : i < last ? i : last - 1].value;
    drawn /= side->count;
    for (unsigned i = 0; i < side->count; i++) {
        double off = reading[i < first ? first : i < last ? i : last - 1].value - drawn;
        side->squares += off * off;
    }
}

/* Everything of one cell. */
struct work {
    struct side side[SIDES];
    bool is_known; /* both sides have it */
};

static void gather(struct work *work, const struct group *group, read_entry *read)
{
    for (unsigned i = 0; i < group->entries; i++) {
        const struct entry *entry = &group->entry[i];
        struct side *side = &work->side[entry->side];
        if (entry->cell->outcome.status != STATUS_OK || side->count == side->room)
            continue;
        struct reading reading = read(entry);
        reading.disturbed = share_of_others(entry->record, entry->cell);
        if (entry->baseline)
            reading.disturbed = fmax(reading.disturbed, share_of_others(entry->record, entry->baseline));
        if (isfinite(reading.value))
            side->reading[side->count++] = reading;
    }
    unsigned fewest = work->side[OLD].count < work->side[NEW].count ? work->side[OLD].count : work->side[NEW].count;
    for (unsigned s = 0; s < SIDES; s++) {
        struct side *side = &work->side[s];
        qsort(side->reading, side->count, sizeof *side->reading, compare_readings);
        if (side->count > 0)
            side_settle(side, fewest >= TRIMMED_FROM ? side->count / TRIMMED_FROM : 0);
    }
    work->is_known = fewest > 0;
}

static struct variance spread_of(const struct work *work, double least)
{
    struct variance spread = { 0, 0 };
    if (!work->is_known)
        return spread;
    spread.freedom = work->side[OLD].effective + work->side[NEW].effective - 2;
    if (spread.freedom > 0)
        spread.variance = fmax((work->side[OLD].squares + work->side[NEW].squares) / spread.freedom, least * least);
    return spread;
}

/* Squared error of a run that is alone: it may itself have been disturbed, and what it knows of that roughly counts
 * twice. */
static double error_alone(const struct reading *reading)
{
    double error = (reading->is_rough ? 2 : 1) * reading->error;
    return error * error + reading->disturbed * reading->disturbed;
}

/* Squared standard error of one side's middle. Runs that happen to agree do not vary by less than half of what each of
 * them says of itself, which of few rounds is up to twice too much. An error that is not known leaves what is. */
static double variance_of(const struct side *side, const struct variance *spread, double allowed)
{
    double own = side->count == 1 ? error_alone(side->reading) : side->seen / 4;
    if (!(spread->freedom > 0))
        return own + allowed * allowed;
    return fmax(spread->variance, own) / side->effective;
}

static enum change judge(double moved, double error, double freedom, bool is_time, double margin,
                         const struct shift *shift)
{
    double beyond = fabs(moved) - student_quantile(confidence_needed, freedom) * error;
    double least = is_time ? 0 : log1p(fmin(least_change, margin));
    bool is_sure = beyond > (is_time ? log1p(least_time_change) : 0) && fabs(moved) >= least;
    bool is_faster = is_time ? moved < 0 : moved > 0;
    if (is_sure)
        return is_faster ? CHANGE_FASTER : CHANGE_SLOWER;
    return shift->low >= 1 - margin && shift->high <= 1 + margin ? CHANGE_SAME : CHANGE_UNSURE;
}

static void shift_settle(struct shift *shift, const struct work *work, const struct variance *spread,
                         enum quantity quantity, double margin)
{
    const struct side *old = &work->side[OLD], *new = &work->side[NEW];
    *shift = (struct shift){
        .value = { NAN, NAN }, .ratio = NAN, .low = NAN, .high = NAN, .spread = NAN, .change = CHANGE_UNSURE
    };
    for (unsigned s = 0; s < SIDES; s++) {
        shift->runs[s] = work->side[s].count;
        shift->value[s] = shift->runs[s] > 0 ? exp(work->side[s].middle) : NAN;
    }
    if (!work->is_known)
        return;
    bool is_spread = spread->freedom > 0;
    double moved = new->middle - old->middle, freedom = is_spread ? spread->freedom : INFINITY;
    double error = sqrt(variance_of(old, spread, allowance[quantity]) + variance_of(new, spread, allowance[quantity]));
    double half = student_quantile(confidence_shown, freedom) * error;
    shift->ratio = exp(moved);
    shift->spread = is_spread ? sqrt(spread->variance) : allowance[quantity];
    if (isnan(half))
        return;
    shift->low = exp(moved - half);
    shift->high = exp(moved + half);
    shift->change = judge(moved, error, freedom, quantity == QUANTITY_TIME, margin, shift);
}

/* Into the shift at `offset` of each cell. */
static bool shift_all(struct compared cell[], const struct group group[], unsigned cells, read_entry *read,
                      enum quantity quantity, size_t offset, double margin)
{
    unsigned entries = 0, taken = 0;
    for (unsigned i = 0; i < cells; i++)
        entries += group[i].entries;
    struct reading *reading = calloc(2 * entries + 1, sizeof *reading);
    struct work *work = calloc(cells + 1, sizeof *work);
    struct variance *spread = calloc(cells + 1, sizeof *spread);
    struct variance usual = { allowance[quantity] * allowance[quantity], allowance_freedom };
    bool complete = reading && work && spread;
    for (unsigned i = 0; complete && i < cells; i++) {
        for (unsigned s = 0; s < SIDES; s++, taken += group[i].entries)
            work[i].side[s] = (struct side){ .reading = reading + taken, .room = group[i].entries };
        gather(&work[i], &group[i], read);
        spread[i] = spread_of(&work[i], quantity == QUANTITY_TIME ? least_time_spread : 0);
    }
    if (quantity != QUANTITY_TIME) /* an hour in which all is slow is one event, however many cells it hit */
        complete = complete && variance_pool(spread, cells, usual);
    for (unsigned i = 0; complete && i < cells; i++)
        shift_settle((struct shift *)(void *)((char *)&cell[i] + offset), &work[i], &spread[i], quantity, margin);
    free(reading);
    free(work);
    free(spread);
    return complete;
}

bool comparison_shift(struct compared cell[], const struct group group[], unsigned cells, enum quantity quantity,
                      double margin)
{
    static read_entry *const readers[] = {
        [QUANTITY_RESIDENT] = read_resident, [QUANTITY_OFFLOAD] = read_offload, [QUANTITY_TIME] = read_own_time
    };
    return shift_all(cell, group, cells, readers[quantity], quantity,
                     offsetof(struct compared, shift) + quantity * sizeof(struct shift), margin);
}

bool comparison_shift_baseline(struct compared cell[], const struct group group[], unsigned cells, double margin)
{
    return shift_all(cell, group, cells, read_held, QUANTITY_TIME, offsetof(struct compared, baseline_shift), margin);
}
