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

static const char *title_of(struct pool *pool, const struct record *record)
{
    const json_t *head = record->head;
    const char *version = journal_text(head, "version"), *when = heading_date(pool, head);
    const char *suite = journal_text(json_object_get(head, "options"), "suite");
    struct string_builder to = { .pool = pool };
    string_append(&to, "bench%s%s%s%s%s%s", *version ? " " : "", version, *suite ? ", suite " : "", suite,
                  *when ? ", " : "", when);
    if (record->elapsed > 0)
        string_append(&to, ", took %s", duration(pool, record->elapsed));
    return string_text(&to);
}

/* The CPU by itself is only what others are compared with. */
static bool is_compared(const struct answer_part *part)
{
    return !part->is_baseline && !part->device->works_in_host_memory;
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
    return set->overalls == 0 || !is_compared(set->overall[0].part)
               ? reason
               : pool_print(pool, "%s %s below runs on the CPU itself.", reason,
                            part_label(pool, set, set->overall[0].part));
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

/* "GPU: 2 x NVIDIA H200, dGPU (cuda:0); measured each 51.5 TFLOP/s, 4.1 TB/s" */
static void fill_devices(struct brief *brief, const struct answer_set *set)
{
    enum { NAME_MOST = 50 };
    for (unsigned i = 0; i < set->parts; i++) {
        char flops[TEXT_NUMBER] = "", bytes[TEXT_NUMBER] = "";
        const struct answer_part *part = &set->part[i];
        const char *kind = kind_words(&brief->pool, set, part), *each = part->cards > 1 ? "each " : "";
        struct string_builder to = { .pool = &brief->pool };
        if (part->cards > 1)
            string_append(&to, "%u x ", part->cards);
        if (part->device->works_in_host_memory || !is_same_cpu(set, part))
            string_append(&to, "%s%s", shortened(&brief->pool, device_words(&brief->pool, part->device), NAME_MOST),
                          *kind ? ", " : "");
        string_append(&to, "%s", kind);
        if (!isnan(part->flops))
            string_append(&to, "; measured %s%s", each, text_flops(flops, part->flops, "FLOP"));
        if (!isnan(part->bandwidth))
            string_append(&to, "%s%s/s", *flops ? ", " : "; measured ", text_bytes(bytes, part->bandwidth));
        lines_add(&brief->pool, &brief->devices, part_label(&brief->pool, set, part), string_text(&to));
    }
}

/* The best GPU first, then the others; the CPU through an API where there is none. */
static void fill_answers(struct brief *brief, const struct answer_set *set)
{
    struct pool *pool = &brief->pool;
    for (unsigned i = 0; i < set->overalls; i++) {
        const struct answer_overall *overall = &set->overall[i];
        if (!is_compared(overall->part) || (set->has_gpu && !overall->part->is_gpu))
            continue;
        lines_add(pool, &brief->answers, question_words(pool, set, overall->part), overall_words(pool, set, overall));
    }
    if (brief->answers.lines == 0)
        lines_add(pool, &brief->answers, "Is the GPU worth it?",
                  set->has_gpu ? "Not compared: there is no baseline that it could be compared with."
                               : "Not known: no GPU was measured.");
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

static bool has_several(const struct answer_set *set)
{
    unsigned shown = 0;
    for (unsigned i = 0; i < set->overalls; i++)
        shown += brief_shows(set, set->overall[i].part);
    return shown > 1;
}

/* Problems of the part that never pay, or all others to which a break-even applies. */
static unsigned count_breakeven(const struct answer_set *set, const struct answer_part *part, bool is_never)
{
    unsigned count = 0;
    for (unsigned i = 0; i < set->answers; i++) {
        const enum breakeven_outcome outcome = set->answer[i].breakeven[FETCH_ONCE].outcome;
        count += set->answer[i].part == part && outcome != BREAKEVEN_NONE && (outcome == BREAKEVEN_NEVER) == is_never;
    }
    return count;
}

/* "from 4 uses of the same data on, result fetched once", where fetching it at every use needs more, or never pays.
 */
static const char *uses_needed(struct pool *pool, const struct answer *answer)
{
    const char *once = breakeven_words(pool, answer, FETCH_ONCE);
    bool has_uses = answer->breakeven[FETCH_ONCE].outcome == BREAKEVEN_KNOWN;
    bool is_either = strcmp(breakeven_words(pool, answer, FETCH_EVERY_TIME), once) == 0;
    return has_uses && !is_either ? pool_print(pool, "%s, result fetched once", once) : once;
}

/* "from the first use on: matmul, conv 8x64x56": what a part needs, once for all problems of a workload that need the
 * same.
 */
static void add_breakeven(struct brief *brief, const struct answer_set *set, const struct answer_workload *workload,
                          bool has_never, bool is_clear, struct lines *out)
{
    struct pool *pool = &brief->pool;
    const struct answer *answer = &set->answer[workload->first];
    const char *first = uses_needed(pool, answer);
    bool is_same = true;
    for (unsigned i = 1; i < workload->count; i++)
        is_same &= strcmp(uses_needed(pool, &answer[i]), first) == 0;
    for (unsigned i = 0; i < workload->count && i < BRIEF_ROWS && (i == 0 || !is_same); i++) {
        const char *text = uses_needed(pool, &answer[i]);
        const enum breakeven_outcome outcome = answer[i].breakeven[FETCH_ONCE].outcome;
        if (*text && (outcome < BREAKEVEN_UNKNOWN) == is_clear && (has_never || outcome != BREAKEVEN_NEVER))
            add_shared(brief, out,
                       is_same
                           ? pool_print(pool, "%s%s%s", workload->name, *workload->dtype ? " " : "", workload->dtype)
                           : problem_words(pool, set, &answer[i]),
                       text);
    }
}

/* Problems that never pay are not named beside others. What is unclear comes last. */
static void fill_breakeven(struct brief *brief, const struct answer_set *set, bool several)
{
    struct pool *pool = &brief->pool;
    for (unsigned i = 0; i < set->overalls; i++) {
        const struct answer_overall *overall = &set->overall[i];
        const bool has_never = count_breakeven(set, overall->part, false) == 0;
        struct lines lines = { .lines = 0 };
        const unsigned workloads = overall->workloads < BRIEF_ROWS ? overall->workloads : BRIEF_ROWS;
        for (unsigned k = 0; k < 2 * workloads && brief_shows(set, overall->part); k++)
            add_breakeven(brief, set, &overall->workload[k % workloads], has_never, k < workloads, &lines);
        const bool are_all = lines.lines == 1 && (has_never || count_breakeven(set, overall->part, true) == 0);
        for (unsigned k = 0; k < lines.lines; k++)
            lines_add(pool, &brief->breakeven, several ? part_label(pool, set, overall->part) : "",
                      are_all ? lines.line[k].text
                              : pool_print(pool, "%s: %s", lines.line[k].text, lines.line[k].label));
    }
}

/* Copying makes slower what computes faster. */
static bool turns_verdict(const struct answer *answer, enum use use)
{
    return use == USE_TRANSFERS && answer->use[use].verdict == VERDICT_SLOWER &&
           answer->use[USE_COMPUTE].verdict == VERDICT_FASTER;
}

/* Of a workload's largest problem, and of smaller ones that are compared with another type. */
static void add_part_reasons(struct brief *brief, const struct answer_set *set, unsigned workload, enum use use,
                             bool turns, bool several)
{
    for (unsigned i = 0; i < set->overalls; i++) {
        const struct answer_overall *overall = &set->overall[i];
        if (workload >= overall->workloads || !brief_shows(set, overall->part))
            continue;
        const struct answer_workload *of = &overall->workload[workload];
        const char *part = several ? pool_print(&brief->pool, " %s", part_label(&brief->pool, set, overall->part)) : "";
        for (unsigned k = 0; k < of->count; k++) {
            const struct answer *answer = &set->answer[of->first + k];
            bool is_wanted = (k + 1 == of->count || (answer->use[use].is_against_f32 && k < BRIEF_ROWS)) &&
                             turns_verdict(answer, use) == turns;
            const char *why = is_wanted ? why_words(&brief->pool, set, answer, use) : "";
            if (*why)
                add_shared(brief, &brief->why,
                           pool_print(&brief->pool, "%s%s", problem_words(&brief->pool, set, answer), part), why);
        }
    }
}

/* By workload, then by part, as the rows of the table are. What turns a verdict round comes first, as the last lines
 * may be left out. */
static void fill_reasons(struct brief *brief, const struct answer_set *set)
{
    const bool several = has_several(set);
    for (unsigned turns = 2; turns-- > 0;)
        for (enum use use = 0; use < USES; use++)
            for (unsigned k = 0; k < BRIEF_ROWS; k++)
                add_part_reasons(brief, set, k, use, turns > 0, several);
    fill_breakeven(brief, set, several);
}

/* "64 MiB to GPU 12.5 GB/s, back 11.1 GB/s; mapped: no copy". A size is named again where it differs. */
static void fill_transfer(struct brief *brief, const struct answer_set *set, const struct answer_part *part,
                          const char *label)
{
    struct string_builder to = { .pool = &brief->pool };
    char bytes[TEXT_NUMBER], rate[TEXT_NUMBER];
    const char *free_memory = "";
    double named = NAN;
    for (unsigned i = 0; i < set->answers && part->device->shares_host_memory; i++) {
        const struct cell_metrics *cell = set->answer[i].use[USE_TRANSFERS].cell;
        if (set->answer[i].part == part && cell && strcmp(cell->cell->memory, memory_name(MEMORY_MAPPED)) == 0)
            free_memory = memory_name(MEMORY_MAPPED);
    }
    for (unsigned i = 0; i < set->costs; i++) {
        const struct answer_cost *cost = &set->cost[i];
        if (cost->part != part || cost->kind == COST_LAUNCH)
            continue;
        if (cost->no_copy)
            free_memory = cost->cell->cell->memory;
        if (cost->no_copy || isnan(cost->bandwidth))
            continue;
        bool is_up = cost->kind == COST_UPLOAD, is_new = !(cost->bytes == named);
        string_append(&to, "%s%s%s%s%s %s/s", to.length > 0 ? ", " : "", is_new ? text_binary(bytes, cost->bytes) : "",
                      is_new ? " " : "", is_up ? "to " : "back", is_up ? part_label(&brief->pool, set, part) : "",
                      text_bytes(rate, cost->bandwidth));
        named = cost->bytes;
    }
    if (*free_memory && to.length > 0)
        string_append(&to, "; %s: no copy", free_memory);
    if (to.length > 0)
        lines_add(&brief->pool, &brief->costs, pool_print(&brief->pool, "copy%s", label), string_text(&to));
}

static void fill_costs(struct brief *brief, const struct answer_set *set)
{
    const bool several = set->parts > 2;
    for (unsigned i = 0; i < set->parts; i++) {
        const struct answer_part *part = &set->part[i];
        const char *label = several ? pool_print(&brief->pool, " %s", part_label(&brief->pool, set, part)) : "";
        if (part->is_baseline || (set->overalls > 0 && !brief_shows(set, part)))
            continue;
        fill_transfer(brief, set, part, label);
        for (unsigned k = 0; k < set->costs; k++) {
            char one[TEXT_NUMBER], queued[TEXT_NUMBER];
            const struct answer_cost *cost = &set->cost[k];
            if (cost->part != part || cost->kind != COST_LAUNCH)
                continue;
            text_seconds(one, cost->launch);
            lines_add(&brief->pool, &brief->costs, pool_print(&brief->pool, "kernel launch%s", label),
                      isnan(cost->queued) ? pool_copy(&brief->pool, one)
                                          : pool_print(&brief->pool, "%s; %s each if many share one wait", one,
                                                       text_seconds(queued, cost->queued)));
        }
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
        const struct answer_use *use = &answer->use[USE_COMPUTE];
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
    const unsigned counts[] = { brief->more_warnings, brief->notes };
    struct string_builder full = { .pool = pool };
    char path[1024];
    text_clean(path, sizeof path, *run->path ? run->path : layout->journal ? layout->journal : "");
    string_append(&full, "intervals, methods tried");
    for (unsigned i = 0; i < 2; i++)
        if (counts[i] > 0)
            string_append(&full, ", %u %s%s", counts[i], i == 0 ? "more warning" : "note", counts[i] == 1 ? "" : "s");
    lines_add(pool, &brief->pointers, string_text(&full), pool_print(pool, "bench report%s --full", file));
    lines_add(pool, &brief->pointers, "a page with charts", pool_print(pool, "bench report%s -o report.html", file));
    if (*path)
        lines_add(pool, &brief->pointers, "journal", path);
}

bool brief_make(struct brief *out, const struct result *run, const struct answer_set *answers,
                const struct layout *layout, struct error *err)
{
    struct answer_set own = { .answers = 0 };
    const struct answer_set *set = answers ? answers : &own;
    *out = (struct brief){ .alarm = "", .caption = "" };
    bool made = answers || answer_set_read(&own, run->record);
    if (made) {
        out->title = title_of(&out->pool, run->record);
        out->alarm = alarm_of(&out->pool, set);
        fill_devices(out, set);
        fill_answers(out, set);
        brief_fill_table(out, set, layout->width);
        fill_costs(out, set);
        fill_reasons(out, set);
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
