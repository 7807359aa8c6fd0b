#include "harness/reports/judgement.h"

#include <math.h>
#include <string.h>

bool judgement_is_baseline(const struct facts *facts)
{
    return facts->baseline == facts->cell;
}

const struct facts *judgement_baseline(const struct facts facts[], unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (judgement_is_baseline(&facts[i]))
            return &facts[i];
    return NULL;
}

bool judgement_is_sound(const struct facts *facts)
{
    return facts->measured && facts->verified && facts->cell->ended && facts->device;
}

const char *judgement_flaw(const struct facts *facts)
{
    const struct cell_record *cell = facts->cell;
    if (!cell->ended)
        return "not finished";
    if (cell->outcome.status != STATUS_OK)
        return status_name(cell->outcome.status);
    if (!facts->measured)
        return "without a time";
    return cell->weak            ? "verified by a check that proves nothing"
           : cell->verified == 1 ? "not verified after it was timed"
           : !facts->verified    ? "not verified"
                                 : "of an unknown device";
}

/* What is surely faster goes before what only may be: a known interval before none, then the higher low end. */
static bool is_better(const struct estimate *held, const struct estimate *one)
{
    if (isnan(one->value) || isnan(held->value))
        return !isnan(one->value);
    bool known = !isnan(one->low), held_known = !isnan(held->low);
    if (known != held_known)
        return known;
    return known ? one->low > held->low : one->value > held->value;
}

/* By the offload, which is what kinds of memory differ in; where there is none, or nothing is moved, by the resident
 * speed-up. */
static bool is_better_cell(const struct facts *held, const struct facts *one)
{
    bool is_host = one->device->works_in_host_memory;
    if (is_host || (isnan(held->offload.value) && isnan(one->offload.value)))
        return is_better(&held->resident, &one->resident);
    if (held->is_offload_disturbed != one->is_offload_disturbed)
        return held->is_offload_disturbed;
    return is_better(&held->offload, &one->offload);
}

/* What one cell adds to what is known of its device. */
static void take(struct judgement *best, const struct facts *one)
{
    enum status status = one->cell->outcome.status;
    if (!judgement_is_sound(one)) {
        best->unsound = best->unsound ? best->unsound : one;
        best->wrong += status == STATUS_WRONG;
        best->failed += status != STATUS_WRONG && status_is_bad(status);
        best->unverified += one->measured && one->cell->ended && !one->verified;
        return;
    }
    bool is_compared = !isnan(one->resident.value) || !isnan(one->offload.value);
    if (is_compared && (!best->cell || is_better_cell(best->cell, one)))
        best->cell = one;
}

/* A method that was asked for by name and that the baseline's device has not: nothing was to be compared. */
static bool is_missing_method(const struct facts *facts)
{
    return facts->cell->outcome.status == STATUS_UNSUPPORTED && facts->baseline &&
           strcmp(facts->cell->device_id, facts->baseline->device_id) == 0;
}

unsigned judgement_find(const struct facts facts[], unsigned count, struct judgement out[DEVICES_MAX])
{
    unsigned devices = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct facts *one = &facts[i];
        unsigned at = 0;
        if (!one->device || judgement_is_baseline(one) || is_missing_method(one))
            continue;
        while (at < devices && out[at].device != one->device)
            at++;
        if (at == DEVICES_MAX)
            continue;
        if (at == devices)
            out[devices++] = (struct judgement){ .device = one->device };
        take(&out[at], one);
    }
    return devices;
}

/* Losses as large as this are losses, even where rounds were too few for an interval. A gain has to be shown. */
static const double hopeless = 0.25;
/* An interval with 1 in it and ends so many times apart tells nothing, not even that there is little to gain. */
static const double disturbed = 4;

enum side judgement_lean(const struct estimate *speedup)
{
    enum side side = speedup_side(speedup);
    if (speedup_is_close(speedup))
        return SIDE_EVEN;
    if (side == SIDE_UNCERTAIN && speedup->value < hopeless)
        return SIDE_SLOWER;
    return side == SIDE_EVEN && speedup->high > disturbed * speedup->low ? SIDE_UNCERTAIN : side;
}

const char *judgement_reason(const struct estimate *speedup)
{
    return speedup->samples < ESTIMATE_BLOCKS_MIN && isnan(speedup->low) ? "too few rounds" : "too disturbed";
}

enum side judgement_offload(const struct facts *facts)
{
    return facts->is_offload_disturbed ? SIDE_UNCERTAIN : judgement_lean(&facts->offload);
}

const char *judgement_offload_reason(const struct facts *facts)
{
    return facts->is_offload_disturbed ? "too disturbed" : judgement_reason(&facts->offload);
}

bool judgement_is_contradicted(const struct facts *facts)
{
    return facts->breakeven[FETCH_ONCE].outcome == BREAKEVEN_CONTRADICTED ||
           facts->breakeven[FETCH_EVERY_TIME].outcome == BREAKEVEN_CONTRADICTED;
}

enum worth judgement_worth(const struct facts *facts)
{
    enum side resident = judgement_lean(&facts->resident), offload = judgement_offload(facts);
    if (resident == SIDE_FASTER)
        return offload == SIDE_FASTER ? WORTH_ALWAYS : WORTH_STAYING;
    if (offload == SIDE_FASTER)
        return WORTH_MOVED;
    if (resident == SIDE_UNCERTAIN || offload == SIDE_UNCERTAIN)
        return WORTH_UNKNOWN;
    return resident == SIDE_EVEN || offload == SIDE_EVEN ? WORTH_NO_GAIN : WORTH_NOTHING;
}

unsigned judgement_fastest(const struct facts facts[], unsigned count, const struct facts *fastest[DEVICES_MAX])
{
    unsigned devices = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct facts *one = &facts[i];
        unsigned at = 0;
        if (!judgement_is_sound(one) || isnan(one->bandwidth))
            continue;
        while (at < devices && fastest[at]->device != one->device)
            at++;
        if (at == DEVICES_MAX)
            continue;
        if (at == devices)
            fastest[devices++] = one;
        else if (one->bandwidth > fastest[at]->bandwidth)
            fastest[at] = one;
    }
    return devices;
}
