/* The answer of a run on one screen, in words: speed-ups, times and rates (screen_tables.c), costs, why, and what is
 * wrong with the run (warnings.c). */

#include "harness/report/makers/makers.h"

#include "harness/analysis/figures.h"
#include "harness/journal/record_members.h"
#include "harness/report/content/heading.h"

#include <math.h>
#include <string.h>

/* "No GPU here; "OpenCL" is this same CPU (PoCL).": by what the run said before it measured; "" where there is a GPU.
 */
static const char *no_gpu_words(struct pool *pool, const struct answer_set *set)
{
    size_t i;
    const json_t *absent;
    const char *reason = "No GPU was measured";
    json_array_foreach (set->record->absent, i, absent)
        if (strcmp(journal_text(absent, "backend"), "gpu") == 0)
            reason = journal_text(absent, "reason");
    const bool is_none = strncmp(reason, "No GPU on", strlen("No GPU on")) == 0;
    const int length = (int)strlen(reason) - (*reason && reason[strlen(reason) - 1] == '.');
    const char *lead = is_none ? "No GPU here" : pool_print(pool, "%.*s", length, reason);
    if (set->has_gpu)
        return "";
    if (set->answers == 0 || !part_is_shown(set, set->answer[0].part) ||
        set->answer[0].part->device->works_in_host_memory)
        return pool_print(pool, "%s.", lead);
    const struct answer_part *part = set->answer[0].part;
    const char *platform = part->device->platform;
    return pool_print(pool, "%s; \"%s\" is this same CPU (%s).", lead, part_label(pool, set, part),
                      strcmp(platform, "Portable Computing Language") == 0 ? "PoCL" : platform);
}

static void add_alarm(struct screen *screen)
{
    struct document *out = screen->document;
    const char *gpu = no_gpu_words(&out->pool, screen->set), *places = disturbed_places(&out->pool, screen->set);
    if (*places)
        document_line(out, ABOUT_ALARM, "", "%s%sDisturbed: other load on these cores may change the answer for %s. %s",
                      gpu, *gpu ? " " : "", places,
                      note_is_own(screen->set->record) ? "Close other programs (top shows them)." : "Repeat later.");
    else if (*gpu)
        document_line(out, ABOUT_ALARM, "", "%s", gpu);
}

/* How far the equal cards of a part are from each other. */
static double cards_differ(const struct answer_set *set, const struct answer_part *part)
{
    double apart = 0;
    for (unsigned i = 0; i < set->answers; i++)
        for (enum use use = 0; use < USES && set->answer[i].part == part; use++)
            apart = fmax(apart, set->answer[i].cards[use].most / set->answer[i].cards[use].least - 1); /* no NAN */
    return apart;
}

/* "GPU": "NVIDIA H200 (cuda:0)   peak 51.5 TFLOP/s  4.10 TB/s"; with commas where there is no room for columns. */
static void add_devices(struct screen *screen)
{
    const struct answer_set *set = screen->set;
    struct pool *pool = &screen->document->pool;
    const bool in_columns = screen->layout->width > 0 && !screen->is_narrow;
    unsigned widest = 0;
    for (unsigned i = 0; i < set->parts && in_columns; i++) {
        const unsigned width = text_width(part_words(pool, set, &set->part[i]));
        widest = width > widest ? width : widest;
    }
    for (unsigned i = 0; i < set->parts; i++) {
        const struct answer_part *part = &set->part[i];
        const char *words = part_words(pool, set, part), *comma = in_columns ? "  " : ", ";
        const char *type = set->has_types ? pool_print(pool, " in %s", dtype_name(part->dtype)) : "";
        const int pad = in_columns ? (int)(widest - text_width(words)) : 0;
        struct string_builder to = { .pool = pool };
        string_append(&to, "%s", words);
        if (!isnan(part->flops))
            string_append(&to, "%*s%speak %s%-*s", pad, "", comma, part->cards > 1 ? "each " : "",
                          in_columns ? 12 + (int)strlen(type) : 0,
                          pool_print(pool, "%s%s", text_flops(part->flops, "FLOP").text, type));
        if (!isnan(part->bandwidth))
            string_append(&to, "%s%s%s/s", comma, isnan(part->flops) ? "peak " : "", text_bytes(part->bandwidth).text);
        document_line(screen->document, ABOUT_DEVICE, part_label(pool, set, part), "%s", string_text(&to));
        if (part->cards > 1)
            document_line(screen->document, ABOUT_DEVICE, "",
                          "each row is of the slowest card; they differ by at most %.2g %%",
                          100 * cards_differ(set, part));
    }
}

/* "dGPU against iGPU": "matmul 1024 4.5x, conv 8x64x56 3.5x": by the times of data that stay. */
static void add_rival(struct document *out, const struct answer_set *set, const struct answer_part *part,
                      const struct answer_part *other)
{
    struct pool *pool = &out->pool;
    struct string_builder to = { .pool = pool };
    for (const struct answer *answer = set->answer; answer < set->answer + set->answers; answer++) {
        const struct answer *rival = answer->part == part ? answer_find(set, answer->block, other) : NULL;
        const double ratio = rival ? rival->use[USE_RESIDENT].time.value / answer->use[USE_RESIDENT].time.value : NAN;
        if (ratio > 0)
            string_append(&to, "%s%s %sx", to.length > 0 ? ", " : "", problem_words(pool, set, answer),
                          speedup_ratio(pool, ratio));
    }
    if (to.length > 0)
        document_line(out, ABOUT_ANSWER,
                      pool_print(pool, "%s against %s:", part_label(pool, set, part), part_label(pool, set, other)),
                      "%s", string_text(&to));
}

/* Of each GPU, in the order of the list; of the CPU through an API where there is none. */
static void add_answers(struct screen *screen)
{
    const struct answer_set *set = screen->set;
    struct document *out = screen->document;
    bool has_any = false;
    for (unsigned i = 0; i < set->parts; i++) {
        const struct answer_part *part = &set->part[i];
        if (part->workloads == 0 || !part_is_shown(set, part))
            continue;
        const char *stays = overall_words(&out->pool, set, part, USE_RESIDENT),
                   *moves = overall_words(&out->pool, set, part, USE_COPIED);
        document_line(out, ABOUT_ANSWER, question_words(&out->pool, set, part), "%s", *stays ? stays : "Not compared.");
        if (*moves)
            document_line(out, ABOUT_ANSWER, "Copied at every use:", "%s", moves);
        has_any = true;
    }
    const struct answer_part *first = set->answers > 0 ? set->answer[0].part : NULL;
    for (const struct answer_part *part = first; part && part < set->part + set->parts; part++) {
        const bool is_turned = part->device->class == CLASS_DGPU;
        if (part != first && part->workloads > 0 && first->is_gpu && part->is_gpu)
            add_rival(out, set, is_turned ? part : first, is_turned ? first : part);
    }
    if (!has_any)
        document_line(out, ABOUT_ANSWER, "Is the GPU worth it?", "%s",
                      !set->has_gpu ? "Not known: no GPU was measured."
                      : set->parts > 0 && set->part[0].is_baseline
                          ? "Not compared: what was measured has times, but no verdict."
                          : "Not compared: there is no baseline.");
}

/* "112" where `next` has the same unit, which is then said once. */
static const char *without_unit(struct pool *pool, const char *one, const char *next)
{
    const size_t number = strcspn(one, " ");
    const bool is_alike = strcmp(one + number, next + strcspn(next, " ")) == 0;
    return is_alike ? pool_print(pool, "%.*s", (int)number, one) : one;
}

/* "to the GPU 12.5 GB/s, back 11.1 GB/s": a size is named where it differs from that of the label. */
static void add_transfer(struct document *out, const struct answer_set *set, const struct answer_part *part,
                         const char *label)
{
    const char *const ways[] = { part->is_gpu ? "to the GPU" : "to the buffer", "back" };
    struct string_builder to = { .pool = &out->pool };
    const char *first = NULL;
    for (enum cost cost = COST_UPLOAD; cost <= COST_DOWNLOAD; cost++) {
        const struct figures *row = answer_cost(set, part, cost);
        if (!row)
            continue;
        const char *bytes = pool_copy(&out->pool, text_binary(row->cell->bytes).text);
        const bool is_other = first && strcmp(first, bytes) != 0;
        first = first ? first : bytes;
        string_append(&to, "%s%s%s%s %s/s", to.length > 0 ? ", " : "", is_other ? bytes : "", is_other ? " " : "",
                      ways[cost], text_bytes(row->bandwidth).text);
    }
    if (first)
        document_line(out, ABOUT_COST, pool_print(&out->pool, "Copy %s%s", first, label), "%s", string_text(&to));
}

/* The shortest launch, plain and by graph, with a wait or in a batch. `next` comes before what is added. */
static void add_launches(struct string_builder *to, const char **next, const struct answer_set *set,
                         const struct answer_part *part, bool is_batch)
{
    for (enum cost cost = COST_LAUNCH; cost <= COST_GRAPH; cost++) {
        const struct figures *row = answer_cost(set, part, cost);
        const double time = !row ? NAN : is_batch ? row->launches.queued : row->time.value;
        if (isnan(time))
            continue;
        string_append(to, "%s%s%s", *next, cost == COST_GRAPH ? "by graph " : "", text_seconds(time).text);
        *next = ", ";
    }
}

/* "8.89 us, by graph 6.80 us; in a batch 3.56 us, by graph 1.80 us, multiply 40M 112 instead of 120 us": with the rows
 * whose runs are so short that the wait after each counts. The tables have their times with it. */
static void add_launch(struct document *out, const struct answer_set *set, const struct answer_part *part,
                       const char *label)
{
    struct string_builder to = { .pool = &out->pool };
    const char *next = "";
    add_launches(&to, &next, set, part, false);
    if (to.length == 0)
        return;
    next = "; in a batch ";
    add_launches(&to, &next, set, part, true);
    for (unsigned i = 0; i < set->answers; i++) {
        const struct answer *answer = &set->answer[i];
        const struct figures *row = answer->row[USE_RESIDENT];
        if (answer->part != part || !row || !launch_overhead_is_felt(&row->launches, row->time.value))
            continue;
        const char *batch = pool_copy(&out->pool, text_seconds(row->launches.queued).text);
        const char *alone = pool_copy(&out->pool, text_seconds(row->time.value).text);
        string_append(&to, "%s%s %s instead of %s", next, problem_words(&out->pool, set, answer),
                      without_unit(&out->pool, batch, alone), alone);
        next = ", ";
    }
    document_line(out, ABOUT_COST, pool_print(&out->pool, "Launch, wait%s", label), "%s", string_text(&to));
}

/* ", cuda:0" where several processors are compared. */
static const char *suffix_of(struct pool *pool, const struct answer_set *set, const struct answer_part *part)
{
    unsigned shown = 0;
    for (unsigned i = 0; i < set->parts; i++)
        shown += part_is_shown(set, &set->part[i]);
    return shown > 1 ? pool_print(pool, ", %s", part_label(pool, set, part)) : "";
}

static void add_costs(struct screen *screen)
{
    const struct answer_set *set = screen->set;
    struct document *out = screen->document;
    if (screen->unsettled.length > 0)
        document_line(out, ABOUT_COST, "Unsettled", "%s", string_text(&screen->unsettled));
    if (screen->has_mark)
        document_line(out, ABOUT_COST, "*", "above the printed peak: fewer operations, another type, or caches");
    for (const struct answer_part *part = set->part; part < set->part + set->parts; part++)
        if (part_is_shown(set, part)) {
            add_transfer(out, set, part, suffix_of(&out->pool, set, part));
            add_launch(out, set, part, suffix_of(&out->pool, set, part));
        }
}

/* What is said of problems: those with the same words are places of one note. */
static void add_reason(struct notes *to, const struct answer_set *set, const struct answer *answer, const char *words)
{
    if (*words)
        notes_add(
            to, &(struct note){ .text = words },
            pool_print(to->pool, "%s%s", problem_words(to->pool, set, answer), suffix_of(to->pool, set, answer->part)));
}

/* Neighbours with the same problems share a line. */
static void add_lines(struct document *out, const char *label, const struct notes *reasons)
{
    for (unsigned i = 0, end; i < reasons->count; i = end) {
        struct string_builder to = { .pool = reasons->pool };
        const struct note *one = &reasons->note[i];
        string_append(&to, "%s: %s", one->named, one->text);
        for (end = i + 1; end < reasons->count && strcmp(reasons->note[end].named, one->named) == 0; end++)
            string_append(&to, "; %s", reasons->note[end].text);
        document_line(out, ABOUT_REASON, label, "%s", string_text(&to));
    }
}

/* Why the largest problem of a workload is faster or slower, and every one that is compared with another type; and the
 * break-even of all. */
static void add_reasons(struct screen *screen)
{
    const struct answer_set *set = screen->set;
    struct notes why = { .pool = &screen->document->pool, .names_all = true }, pays = why;
    for (unsigned i = 0; i < set->answers; i++) {
        const struct answer *answer = &set->answer[i];
        const bool is_largest = i + 1 == set->answers || set->answer[i + 1].part != answer->part ||
                                set->answer[i + 1].workload != answer->workload;
        if (!part_is_shown(set, answer->part))
            continue;
        for (enum use use = 0; use < USES; use++) {
            const struct figure *one = &answer->use[use];
            if ((is_largest || one->is_against_f32) &&
                (one->verdict == VERDICT_FASTER || one->verdict == VERDICT_SLOWER))
                add_reason(&why, set, answer, why_words(why.pool, set, answer, use));
        }
        add_reason(&pays, set, answer, breakeven_words(pays.pool, answer));
    }
    add_lines(screen->document, "Why", &why);
    add_lines(screen->document, "Break-even", &pays);
}

/* The claims of others that this run was asked to check. */
static void add_claims(struct screen *screen)
{
    enum { CLAIMS_SHOWN = 8 };
    const struct answer_set *set = screen->set;
    struct pool *pool = &screen->document->pool;
    struct claim_check check[CLAIMS_SHOWN];
    const unsigned count = claims_check(set, screen->layout->claims, check, CLAIMS_SHOWN);
    for (unsigned i = 0; i < count; i++) {
        const struct answer *answer = check[i].answer;
        const struct figure *use = &answer->use[USE_RESIDENT];
        const double host_cpu = answer->row[USE_RESIDENT]->costs.host_cpu;
        if (use->cell->naives == 0)
            continue;
        const char *host =
            isnan(host_cpu) ? "" : pool_print(pool, "; it keeps %s cores of the host busy", text_figure(host_cpu).text);
        document_line(screen->document, ABOUT_CLAIM, problem_words(pool, set, answer),
                      "%s: %s. Naive here %s, fair %s (%s)%s", claim_outcomes[check[i].outcome], check[i].claim->quote,
                      naive_words(pool, set, answer), speedup_field(pool, &use->speedup),
                      verdict_size(pool, &use->speedup), host);
    }
}

/* What was run; but Markdown has that as a heading. Pointers to a full report are not in one. */
static void add_run(struct screen *screen)
{
    const struct layout *layout = screen->layout;
    struct document *out = screen->document;
    const char *file = layout->is_newest ? "" : " FILE";
    const struct text program = command_word(layout->program ? layout->program : "bench");
    if (out->medium != MEDIUM_MARKDOWN)
        document_line(out, ABOUT_RUN, "", "%s", run_words(&out->pool, screen->set->record));
    if (!layout->is_brief)
        return;
    document_line(out, ABOUT_RUN, "", "every figure: %s report%s --full; charts: %s report%s -o report.html",
                  program.text, file, program.text, file);
    if (*screen->run->path)
        document_line(out, ABOUT_RUN, "", "journal: %s", text_cleaned(screen->run->path).text);
}

static void add_picture(struct screen *screen)
{
    if (screen->picture)
        document_picture(screen->document, screen->picture);
}

void screen_add(struct screen *screen)
{
    enum { NARROW = 66, ADDERS = 10 }; /* columns of text from which on the titles have room */
    static void (*const of_text[ADDERS])(struct screen *) = { add_alarm,         add_answers,         add_devices,
                                                              screen_add_tables, add_claims,          add_costs,
                                                              add_reasons,       screen_add_warnings, add_run };
    static void (*const of_page[ADDERS])(
        struct screen *) = { add_alarm,         add_answers, add_picture, screen_add_warnings, add_devices,
                             screen_add_tables, add_claims,  add_costs,   add_reasons,         add_run };
    screen->unsettled = (struct string_builder){ .pool = &screen->document->pool };
    screen->is_narrow = screen->layout->width > 0 && screen->layout->width < NARROW;
    for (unsigned i = 0; i < ADDERS; i++) {
        void (*add)(struct screen *) = screen->document->medium == MEDIUM_PAGE ? of_page[i] : of_text[i];
        if (add)
            add(screen);
    }
}
