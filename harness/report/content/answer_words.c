#include "harness/report/content/answer_words.h"

#include "harness/base/text.h"

#include <math.h>
#include <stdio.h>
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
    const struct device *device = part->device;
    if (!part->is_gpu)
        return device->works_in_host_memory ? "CPU" : pool_copy(pool, device_api(device).text);
    if (gpus_of(set, CLASS_COUNT) == 1)
        return class_is_gpu(device->class) ? "GPU" : "accelerator";
    return gpus_of(set, device->class) == 1 ? class_names[device->class] : pool_copy(pool, device->id);
}

const char *device_words(struct pool *pool, const char *name)
{
    static const char *const marks[] = { "(R)", "(TM)", "(tm)", "(r)" };
    struct string_builder to = { .pool = pool };
    for (const char *at = name; *at;) {
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

const char *outcome_words(struct pool *pool, const struct cell_record *cell)
{
    const struct error *outcome = &cell->outcome;
    bool names_place = outcome->status == STATUS_FAILED && *outcome->where;
    if (outcome->status == STATUS_OK)
        return cell->ended ? "ok, but without a single time" : "not finished";
    return pool_print(pool, "%s%s%s%s%s", status_names[outcome->status], names_place ? ": " : "",
                      names_place ? outcome->where : "", *outcome->message ? ": " : "", outcome->message);
}

bool rate_is_of_memory(const struct figures *figures)
{
    return !(figures->cell->flops >= figures->cell->bytes) && !isnan(figures->bandwidth);
}

const char *rate_words(struct pool *pool, const struct figures *figures)
{
    if (rate_is_of_memory(figures))
        return pool_print(pool, "%s/s", text_bytes(figures->bandwidth).text);
    return isnan(figures->rate)
               ? ""
               : pool_copy(pool, text_flops(figures->rate, dtype_operation(figures->cell->dtype)).text);
}

const char *verdict_size(struct pool *pool, const struct estimate *speedup)
{
    enum verdict verdict = verdict_of(speedup);
    if (verdict == VERDICT_FASTER)
        return pool_print(pool, "%sx faster", speedup_ratio(pool, speedup->value));
    return verdict != VERDICT_SLOWER ? verdict_words[verdict]
                                     : pool_print(pool, "%sx slower", speedup_ratio(pool, 1 / speedup->value));
}

/* Of the cell's processor in its element type: of f32 the one that the screen shows, which rows may have raised. */
static double peak_of(const struct answer_part *part, const struct figures *cell)
{
    return strcmp(cell->cell->dtype, dtype_name(DTYPE_F32)) == 0 ? part->flops : cell->roof.flops.wall;
}

/* The share of that peak which the cell reaches; NAN for one without arithmetic of its own. */
static double reached(const struct figures *cell, double peak)
{
    return cell->roof.is_exceeded ? cell->rate / peak : cell->roof.share * cell->roof.flops.wall / peak;
}

/* What made the faster side the faster one: its peak, or how much of it is reached. A fast algorithm, and a cell that
 * is measured with transfers alone, have no share. */
static const char *compute_words(struct pool *pool, const struct answer *answer, enum use use,
                                 const struct answer_part *const part[2], const char *own, const char *other)
{
    const enum verdict verdict = answer->use[use].verdict;
    const bool is_slower = verdict == VERDICT_SLOWER;
    const struct figures *winner = is_slower ? answer->baseline[use] : answer->row[use],
                         *loser = is_slower ? answer->row[use] : answer->baseline[use];
    const char *first = is_slower ? other : own, *second = is_slower ? own : other;
    const double most = peak_of(part[is_slower], winner), least = peak_of(part[!is_slower], loser);
    const double share[] = { reached(winner, most), reached(loser, least) };
    const double peaks = most / least;
    const bool has_shares = !winner->cell->is_fast && !loser->cell->is_fast && !isnan(share[0] / share[1]);
    struct string_builder to = { .pool = pool };
    if (winner->cell->is_fast || isnan(winner->roof.flops.half_width) || isnan(loser->roof.flops.half_width))
        return ""; /* a peak without an interval explains nothing */
    if (peaks > 1 && verdict != VERDICT_EQUAL && !(has_shares && share[0] / share[1] > peaks))
        string_append(&to, "%s peak %sx %s peak", first, speedup_ratio(pool, peaks), second);
    if (to.length > 0 && loser->cell->is_fast)
        string_append(&to, ", %s uses %s", second, loser->cell->method);
    if (has_shares)
        string_append(&to, "%s%s reaches %.0f %% of its peak, %s %.0f %%", to.length > 0 ? "; " : "", first,
                      100 * share[0], second, 100 * share[1]);
    return string_text(&to);
}

static const char *reason_words(struct pool *pool, const struct answer_set *set, const struct answer *answer,
                                enum use use)
{
    const struct figures *row = answer->row[use], *baseline = answer->baseline[use];
    const struct answer_part *const part[] = { answer->part, &set->part[0] };
    const char *own = part_label(pool, set, part[0]), *other = part_label(pool, set, part[1]);
    const double moving = answer->use[use].time.value / answer->use[USE_RESIDENT].time.value - 1;
    switch (answer->why[use]) {
    case WHY_MEMORY:
        return pool_print(pool, "both memory-bound: %s %s/s, %s %s/s", own, text_bytes(row->bandwidth).text, other,
                          text_bytes(baseline->bandwidth).text);
    case WHY_COMPUTE:
        return compute_words(pool, answer, use, part, own, other);
    case WHY_DIFFERENT_LIMITS:
        return pool_print(pool, "%s is limited by %s, %s by %s", own, bound_names[row->roof.bound], other,
                          bound_names[baseline->roof.bound]);
    case WHY_BASELINE_WIDER:
        return pool_print(pool, "against the %s's f32, which is faster than its %s", other, baseline->cell->dtype);
    case WHY_BASELINE_FEWER:
        return pool_print(pool, "%s uses %s, which needs fewer operations", other, baseline->cell->method);
    case WHY_DEVICE_FEWER:
        return pool_print(pool, "%s uses %s, which needs fewer operations", own, row->cell->method);
    case WHY_BASELINE_REPACKS:
        return pool_print(pool, "%s converts the data layout as well", other);
    case WHY_TRANSFER:
        return !(moving > 0) ? ""
               : moving < 1  ? pool_print(pool, "copying adds %.0f %% to the computing time", ceil(100 * moving))
                             : pool_print(pool, "copying takes %sx the computing time", speedup_ratio(pool, moving));
    case WHY_LAUNCH:
        return "starting the kernel takes most of the time";
    case WHY_UNJUDGED:
        return figure_unjudged(&answer->use[use]);
    case WHY_WRONG:
    case WHY_FAILED:
        return outcome_words(pool, answer->unsound->cell);
    case WHY_UNVERIFIED:
        return "its result was not verified";
    case WHY_NO_BASELINE:
        return "nothing to compare with";
    default:
        return "";
    }
}

const char *why_words(struct pool *pool, const struct answer_set *set, const struct answer *answer, enum use use)
{
    const char *stays = reason_words(pool, set, answer, USE_RESIDENT);
    if (use == USE_RESIDENT)
        return stays;
    const char *moves = reason_words(pool, set, answer, USE_COPIED);
    bool is_named = !*stays || answer->why[USE_COPIED] == WHY_TRANSFER; /* the reason says what it is about */
    return answer->use[USE_COPIED].verdict == VERDICT_NONE || !*moves || strcmp(stays, moves) == 0
               ? ""
               : pool_print(pool, "%s%s", is_named ? "" : "copied: ", moves);
}

/* "12,345" */
static const char *count_words(struct pool *pool, double count)
{
    return pool_copy(pool, text_shape(pool_print(pool, "%.0f", count)).text);
}

const char *breakeven_words(struct pool *pool, const struct answer *answer)
{
    const struct breakeven *breakeven = &answer->breakeven;
    const enum verdict moves = answer->use[USE_COPIED].verdict;
    struct string_builder to = { .pool = pool };
    if (answer->use[USE_RESIDENT].verdict != VERDICT_FASTER || !verdict_is_judged(moves) || moves == VERDICT_FASTER ||
        breakeven->outcome != BREAKEVEN_KNOWN)
        return "";
    string_append(&to, "from %s use%s of the same data on", count_words(pool, breakeven->uses),
                  breakeven->uses == 1 ? "" : "s");
    if (breakeven->low < breakeven->high)
        string_append(&to, " (%s - %s)", count_words(pool, breakeven->low), count_words(pool, breakeven->high));
    return string_text(&to);
}

struct text command_word(const char *word)
{
    return text_print(strpbrk(word, " \t") ? "\"%s\"" : "%s", word);
}

const char *cell_words(struct pool *pool, const struct cell_record *cell)
{
    const bool is_usual = strcmp(cell->dtype, "f32") == 0;
    return pool_print(pool, "%s%s%s %s", cell->workload, is_usual ? "" : " ", is_usual ? "" : cell->dtype,
                      answer_size(pool, cell));
}

/* Whether another size of the workload has the same name. */
static bool is_ambiguous(const struct answer_set *set, const struct answer *answer)
{
    const struct answer *one = answer, *end = set->answer + set->answers;
    while (one > set->answer && one[-1].part == answer->part && one[-1].workload == answer->workload)
        one--;
    for (; one < end && one->part == answer->part && one->workload == answer->workload; one++)
        if (strcmp(one->size, answer->size) == 0 && strcmp(one->problem->shape, answer->problem->shape) != 0)
            return true;
    return false;
}

const char *problem_words(struct pool *pool, const struct answer_set *set, const struct answer *answer)
{
    const struct cell_record *problem = answer->problem;
    const char *sized = is_ambiguous(set, answer) ? pool_copy(pool, text_shape(problem->shape).text) : answer->size;
    return pool_print(pool, "%s%s%s%s%s", *problem->workload ? problem->workload : "?", set->has_types ? " " : "",
                      set->has_types ? problem->dtype : "", *sized ? " " : "", sized);
}

/* The sizes of a workload that have one verdict. */
struct sizes {
    const struct answer_workload *workload;
    enum use use;
    enum verdict verdict;
    unsigned count, compared; /* that have it; that have any */
    unsigned from, to;        /* the places of the first and of the last among the compared ones */
    const struct answer *first, *last;
    double least, most; /* speed-ups */
};

static struct sizes sizes_with(const struct answer_set *set, const struct answer_workload *workload, enum use use,
                               enum verdict verdict)
{
    struct sizes sizes = { workload, use, verdict, .least = NAN, .most = NAN };
    for (unsigned i = 0; i < workload->count; i++) {
        const struct answer *answer = &set->answer[workload->first + i];
        const struct figure *one = &answer->use[use];
        if (one->verdict == verdict) {
            sizes.first = sizes.first ? sizes.first : answer;
            sizes.last = answer;
            sizes.from = sizes.count++ == 0 ? sizes.compared : sizes.from;
            sizes.to = sizes.compared;
            sizes.least = fmin(sizes.least, one->speedup.value); /* fmin and fmax ignore NAN */
            sizes.most = fmax(sizes.most, one->speedup.value);
        }
        sizes.compared += one->verdict != VERDICT_NONE;
    }
    return sizes;
}

/* " 1024 and 4096", one by one; " from 2048 on", " up to 512"; "" for all that are compared. */
static void append_which(struct string_builder *to, const struct answer_set *set, const struct sizes *sizes)
{
    const bool is_row = sizes->count > 1 && sizes->to - sizes->from + 1 == sizes->count;
    unsigned named = 0;
    if (sizes->count == sizes->compared)
        return;
    if (is_row && sizes->to + 1 == sizes->compared) {
        string_append(to, " from %s on", sizes->first->size);
        return;
    }
    if (is_row && sizes->from == 0) {
        string_append(to, " up to %s", sizes->last->size);
        return;
    }
    for (unsigned i = 0; i < sizes->workload->count; i++) {
        const struct answer *answer = &set->answer[sizes->workload->first + i];
        if (answer->use[sizes->use].verdict == sizes->verdict)
            string_append(to, "%s%s", named == 0 ? " " : named + 1 == sizes->count ? " and " : ", ", answer->size);
        named += answer->use[sizes->use].verdict == sizes->verdict;
    }
}

/* "2.3x"; of two sizes "33x at 40M, 36x at 80M", or "9.9x and 15x" where they are long or named before; "1.2x to 4.0x
 * by size" of more. */
static const char *range_words(struct pool *pool, const struct sizes *sizes)
{
    enum { SHORT = 5 };
    const char *from = speedup_ratio(pool, sizes->least), *to = speedup_ratio(pool, sizes->most);
    const char *small = speedup_ratio(pool, sizes->first->use[sizes->use].speedup.value);
    const char *large = speedup_ratio(pool, sizes->last->use[sizes->use].speedup.value);
    if (strcmp(from, to) == 0)
        return pool_print(pool, "%sx", to);
    if (sizes->count > 2)
        return pool_print(pool, "%sx to %sx by size", from, to);
    if (sizes->compared > 2 || strlen(sizes->last->size) > SHORT)
        return pool_print(pool, "%sx and %sx", small, large);
    return pool_print(pool, "%sx at %s, %sx at %s", small, sizes->first->size, large, sizes->last->size);
}

/* "matmul (2.3x)", "matmul from 2048 on (2.3x and 4.0x)", "conv 8x64x56 and 32x64x56 (0.43x)", "multiply (equal)" */
static const char *sizes_words(struct pool *pool, const struct answer_set *set, const struct sizes *sizes)
{
    struct string_builder to = { .pool = pool };
    const struct cell_record *problem = set->answer[sizes->workload->first].problem;
    const bool is_no = sizes->verdict == VERDICT_SLOWER || sizes->verdict == VERDICT_EQUAL;
    const struct figures *row = sizes->first->row[USE_RESIDENT];
    const bool is_untried = sizes->use == USE_RESIDENT && is_no && row && row->cell->lacks_library;
    string_append(&to, "%s%s%s", problem->workload, set->has_types ? " " : "", set->has_types ? problem->dtype : "");
    append_which(&to, set, sizes);
    if (is_no || sizes->verdict == VERDICT_FASTER)
        string_append(&to, " (%s%s)", sizes->verdict == VERDICT_EQUAL ? "equal" : range_words(pool, sizes),
                      is_untried ? ", without a library of its vendor" : ""); /* a "no" must not hide that */
    return string_text(&to);
}

/* "No for conv (0.43x) and multiply (equal). ": the workloads with some verdicts. */
static void append_clause(struct string_builder *to, const struct answer_set *set, const struct answer_part *part,
                          enum use use, const char *lead, unsigned verdicts)
{
    const char **item = pool_take(to->pool, (2 * part->workloads + 1) * sizeof *item);
    unsigned items = 0;
    for (unsigned i = 0; item && i < part->workloads; i++)
        for (enum verdict verdict = VERDICT_UNJUDGED; verdict < VERDICT_COUNT; verdict++) {
            const struct sizes sizes = sizes_with(set, &part->workload[i], use, verdict);
            if (verdicts & 1u << verdict && sizes.count > 0)
                item[items++] = sizes_words(to->pool, set, &sizes);
        }
    if (items > 0)
        string_append(to, "%s%s", to->length > 0 ? " " : "", lead);
    for (unsigned i = 0; i < items; i++)
        string_append(to, "%s%s", i == 0 ? "" : i + 1 == items ? " and " : ", ", item[i]);
    string_append(to, "%s", items > 0 ? "." : "");
}

const char *overall_words(struct pool *pool, const struct answer_set *set, const struct answer_part *part, enum use use)
{
    static const struct {
        const char *lead;
        unsigned verdicts;
    } clauses[] = { { "Yes for ", 1u << VERDICT_FASTER },
                    { "No for ", 1u << VERDICT_SLOWER | 1u << VERDICT_EQUAL },
                    { "Unclear: ", 1u << VERDICT_UNCLEAR },
                    { "Not judged: ", 1u << VERDICT_UNJUDGED } };
    struct string_builder to = { .pool = pool };
    for (unsigned i = 0; i < sizeof clauses / sizeof *clauses; i++)
        append_clause(&to, set, part, use, clauses[i].lead, clauses[i].verdicts);
    return string_text(&to);
}

/* "CPU 61.2 ms" */
static const char *side_words(struct pool *pool, const char *label, double seconds)
{
    return isnan(seconds) ? "" : pool_print(pool, "   %s %s", label, text_seconds(seconds).text);
}

/* Of a block whose cells are compared with nothing: those that were measured. */
static const char *uncompared_words(struct pool *pool, const struct answer_set *set, const struct block_record *block)
{
    const struct figures *figures = set->figures[block - set->record->block];
    struct string_builder to = { .pool = pool };
    string_append(&to, "%s", cell_words(pool, block->cell[0]));
    for (const struct figures *one = figures; one < figures + block->cells; one++)
        if (one->measured)
            string_append(
                &to, "   %s %s %s", one->cell->device_id, one->only_moves ? one->cell->memory : one->cell->method,
                one->only_moves && !isnan(one->bandwidth) ? rate_words(pool, one) : text_seconds(one->time.value).text);
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
    const enum use use = answer->use[USE_RESIDENT].verdict == VERDICT_NONE ? USE_COPIED : USE_RESIDENT;
    const struct figures *row = answer->row[use];
    const struct figures *baseline = figures_baseline(set->figures[block - set->record->block], block->cells);
    const char *figure = answer->use[use].verdict == VERDICT_NONE
                             ? ""
                             : pool_print(pool, "   %s so far", speedup_value(pool, &answer->use[use].speedup));
    return pool_print(pool, "%s%s%s%s", problem_words(pool, set, answer),
                      side_words(pool, part_label(pool, set, &set->part[0]), baseline ? baseline->time.value : NAN),
                      side_words(pool, part_label(pool, set, answer->part), row ? row->time.value : NAN), figure);
}

const char *mode_words(struct pool *pool, const struct curves *curves, enum mode mode)
{
    return mode != MODE_USES ? mode_names[mode]
                             : pool_print(pool, "%u use%s", curves->uses, curves->uses == 1 ? "" : "s");
}

const char *question_words(struct pool *pool, const struct answer_set *set, const struct answer_part *part)
{
    const char *label = part_label(pool, set, part);
    if (strcmp(label, part->device->id) == 0 && *part->device->name) /* one of several of its class */
        label = device_words(pool, part->device->name);
    return part->is_gpu                         ? pool_print(pool, "Is the %s worth it?", label)
           : part->device->works_in_host_memory ? "Is the CPU faster?"
                                                : pool_print(pool, "Is %s on this CPU faster?", label);
}

bool part_is_shown(const struct answer_set *set, const struct answer_part *part)
{
    return part->device->works_in_host_memory ? set->part[0].is_baseline && !part->is_baseline
                                              : !part->is_baseline && (part->is_gpu || !set->has_gpu);
}
