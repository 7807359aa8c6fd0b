#include "harness/report/content/answer_words.h"

#include "harness/base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned gpus_of(const struct answer_set *set, enum device_class class)
{
    unsigned count = 0;
    for (unsigned i = 0; i < set->parts; i++)
        count += set->part[i].is_gpu && (class == CLASS_COUNT || set->part[i].device->class == class);
    return count;
}

const char *part_label(struct pool *pool, const struct answer_set *set, const struct answer_part *part)
{
    char api[DEVICE_API];
    const struct device *device = part->device;
    if (!part->is_gpu)
        return device->works_in_host_memory ? "CPU" : pool_copy(pool, device_api(api, device));
    if (gpus_of(set, CLASS_COUNT) == 1)
        return class_is_gpu(device->class) ? "GPU" : "accelerator";
    return gpus_of(set, device->class) == 1 ? class_name(device->class) : pool_copy(pool, device->id);
}

const char *device_words(struct pool *pool, const struct device *device)
{
    static const char *const marks[] = { "(R)", "(TM)", "(tm)", "(r)" };
    struct string_builder to = { .pool = pool };
    for (const char *at = *device->name ? device->name : device->id; *at;) {
        bool is_tail = strncmp(at, " CPU @", strlen(" CPU @")) == 0 || strncmp(at, " w/ ", strlen(" w/ ")) == 0;
        size_t skipped = is_tail ? strlen(at) : 0; /* a clock, or the GPU on the same chip */
        for (unsigned i = 0; i < sizeof marks / sizeof *marks && skipped == 0; i++)
            skipped = strncmp(at, marks[i], strlen(marks[i])) == 0 ? strlen(marks[i]) : 0;
        if (skipped == 0)
            string_append(&to, "%c", *at);
        at += skipped > 0 ? skipped : 1;
    }
    return string_text(&to);
}

static const char *ratio_words(struct pool *pool, double ratio)
{
    char text[TEXT_NUMBER];
    speedup_write_ratio(text, ratio);
    return pool_copy(pool, text);
}

const char *verdict_size(struct pool *pool, const struct estimate *speedup)
{
    enum verdict verdict = verdict_of(speedup);
    char less[TEXT_NUMBER];
    if (verdict == VERDICT_FASTER)
        return pool_print(pool, "%sx faster", ratio_words(pool, speedup->value));
    if (verdict != VERDICT_SLOWER)
        return verdict_words[verdict];
    double percent = 100 * (1 - speedup->value);
    snprintf(less, sizeof less, "%.*f", percent >= 99.5 || percent < 1 ? 1 : 0, percent);
    return pool_print(pool, "%s %% slower", less);
}

const char *speedup_words(struct pool *pool, const struct estimate *speedup)
{
    struct speedup_text text;
    speedup_write(&text, speedup);
    return pool_copy(pool, text.brief);
}

const char *method_short(const char *method)
{
    enum { LONG = 8 };
    const char *dash = strchr(method, '-');
    return dash && dash[1] && strlen(method) > LONG ? dash + 1 : method;
}

/* What made the faster side the faster one: its peak, or how much of it is reached. A fast algorithm has no share. */
static const char *compute_words(struct pool *pool, const struct answer_use *use, const char *own, const char *other)
{
    const bool is_slower = use->verdict == VERDICT_SLOWER;
    const struct cell_metrics *winner = is_slower ? use->baseline : use->cell,
                              *loser = is_slower ? use->cell : use->baseline;
    const char *first = is_slower ? other : own, *second = is_slower ? own : other;
    const double peaks = winner->roof.flops.wall / loser->roof.flops.wall, shares = winner->share / loser->share;
    bool is_peak = peaks > 1 && use->verdict != VERDICT_EQUAL;
    if (winner->cell->is_fast)
        return loser->cell->is_fast ? "both use an algorithm with fewer operations" : "";
    if (loser->cell->is_fast)
        return is_peak ? pool_print(pool, "%s peak %sx %s peak, though %s uses %s", first, ratio_words(pool, peaks),
                                    second, second, method_short(loser->cell->method))
                       : "";
    /* A cell that is measured with transfers alone has no share. */
    const char *reached = isnan(shares) ? ""
                                        : pool_print(pool, "%s reaches %.0f %% of its peak, %s %.0f %%", first,
                                                     100 * winner->share, second, 100 * loser->share);
    return is_peak && !(shares > peaks) ? pool_print(pool, "%s peak %sx %s peak%s%s", first, ratio_words(pool, peaks),
                                                     second, *reached ? "; " : "", reached)
                                        : reached;
}

static const char *limits_words(struct pool *pool, const struct answer_use *use, const char *own, const char *other)
{
    const struct cell_metrics *cell = use->cell, *baseline = use->baseline;
    char bandwidth[2][TEXT_NUMBER];
    switch (use->why) {
    case WHY_SHARED_MEMORY:
        if (use->verdict == VERDICT_EQUAL)
            return "both memory-bound, on the same memory";
        return pool_print(pool, "same memory: %s %s/s, %s %s/s", own, text_bytes(bandwidth[0], cell->bandwidth), other,
                          text_bytes(bandwidth[1], baseline->bandwidth));
    case WHY_MEMORY:
        return pool_print(pool, "both memory-bound: %s %s/s, %s %s/s", own, text_bytes(bandwidth[0], cell->bandwidth),
                          other, text_bytes(bandwidth[1], baseline->bandwidth));
    case WHY_COMPUTE:
        return compute_words(pool, use, own, other);
    case WHY_DIFFERENT_LIMITS:
        return pool_print(pool, "%s is limited by %s, %s by %s", own, cell->bound, other, baseline->bound);
    case WHY_BASELINE_WIDER:
        return pool_print(pool, "against the %s's f32, which is faster than its %s", other, baseline->cell->dtype);
    case WHY_BASELINE_FEWER:
        return pool_print(pool, "%s uses %s, which needs fewer operations", other,
                          method_short(baseline->cell->method));
    case WHY_DEVICE_FEWER:
        return pool_print(pool, "%s uses %s, which needs fewer operations", own, method_short(cell->cell->method));
    case WHY_BASELINE_REPACKS:
        return pool_print(pool, "%s converts the data layout as well", other);
    default:
        break;
    }
    double moving = use->seconds / cell->time.value - 1;
    if (!(moving > 0))
        return "";
    return moving < 1 ? pool_print(pool, "copying adds %.0f %% to the computing time", ceil(100 * moving))
                      : pool_print(pool, "copying takes %sx the computing time", ratio_words(pool, moving));
}

static const char *reason_words(struct pool *pool, const struct answer_set *set, const struct answer *answer,
                                enum use use)
{
    static const char *const fixed[WHY_COUNT] = {
        [WHY_UNKNOWN] = "",
        [WHY_LAUNCH] = "starting the kernel takes most of the time",
        [WHY_FEW_ROUNDS] = "too few rounds for an interval: --budget gives more",
        [WHY_DISTURBED] = "the rounds vary too much: a larger --budget may help",
        [WHY_CONTRADICTED] = "runs with transfers and without contradict each other: repeat with a larger --budget",
        [WHY_UNVERIFIED] = "its result was not verified",
        [WHY_NO_BASELINE] = "nothing to compare with",
    };
    const struct answer_use *one = &answer->use[use];
    const struct answer_part *baseline = set->parts > 0 ? &set->part[0] : answer->part;
    if (one->why == WHY_WRONG || one->why == WHY_FAILED) {
        const struct error *outcome = &answer->unsound->cell->outcome;
        return pool_print(pool, "%s: %s", status_name(outcome->status), outcome->message);
    }
    return fixed[one->why]
               ? fixed[one->why]
               : limits_words(pool, one, part_label(pool, set, answer->part), part_label(pool, set, baseline));
}

const char *why_words(struct pool *pool, const struct answer_set *set, const struct answer *answer, enum use use)
{
    const struct answer_use *moving = &answer->use[USE_TRANSFERS];
    const char *stays = reason_words(pool, set, answer, USE_COMPUTE);
    if (use == USE_COMPUTE)
        return stays;
    const char *moves = reason_words(pool, set, answer, USE_TRANSFERS);
    bool is_named = !*stays || moving->why == WHY_TRANSFER; /* the reason says what it is about */
    return moving->verdict == VERDICT_NONE || !*moves || strcmp(stays, moves) == 0
               ? ""
               : pool_print(pool, "%s%s", is_named ? "" : "with transfers, ", moves);
}

/* "12", "12,345", "1.2e+08": in full below a million. */
static const char *count_words(struct pool *pool, double count)
{
    char digits[TEXT_NUMBER], text[TEXT_NUMBER];
    snprintf(digits, sizeof digits, count < 1e6 ? "%.0f" : "%.2g", count);
    return pool_copy(pool, count < 1e6 ? text_shape(text, sizeof text, digits) : digits);
}

/* "from 4 uses of the same data on (95 %: 3 to 6)", "up to 5 uses of the same data" */
static const char *uses_words(struct pool *pool, const struct breakeven *breakeven, const char *side, const char *end)
{
    struct string_builder to = { .pool = pool };
    string_append(&to, "%s %s use%s of the same data%s", side, count_words(pool, breakeven->uses),
                  breakeven->uses == 1 ? "" : "s", end);
    if (breakeven->low < breakeven->high)
        string_append(&to, " (95 %%: %s to %s)", count_words(pool, breakeven->low), count_words(pool, breakeven->high));
    return string_text(&to);
}

const char *breakeven_words(struct pool *pool, const struct answer *answer, enum fetch fetch)
{
    const struct breakeven *breakeven = &answer->breakeven[fetch];
    bool is_faster = answer->use[USE_COMPUTE].verdict == VERDICT_FASTER;
    for (enum use use = 0; use < USES; use++)
        if (breakeven->outcome != BREAKEVEN_NONE && answer->use[use].verdict == VERDICT_UNJUDGED)
            return verdict_words[VERDICT_UNJUDGED];
    switch (breakeven->outcome) {
    case BREAKEVEN_NONE:
        return "";
    case BREAKEVEN_KNOWN:
        return breakeven->high <= 1 ? "from the first use on" : uses_words(pool, breakeven, "from", " on");
    case BREAKEVEN_UNTIL:
        return uses_words(pool, breakeven, "up to", "");
    case BREAKEVEN_NEVER:
        return is_faster ? "none (fetching the result costs more than is gained)"
                         : "none (not faster even without transfers)";
    case BREAKEVEN_CONTRADICTED:
        return "unclear: runs with transfers and without contradict each other";
    default:
        break;
    }
    if (breakeven->uses == 1)
        return "at the first use; unclear later";
    return is_faster && breakeven->low > 1
               ? pool_print(pool, "unclear; not before %s uses of the same data", count_words(pool, breakeven->low))
               : "unclear";
}

/* Neighbours are sorted by workload and size. */
static bool is_ambiguous(const struct answer_set *set, const struct answer *answer, const char *size)
{
    char other[ANSWER_SIZE];
    for (unsigned i = 0; i < set->overalls; i++)
        for (unsigned k = 0; k < set->overall[i].workloads; k++) {
            const struct answer_workload *workload = &set->overall[i].workload[k];
            const struct answer *first = &set->answer[workload->first];
            if (answer < first || answer >= first + workload->count)
                continue;
            for (unsigned j = 0; j < workload->count; j++)
                if (&first[j] != answer && strcmp(first[j].problem->shape, answer->problem->shape) != 0 &&
                    strcmp(answer_size(other, first[j].problem), size) == 0)
                    return true;
        }
    return false;
}

const char *problem_words(struct pool *pool, const struct answer_set *set, const struct answer *answer)
{
    char size[ANSWER_SIZE], shape[3 * ANSWER_SIZE];
    const struct cell_record *problem = answer->problem;
    answer_size(size, problem);
    const char *sized = is_ambiguous(set, answer, size) ? text_shape(shape, sizeof shape, problem->shape) : size;
    return pool_print(pool, "%s%s%s%s%s", *problem->workload ? problem->workload : "?", set->has_types ? " " : "",
                      set->has_types ? problem->dtype : "", *sized ? " " : "", sized);
}

/* "(1.2x to 2.3x)" */
static const char *range_words(struct pool *pool, double least, double most)
{
    const char *from = ratio_words(pool, least), *to = ratio_words(pool, most);
    return strcmp(from, to) == 0 ? pool_print(pool, "(%sx)", to) : pool_print(pool, "(%sx to %sx)", from, to);
}

/* "matmul (2.3x)", "matmul from 2048 on (2.3x)", "conv at 2 of 3 sizes (1.2x to 1.5x)"; "conv" where nothing is surely
 * faster or slower. From use `first` to `last`, of one pattern. */
static const char *gain_words(struct pool *pool, const struct answer_workload *workload, enum use first, enum use last)
{
    char size[ANSWER_SIZE];
    struct string_builder to = { .pool = pool };
    const enum pattern pattern = workload->use[first].pattern;
    string_append(&to, "%s%s%s", workload->name, *workload->dtype ? " " : "", workload->dtype);
    if (pattern == PATTERN_FROM)
        string_append(&to, " from %s on", answer_size(size, workload->use[first].from->problem));
    if (pattern == PATTERN_SOME)
        string_append(&to, " at %u of %u sizes", workload->use[first].faster, workload->use[first].compared);
    if (pattern != PATTERN_EQUAL && pattern != PATTERN_UNCLEAR && pattern != PATTERN_UNJUDGED)
        string_append(&to, " %s",
                      range_words(pool, fmin(workload->use[first].least, workload->use[last].least),
                                  fmax(workload->use[first].most, workload->use[last].most)));
    return string_text(&to);
}

/* "matmul and conv": the workloads of a pattern; "" where there is none. A long list ends with their number. */
static const char *list_words(struct pool *pool, const struct answer_overall *overall, enum use first, enum use last,
                              enum pattern pattern)
{
    enum { NAMED = 6 };
    const char *name[NAMED];
    unsigned count = 0;
    struct string_builder to = { .pool = pool };
    for (unsigned i = 0; i < overall->workloads; i++) {
        const struct answer_workload *workload = &overall->workload[i];
        if (workload->use[first].pattern != pattern)
            continue;
        if (count < NAMED)
            name[count] = gain_words(pool, workload, first, last);
        count++;
    }
    for (unsigned i = 0; i < count && i < NAMED; i++)
        string_append(&to, "%s%s", i == 0 ? "" : i + 1 == count ? " and " : ", ", name[i]);
    if (count > NAMED)
        string_append(&to, " and %u more", count - NAMED);
    return string_text(&to);
}

/* What is faster, and what is not, by one use or by both where they agree. "yes: faster at matmul (2.3x)", "yes for
 * matmul (2.3x), slower at conv (0.5x)" */
static const char *use_words(struct pool *pool, const struct answer_overall *overall, enum use first, enum use last)
{
    static const struct {
        enum pattern pattern;
        const char *lead;
    } clauses[] = {
        { PATTERN_FASTER, "faster at " },         { PATTERN_FROM, "faster at " },
        { PATTERN_SOME, "faster at " },           { PATTERN_UNCLEAR, "unclear at " },
        { PATTERN_UNJUDGED, "not judged at " },   { PATTERN_SLOWER, "slower at " },
        { PATTERN_NOT_FASTER, "not faster at " }, { PATTERN_EQUAL, "about equal at " },
    };
    struct string_builder to = { .pool = pool };
    const enum overall overall_use = overall->use[first];
    const char *lead = "";
    string_append(&to, "%s", overall_use == OVERALL_YES ? "yes: " : overall_use == OVERALL_NO ? "no: " : "");
    const size_t begun = to.length;
    for (unsigned i = 0; i < sizeof clauses / sizeof *clauses; i++) {
        const char *list = list_words(pool, overall, first, last, clauses[i].pattern);
        if (*list)
            string_append(&to, "%s%s%s", to.length > begun ? ", " : "",
                          strcmp(lead, clauses[i].lead) == 0                    ? ""
                          : overall_use == OVERALL_PARTLY && to.length == begun ? "yes for "
                                                                                : clauses[i].lead,
                          list);
        lead = *list ? clauses[i].lead : lead;
    }
    return string_text(&to);
}

static bool uses_agree(const struct answer_overall *overall)
{
    bool agree = true;
    for (unsigned i = 0; i < overall->workloads; i++) {
        const struct answer_workload *workload = &overall->workload[i];
        agree &= workload->use[USE_TRANSFERS].pattern == workload->use[USE_COMPUTE].pattern &&
                 workload->use[USE_TRANSFERS].from == workload->use[USE_COMPUTE].from &&
                 workload->use[USE_TRANSFERS].faster == workload->use[USE_COMPUTE].faster;
    }
    return agree;
}

const char *overall_words(struct pool *pool, const struct answer_set *set, const struct answer_overall *overall)
{
    enum overall stays = overall->use[USE_COMPUTE], moves = overall->use[USE_TRANSFERS];
    if (stays == OVERALL_NONE && moves == OVERALL_NONE)
        return "Not compared.";
    if (moves == OVERALL_NONE || stays == OVERALL_NONE || uses_agree(overall)) {
        const char *words = use_words(pool, overall, stays == OVERALL_NONE ? USE_TRANSFERS : USE_COMPUTE,
                                      moves == OVERALL_NONE ? USE_COMPUTE : USE_TRANSFERS);
        return pool_print(pool, "%c%s.", toupper((unsigned char)*words), words + 1);
    }
    const char *label = part_label(pool, set, overall->part);
    return pool_print(pool, "If the data stay %s %s%s, %s. If copied at every use, %s.",
                      overall->part->is_gpu ? "on the" : "in", label, overall->part->is_gpu ? "" : " buffers",
                      use_words(pool, overall, USE_COMPUTE, USE_COMPUTE),
                      use_words(pool, overall, USE_TRANSFERS, USE_TRANSFERS));
}

/* "CPU 61.2 ms" */
static const char *side_words(struct pool *pool, const char *label, double seconds)
{
    char time[TEXT_NUMBER];
    return isnan(seconds) ? "" : pool_print(pool, "   %s %s", label, text_seconds(time, seconds));
}

/* Of a block whose cells are compared with nothing: its first cell that was measured, or why there is none. */
static const char *uncompared_words(struct pool *pool, const struct answer_set *set, const struct block_record *block)
{
    const struct cell_metrics *metrics = set->metrics[block - set->record->block];
    char size[ANSWER_SIZE], rate[TEXT_NUMBER];
    const struct cell_record *cell = block->cell[0];
    struct string_builder to = { .pool = pool };
    string_append(&to, "%s %s", cell->workload, answer_size(size, cell));
    for (unsigned i = 0; i < block->cells; i++) {
        if (!metrics[i].measured)
            continue;
        const char *label = pool_print(pool, "%s%s%s", metrics[i].cell->device_id, metrics[i].only_moves ? " " : "",
                                       metrics[i].only_moves ? metrics[i].cell->memory : "");
        if (metrics[i].only_moves && !isnan(metrics[i].bandwidth))
            string_append(&to, "   %s %s/s", label, text_bytes(rate, metrics[i].bandwidth));
        else
            string_append(&to, "%s", side_words(pool, label, metrics[i].time.value));
    }
    return string_text(&to);
}

const char *finished_words(struct pool *pool, const struct answer_set *set, const struct block_record *block,
                           unsigned index)
{
    if (block->cells == 0 || index > (set->answers > 0 ? set->answers - 1 : 0))
        return "";
    if (set->answers == 0)
        return uncompared_words(pool, set, block);
    const struct answer *answer = &set->answer[index];
    const struct answer_use *stays = &answer->use[USE_COMPUTE], *moves = &answer->use[USE_TRANSFERS];
    const struct answer_use *use = stays->verdict == VERDICT_NONE ? moves : stays;
    const struct cell_metrics *baseline = answer_baseline(set->metrics[block - set->record->block], block->cells);
    struct speedup_text speedup;
    speedup_write(&speedup, &use->speedup);
    return pool_print(pool, "%s%s%s   %s%s%s", problem_words(pool, set, answer),
                      side_words(pool, part_label(pool, set, &set->part[0]), baseline ? baseline->time.value : NAN),
                      side_words(pool, part_label(pool, set, answer->part), use->cell ? use->cell->time.value : NAN),
                      use->verdict == VERDICT_NONE ? "" : speedup.words, use->verdict == VERDICT_NONE ? "" : "   ",
                      verdict_words[use->verdict]);
}

const char *question_words(struct pool *pool, const struct answer_set *set, const struct answer_part *part)
{
    const char *label = part_label(pool, set, part);
    return part->is_gpu ? pool_print(pool, "Is the %s worth it?", label)
                        : pool_print(pool, "Is %s on the CPU faster?", label);
}
