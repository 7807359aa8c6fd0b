#include "harness/analysis/answer_choice.h"

#include <string.h>

const struct cell_metrics *answer_baseline(const struct cell_metrics metrics[], unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (metrics[i].baseline == metrics[i].cell)
            return &metrics[i];
    return NULL;
}

bool answer_is_sound(const struct cell_metrics *metrics)
{
    return metrics->measured && metrics->verified && metrics->device;
}

enum why answer_flaw(const struct cell_metrics *metrics)
{
    enum status status = metrics->cell->outcome.status;
    return status == STATUS_WRONG ? WHY_WRONG : status != STATUS_OK ? WHY_FAILED : WHY_UNVERIFIED;
}

/* How well a speed-up is known. An interval whose ends are this far apart, by ratio, shows at most the side. */
static int precision_class(const struct estimate *speedup)
{
    static const double vague = 4;
    return isnan(speedup->value) ? 0 : isnan(speedup->low) ? 1 : speedup->high > vague * speedup->low ? 2 : 3;
}

/* The better known one first; then the higher low end. */
static bool is_better(const struct estimate *held, const struct estimate *one)
{
    int known = precision_class(one), held_known = precision_class(held);
    if (known != held_known)
        return known > held_known;
    return known > 1 ? one->low > held->low : one->value > held->value;
}

bool choice_is_better_answer(const struct answer *held, const struct answer *one)
{
    for (enum use use = USES; use-- > 0;) {
        const struct estimate *own = &one->use[use].speedup, *other = &held->use[use].speedup;
        if (!isnan(own->value) || !isnan(other->value))
            return is_better(other, own);
    }
    return false;
}

/* If host and device share memory, copies that a program could avoid do not characterise the device. */
static bool is_fair(const struct cell_metrics *one)
{
    return !one->device->shares_host_memory || strcmp(one->cell->memory, memory_names[MEMORY_MAPPED]) == 0;
}

static bool has_speedup(const struct cell_metrics *one)
{
    return !isnan(one->resident.value) || !isnan(one->copied.value);
}

/* By the copied speed-up, since kinds of memory differ in transfers; by the resident one if there is none or nothing
 * is moved; by the time where nothing is compared. */
static bool is_better_cell(const struct cell_metrics *held, const struct cell_metrics *one)
{
    bool is_host = one->device->works_in_host_memory;
    if (!is_host && is_fair(held) != is_fair(one))
        return is_fair(one);
    if (!has_speedup(held) && !has_speedup(one))
        return one->time.value < held->time.value;
    if (is_host || (isnan(held->copied.value) && isnan(one->copied.value)))
        return is_better(&held->resident, &one->resident);
    if (held->is_disturbed[USE_COPIED] != one->is_disturbed[USE_COPIED])
        return held->is_disturbed[USE_COPIED];
    return is_better(&held->copied, &one->copied);
}

/* The user asked for a method that the baseline's device does not have: nothing could be compared. */
static bool is_missing_method(const struct cell_metrics *metrics)
{
    return metrics->cell->outcome.status == STATUS_UNSUPPORTED && metrics->baseline &&
           strcmp(metrics->cell->device_id, metrics->baseline->device_id) == 0;
}

/* Of the same memory as the chosen one: the best that has the figure which that one lacks. */
static void add_partner(struct choice *to, const struct cell_metrics *one)
{
    const struct cell_metrics *held = to->resident ? to->resident : to->copied;
    if (!held || strcmp(held->cell->memory, one->cell->memory) != 0)
        return;
    if (isnan(held->resident.value) && !isnan(one->resident.value) &&
        (to->resident == held || !to->resident || is_better(&to->resident->resident, &one->resident)))
        to->resident = one;
    if (isnan(held->copied.value) && !isnan(one->copied.value) &&
        (to->copied == held || !to->copied || is_better(&to->copied->copied, &one->copied)))
        to->copied = one;
}

/* The index of its device, or `devices` for a cell without a choice. */
static unsigned place_of(const struct record *record, const struct cell_metrics *one)
{
    bool is_out = !one->device || one->baseline == one->cell || is_missing_method(one);
    return is_out ? record->devices : (unsigned)(one->device - record->device);
}

void choice_find(struct choice out[], const struct record *record, const struct cell_metrics metrics[], unsigned count)
{
    memset(out, 0, record->devices * sizeof *out);
    for (unsigned i = 0; i < count; i++) {
        unsigned at = place_of(record, &metrics[i]);
        if (at == record->devices)
            continue;
        out[at].is_used = true;
        if (!answer_is_sound(&metrics[i]))
            out[at].unsound = out[at].unsound ? out[at].unsound : &metrics[i];
        else if (!out[at].copied || is_better_cell(out[at].copied, &metrics[i]))
            out[at].resident = out[at].copied = &metrics[i];
    }
    for (unsigned i = 0; i < count; i++) {
        unsigned at = place_of(record, &metrics[i]);
        if (at < record->devices && answer_is_sound(&metrics[i]))
            add_partner(&out[at], &metrics[i]);
    }
}

/* The direction that a transfer's shape names. */
static enum cost direction_of(const struct cell_record *cell)
{
    size_t length;
    const char *value = text_value(cell->shape, "direction", &length);
    if (value && length == strlen("down") && strncmp(value, "down", length) == 0)
        return COST_DOWNLOAD;
    return value && length == strlen("up") && strncmp(value, "up", length) == 0 ? COST_UPLOAD : COST_COUNT;
}

/* What the cell says of a cost; kind COST_COUNT: nothing. */
static struct answer_cost cost_of(const struct answer_set *set, const struct cell_metrics *metrics)
{
    struct answer_cost cost = { COST_COUNT, NULL, metrics };
    if (!answer_is_sound(metrics) || metrics->cell->is_link)
        return cost;
    const unsigned part = set->part_of[metrics->device - set->record->device];
    cost.part = part == NO_PART ? NULL : &set->part[part];
    if (metrics->launches.is_launch && metrics->launches.count == 1)
        cost.kind = strcmp(metrics->cell->method, "graph") == 0 ? COST_GRAPH : COST_LAUNCH;
    else if (metrics->only_moves && !(metrics->cell->flops > 0))
        cost.kind = direction_of(metrics->cell);
    return cost;
}

/* The higher bandwidth, or the shorter launch. */
static bool is_cheaper(const struct answer_cost *held, const struct answer_cost *one)
{
    return one->kind >= COST_LAUNCH ? one->cell->time.value < held->cell->time.value
                                    : one->cell->bandwidth > held->cell->bandwidth;
}

static void add_cost(struct answer_set *set, const struct answer_cost *one)
{
    unsigned at = 0;
    while (at < set->costs && (set->cost[at].part != one->part || set->cost[at].kind != one->kind ||
                               set->cost[at].cell->no_copy != one->cell->no_copy))
        at++;
    if (at == set->costs)
        set->cost[set->costs++] = *one;
    else if (is_cheaper(&set->cost[at], one))
        set->cost[at] = *one;
}

bool answer_costs_read(struct answer_set *set)
{
    const struct record *record = set->record;
    set->cost = pool_take(&set->pool, (2 * COST_COUNT * set->parts + 1) * sizeof *set->cost);
    for (unsigned i = 0; i < record->blocks && !set->pool.is_short; i++)
        for (unsigned k = 0; set->metrics[i] && k < record->block[i].cells; k++) {
            const struct answer_cost cost = cost_of(set, &set->metrics[i][k]);
            if (cost.kind < COST_COUNT && cost.part)
                add_cost(set, &cost);
        }
    return !set->pool.is_short;
}
