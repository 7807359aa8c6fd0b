#include "harness/report/content/verdict.h"

#include "harness/analysis/decision_rules.h"
#include "harness/base/text.h"

#include <math.h>
#include <string.h>

/* "the CPU (cpu native)", or "the baseline (opencl:0 portable)" if it is not a CPU or is compared with CPUs only. */
static const char *name_baseline(struct pool *pool, const struct cell_metrics *baseline, bool only_cpus)
{
    bool is_cpu = !only_cpus && baseline && baseline->device && baseline->device->class == CLASS_CPU;
    if (!baseline)
        return "the baseline";
    return pool_print(pool, "the %s (%s %s)", is_cpu ? "CPU" : "baseline", baseline->cell->device_id,
                      baseline->cell->method);
}

static const char *budget_hint(enum uncertainty uncertainty)
{
    return uncertainty == TOO_FEW_ROUNDS ? "--budget gives more" : "a larger --budget may help";
}

/* "it is 92 times as fast as the CPU (cpu native) [90, 94]"; `it_is` and `whom` may be empty. `is_reported`: the
 * sentence has said already that the speed-up is uncertain. */
static void append_speedup(struct string_builder *to, const char *it_is, const struct estimate *speedup,
                           const struct ratio_range *rounds, const char *whom, bool is_reported)
{
    struct speedup_text text;
    const char *as = *whom ? " as " : "", *from = *whom ? " from " : "";
    enum side side = speedup_side(speedup), lean = decision_side(speedup, rounds);
    const struct estimate claim = decision_claim(speedup);
    char range[SPEEDUP_ROUNDS] = "";
    speedup_write(&text, &claim);
    if (rounds)
        speedup_write_rounds(range, speedup, rounds);
    if (lean == SIDE_UNCERTAIN && !is_reported) {
        enum uncertainty uncertainty = decision_uncertainty(speedup);
        string_append(to, "%s to judge", uncertainty_name(uncertainty, false));
        if (*whom)
            string_append(to, " (%s)", budget_hint(uncertainty));
        string_append(to, "; it looked %s times as fast%s%s%s%s", text.value, as, whom, *text.interval ? " " : "",
                      text.interval);
    } else if (speedup_is_close(speedup))
        string_append(to, "%sas fast%s%s, to within 2 %% (%s times as fast %s)", it_is, as, whom, text.value,
                      text.interval);
    else if (side == SIDE_MISSING)
        string_append(to, "%sunknown", it_is);
    else if (side == SIDE_UNCERTAIN)
        string_append(to, "%s%s times as fast%s%s (interval unknown%s%s)", it_is, text.value, as, whom,
                      lean == SIDE_SLOWER ? "; " : "", lean == SIDE_SLOWER ? range : "");
    else if (side == SIDE_EVEN)
        string_append(to, "no difference%s%s could be shown (%s times as fast %s)", from, whom, text.value,
                      text.interval);
    else
        string_append(to, "%s%s%s times as fast%s%s %s", it_is,
                      claim.value == speedup->value ? ""
                      : side == SIDE_FASTER         ? "at least "
                                                    : "at most ",
                      text.value, as, whom, text.interval);
}

/* " bound by memory at 91 % of its ceiling", as far as it is known, after `lead`. No share for a fast algorithm: it
 * does not do all operations that the share counts. */
static void append_bound(struct string_builder *to, const char *lead, const struct cell_metrics *metrics)
{
    if (!metrics || !metrics->bound)
        return;
    bool is_roof = metrics->roof.bound == BOUND_MEMORY || metrics->roof.bound == BOUND_COMPUTE;
    string_append(to, "%sbound by %s", lead, metrics->bound);
    if (is_roof && metrics->share > 0 && !metrics->cell->is_fast)
        string_append(to, " at %.0f %% of its ceiling", 100 * metrics->share);
}

/* What limits the winner. */
static void append_why(struct string_builder *to, const struct cell_metrics *one, const struct cell_metrics *baseline)
{
    enum side side = decision_side(&one->resident, &one->resident_rounds);
    bool both = one->bound && baseline && baseline->bound && strcmp(one->bound, baseline->bound) == 0;
    if (side == SIDE_FASTER)
        append_bound(to, ", ", one);
    else if (side == SIDE_SLOWER)
        append_bound(to, ", which is ", baseline);
    else if (side == SIDE_EVEN && both)
        string_append(to, ", both bound by %s", one->bound);
}

/* "; one of its cells is wrong; 2 of its cells failed" */
static void append_faults(struct string_builder *to, const struct decision *best, const char *separator)
{
    const struct {
        unsigned cells;
        const char *one, *many;
    } fault[] = {
        { best->wrong, "is wrong", "are wrong" },
        { best->failed, "failed", "failed" },
        { best->unverified, "was not verified", "were not verified" },
    };
    for (unsigned i = 0; i < sizeof fault / sizeof *fault; i++) {
        if (fault[i].cells == 1)
            string_append(to, "%sone of its cells %s", separator, fault[i].one);
        else if (fault[i].cells > 1)
            string_append(to, "%s%u of its cells %s", separator, fault[i].cells, fault[i].many);
    }
}

/* Nothing for launches, which have no transfers. */
static void append_offload(struct string_builder *to, const struct cell_metrics *metrics, bool is_reported)
{
    if (metrics->launches.is_launch)
        return;
    string_append(to, "; with every transfer counted ");
    if (!isnan(metrics->offload.value))
        string_append(to, "(%s) ", metrics->cell->memory);
    if (metrics->is_offload_disturbed) {
        string_append(to, "it was %s to judge", uncertainty_name(TOO_DISTURBED, false));
        return;
    }
    append_speedup(to, "it is ", &metrics->offload, &metrics->offload_rounds, "", is_reported);
    if (!isnan(metrics->offload.value) && metrics->roof.offload_bound == BOUND_TRANSFER)
        string_append(to, ", bound by transfer");
    if (decision_is_contradicted(metrics))
        string_append(to, ", and the two contradict each other");
}

/* Whether the device is worth it, or why that is unknown. */
static void append_decision(struct string_builder *to, const char *whose, const struct cell_metrics *metrics,
                            enum worth worth)
{
    static const char *const words[] = {
        [WORTH_NOTHING] = "is not worth it here",
        [WORTH_NO_GAIN] = "brings no gain that could be shown",
        [WORTH_STAYING] = "is worth it for data that stays there",
        [WORTH_MOVED] = "is worth it with every transfer counted",
        [WORTH_ALWAYS] = "is worth it even with every transfer counted",
    };
    enum uncertainty uncertainty = decision_worth_uncertainty(metrics);
    bool is_close = speedup_is_close(&metrics->resident) &&
                    (speedup_is_close(&metrics->offload) || decision_offload(metrics) == SIDE_SLOWER);
    if (decision_is_contradicted(metrics))
        string_append(to, "It is not clear whether the %s is worth it (repeat with a larger --budget)", whose);
    else if (worth == WORTH_NO_GAIN && is_close)
        string_append(to, "The %s brings no gain of more than 2 %%", whose);
    else if (worth != WORTH_UNKNOWN)
        string_append(to, "The %s %s", whose, words[worth]);
    else
        string_append(to, "%s to judge whether the %s is worth it (%s)", uncertainty_name(uncertainty, true), whose,
                      budget_hint(uncertainty));
}

/* The sentence on one GPU or accelerator. */
static void append_device(struct string_builder *to, const struct decision *best, const char *whom,
                          const struct cell_metrics *baseline)
{
    const char *kind = class_is_gpu(best->device->class) ? "GPU" : "accelerator", *id = best->device->id;
    const struct cell_metrics *metrics = best->cell;
    if (!metrics) {
        string_append(to, "The %s %s was not compared", kind, id);
        if (best->unsound)
            string_append(to, ": %s", decision_flaw(best->unsound));
        string_append(to, ".");
        return;
    }
    enum worth worth = decision_worth(metrics);
    bool is_reported = worth == WORTH_UNKNOWN, is_brief = worth == WORTH_STAYING && !decision_is_contradicted(metrics);
    const char *whose = pool_print(to->pool, "%s %s (%s)", kind, id, metrics->cell->method);
    append_decision(to, whose, metrics, worth);
    string_append(to, "%s", is_brief ? ": " : ": for data that stays there ");
    append_speedup(to, is_brief ? "" : "it is ", &metrics->resident, &metrics->resident_rounds, whom, is_reported);
    append_why(to, metrics, baseline);
    append_offload(to, metrics, is_reported);
    append_faults(to, best, "; ");
    string_append(to, ".");
}

/* The sentence for a block that has only CPUs, through any API. */
static void append_cpus(struct string_builder *to, const struct decision best[], unsigned devices, const char *whom,
                        const struct cell_metrics *baseline)
{
    char api[DEVICE_API];
    for (unsigned i = 0; i < devices; i++) {
        string_append(to, "%s%s", i > 0 ? "; " : "", best[i].device->id);
        const struct cell_metrics *metrics = best[i].cell;
        if (!metrics || isnan(metrics->resident.value)) {
            string_append(to, " was not compared");
            append_faults(to, &best[i], ": ");
            continue;
        }
        string_append(to, " %s", metrics->cell->method);
        if (!best[i].device->works_in_host_memory)
            string_append(to, " (CPU through %s)", device_api(api, best[i].device));
        enum side side = decision_side(&metrics->resident, &metrics->resident_rounds);
        string_append(to, "%s", side == SIDE_EVEN || side == SIDE_UNCERTAIN ? ": " : " computes ");
        append_speedup(to, "", &metrics->resident, &metrics->resident_rounds, whom, false);
        append_why(to, metrics, baseline);
        if (!best[i].device->works_in_host_memory && !isnan(metrics->offload.value))
            append_offload(to, metrics, false);
        append_faults(to, &best[i], ", ");
    }
    string_append(to, ".");
}

/* Whether another kind of memory of the device may be as fast, according to the intervals. */
static bool is_rivalled(const struct cell_metrics *fastest, const struct cell_metrics metrics[], unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const struct cell_metrics *one = &metrics[i];
        if (one == fastest || one->device != fastest->device || !decision_is_sound(one) || isnan(one->bandwidth))
            continue;
        double least = fastest->bandwidth * (1 - fastest->half_width), most = one->bandwidth * (1 + one->half_width);
        if (!(most < least)) /* also if an interval is unknown */
            return true;
    }
    return false;
}

/* The sentence on a workload that only moves data: the fastest memory of each device. */
static void append_transfers(struct string_builder *to, const struct cell_metrics metrics[], unsigned count)
{
    const struct cell_metrics *fastest[DEVICES_MAX];
    unsigned devices = decision_fastest(metrics, count, fastest);
    char figure[TEXT_NUMBER];
    for (unsigned i = 0; i < devices; i++)
        string_append(to, "%s%s %s GB/s (%s%s)", i == 0 ? "Fastest transfer: " : ", ", fastest[i]->device->id,
                      text_measured(figure, fastest[i]->bandwidth / 1e9, fastest[i]->half_width),
                      fastest[i]->cell->memory, is_rivalled(fastest[i], metrics, count) ? ", though not clearly" : "");
    string_append(to, "%s", devices > 0 ? "." : "No bandwidth was measured and verified.");
}

/* Why nothing is compared; false if something can be. */
static bool append_why_not(struct string_builder *to, const struct cell_metrics metrics[], unsigned count)
{
    bool any = false, others = false;
    const struct cell_metrics *baseline = NULL;
    for (unsigned i = 0; i < count; i++) {
        any |= metrics[i].measured;
        others |= !decision_is_baseline(&metrics[i]);
        baseline = decision_is_baseline(&metrics[i]) ? &metrics[i] : baseline;
    }
    if (!any)
        string_append(to, "Nothing was measured here.");
    else if (!baseline)
        string_append(to, "There is no baseline, so nothing is compared.");
    else if (!decision_is_sound(baseline))
        string_append(to, "The baseline (%s %s) gave nothing to compare with: %s.", baseline->cell->device_id,
                      baseline->cell->method, decision_flaw(baseline));
    else if (!others)
        string_append(to, "Only the baseline (%s %s) was measured, so nothing is compared.", baseline->cell->device_id,
                      baseline->cell->method);
    return to->length > 0;
}

static bool only_moves(const struct cell_metrics metrics[], unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (metrics[i].only_moves)
            return true;
    return false;
}

/* The sentences on GPUs and accelerators; if there are none, the one on CPUs. */
static void append_devices(struct pool *pool, struct lines *out, const struct cell_metrics metrics[], unsigned count)
{
    struct decision best[DEVICES_MAX];
    const struct cell_metrics *baseline = decision_baseline(metrics, count);
    const unsigned devices = decision_find(metrics, count, best), before = out->lines;
    bool any_cpu = false;
    for (unsigned i = 0; i < devices; i++) {
        struct string_builder sentence = { .pool = pool };
        if (best[i].device->class == CLASS_CPU) {
            any_cpu |= best[i].cell && !isnan(best[i].cell->resident.value);
            continue;
        }
        append_device(&sentence, &best[i], name_baseline(pool, baseline, false), baseline);
        lines_add(pool, out, "", string_text(&sentence));
    }
    if (out->lines > before)
        return;
    const char *whom = name_baseline(pool, baseline, true);
    struct string_builder sentence = { .pool = pool };
    if (any_cpu)
        append_cpus(&sentence, best, devices, whom, baseline);
    else
        string_append(&sentence, "Nothing could be compared with %s.", whom);
    lines_add(pool, out, "", string_text(&sentence));
}

void verdict_append(struct pool *pool, struct lines *out, const struct cell_metrics metrics[], unsigned count)
{
    struct string_builder sentence = { .pool = pool };
    if (only_moves(metrics, count))
        append_transfers(&sentence, metrics, count);
    else if (!append_why_not(&sentence, metrics, count)) {
        append_devices(pool, out, metrics, count);
        return;
    }
    lines_add(pool, out, "", string_text(&sentence));
}
