#include "harness/report/content/brief.h"

#include "harness/base/text.h"
#include "harness/report/content/claims.h"
#include "harness/report/content/heading.h"

#include <string.h>

static const char *member(struct pool *pool, const json_t *object, const char *name)
{
    char text[256];
    const char *value = json_string_value(json_object_get(object, name));
    text_clean(text, sizeof text, value ? value : "");
    return pool_copy(pool, text);
}

/* "2 min 51 s" */
static const char *duration(struct pool *pool, double seconds)
{
    unsigned whole = seconds < 1e6 ? (unsigned)(seconds + 0.5) : 1000000;
    return whole < 60 ? pool_print(pool, "%u s", whole) : pool_print(pool, "%u min %u s", whole / 60, whole % 60);
}

static const char *title_of(struct pool *pool, const struct record *record)
{
    const json_t *head = record->head;
    const char *version = member(pool, head, "version"), *when = heading_date(pool, head);
    const char *suite = member(pool, json_object_get(head, "options"), "suite");
    struct string_builder to = { .pool = pool };
    string_append(&to, "bench%s%s%s%s%s%s", *version ? " " : "", version, *suite ? ", suite " : "", suite,
                  *when ? ", " : "", when);
    if (record->elapsed > 0)
        string_append(&to, ", took %s", duration(pool, record->elapsed));
    return string_text(&to);
}

/* What the run said before it measured; "" where there is a GPU. */
static const char *alarm_of(struct pool *pool, const struct answer_set *set)
{
    size_t i;
    const json_t *absent;
    json_array_foreach (set->record->absent, i, absent)
        if (!set->has_gpu && strcmp(member(pool, absent, "backend"), "gpu") == 0)
            return member(pool, absent, "reason");
    return set->has_gpu ? "" : "No GPU was measured.";
}

enum { DEVICE_LABEL, DEVICE_NAME, DEVICE_KIND, DEVICE_PEAK, DEVICE_BANDWIDTH, DEVICE_COLUMNS };
static const struct column device_columns[DEVICE_COLUMNS] = {
    [DEVICE_LABEL] = { "", "", ALIGN_LEFT, GROUP_NAME, "" },
    [DEVICE_NAME] = { "", "", ALIGN_LEFT, GROUP_NAME, "" },
    [DEVICE_KIND] = { "", "", ALIGN_LEFT, GROUP_NAME, "" },
    [DEVICE_PEAK] = { "", "", ALIGN_RIGHT, GROUP_RATE, "" },
    [DEVICE_BANDWIDTH] = { "", "", ALIGN_RIGHT, GROUP_RATE, "" },
};

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

/* "iGPU (opencl:0)", "4 cores"; a CPU through an API is no GPU. */
static const char *kind_words(struct pool *pool, const struct answer_set *set, const struct answer_part *part)
{
    const struct device *device = part->device;
    json_int_t cores = json_integer_value(json_object_get(json_object_get(set->record->head, "host"), "cores"));
    if (!device->works_in_host_memory)
        return pool_print(pool, "%s (%s)", part->is_gpu ? class_name(device->class) : "a CPU",
                          api_words(pool, set, part));
    return cores > 0 && cores < 1000000 ? pool_print(pool, "%d core%s", (int)cores, cores == 1 ? "" : "s") : "";
}

static void fill_devices(struct brief *brief, const struct answer_set *set)
{
    struct pool *pool = &brief->pool;
    char rate[TEXT_NUMBER];
    table_open(pool, &brief->devices, device_columns, DEVICE_COLUMNS, set->parts);
    for (unsigned i = 0; i < brief->devices.rows; i++) {
        const struct answer_part *part = &set->part[i];
        const char **field = brief->devices.row[i].field;
        field[DEVICE_LABEL] = part_label(pool, set, part);
        field[DEVICE_NAME] = part->cards > 1
                                 ? pool_print(pool, "%u x %s", part->cards, device_words(pool, part->device))
                                 : device_words(pool, part->device);
        field[DEVICE_KIND] = kind_words(pool, set, part);
        if (!isnan(part->flops))
            field[DEVICE_PEAK] = pool_copy(pool, text_flops(rate, part->flops));
        if (!isnan(part->bandwidth))
            field[DEVICE_BANDWIDTH] = pool_print(pool, "%s/s", text_bytes(rate, part->bandwidth));
    }
}

/* The best GPU first, then the others; the CPU through an API where there is none. */
static void fill_answers(struct brief *brief, const struct answer_set *set)
{
    struct pool *pool = &brief->pool;
    for (unsigned i = 0; i < set->overalls; i++) {
        const struct answer_overall *overall = &set->overall[i];
        if (set->has_gpu && !overall->part->is_gpu)
            continue;
        lines_add(pool, &brief->answers, question_words(pool, set, overall->part), overall_words(pool, overall));
    }
    if (brief->answers.lines == 0)
        lines_add(pool, &brief->answers, "Is the GPU worth it?",
                  set->has_gpu ? "Not compared: there is no baseline that it could be compared with."
                               : "Not known: no GPU was measured.");
}

/* Neighbours with the same text share a line: "multiply, matmul". */
static void add_shared(struct brief *brief, struct lines *out, const char *label, const char *text)
{
    for (unsigned i = 0; i < out->lines; i++) {
        struct line *line = &out->line[i];
        if (strcmp(line->text, text) != 0)
            continue;
        if (!strstr(line->label, label))
            line->label = pool_print(&brief->pool, "%s, %s", line->label, label);
        return;
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

/* Why a workload's largest problem has its verdict: computing, then with transfers where that differs. */
static void add_why(struct brief *brief, const struct answer_set *set, const struct answer *answer, const char *label)
{
    const char *stays = why_words(&brief->pool, set, answer, USE_COMPUTE);
    const char *moves = why_words(&brief->pool, set, answer, USE_TRANSFERS);
    bool is_moved = answer->use[USE_TRANSFERS].verdict != VERDICT_NONE;
    bool is_named = !*stays || answer->use[USE_TRANSFERS].why == WHY_TRANSFER; /* the reason says what it is about */
    if (*stays)
        add_shared(brief, &brief->why, label, stays);
    if (is_moved && *moves && strcmp(stays, moves) != 0)
        add_shared(brief, &brief->why, label,
                   pool_print(&brief->pool, "%s%s", is_named ? "" : "with transfers ", moves));
}

/* Problems with the same text share a line, which is labelled with that text. */
static void add_problem(struct brief *brief, struct lines *out, const char *text, const char *problem)
{
    for (unsigned i = 0; i < out->lines; i++)
        if (strcmp(out->line[i].label, text) == 0) {
            out->line[i].text = pool_print(&brief->pool, "%s, %s", out->line[i].text, problem);
            return;
        }
    lines_add(&brief->pool, out, text, problem);
}

/* The break-even of a workload, or of each of its problems where they differ. */
static void add_breakeven(struct brief *brief, const struct answer_set *set, const struct answer_workload *workload,
                          const char *label, const char *part)
{
    struct pool *pool = &brief->pool;
    const struct answer *answer = &set->answer[workload->first];
    const char *first = breakeven_words(pool, answer, FETCH_ONCE);
    bool is_same = true;
    for (unsigned i = 1; i < workload->count && i < BRIEF_ROWS; i++)
        is_same &= strcmp(breakeven_words(pool, &answer[i], FETCH_ONCE), first) == 0;
    for (unsigned i = 0; i < workload->count && i < BRIEF_ROWS && (i == 0 || !is_same); i++) {
        const char *text = breakeven_words(pool, &answer[i], FETCH_ONCE);
        if (*text)
            add_problem(brief, &brief->breakeven, text,
                        is_same ? label : pool_print(pool, "%s%s", problem_words(pool, set, &answer[i]), part));
    }
}

static void fill_reasons(struct brief *brief, const struct answer_set *set)
{
    const bool several = has_several(set);
    for (unsigned i = 0; i < set->overalls; i++) {
        const struct answer_overall *overall = &set->overall[i];
        const char *part = several ? part_label(&brief->pool, set, overall->part) : "";
        for (unsigned k = 0; k < overall->workloads && k < BRIEF_ROWS && brief_shows(set, overall->part); k++) {
            const struct answer_workload *workload = &overall->workload[k];
            const char *label = pool_print(&brief->pool, "%s%s%s%s%s", workload->name, *workload->dtype ? " " : "",
                                           workload->dtype, several ? " " : "", part);
            add_why(brief, set, &set->answer[workload->first + workload->count - 1], label);
            add_breakeven(brief, set, workload, label, several ? pool_print(&brief->pool, " %s", part) : "");
        }
    }
    for (unsigned i = 0; i < brief->breakeven.lines; i++) {
        struct line *line = &brief->breakeven.line[i];
        bool holds_for_all = brief->breakeven.lines == 1;
        line->text = holds_for_all ? line->label : pool_print(&brief->pool, "%s: %s", line->label, line->text);
        line->label = "";
    }
}

/* "64 MiB to GPU 12.5 GB/s, back 11.1 GB/s; zero-copy: free" */
static void fill_transfer(struct brief *brief, const struct answer_set *set, const struct answer_part *part,
                          const char *label)
{
    struct string_builder to = { .pool = &brief->pool };
    char bytes[TEXT_NUMBER], rate[TEXT_NUMBER];
    bool is_free = false;
    for (unsigned i = 0; i < set->costs; i++) {
        const struct answer_cost *cost = &set->cost[i];
        if (cost->part != part || cost->kind == COST_LAUNCH)
            continue;
        is_free |= cost->no_copy;
        if (cost->no_copy || isnan(cost->bandwidth))
            continue;
        if (to.length == 0)
            string_append(&to, "%s", text_binary(bytes, cost->bytes));
        string_append(&to, "%s%s/s", cost->kind == COST_UPLOAD ? " to it " : ", back ",
                      text_bytes(rate, cost->bandwidth));
    }
    if (is_free)
        string_append(&to, "%szero-copy: free", to.length > 0 ? "; " : "");
    if (to.length > 0)
        lines_add(&brief->pool, &brief->costs, pool_print(&brief->pool, "transfer%s", label), string_text(&to));
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
            lines_add(&brief->pool, &brief->costs, pool_print(&brief->pool, "launch%s", label),
                      isnan(cost->queued) ? pool_copy(&brief->pool, one)
                                          : pool_print(&brief->pool, "%s; %s each with one wait for many", one,
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
                             check[i].claim->quote, naive_words(pool, set, answer), speedup_words(pool, &use->speedup),
                             verdict_size(pool, &use->speedup), host));
    }
}

static void fill_pointers(struct brief *brief, const struct result *run, const struct layout *layout)
{
    struct pool *pool = &brief->pool;
    const char *command = layout->is_newest ? "bench report " : ""; /* else the user has just typed the file */
    char path[1024];
    text_clean(path, sizeof path, *run->path ? run->path : layout->journal ? layout->journal : "");
    lines_add(pool, &brief->pointers, "all of it (intervals, methods tried, notes)",
              pool_print(pool, "%s--full", command));
    lines_add(pool, &brief->pointers, "a page with charts", pool_print(pool, "%s-o report.html", command));
    if (*path)
        lines_add(pool, &brief->pointers, "journal", path);
}

bool brief_fits(const struct results *results)
{
    bool fits = true;
    for (unsigned i = 0; i < results->runs; i++)
        fits &= !results->run[i].record->sweep;
    return fits;
}

bool brief_make(struct brief *out, const struct result *run, const struct layout *layout, struct error *err)
{
    struct answer_set set;
    *out = (struct brief){ .alarm = "", .caption = "" };
    bool made = answer_set_read(&set, run->record);
    if (made) {
        out->title = title_of(&out->pool, run->record);
        out->alarm = alarm_of(&out->pool, &set);
        fill_devices(out, &set);
        fill_answers(out, &set);
        brief_fill_table(out, &set, layout->width);
        fill_costs(out, &set);
        fill_reasons(out, &set);
        fill_claims(out, &set, layout->claims);
        brief_fill_warnings(out, &set, run);
        fill_pointers(out, run, layout);
    }
    answer_set_release(&set);
    return (made && !out->pool.is_short) || fail(err, STATUS_NO_MEMORY, "no memory for a report");
}

void brief_release(struct brief *brief)
{
    pool_release(&brief->pool);
}
