#include "harness/report/content/summary_card.h"

#include "harness/analysis/curve.h"
#include "harness/analysis/decision_rules.h"
#include "harness/report/content/sweep_text.h"

#include <math.h>

/* NULL when memory is short. */
static struct summary_card *add(struct cards *to, struct pool *pool, const char *letter)
{
    to->card = pool_grow(pool, to->card, to->cards, &to->room, sizeof *to->card);
    if (to->cards >= to->room)
        return NULL;
    struct summary_card *card = &to->card[to->cards++];
    *card = (struct summary_card){ .letter = letter, .device = "", .baseline = "", .answer = "" };
    return card;
}

/* "opencl:0 portable, mapped: CPU through OpenCL"; empty parts are left out. */
static const char *device_title(struct pool *pool, const struct device *device, const char *method, const char *memory)
{
    bool is_api = device->class == CLASS_CPU && !device->works_in_host_memory;
    char api[DEVICE_API];
    return pool_print(pool, "%s%s%s%s%s: %s%s%s", device->id, *method ? " " : "", method, *memory ? ", " : "", memory,
                      class_name(device->class), is_api ? " through " : "", is_api ? device_api(api, device) : "");
}

/* A text in place of a figure. */
static void add_disturbed(struct summary_card *card, const char *use)
{
    card->figure[card->figures++] = (struct summary_card_figure){
        .use = use,
        .value = "too disturbed to judge",
        .interval = "",
        .speedup = estimate_unknown,
        .side = SIDE_UNCERTAIN,
    };
}

/* Nothing if the speed-up is unknown. */
static void add_speedup(struct summary_card *card, struct pool *pool, const char *use, const struct estimate *speedup,
                        const struct ratio_range *rounds)
{
    struct speedup_text text;
    char all[SPEEDUP_ROUNDS];
    enum side side = speedup_side(speedup), lean = decision_side(speedup, rounds);
    if (side == SIDE_MISSING)
        return;
    if (side == SIDE_EVEN && lean == SIDE_UNCERTAIN) {
        add_disturbed(card, use);
        return;
    }
    const struct estimate claim = decision_claim(speedup);
    const char *bound = claim.value == speedup->value ? "" : side == SIDE_FASTER ? "at least " : "at most ";
    speedup_write(&text, &claim);
    speedup_write_rounds(all, speedup, rounds);
    card->figure[card->figures++] = (struct summary_card_figure){
        .use = use,
        .value = pool_print(pool, "%s%sx", bound, text.value),
        .interval = *text.interval        ? pool_copy(pool, text.interval)
                    : lean == SIDE_SLOWER ? pool_copy(pool, all)
                                          : "[?]",
        .speedup = *speedup,
        .side = lean,
    };
}

/* Why an uncertain speed-up has no answer. */
static const char *uncertain_answer(struct pool *pool, const struct cell_metrics *metrics)
{
    return pool_print(pool, "%s to judge", uncertainty_name(decision_worth_uncertainty(metrics), true));
}

/* For a GPU or an accelerator: is it worth it? */
static void answer_worth(struct summary_card *card, struct pool *pool, const struct cell_metrics *metrics)
{
    static const struct {
        const char *answer;
        enum side side;
    } answers[] = {
        [WORTH_UNKNOWN] = { NULL, SIDE_UNCERTAIN },
        [WORTH_NOTHING] = { "Not worth it", SIDE_SLOWER },
        [WORTH_NO_GAIN] = { "No gain shown", SIDE_EVEN },
        [WORTH_STAYING] = { "Worth it for data that stays", SIDE_FASTER },
        [WORTH_MOVED] = { "Worth it with transfers counted", SIDE_FASTER },
        [WORTH_ALWAYS] = { "Worth it", SIDE_FASTER },
    };
    enum worth worth = decision_worth(metrics);
    card->answer = answers[worth].answer ? answers[worth].answer : uncertain_answer(pool, metrics);
    card->side = answers[worth].side;
    if (worth == WORTH_NO_GAIN && speedup_is_close(&metrics->resident))
        card->answer = speedup_is_close(&metrics->offload) ? "As fast" : "As fast for data that stays";
    if (decision_is_contradicted(metrics)) {
        card->answer = "Not clear";
        card->side = SIDE_UNCERTAIN;
    }
}

/* For another CPU, or a CPU through an API: which is faster? */
static void answer_speed(struct summary_card *card, struct pool *pool, const struct cell_metrics *metrics)
{
    static const char *const answers[] = {
        [SIDE_MISSING] = "Not compared",
        [SIDE_SLOWER] = "Slower",
        [SIDE_EVEN] = "No difference shown",
        [SIDE_FASTER] = "Faster",
    };
    card->side = decision_side(&metrics->resident, &metrics->resident_rounds);
    card->answer = card->side == SIDE_UNCERTAIN ? uncertain_answer(pool, metrics) : answers[card->side];
    if (speedup_is_close(&metrics->resident))
        card->answer = "As fast";
}

static void add_device(struct cards *to, struct pool *pool, const char *letter, const struct decision *decision,
                       const struct cell_metrics *baseline)
{
    const struct cell_metrics *metrics = decision->cell;
    struct summary_card *card = add(to, pool, letter);
    if (!card)
        return;
    if (!metrics) {
        const char *flaw = decision->unsound ? decision_flaw(decision->unsound) : NULL;
        card->device = device_title(pool, decision->device, "", "");
        card->answer = flaw ? pool_print(pool, "Not compared: %s", flaw) : "Not compared";
        return;
    }
    card->device = device_title(pool, metrics->device, metrics->cell->method, metrics->cell->memory);
    if (baseline)
        card->baseline = pool_print(pool, "%s %s", baseline->cell->device_id, baseline->cell->method);
    if (decision->device->class == CLASS_CPU)
        answer_speed(card, pool, metrics);
    else
        answer_worth(card, pool, metrics);
    add_speedup(card, pool, "data stays", &metrics->resident, &metrics->resident_rounds);
    if (decision->device->works_in_host_memory || metrics->launches.is_launch)
        return;
    if (metrics->is_offload_disturbed)
        add_disturbed(card, "data moved");
    else
        add_speedup(card, pool, "data moved", &metrics->offload, &metrics->offload_rounds);
}

static void add_transfers(struct cards *to, struct pool *pool, const char *letter, const struct cell_metrics metrics[],
                          unsigned count)
{
    const struct cell_metrics *fastest[DEVICES_MAX];
    char figure[TEXT_NUMBER];
    unsigned devices = decision_fastest(metrics, count, fastest);
    for (unsigned i = 0; i < devices; i++) {
        struct summary_card *card = add(to, pool, letter);
        if (!card)
            return;
        card->device = device_title(pool, fastest[i]->device, fastest[i]->cell->method, fastest[i]->cell->memory);
        card->answer =
            pool_print(pool, "%s GB/s", text_measured(figure, fastest[i]->bandwidth / 1e9, fastest[i]->half_width));
    }
}

void summary_cards_add_block(struct cards *to, struct pool *pool, const char *letter,
                             const struct cell_metrics *metrics, unsigned count)
{
    struct decision decisions[DEVICES_MAX];
    const struct cell_metrics *baseline = decision_baseline(metrics, count);
    for (unsigned i = 0; i < count; i++)
        if (metrics[i].only_moves) {
            add_transfers(to, pool, letter, metrics, count);
            return;
        }
    if (!baseline || !decision_is_sound(baseline))
        return;
    unsigned devices = decision_find(metrics, count, decisions);
    for (unsigned i = 0; i < devices; i++)
        add_device(to, pool, letter, &decisions[i], baseline);
}

/* "from n between 12,000 and 14,000": the last crossing. */
static const char *from_size(struct pool *pool, const struct curves *curves, const struct threshold *threshold)
{
    char low[TEXT_NUMBER], high[TEXT_NUMBER];
    const struct crossing *last = &threshold->crossing[threshold->crossings - 1];
    sweep_size(low, sizeof low, last->low);
    sweep_size(high, sizeof high, last->high);
    return pool_print(pool, "%s %s between %s and %s", last->is_up ? "from" : "up to", curves->unit, low, high);
}

/* Whether the result covers all measured sizes, not only those where it is certain. */
static bool is_of_all_sizes(const struct threshold *threshold)
{
    return threshold->sure_from <= threshold->first && threshold->sure_to >= threshold->last;
}

static const char *threshold_value(struct pool *pool, const struct curves *curves, const struct threshold *threshold)
{
    char size[TEXT_NUMBER];
    switch (threshold->outcome) {
    case THRESHOLD_NEVER:
        sweep_size(size, sizeof size, threshold->sure_to);
        return is_of_all_sizes(threshold) ? "at no size" : pool_print(pool, "at no %s up to %s", curves->unit, size);
    case THRESHOLD_ALWAYS:
        sweep_size(size, sizeof size, threshold->sure_from);
        return is_of_all_sizes(threshold) ? "at every size" : pool_print(pool, "from %s %s on", curves->unit, size);
    case THRESHOLD_CROSSES:
        return from_size(pool, curves, threshold);
    default:
        return "not known";
    }
}

static void add_threshold(struct summary_card *card, struct pool *pool, const char *use, const struct curves *curves,
                          const struct threshold *threshold)
{
    static const enum side sides[] = {
        [THRESHOLD_UNSURE] = SIDE_UNCERTAIN,
        [THRESHOLD_NEVER] = SIDE_SLOWER,
        [THRESHOLD_ALWAYS] = SIDE_FASTER,
        [THRESHOLD_CROSSES] = SIDE_FASTER,
    };
    if (card->figures == CARD_FIGURES)
        return;
    card->figure[card->figures++] = (struct summary_card_figure){
        .use = use,
        .value = threshold_value(pool, curves, threshold),
        .interval = "",
        .speedup = estimate_unknown,
        .side = sides[threshold->outcome],
    };
}

/* By the uses for which the device pays; for `whole` of them the result covers all sizes. */
static void answer_curve(struct summary_card *card, unsigned whole)
{
    unsigned paying = 0, unsure = 0;
    bool is_whole = whole == card->figures;
    for (unsigned i = 0; i < card->figures; i++) {
        paying += card->figure[i].side == SIDE_FASTER;
        unsure += card->figure[i].side == SIDE_UNCERTAIN;
    }
    card->side = paying > 0 ? SIDE_FASTER : unsure > 0 ? SIDE_UNCERTAIN : SIDE_SLOWER;
    if (paying > 0)
        card->answer = paying == card->figures && is_whole ? "Pays at every size" : "Pays at some sizes";
    else if (unsure > 0)
        card->answer = "Not clear";
    else
        card->answer = is_whole ? "Pays at no size" : "Shown to pay at no size";
}

void summary_cards_add_curve(struct cards *to, struct pool *pool, const char *letter, const struct curves *curves,
                             const struct curve *curve)
{
    struct summary_card *card = add(to, pool, letter);
    if (!card)
        return;
    const char *uses[MODES] = {
        [MODE_RESIDENT] = curve->moves ? "data stays" : "at any use",
        [MODE_USES] = pool_print(pool, "%u uses", curves->uses),
        [MODE_OFFLOAD] = "data moved",
    };
    card->device = device_title(pool, curve->device, curve->method ? curve->method : "", curve->memory);
    card->baseline = curves->baseline ? pool_copy(pool, curves->baseline->id) : "";
    unsigned whole = 0;
    for (enum mode mode = 0; mode < (curve->moves ? MODES : 1); mode++) {
        struct threshold threshold = { .outcome = THRESHOLD_UNSURE };
        if (curve_threshold(curve, mode, &threshold))
            add_threshold(card, pool, uses[mode], curves, &threshold);
        else
            pool->is_short = true;
        whole += threshold.outcome != THRESHOLD_CROSSES && is_of_all_sizes(&threshold);
    }
    answer_curve(card, whole);
}
