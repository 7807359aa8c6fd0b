#include "harness/analysis/decision_rules.h"

#include "harness/analysis/threshold.h"

#include <math.h>
#include <string.h>

bool decision_is_baseline(const struct cell_metrics *metrics)
{
    return metrics->baseline == metrics->cell;
}

const struct cell_metrics *decision_baseline(const struct cell_metrics metrics[], unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (decision_is_baseline(&metrics[i]))
            return &metrics[i];
    return NULL;
}

bool decision_is_sound(const struct cell_metrics *metrics)
{
    return metrics->measured && metrics->verified && metrics->cell->ended && metrics->device;
}

const char *decision_flaw(const struct cell_metrics *metrics)
{
    const struct cell_record *cell = metrics->cell;
    if (!cell->ended)
        return "not finished";
    if (cell->outcome.status != STATUS_OK)
        return status_name(cell->outcome.status);
    if (!metrics->measured)
        return "without a time";
    return cell->weak            ? "verified by a check that proves nothing"
           : cell->verified == 1 ? "not verified after it was timed"
           : !metrics->verified  ? "not verified"
                                 : "of an unknown device";
}

/* An interval this wide (ratio of its ends) shows at most the side; if it contains 1 it shows nothing. */
static const double vague = 4;

static bool is_vague(const struct estimate *speedup)
{
    return speedup->high > vague * speedup->low;
}

struct estimate decision_claim(const struct estimate *speedup)
{
    struct estimate claim = *speedup;
    enum side side = speedup_side(speedup);
    if (is_vague(speedup) && (side == SIDE_FASTER || side == SIDE_SLOWER))
        claim.value = side == SIDE_FASTER ? speedup->low : speedup->high;
    return claim;
}

/* How well a speed-up is known. */
static int precision_class(const struct estimate *speedup)
{
    return isnan(speedup->value) ? 0 : isnan(speedup->low) ? 1 : is_vague(speedup) ? 2 : 3;
}

/* The better known one first; then the higher low end. */
static bool is_better(const struct estimate *held, const struct estimate *one)
{
    int known = precision_class(one), held_known = precision_class(held);
    if (known != held_known)
        return known > held_known;
    return known > 1 ? one->low > held->low : one->value > held->value;
}

/* If host and device share memory, copies that a program could avoid do not characterise the device. */
static bool is_fair(const struct cell_metrics *one)
{
    return !one->device->shares_host_memory || strcmp(one->cell->memory, memory_name(MEMORY_MAPPED)) == 0;
}

/* By the offload speed-up, since kinds of memory differ in transfers; by the resident one if there is none or nothing
 * is moved. */
static bool is_better_cell(const struct cell_metrics *held, const struct cell_metrics *one)
{
    bool is_host = one->device->works_in_host_memory;
    if (!is_host && is_fair(held) != is_fair(one))
        return is_fair(one);
    if (is_host || (isnan(held->offload.value) && isnan(one->offload.value)))
        return is_better(&held->resident, &one->resident);
    if (held->is_offload_disturbed != one->is_offload_disturbed)
        return held->is_offload_disturbed;
    return is_better(&held->offload, &one->offload);
}

/* Adds a cell to the decision of its device. */
static void add_cell(struct decision *best, const struct cell_metrics *one)
{
    enum status status = one->cell->outcome.status;
    if (!decision_is_sound(one)) {
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

/* The user asked for a method that the baseline's device does not have: nothing could be compared. */
static bool is_missing_method(const struct cell_metrics *metrics)
{
    return metrics->cell->outcome.status == STATUS_UNSUPPORTED && metrics->baseline &&
           strcmp(metrics->cell->device_id, metrics->baseline->device_id) == 0;
}

unsigned decision_find(const struct cell_metrics metrics[], unsigned count, struct decision out[DEVICES_MAX])
{
    unsigned devices = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct cell_metrics *one = &metrics[i];
        unsigned at = 0;
        if (!one->device || decision_is_baseline(one) || is_missing_method(one))
            continue;
        while (at < devices && out[at].device != one->device)
            at++;
        if (at == DEVICES_MAX)
            continue;
        if (at == devices)
            out[devices++] = (struct decision){ .device = one->device };
        add_cell(&out[at], one);
    }
    return devices;
}

enum side decision_side(const struct estimate *speedup, const struct ratio_range *rounds)
{
    enum side side = speedup_side(speedup);
    const struct threshold_point point = { .speedup = *speedup, .rounds = *rounds };
    if (speedup_is_close(speedup))
        return SIDE_EVEN;
    if (side == SIDE_UNCERTAIN && threshold_side(&point) == SURELY_SLOWER)
        return SIDE_SLOWER;
    return side == SIDE_EVEN && is_vague(speedup) ? SIDE_UNCERTAIN : side;
}

enum uncertainty decision_uncertainty(const struct estimate *speedup)
{
    return speedup->samples < ESTIMATE_BLOCKS_MIN && isnan(speedup->low) ? TOO_FEW_ROUNDS : TOO_DISTURBED;
}

const char *uncertainty_name(enum uncertainty uncertainty, bool is_first_word)
{
    static const char *const names[][2] = {
        [TOO_FEW_ROUNDS] = { "too few rounds", "Too few rounds" },
        [TOO_DISTURBED] = { "too disturbed", "Too disturbed" },
    };
    return names[uncertainty][is_first_word];
}

enum side decision_offload(const struct cell_metrics *metrics)
{
    return metrics->is_offload_disturbed ? SIDE_UNCERTAIN : decision_side(&metrics->offload, &metrics->offload_rounds);
}

bool decision_is_contradicted(const struct cell_metrics *metrics)
{
    return metrics->breakeven[FETCH_ONCE].outcome == BREAKEVEN_CONTRADICTED ||
           metrics->breakeven[FETCH_EVERY_TIME].outcome == BREAKEVEN_CONTRADICTED;
}

enum worth decision_worth(const struct cell_metrics *metrics)
{
    enum side resident = decision_side(&metrics->resident, &metrics->resident_rounds),
              offload = decision_offload(metrics);
    if (resident == SIDE_FASTER)
        return offload == SIDE_FASTER ? WORTH_ALWAYS : WORTH_STAYING;
    if (offload == SIDE_FASTER)
        return WORTH_MOVED;
    if (resident == SIDE_UNCERTAIN || offload == SIDE_UNCERTAIN)
        return WORTH_UNKNOWN;
    return resident == SIDE_EVEN || offload == SIDE_EVEN ? WORTH_NO_GAIN : WORTH_NOTHING;
}

enum uncertainty decision_worth_uncertainty(const struct cell_metrics *metrics)
{
    if (decision_side(&metrics->resident, &metrics->resident_rounds) == SIDE_UNCERTAIN)
        return decision_uncertainty(&metrics->resident);
    return metrics->is_offload_disturbed ? TOO_DISTURBED : decision_uncertainty(&metrics->offload);
}

unsigned decision_fastest(const struct cell_metrics metrics[], unsigned count,
                          const struct cell_metrics *fastest[DEVICES_MAX])
{
    unsigned devices = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct cell_metrics *one = &metrics[i];
        unsigned at = 0;
        if (!decision_is_sound(one) || isnan(one->bandwidth))
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
