/* The answer of a run on one screen, in words: speed-ups, times and rates (screen_tables.c), costs, why, and what is
 * wrong with the run (warnings.c). */

#include "harness/report/makers/makers.h"

#include "harness/analysis/figures.h"
#include "harness/journal/record_members.h"
#include "harness/report/content/heading.h"

#include <math.h>
#include <string.h>

/* "No GPU here. "OpenCL" is this same CPU (PoCL).": by what the run said before it measured; "" where there is
 * a GPU. */
static const char *no_gpu_words(struct pool *pool, const struct answer_set *set)
{
    size_t i;
    const json_t *absent;
    const char *reason = "No GPU was measured.";
    const struct answer_part *part = set->answers > 0 ? set->answer[0].part : NULL;
    json_array_foreach (set->record->absent, i, absent)
        if (strcmp(journal_text(absent, "backend"), "gpu") == 0)
            reason = journal_text(absent, "reason");
    if (set->has_gpu)
        return "";
    if (strncmp(reason, "No GPU on", strlen("No GPU on")) == 0) /* doctor says more */
        reason = "No GPU here.";
    if (!part || !part_is_shown(set, part) || part->device->works_in_host_memory)
        return reason;
    const char *platform = part->device->platform;
    return pool_print(pool, "%s \"%s\" is this same CPU (%s).", reason, part_label(pool, set, part),
                      strcmp(platform, "Portable Computing Language") == 0 ? "PoCL" : platform);
}

static void add_alarm(struct screen *screen)
{
    struct document *out = screen->document;
    const char *gpu = no_gpu_words(&out->pool, screen->set), *places = disturbed_places(&out->pool, screen->set);
    if (*places)
        document_line(out, ABOUT_ALARM, "",
                      "%s%sDisturbed: other load on these cores may change the answer for %s. Close other programs, or "
                      "repeat later.",
                      gpu, *gpu ? " " : "", places);
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

/* "GPU": "NVIDIA H200 (cuda:0), peak 51.5 TFLOP/s, 4.10 TB/s" */
static void add_devices(struct screen *screen)
{
    const struct answer_set *set = screen->set;
    struct pool *pool = &screen->document->pool;
    for (const struct answer_part *part = set->part; part < set->part + set->parts; part++) {
        struct string_builder to = { .pool = pool };
        string_append(&to, "%s", part_words(pool, set, part));
        if (!isnan(part->flops))
            string_append(&to, ", peak %s%s%s%s", part->cards > 1 ? "each " : "", text_flops(part->flops, "FLOP").text,
                          set->has_types ? " in " : "", set->has_types ? dtype_name(part->dtype) : "");
        if (!isnan(part->bandwidth))
            string_append(&to, "%s%s/s", isnan(part->flops) ? ", peak " : ", ", text_bytes(part->bandwidth).text);
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
                      set->has_gpu ? "Not compared: no row has a verdict." : "Not known: no GPU was measured.");
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

/* "8.89 us, by graph 6.80 us; in a batch 3.56 us, by graph 1.80 us": the shortest launch, plain and by graph. */
static void add_launch(struct document *out, const struct answer_set *set, const struct answer_part *part,
                       const char *label)
{
    struct string_builder to = { .pool = &out->pool };
    for (unsigned is_batch = 0; is_batch < 2; is_batch++) {
        const char *next = is_batch ? "; in a batch " : "";
        for (enum cost cost = COST_LAUNCH; cost <= COST_GRAPH; cost++) {
            const struct figures *row = answer_cost(set, part, cost);
            const double time = !row ? NAN : is_batch ? row->launches.queued : row->time.value;
            if (isnan(time))
                continue;
            string_append(&to, "%s%s%s", next, cost == COST_GRAPH ? "by graph " : "", text_seconds(time).text);
            next = ", ";
        }
    }
    if (to.length > 0)
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

/* "matmul 1024", with the processor where several are compared. */
static const char *place_of(struct screen *screen, const struct answer *answer)
{
    struct pool *pool = &screen->document->pool;
    return pool_print(pool, "%s%s", problem_words(pool, screen->set, answer),
                      suffix_of(pool, screen->set, answer->part));
}

/* Why the largest problem of a workload is faster or slower, and every one that is compared with another type; and the
 * break-even of all. */
static void add_reasons(struct screen *screen)
{
    const struct answer_set *set = screen->set;
    struct pool *pool = &screen->document->pool;
    const struct answer *end = set->answer + set->answers;
    for (const struct answer *answer = set->answer; answer < end; answer++) {
        const bool is_largest =
            answer + 1 == end || answer[1].part != answer->part || answer[1].workload != answer->workload;
        struct string_builder why = { .pool = pool };
        for (enum use use = 0; use < USES; use++) {
            const struct figure *one = &answer->use[use];
            const bool is_apart = one->verdict == VERDICT_FASTER || one->verdict == VERDICT_SLOWER;
            const char *words =
                is_apart && (is_largest || one->is_against_f32) ? why_words(pool, set, answer, use) : "";
            string_append(&why, "%s%s", why.length > 0 && *words ? "; " : "", words);
        }
        if (why.length > 0 && part_is_shown(set, answer->part))
            document_line(screen->document, ABOUT_REASON, "Why", "%s: %s", place_of(screen, answer), string_text(&why));
    }
    struct notes pays = { .pool = pool }; /* those with the same words are places of one note */
    for (const struct answer *answer = set->answer; answer < end; answer++) {
        const struct note one = { .text = breakeven_words(pool, answer) };
        if (*one.text && part_is_shown(set, answer->part))
            notes_add(&pays, &one, place_of(screen, answer));
    }
    for (unsigned i = 0; i < pays.count; i++)
        document_line(screen->document, ABOUT_REASON, "Break-even", "%s: %s", notes_places(pool, &pays.note[i]),
                      pays.note[i].text);
}

/* The claims of others that this run was asked to check. */
static void add_claims(struct screen *screen)
{
    const struct answer_set *set = screen->set;
    struct pool *pool = &screen->document->pool;
    for (const struct claim *claim = screen->layout->claims; claim && claim->workload; claim++) {
        const struct answer *answer;
        const enum claim_outcome outcome = claim_check(set, claim, &answer);
        if (!answer || !answer->row[USE_RESIDENT] || answer->use[USE_RESIDENT].cell->naives == 0)
            continue;
        const struct estimate *speedup = &answer->use[USE_RESIDENT].speedup;
        const double host_cpu = answer->row[USE_RESIDENT]->costs.host_cpu;
        const char *host =
            isnan(host_cpu) ? "" : pool_print(pool, "; it keeps %s cores of the host busy", text_figure(host_cpu).text);
        document_line(screen->document, ABOUT_CLAIM, problem_words(pool, set, answer),
                      "%s: %s. Naive here %s, fair %s (%s)%s", claim_outcomes[outcome], claim->quote,
                      naive_words(pool, set, answer), speedup_field(pool, speedup), verdict_size(pool, speedup), host);
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

void screen_add(struct screen *screen)
{
    enum { NARROW = 66 }; /* columns of text from which on the titles have room */
    const bool is_page = screen->document->medium == MEDIUM_PAGE;
    screen->unsettled = (struct string_builder){ .pool = &screen->document->pool };
    screen->is_narrow = screen->layout->width > 0 && screen->layout->width < NARROW;
    add_alarm(screen);
    add_answers(screen);
    if (screen->picture)
        document_picture(screen->document, screen->picture);
    if (is_page)
        screen_add_warnings(screen);
    add_devices(screen);
    screen_add_tables(screen);
    add_claims(screen);
    add_costs(screen);
    add_reasons(screen);
    if (!is_page)
        screen_add_warnings(screen);
    add_run(screen);
}
