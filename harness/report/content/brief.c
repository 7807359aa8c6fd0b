#include "harness/report/content/brief.h"

#include "harness/base/text.h"
#include "harness/report/content/claims.h"
#include "harness/report/content/heading.h"

#include <string.h>

/* "2 min 51 s" */
static const char *duration(struct pool *pool, double seconds)
{
    unsigned whole = seconds < 1e6 ? (unsigned)(seconds + 0.5) : 1000000;
    return whole < 60 ? pool_print(pool, "%u s", whole) : pool_print(pool, "%u min %u s", whole / 60, whole % 60);
}

/* "mapped and pinned memory": what the copies of the rows that are shown went through. */
static const char *memory_words(struct pool *pool, const struct answer_set *set)
{
    bool has[MEMORY_COUNT] = { false };
    struct string_builder to = { .pool = pool };
    for (unsigned i = 0; i < set->answers; i++) {
        const struct cell_metrics *cell = set->answer[i].use[USE_COPIED].cell;
        for (enum memory memory = 0; cell && memory < MEMORY_COUNT; memory++)
            has[memory] |=
                brief_shows(set, set->answer[i].part) && strcmp(cell->cell->memory, memory_name(memory)) == 0;
    }
    for (enum memory memory = 0; memory < MEMORY_COUNT; memory++)
        if (has[memory])
            string_append(&to, "%s%s", to.length > 0 ? " and " : "", memory_name(memory));
    return to.length > 0 ? pool_print(pool, "%s memory", string_text(&to)) : "";
}

static const char *title_of(struct pool *pool, const struct answer_set *set)
{
    const struct record *record = set->record;
    const json_t *head = record->head;
    const char *suite = journal_text(json_object_get(head, "options"), "suite");
    const char *const parts[] = { *suite ? pool_print(pool, "suite %s", suite) : "", memory_words(pool, set),
                                  heading_date(pool, head), record->elapsed > 0 ? duration(pool, record->elapsed) : "",
                                  pool_print(pool, "bench %s", journal_text(head, "version")) };
    struct string_builder to = { .pool = pool };
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
        string_append(&to, "%s%s", to.length > 0 && *parts[i] ? ", " : "", parts[i]);
    return string_text(&to);
}

/* What the run said before it measured; "" where there is a GPU. */
static const char *alarm_of(struct pool *pool, const struct answer_set *set)
{
    size_t i;
    const json_t *absent;
    const char *reason = "No GPU was measured.";
    json_array_foreach (set->record->absent, i, absent)
        if (strcmp(journal_text(absent, "backend"), "gpu") == 0)
            reason = journal_text(absent, "reason");
    if (set->has_gpu)
        return "";
    return set->overalls == 0 || !brief_shows(set, set->overall[0].part)
               ? reason
               : pool_print(pool, "%s \"%s\" is this same CPU.", reason, part_label(pool, set, set->overall[0].part));
}

/* "cuda:0": the APIs that were the fastest at some problem; the first that lists it where none was compared. */
static const char *api_words(struct pool *pool, const struct answer_set *set, const struct answer_part *part)
{
    enum { NAMED = 4 };
    const struct device *named[NAMED];
    unsigned count = 0;
    struct string_builder to = { .pool = pool };
    for (unsigned i = 0; i < set->answers && count < NAMED; i++) {
        const struct device *device = set->answer[i].device;
        bool is_new = set->answer[i].part == part;
        for (unsigned k = 0; k < count && is_new; k++)
            is_new = named[k] != device;
        if (!is_new)
            continue;
        named[count++] = device;
        string_append(&to, "%s%s", count > 1 ? ", " : "", device->id);
    }
    return count > 0 ? string_text(&to) : part->device->id;
}

/* Such as the CPU through an API. */
static bool is_same_cpu(const struct answer_set *set, const struct answer_part *part)
{
    return !part->is_gpu && device_same_silicon(part->device, set->part[0].device);
}

/* "iGPU (opencl:0)", "4 cores"; a CPU through an API is no GPU. */
static const char *kind_words(struct pool *pool, const struct answer_set *set, const struct answer_part *part)
{
    const struct device *device = part->device;
    const char *class = part->is_gpu ? class_name(device->class) : is_same_cpu(set, part) ? "the same CPU" : "a CPU";
    json_int_t cores = json_integer_value(json_object_get(json_object_get(set->record->head, "host"), "cores"));
    if (!device->works_in_host_memory && strcmp(class, part_label(pool, set, part)) == 0)
        return api_words(pool, set, part);
    if (!device->works_in_host_memory)
        return pool_print(pool, "%s (%s)", class, api_words(pool, set, part));
    return cores > 0 && cores < 1000000 ? pool_print(pool, "%d core%s", (int)cores, cores == 1 ? "" : "s") : "";
}

/* "each row is of the slower card; they differ by at most 1.2 %"; "" where no cards are equal. */
static const char *cards_words(struct pool *pool, const struct answer_set *set, const struct answer_part *part)
{
    double apart = 0;
    for (unsigned i = 0; i < set->answers; i++)
        for (enum use use = 0; use < USES && set->answer[i].part == part; use++) {
            const struct ratio_range *range = &set->answer[i].use[use].cards;
            apart = fmax(apart, range->most / range->least - 1); /* fmax ignores NAN */
        }
    return part->cards < 2
               ? ""
               : pool_print(pool, "; each row is of the slowest; they differ by at most %.2g %%", 100 * apart);
}

/* "GPU: 2 x NVIDIA H200, dGPU (cuda:0); peak each 51.5 TFLOP/s, 4.1 TB/s" */
static void fill_devices(struct brief *brief, const struct answer_set *set)
{
    enum { NAME_MOST = 50 };
    struct pool *pool = &brief->pool;
    for (unsigned i = 0; i < set->parts; i++) {
        char flops[TEXT_NUMBER] = "", bytes[TEXT_NUMBER] = "";
        const struct answer_part *part = &set->part[i];
        const char *kind = kind_words(pool, set, part);
        struct string_builder to = { .pool = pool };
        if (part->cards > 1)
            string_append(&to, "%u x ", part->cards);
        if (part->device->works_in_host_memory || !is_same_cpu(set, part))
            string_append(&to, "%s%s", shortened(pool, device_words(pool, part->device), NAME_MOST), *kind ? ", " : "");
        string_append(&to, "%s", kind);
        const char *lead = part->cards > 1 ? "; peak each " : "; peak ";
        if (!isnan(part->flops))
            string_append(&to, "%s%s", lead, text_flops(flops, part->flops, "FLOP"));
        if (!isnan(part->bandwidth))
            string_append(&to, "%s%s/s", *flops ? ", " : lead, text_bytes(bytes, part->bandwidth));
        string_append(&to, "%s", cards_words(pool, set, part));
        lines_add(pool, &brief->devices, part_label(pool, set, part), string_text(&to));
    }
}

/* The best GPU first, then the others; the CPU through an API where there is none. */
static void fill_answers(struct brief *brief, const struct answer_set *set)
{
    struct pool *pool = &brief->pool;
    for (unsigned i = 0; i < set->overalls; i++) {
        const struct answer_overall *overall = &set->overall[i];
        if (!brief_shows(set, overall->part))
            continue;
        const char *stays = overall_words(pool, set, overall, USE_RESIDENT),
                   *moves = overall_words(pool, set, overall, USE_COPIED);
        lines_add(pool, &brief->answers, question_words(pool, set, overall->part), *stays ? stays : "Not compared.");
        if (*moves)
            lines_add(pool, &brief->answers, "Copied at every use:", moves);
    }
    if (brief->answers.lines == 0)
        lines_add(pool, &brief->answers, "Is the GPU worth it?",
                  !set->has_gpu ? "Not known: no GPU was measured."
                  : set->parts > 0 && set->part[0].is_baseline
                      ? "Not compared: what was measured has times, but no verdict."
                      : "Not compared: there is no baseline.");
}

/* Problems with the same text share a line. */
static void add_shared(struct brief *brief, struct lines *out, const char *label, const char *text)
{
    for (unsigned i = 0; i < out->lines; i++) {
        struct line *line = &out->line[i];
        if (strcmp(line->text, text) == 0) {
            line->label = pool_print(&brief->pool, "%s, %s", line->label, label);
            return;
        }
    }
    lines_add(&brief->pool, out, label, text);
}

/* Why the largest problem of a workload is faster or slower, and every one that is compared with another type. */
static void fill_reasons(struct brief *brief, const struct answer_set *set, const struct answer_overall *overall,
                         const char *part)
{
    struct pool *pool = &brief->pool;
    for (unsigned i = 0; i < overall->workloads; i++)
        for (unsigned k = 0; k < overall->workload[i].count; k++) {
            const struct answer *answer = &set->answer[overall->workload[i].first + k];
            for (enum use use = 0; use < USES; use++) {
                const struct answer_use *one = &answer->use[use];
                const bool is_wanted = k + 1 == overall->workload[i].count || one->is_against_f32;
                const bool decides = one->verdict == VERDICT_FASTER || one->verdict == VERDICT_SLOWER;
                const char *why = is_wanted && decides ? why_words(pool, set, answer, use) : "";
                if (*why)
                    add_shared(brief, &brief->why, pool_print(pool, "%s%s", problem_words(pool, set, answer), part),
                               why);
            }
        }
}

/* From how many uses of the same data on a problem pays that is faster only where the data stay. */
static void fill_breakeven(struct brief *brief, const struct answer_set *set, const struct answer_part *part,
                           const char *label)
{
    struct pool *pool = &brief->pool;
    for (unsigned i = 0; i < set->answers; i++) {
        const struct answer *answer = &set->answer[i];
        const enum verdict moves = answer->use[USE_COPIED].verdict;
        const bool is_wanted = answer->part == part && answer->use[USE_RESIDENT].verdict == VERDICT_FASTER &&
                               verdict_is_judged(moves) && moves != VERDICT_FASTER;
        const char *words = is_wanted ? breakeven_words(pool, answer, FETCH_ONCE) : "";
        if (*words)
            add_shared(brief, &brief->breakeven, pool_print(pool, "%s%s", problem_words(pool, set, answer), label),
                       words);
    }
}

/* "to the GPU 12.5 GB/s, back 11.1 GB/s": a size is named where it differs from that of the label. */
static void fill_transfer(struct brief *brief, const struct answer_set *set, const struct answer_part *part,
                          const char *label)
{
    struct string_builder to = { .pool = &brief->pool };
    char bytes[TEXT_NUMBER], rate[TEXT_NUMBER];
    const char *first = NULL;
    for (unsigned i = 0; i < set->costs; i++) {
        const struct answer_cost *cost = &set->cost[i];
        if (cost->part != part || cost->kind == COST_LAUNCH || cost->no_copy || isnan(cost->bandwidth))
            continue;
        const bool is_up = cost->kind == COST_UPLOAD;
        text_binary(bytes, cost->bytes);
        const bool is_other = first && strcmp(first, bytes) != 0;
        first = first ? first : pool_copy(&brief->pool, bytes);
        string_append(&to, "%s%s%s%s%s%s/s", to.length > 0 ? ", " : "", is_other ? bytes : "", is_other ? " " : "",
                      is_up ? part->is_gpu ? "to the GPU" : "to the buffer" : "back", " ",
                      text_bytes(rate, cost->bandwidth));
    }
    if (first)
        lines_add(&brief->pool, &brief->costs, pool_print(&brief->pool, "Copy %s%s", first, label), string_text(&to));
}

static void fill_launch(struct brief *brief, const struct answer_set *set, const struct answer_part *part,
                        const char *label)
{
    struct pool *pool = &brief->pool;
    for (unsigned i = 0; i < set->costs; i++) {
        char one[TEXT_NUMBER], queued[TEXT_NUMBER];
        const struct answer_cost *cost = &set->cost[i];
        if (cost->part != part || cost->kind != COST_LAUNCH)
            continue;
        text_seconds(one, cost->launch);
        lines_add(pool, &brief->costs, pool_print(pool, "Launch%s", label),
                  isnan(cost->queued) ? pool_copy(pool, one)
                                      : pool_print(pool, "%s; %s each if many share one wait", one,
                                                   text_seconds(queued, cost->queued)));
    }
}

/* What is said of each processor; where there are several, each line names its own. */
static void fill_parts(struct brief *brief, const struct answer_set *set)
{
    struct pool *pool = &brief->pool;
    unsigned shown = 0;
    for (unsigned i = 0; i < set->parts; i++)
        shown += brief_shows(set, &set->part[i]);
    for (unsigned i = 0; i < set->parts; i++) {
        const struct answer_part *part = &set->part[i];
        const char *label = shown > 1 ? pool_print(pool, ", %s", part_label(pool, set, part)) : "";
        if (!brief_shows(set, part))
            continue;
        fill_transfer(brief, set, part, label);
        fill_launch(brief, set, part, label);
        fill_breakeven(brief, set, part, label);
        for (unsigned k = 0; k < set->overalls; k++)
            if (set->overall[k].part == part)
                fill_reasons(brief, set, &set->overall[k], label);
    }
}

enum { CLAIMS_SHOWN = 8 };

static void fill_claims(struct brief *brief, const struct answer_set *set, const struct claim *claims)
{
    struct pool *pool = &brief->pool;
    struct claim_check check[CLAIMS_SHOWN];
    unsigned count = claims_check(set, claims, check, CLAIMS_SHOWN);
    for (unsigned i = 0; i < count; i++) {
        const struct answer *answer = check[i].answer;
        const struct answer_use *use = &answer->use[USE_RESIDENT];
        char burnt[TEXT_NUMBER];
        if (use->cell->cell->naives == 0)
            continue;
        const char *host = isnan(use->cell->host_cpu) ? ""
                                                      : pool_print(pool, "; it keeps %s cores of the host busy",
                                                                   text_figure(burnt, use->cell->host_cpu, 0.1));
        lines_add(pool, &brief->claims, problem_words(pool, set, answer),
                  pool_print(pool, "%s: %s. Naive here %s, fair %s (%s)%s", claim_outcomes[check[i].outcome],
                             check[i].claim->quote, naive_words(pool, set, answer), speedup_field(pool, &use->speedup),
                             verdict_size(pool, &use->speedup), host));
    }
}

static void fill_pointers(struct brief *brief, const struct result *run, const struct layout *layout)
{
    struct pool *pool = &brief->pool;
    const char *file = layout->is_newest ? "" : " FILE"; /* the user has just typed it */
    char path[1024];
    text_clean(path, sizeof path, *run->path ? run->path : layout->journal ? layout->journal : "");
    lines_add(pool, &brief->pointers, "every figure", pool_print(pool, "bench report%s --full", file));
    lines_add(pool, &brief->pointers, "charts", pool_print(pool, "bench report%s -o report.html", file));
    if (*path)
        lines_add(pool, &brief->pointers, "journal", path);
}

/* Columns of text from which on the titles have room. */
enum { NARROW = 66 };

bool brief_make(struct brief *out, const struct result *run, const struct answer_set *answers,
                const struct layout *layout, struct error *err)
{
    struct answer_set own = { .answers = 0 };
    const struct answer_set *set = answers ? answers : &own;
    *out = (struct brief){ .alarm = "", .is_narrow = layout->width > 0 && layout->width < NARROW };
    bool made = answers || answer_set_read(&own, run->record);
    if (made) {
        out->title = title_of(&out->pool, set);
        out->alarm = alarm_of(&out->pool, set);
        fill_devices(out, set);
        fill_answers(out, set);
        brief_fill_tables(out, set);
        fill_parts(out, set);
        fill_claims(out, set, layout->claims);
        brief_fill_warnings(out, set, run);
        fill_pointers(out, run, layout);
    }
    answer_set_release(&own);
    return (made && !out->pool.is_short) || fail(err, STATUS_NO_MEMORY, "no memory for a report");
}

void brief_release(struct brief *brief)
{
    pool_release(&brief->pool);
}
