#include "harness/analysis/answer.h"

#include "harness/analysis/answer_choice.h"
#include "harness/analysis/figures.h"
#include "harness/base/text.h"

#include <string.h>

/* What the set is filled from. All arrays are in the set's pool. */
struct builder {
    struct answer_set *set;
    const struct record *record;
    struct choice *choice; /* by device: of the block in work */
};

/* The same chip under another API, or an equal card. A CPU that works in host memory is itself and nothing else. */
static bool is_same_part(const struct device *one, const struct device *other)
{
    bool is_host = one->works_in_host_memory || other->works_in_host_memory;
    if (is_host || one->class != other->class || !*one->silicon || !*other->silicon)
        return false;
    bool is_card = one->class != CLASS_CPU && *one->name && strcmp(one->name, other->name) == 0;
    return is_card || strcmp(one->silicon, other->silicon) == 0;
}

static double ceiling_of(const struct record *record, const struct device *device, enum dtype dtype)
{
    return roofline_flops(record, device->id, dtype_name(dtype)).wall;
}

/* f32, or else the first floating-point type whose peak was measured. */
static enum dtype type_of_peak(const struct record *record, const struct device *device)
{
    enum dtype first = 0;
    while (first < DTYPE_COUNT && (dtype_is_whole(first) || isnan(ceiling_of(record, device, first))))
        first++;
    return first == DTYPE_COUNT || !isnan(ceiling_of(record, device, DTYPE_F32)) ? DTYPE_F32 : first;
}

/* The part that the device belongs to: a new one, or that of an earlier device. *is_new_chip: none of these is the same
 * chip. */
static unsigned find_part(const struct builder *builder, const struct device *device, bool *is_new_chip)
{
    const struct answer_set *set = builder->set;
    unsigned part = set->parts;
    *is_new_chip = true;
    for (unsigned i = 0; i < builder->record->devices; i++) {
        const struct device *other = &builder->record->device[i];
        if (set->part_of[i] == NO_PART || !is_same_part(other, device))
            continue;
        part = set->part_of[i];
        *is_new_chip &= strcmp(other->silicon, device->silicon) != 0;
    }
    return part;
}

static void add_device(struct builder *builder, unsigned at)
{
    struct answer_set *set = builder->set;
    const struct device *device = &builder->record->device[at];
    bool is_new_chip;
    const unsigned part = find_part(builder, device, &is_new_chip);
    struct answer_part *to = &set->part[part];
    if (part == set->parts) {
        set->parts++;
        *to = (struct answer_part){ .device = device, .flops = NAN, .bandwidth = NAN };
        to->is_gpu = device->class != CLASS_CPU;
        to->dtype = type_of_peak(builder->record, device);
        set->has_gpu |= to->is_gpu;
    }
    to->cards += is_new_chip;
    to->flops = fmax(to->flops, ceiling_of(builder->record, device, to->dtype));
    to->bandwidth = fmax(to->bandwidth, roofline_bandwidth(builder->record, device->id, ROOFLINE_TOP).wall);
    set->part_of[at] = part;
}

/* The baseline's device first, then GPUs and accelerators, then other CPUs. */
static void add_parts(struct builder *builder)
{
    const struct record *record = builder->record;
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
                add_device(builder, i);
        }
    if (baseline && builder->set->parts > 0)
        builder->set->part[0].is_baseline = true;
}

/* Metrics of the cell that a device's chosen one is compared with. */
static const struct cell_metrics *metrics_of(const struct cell_metrics metrics[], unsigned count,
                                             const struct cell_record *cell)
{
    for (unsigned i = 0; i < count; i++)
        if (metrics[i].cell == cell)
            return &metrics[i];
    return NULL;
}

static enum why why_unjudged(const struct answer_use *use, enum use kind)
{
    return use->cell->is_held_back                      ? WHY_HELD_BACK
           : use->cell->is_disturbed[kind]              ? WHY_DISTURBED
           : use->speedup.samples < ESTIMATE_VALUES_MIN ? WHY_FEW_ROUNDS
                                                        : WHY_NOISY;
}

/* Whether what limits the row is known from a peak with an interval, which a disturbed one does not have. */
static bool has_sure_limit(const struct cell_metrics *metrics)
{
    const struct ceiling *ceiling = roofline_binding(&metrics->roof);
    return metrics->roof.bound == BOUND_LAUNCH || (ceiling && !isnan(ceiling->half_width));
}

static enum why why_computing(const struct answer_use *use)
{
    const struct cell_metrics *cell = use->cell, *baseline = use->baseline;
    const bool is_shared =
        cell->device->shares_host_memory && baseline->device && baseline->device->works_in_host_memory;
    enum bound own = cell->roof.bound, other = baseline->roof.bound;
    if (use->verdict == VERDICT_SLOWER && baseline->cell->is_fast && !cell->cell->is_fast)
        return WHY_BASELINE_FEWER;
    if (use->verdict == VERDICT_FASTER && cell->cell->is_fast && !baseline->cell->is_fast)
        return WHY_DEVICE_FEWER;
    if (own == BOUND_LAUNCH && use->verdict == VERDICT_SLOWER)
        return WHY_LAUNCH;
    /* What limits both on one chip explains nothing. */
    if ((is_shared && cell->device->class == CLASS_CPU) || !has_sure_limit(cell) || !has_sure_limit(baseline))
        return WHY_UNKNOWN;
    if (own != other)
        return WHY_DIFFERENT_LIMITS;
    return own == BOUND_MEMORY && !is_shared ? WHY_MEMORY : own == BOUND_COMPUTE ? WHY_COMPUTE : WHY_UNKNOWN;
}

/* By what the transfers change. */
static enum why why_moving(const struct answer_use *use, const struct answer_use *computing)
{
    if (computing->verdict == VERDICT_UNJUDGED)
        return WHY_UNKNOWN;
    const bool is_same_pair = use->cell == computing->cell && use->baseline == computing->baseline;
    if (use->verdict == computing->verdict)
        return computing->is_against_f32 || !is_same_pair ? WHY_UNKNOWN : computing->why;
    if (use->verdict == VERDICT_FASTER || computing->verdict == VERDICT_SLOWER)
        return use->baseline->repack > 0 ? WHY_BASELINE_REPACKS : WHY_UNKNOWN;
    return WHY_TRANSFER;
}

/* The reason, or why there is no verdict. */
static enum why reason_of(const struct answer *answer, enum use kind)
{
    const struct answer_use *use = &answer->use[kind];
    if (use->verdict == VERDICT_NONE)
        return use->cell ? WHY_NO_BASELINE : answer->unsound ? answer_flaw(answer->unsound) : WHY_NO_BASELINE;
    if (use->verdict == VERDICT_UNJUDGED)
        return why_unjudged(use, kind);
    if (use->is_against_f32)
        return WHY_BASELINE_WIDER;
    if (use->verdict == VERDICT_UNCLEAR)
        return WHY_UNKNOWN;
    return kind == USE_RESIDENT ? why_computing(use) : why_moving(use, &answer->use[USE_RESIDENT]);
}

static void fill_use(struct answer_use *use, enum use kind, const struct cell_metrics *cell,
                     const struct cell_metrics *baseline)
{
    bool is_moved = kind == USE_COPIED, is_compared = cell && baseline && answer_is_sound(baseline);
    *use = (struct answer_use){ .cell = cell, .seconds = NAN, .baseline_seconds = NAN, .speedup = estimate_unknown };
    use->cards = (struct ratio_range){ NAN, NAN };
    if (cell)
        use->seconds = is_moved ? cell->whole.value : cell->time.value;
    if (!is_compared)
        return;
    use->baseline = baseline;
    use->baseline_seconds = is_moved && !isnan(baseline->whole.value) ? baseline->whole.value : baseline->time.value;
    use->speedup = is_moved ? cell->copied : cell->resident;
    const struct estimate *wider = is_moved ? &cell->whole_in_f32 : &cell->baseline_in_f32;
    use->is_against_f32 = !isnan(wider->value) && !isnan(use->speedup.value);
    if (use->is_against_f32) {
        use->baseline_seconds = wider->value;
        use->speedup = figures_quotient(*wider, is_moved ? cell->whole : cell->time);
        if (cell->is_disturbed[kind])
            use->speedup = verdict_withhold(&use->speedup);
    }
    use->verdict = verdict_of(&use->speedup);
}

/* Of the cell's own type; against another it follows from the two speed-ups in the same way. */
static struct breakeven breakeven_of(const struct answer *answer, const struct cell_metrics *cell)
{
    const struct answer_use *stays = &answer->use[USE_RESIDENT], *moves = &answer->use[USE_COPIED];
    if (!cell || cell->breakeven.outcome == BREAKEVEN_NONE)
        return (struct breakeven){ BREAKEVEN_NONE, NAN, NAN, NAN };
    return stays->is_against_f32 || moves->is_against_f32
               ? breakeven_solve(&stays->speedup, &moves->speedup, moves->baseline_seconds / stays->baseline_seconds)
               : cell->breakeven;
}

/* A verified and undisturbed row that is faster than the loops which measure peaks is the peak. */
static void raise_peaks(struct builder *builder, const struct cell_metrics metrics[], unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const struct cell_metrics *one = &metrics[i];
        if (!answer_is_sound(one) || !one->roof.is_exceeded || one->is_beside_others)
            continue;
        const unsigned at = builder->set->part_of[one->device - builder->record->device];
        if (at == NO_PART)
            continue;
        struct answer_part *part = &builder->set->part[at];
        if (one->roof.binding == ROOF_FLOPS && strcmp(one->cell->dtype, dtype_name(DTYPE_F32)) == 0)
            part->flops = fmax(part->flops, one->rate);
        else if (one->roof.binding == ROOF_BANDWIDTH && roofline_is_beyond_caches(one->cell))
            part->bandwidth = fmax(part->bandwidth, one->bandwidth);
    }
}

/* The answer by the cells chosen for one device. */
static void fill_answer(struct answer *out, const struct record *record, const struct choice *choice,
                        const struct cell_metrics metrics[], unsigned count)
{
    const struct cell_metrics *baseline = answer_baseline(metrics, count);
    const struct cell_metrics *cell[USES] = { choice->resident, choice->copied };
    for (enum use use = 0; use < USES; use++) {
        const struct cell_record *against = !cell[use]          ? NULL
                                            : use == USE_COPIED ? record_cell(record, cell[use]->cell->baseline_copied)
                                                                : cell[use]->baseline;
        const struct cell_metrics *own = metrics_of(metrics, count, against);
        fill_use(&out->use[use], use, cell[use], own ? own : baseline);
    }
    out->breakeven = breakeven_of(out, choice->resident);
    for (enum use use = 0; use < USES; use++)
        out->use[use].why = reason_of(out, use);
}

/* A speed-up that decides something; NAN: none does. */
static double judged_speedup(const struct answer_use *use)
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
    struct answer sum = *held;
    if (is_card ? stands_for(one, held) : choice_is_better_answer(held, one))
        sum = *one;
    for (enum use use = 0; use < USES; use++) {
        sum.use[use].cards = held->use[use].cards;
        if (is_card) {
            widen(&sum.use[use].cards, judged_speedup(&held->use[use]));
            widen(&sum.use[use].cards, judged_speedup(&one->use[use]));
        }
    }
    sum.unsound = held->unsound ? held->unsound : one->unsound;
    *held = sum;
}

/* The answer of one chip: its APIs, the faster first. */
static struct answer answer_of_chip(struct builder *builder, unsigned block, unsigned first)
{
    const struct record *record = builder->record;
    struct answer best = { .device = NULL };
    for (unsigned i = first; i < record->devices; i++) {
        const struct choice *choice = &builder->choice[i];
        if (!choice->is_used || builder->set->part_of[i] != builder->set->part_of[first] ||
            !device_same_silicon(&record->device[first], &record->device[i]))
            continue;
        struct answer one = {
            .block = &record->block[block],
            .problem = record->block[block].cell[0],
            .part = &builder->set->part[builder->set->part_of[first]],
            .device = &record->device[i],
            .unsound = choice->unsound,
        };
        answer_size(one.size, one.problem);
        fill_answer(&one, record, choice, builder->set->metrics[block], record->block[block].cells);
        builder->choice[i].is_taken = true;
        if (best.device)
            merge(&best, &one, false);
        else
            best = one;
    }
    return best;
}

/* Adds the answers of a block: one for each part but the baseline's. */
static void add_answers(struct builder *builder, unsigned block)
{
    struct answer_set *set = builder->set;
    const struct record *record = builder->record;
    const unsigned first = set->answers;
    choice_find(builder->choice, record, set->metrics[block], record->block[block].cells);
    for (unsigned i = 0; i < record->devices; i++) {
        unsigned part = builder->set->part_of[i], at = first;
        if (!builder->choice[i].is_used || builder->choice[i].is_taken || set->part[part].is_baseline)
            continue;
        struct answer one = answer_of_chip(builder, block, i);
        while (at < set->answers && set->answer[at].part != one.part)
            at++;
        if (at < set->answers)
            merge(&set->answer[at], &one, true);
        else
            set->answer[set->answers++] = one;
    }
}

static bool computes_nothing(const struct cell_metrics *metrics)
{
    const double flops = metrics->cell->flops; /* NAN if the journal lacks it: most workloads compute */
    return metrics->only_moves ? !(flops > 0) : flops <= 0;
}

bool answer_is_question(const struct cell_metrics metrics[], unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (metrics[i].cell->is_ceiling || metrics[i].launches.is_launch || computes_nothing(&metrics[i]))
            return false;
    return count > 0;
}

static bool open_builder(struct builder *builder, struct answer_set *set, const struct record *record)
{
    struct pool *pool = &set->pool;
    *builder = (struct builder){ .set = set, .record = record };
    set->part_of = pool_take(pool, (record->devices + 1) * sizeof *set->part_of);
    builder->choice = pool_take(pool, (record->devices + 1) * sizeof *builder->choice);
    set->metrics = pool_take(pool, (record->blocks + 1) * sizeof *set->metrics);
    set->part = pool_take(pool, (record->devices + 1) * sizeof *set->part);
    for (unsigned i = 0; set->part_of && i < record->devices; i++)
        set->part_of[i] = NO_PART;
    return !pool->is_short;
}

static bool read_block(struct builder *builder, unsigned at)
{
    struct answer_set *set = builder->set;
    const struct block_record *block = &builder->record->block[at];
    set->metrics[at] = block->cells > 0 ? pool_take(&set->pool, block->cells * sizeof *set->metrics[at]) : NULL;
    if (!set->metrics[at])
        return !set->pool.is_short;
    cell_metrics_fill(set->metrics[at], builder->record, block);
    raise_peaks(builder, set->metrics[at], block->cells);
    if (!builder->record->sweep && answer_is_question(set->metrics[at], block->cells))
        add_answers(builder, at);
    return !set->pool.is_short;
}

/* Blocks from `first` to before `end`. At most one answer for a cell, as each is of another device or block. */
static bool read_blocks(struct answer_set *out, const struct record *record, unsigned first, unsigned end)
{
    struct builder builder;
    unsigned cells = 0;
    *out = (struct answer_set){ .record = record };
    if (!open_builder(&builder, out, record))
        return false;
    add_parts(&builder);
    for (unsigned i = first; i < end; i++)
        cells += record->block[i].cells;
    out->answer = pool_take(&out->pool, (cells + 1) * sizeof *out->answer);
    bool complete = out->answer != NULL;
    for (unsigned i = first; i < end && complete; i++)
        complete = read_block(&builder, i);
    return complete && answer_costs_read(out) && answer_overalls_read(out);
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
