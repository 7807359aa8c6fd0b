#include "harness/analysis/answer.h"

#include "harness/analysis/answer_parts.h"
#include "harness/base/text.h"

#include <string.h>

/* The same chip under another API, or an equal card. A CPU that works in host memory is itself and nothing else. */
static bool is_same_part(const struct device *one, const struct device *other)
{
    bool is_host = one->works_in_host_memory || other->works_in_host_memory;
    if (is_host || one->class != other->class || !*one->silicon || !*other->silicon)
        return false;
    bool is_card = one->class != CLASS_CPU && *one->name && strcmp(one->name, other->name) == 0;
    return is_card || strcmp(one->silicon, other->silicon) == 0;
}

static double peak_of(const struct record *record, const struct device *device, enum dtype dtype)
{
    return roofline_flops(record, device->id, dtype_name(dtype)).wall;
}

/* f32, or else the first floating-point type whose peak was measured. */
static enum dtype type_of_peak(const struct record *record, const struct device *device)
{
    enum dtype first = 0;
    while (first < DTYPE_COUNT && (dtype_is_whole(first) || isnan(peak_of(record, device, first))))
        first++;
    return first == DTYPE_COUNT || !isnan(peak_of(record, device, DTYPE_F32)) ? DTYPE_F32 : first;
}

/* The part that the device belongs to: a new one, or that of an earlier device. *is_new_chip: none of these is the same
 * chip. */
static unsigned find_part(const struct answer_set *set, const struct device *device, bool *is_new_chip)
{
    unsigned part = set->parts;
    *is_new_chip = true;
    for (unsigned i = 0; i < set->record->devices; i++) {
        const struct device *other = &set->record->device[i];
        if (set->part_of[i] == NO_PART || !is_same_part(other, device))
            continue;
        part = set->part_of[i];
        *is_new_chip &= strcmp(other->silicon, device->silicon) != 0;
    }
    return part;
}

static void add_device(struct answer_set *set, unsigned at)
{
    const struct device *device = &set->record->device[at];
    bool is_new_chip;
    const unsigned part = find_part(set, device, &is_new_chip);
    struct answer_part *to = &set->part[part];
    if (part == set->parts) {
        set->parts++;
        *to = (struct answer_part){ .device = device, .flops = NAN, .bandwidth = NAN };
        to->is_gpu = device->class != CLASS_CPU;
        to->dtype = type_of_peak(set->record, device);
        set->has_gpu |= to->is_gpu;
    }
    to->cards += is_new_chip;
    to->flops = fmax(to->flops, peak_of(set->record, device, to->dtype));
    to->bandwidth = fmax(to->bandwidth, roofline_bandwidth(set->record, device->id, ROOFLINE_TOP).wall);
    set->part_of[at] = part;
}

/* The baseline's device first, then GPUs and accelerators, then other CPUs. */
static void add_parts(struct answer_set *set)
{
    const struct record *record = set->record;
    const struct device *baseline = NULL;
    for (unsigned i = 0; i < record->cells && !baseline; i++) {
        const struct cell_record *cell = record_cell(record, record->cell[i]->baseline);
        baseline = cell ? record_device(record, cell->device_id) : NULL;
    }
    for (unsigned round = 0; round < 3; round++)
        for (unsigned i = 0; i < record->devices; i++) {
            const struct device *device = &record->device[i];
            unsigned rank = device == baseline ? 0 : device->class == CLASS_CPU ? 2 : 1;
            if (rank == round && record_uses(record, device))
                add_device(set, i);
        }
    if (baseline && set->parts > 0)
        set->part[0].is_baseline = true;
}

static enum why flaw_of(const struct figures *row)
{
    enum status status = row->cell->outcome.status;
    return status == STATUS_WRONG ? WHY_WRONG : status != STATUS_OK ? WHY_FAILED : WHY_UNVERIFIED;
}

/* How well a speed-up is known. An interval whose ends are this far apart, by ratio, shows at most the side. */
static int precision_class(const struct estimate *speedup)
{
    static const double vague = 4;
    return isnan(speedup->value) ? 0 : isnan(speedup->low) ? 1 : speedup->high > vague * speedup->low ? 2 : 3;
}

/* The better known one first; then the higher low end. */
static bool is_better(const struct figure *held, const struct figure *one)
{
    const struct estimate *own = &one->speedup, *other = &held->speedup;
    const int known = precision_class(own), held_known = precision_class(other);
    if (known != held_known)
        return known > held_known;
    return known > 1 ? own->low > other->low : own->value > other->value;
}

static bool has_speedup(const struct figure *figure)
{
    return !isnan(figure->speedup.value);
}

static bool is_moved(const struct figure held[USES], const struct figure one[USES])
{
    return has_speedup(&held[USE_COPIED]) || has_speedup(&one[USE_COPIED]);
}

/* By the copied speed-up, since kinds of memory differ in transfers; by the resident one if there is none. */
static bool is_better_pair(const struct figure held[USES], const struct figure one[USES])
{
    const enum use by = is_moved(held, one) ? USE_COPIED : USE_RESIDENT;
    return is_better(&held[by], &one[by]);
}

/* If host and device share memory, copies that a program could avoid do not characterise the device. */
static bool is_fair(const struct figures *row)
{
    return !row->device->shares_host_memory || strcmp(row->cell->memory, memory_names[MEMORY_MAPPED]) == 0;
}

/* By the speed-ups, of a device in host memory by the resident one; by the time where nothing is compared. */
static bool is_better_row(const struct figures *held, const struct figures *one)
{
    const struct figure *own = one->use, *other = held->use;
    const bool is_host = one->device->works_in_host_memory;
    if (!is_host && is_fair(held) != is_fair(one))
        return is_fair(one);
    if (!is_moved(other, own) && !has_speedup(&own[USE_RESIDENT]) && !has_speedup(&other[USE_RESIDENT]))
        return one->time.value < held->time.value;
    if (is_host)
        return is_better(&other[USE_RESIDENT], &own[USE_RESIDENT]);
    return is_better_pair(other, own);
}

/* Not the baseline. */
static bool is_of(const struct figures *row, const struct device *device)
{
    return row->device == device && row->baseline != row->cell;
}

/* Where the chosen row lacks the figure of a use, the best one of the same memory that has it. */
static void add_partner(struct answer *out, const struct figures *chosen, const struct figures *row, enum use use)
{
    const struct figures *held = out->row[use];
    if (!has_speedup(&chosen->use[use]) && has_speedup(&row->use[use]) &&
        (held == chosen || is_better(&held->use[use], &row->use[use])))
        out->row[use] = row;
}

/* Both uses are of the same kind of memory: if rows differ only in that, the fastest resident figure is the luckiest
 * one. */
bool answer_choose(struct answer *out, const struct figures rows[], unsigned count)
{
    const struct figures *chosen = NULL;
    bool has_any = false;
    for (unsigned i = 0; i < count; i++) {
        if (!is_of(&rows[i], out->device))
            continue;
        has_any = true;
        if (!figures_are_sound(&rows[i]))
            out->unsound = out->unsound ? out->unsound : &rows[i];
        else if (!chosen || is_better_row(chosen, &rows[i]))
            chosen = &rows[i];
    }
    out->row[USE_RESIDENT] = out->row[USE_COPIED] = chosen;
    for (unsigned i = 0; i < count && chosen; i++)
        for (enum use use = 0; use < USES; use++)
            if (is_of(&rows[i], out->device) && figures_are_sound(&rows[i]) &&
                strcmp(chosen->cell->memory, rows[i].cell->memory) == 0)
                add_partner(out, chosen, &rows[i], use);
    return has_any;
}

/* Whether what limits the row is known from a peak with an interval, which a disturbed one does not have. */
static bool has_sure_limit(const struct figures *row)
{
    const struct peak *peak = roofline_binding(&row->roof);
    return row->roof.bound == BOUND_LAUNCH || (peak && !isnan(peak->half_width));
}

static enum why why_computing(const struct answer *answer)
{
    const struct figures *row = answer->row[USE_RESIDENT], *baseline = answer->baseline[USE_RESIDENT];
    const enum verdict verdict = answer->use[USE_RESIDENT].verdict;
    const bool is_shared =
        row->device->shares_host_memory && baseline->device && baseline->device->works_in_host_memory;
    enum bound own = row->roof.bound, other = baseline->roof.bound;
    if (verdict == VERDICT_SLOWER && baseline->cell->is_fast && !row->cell->is_fast)
        return WHY_BASELINE_FEWER;
    if (verdict == VERDICT_FASTER && row->cell->is_fast && !baseline->cell->is_fast)
        return WHY_DEVICE_FEWER;
    if (own == BOUND_LAUNCH && verdict == VERDICT_SLOWER)
        return WHY_LAUNCH;
    /* What limits both on one chip explains nothing. */
    if ((is_shared && row->device->class == CLASS_CPU) || !has_sure_limit(row) || !has_sure_limit(baseline))
        return WHY_UNKNOWN;
    if (own != other)
        return WHY_DIFFERENT_LIMITS;
    return own == BOUND_MEMORY && !is_shared ? WHY_MEMORY : own == BOUND_COMPUTE ? WHY_COMPUTE : WHY_UNKNOWN;
}

/* By what the transfers change. */
static enum why why_moving(const struct answer *answer)
{
    const struct figure *moves = &answer->use[USE_COPIED], *stays = &answer->use[USE_RESIDENT];
    if (stays->verdict == VERDICT_UNJUDGED)
        return WHY_UNKNOWN;
    const bool is_same_pair =
        answer->row[0] == answer->row[1] && answer->baseline[USE_RESIDENT] == answer->baseline[USE_COPIED];
    if (moves->verdict == stays->verdict)
        return stays->is_against_f32 || !is_same_pair ? WHY_UNKNOWN : answer->why[USE_RESIDENT];
    if (moves->verdict == VERDICT_FASTER || stays->verdict == VERDICT_SLOWER)
        return answer->baseline[USE_COPIED]->costs.repack > 0 ? WHY_BASELINE_REPACKS : WHY_UNKNOWN;
    return WHY_TRANSFER;
}

/* The reason, or why there is no verdict. */
static enum why reason_of(const struct answer *answer, enum use use)
{
    const struct figure *figure = &answer->use[use];
    if (figure->verdict == VERDICT_NONE)
        return answer->row[use] || !answer->unsound ? WHY_NO_BASELINE : flaw_of(answer->unsound);
    if (figure->verdict == VERDICT_UNJUDGED)
        return WHY_UNJUDGED;
    if (figure->is_against_f32)
        return WHY_BASELINE_WIDER;
    if (figure->verdict == VERDICT_UNCLEAR)
        return WHY_UNKNOWN;
    return use == USE_RESIDENT ? why_computing(answer) : why_moving(answer);
}

static struct breakeven breakeven_of(const struct answer *answer)
{
    const struct figure *stays = &answer->use[USE_RESIDENT], *moves = &answer->use[USE_COPIED];
    const struct figures *row = answer->row[USE_RESIDENT];
    if (!row || row->device->works_in_host_memory)
        return (struct breakeven){ BREAKEVEN_NONE, NAN, NAN, NAN };
    return breakeven_solve(&stays->speedup, &moves->speedup, moves->baseline_seconds / stays->baseline_seconds);
}

/* A verified row that is faster than the loops which measure peaks is the peak. Other load can only have slowed it. */
static void raise_peaks(struct answer_set *set, const struct figures rows[], unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const struct figures *one = &rows[i];
        if (!figures_are_sound(one) || !one->roof.is_exceeded)
            continue;
        struct answer_part *part = &set->part[set->part_of[one->device - set->record->device]];
        if (one->roof.binding == ROOF_FLOPS && strcmp(one->cell->dtype, dtype_name(DTYPE_F32)) == 0)
            part->flops = fmax(part->flops, one->rate);
        else if (one->roof.binding == ROOF_BANDWIDTH && roofline_is_beyond_caches(one->cell))
            part->bandwidth = fmax(part->bandwidth, one->bandwidth);
    }
}

/* Fills what follows from the rows that were chosen. */
static void read_uses(struct answer *out, const struct figures rows[], unsigned count)
{
    for (enum use use = 0; use < USES; use++) {
        const struct figures *row = out->row[use], *baseline = figures_baseline(rows, count);
        struct figure *figure = &out->use[use];
        *figure = row ? row->use[use] : (struct figure){ .use = use, .time = estimate_unknown };
        out->cards[use] = (struct ratio_range){ NAN, NAN };
        for (unsigned i = 0; i < count; i++)
            if (rows[i].cell == figure->baseline)
                baseline = &rows[i];
        if (row && baseline && figures_are_sound(baseline)) {
            out->baseline[use] = baseline;
            figure_turn_to_f32(figure);
        } else {
            figure->speedup = estimate_unknown;
            figure->baseline_seconds = NAN;
            figure->verdict = VERDICT_NONE;
        }
    }
    out->breakeven = breakeven_of(out);
    for (enum use use = 0; use < USES; use++)
        out->why[use] = reason_of(out, use);
}

/* A speed-up that decides something; NAN: none does. */
static double judged_speedup(const struct figure *use)
{
    return verdict_is_judged(use->verdict) ? use->speedup.value : NAN;
}

/* Of two cards the slower one stands for both; one that was not judged stands for none. */
static bool stands_for(const struct answer *one, const struct answer *other)
{
    for (enum use use = USES; use-- > 0;) {
        double own = judged_speedup(&one->use[use]), held = judged_speedup(&other->use[use]);
        if (isnan(own) != isnan(held))
            return isnan(held);
        if (!isnan(own))
            return own < held;
    }
    return false;
}

static void widen(struct ratio_range *range, double value)
{
    range->least = fmin(range->least, value);
    range->most = fmax(range->most, value);
}

/* Adds what another device of the same part says: another API of the chip, or an equal card. */
static void merge(struct answer *held, const struct answer *one, bool is_card)
{
    struct answer sum = (is_card ? stands_for(one, held) : is_better_pair(held->use, one->use)) ? *one : *held;
    for (enum use use = 0; use < USES; use++) {
        sum.cards[use] = held->cards[use];
        if (is_card) {
            widen(&sum.cards[use], judged_speedup(&held->use[use]));
            widen(&sum.cards[use], judged_speedup(&one->use[use]));
        }
    }
    sum.unsound = held->unsound ? held->unsound : one->unsound;
    *held = sum;
}

/* The answer of the chip of a device in a block: of its APIs the better one. False: the device has no row, or another
 * API before it has the chip's. */
static bool answer_of_chip(struct answer *out, struct answer_set *set, unsigned block, unsigned first)
{
    const struct record *record = set->record;
    const struct figures *rows = set->figures[block];
    const unsigned count = record->block[block].cells;
    bool is_found = false;
    for (unsigned i = 0; i < record->devices; i++) {
        struct answer one = { .block = &record->block[block],
                              .problem = record->block[block].cell[0],
                              .part = &set->part[set->part_of[first]],
                              .device = &record->device[i] };
        if (set->part_of[first] != set->part_of[i] || !device_same_silicon(&record->device[first], one.device) ||
            !answer_choose(&one, rows, count))
            continue;
        if (i != first && !is_found)
            return false;
        one.size = answer_size(&set->pool, one.problem);
        read_uses(&one, rows, count);
        if (is_found)
            merge(out, &one, false);
        else
            *out = one;
        is_found = true;
    }
    return is_found;
}

/* Adds the answers of a block: one for each part but the baseline's. */
static void add_answers(struct answer_set *set, unsigned block)
{
    const unsigned first = set->answers;
    struct answer one;
    for (unsigned i = 0; i < set->record->devices; i++) {
        const unsigned part = set->part_of[i];
        unsigned at = first;
        if (part == NO_PART || set->part[part].is_baseline || !answer_of_chip(&one, set, block, i))
            continue;
        while (at < set->answers && set->answer[at].part != one.part)
            at++;
        if (at < set->answers)
            merge(&set->answer[at], &one, true);
        else
            set->answer[set->answers++] = one;
    }
}

bool answer_is_question(const struct figures rows[], unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const double flops = rows[i].cell->flops; /* NAN if the journal lacks it: most workloads compute */
        if (rows[i].cell->is_peak || rows[i].launches.is_launch || (rows[i].only_moves ? !(flops > 0) : flops <= 0))
            return false;
    }
    return count > 0;
}

static bool read_block(struct answer_set *set, unsigned at)
{
    const struct block_record *block = &set->record->block[at];
    set->figures[at] = block->cells > 0 ? pool_take(&set->pool, block->cells * sizeof *set->figures[at]) : NULL;
    if (!set->figures[at])
        return !set->pool.is_short;
    figures_read(set->figures[at], set->record, block);
    raise_peaks(set, set->figures[at], block->cells);
    if (!set->record->sweep && answer_is_question(set->figures[at], block->cells))
        add_answers(set, at);
    return true;
}

/* Blocks from `first` to before `end`. At most one answer for a cell, as each is of another device or block. */
static bool read_blocks(struct answer_set *out, const struct record *record, unsigned first, unsigned end)
{
    struct pool *pool = &out->pool;
    unsigned cells = 0;
    *out = (struct answer_set){ .record = record };
    for (unsigned i = first; i < end; i++)
        cells += record->block[i].cells;
    out->part_of = pool_take(pool, (record->devices + 1) * sizeof *out->part_of);
    out->part = pool_take(pool, (record->devices + 1) * sizeof *out->part);
    out->figures = pool_take(pool, (record->blocks + 1) * sizeof *out->figures);
    out->answer = pool_take(pool, (cells + 1) * sizeof *out->answer);
    bool complete = !pool->is_short;
    for (unsigned i = 0; complete && i < record->devices; i++)
        out->part_of[i] = NO_PART;
    if (complete)
        add_parts(out);
    for (unsigned i = first; i < end && complete; i++)
        complete = read_block(out, i);
    return complete && answer_workloads_read(out);
}

bool answer_set_read(struct answer_set *out, const struct record *record)
{
    return read_blocks(out, record, 0, record->blocks);
}

bool answer_set_read_block(struct answer_set *out, const struct record *record, const struct block_record *block)
{
    const unsigned at = (unsigned)(block - record->block);
    const bool is_read = read_blocks(out, record, at, at + 1);
    out->has_types = out->answers > 0 && strcmp(out->answer->problem->dtype, dtype_name(DTYPE_F32)) != 0;
    return is_read;
}

void answer_set_release(struct answer_set *set)
{
    pool_release(&set->pool);
    *set = (struct answer_set){ .answers = 0 };
}

const struct answer *answer_find(const struct answer_set *set, const struct block_record *block,
                                 const struct answer_part *part)
{
    for (unsigned i = 0; i < set->answers; i++)
        if (set->answer[i].block == block && set->answer[i].part == part)
            return &set->answer[i];
    return NULL;
}
