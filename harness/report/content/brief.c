#include "harness/report/content/brief.h"

#include "harness/analysis/figures.h"
#include "harness/base/text.h"
#include "harness/journal/record_members.h"
#include "harness/report/content/claims.h"
#include "harness/report/content/heading.h"

#include <math.h>
#include <string.h>

/* "2 min 51 s" */
static const char *duration(struct pool *pool, double seconds)
{
    unsigned whole = seconds < 1e6 ? (unsigned)(seconds + 0.5) : 1000000;
    return whole < 60 ? pool_print(pool, "%u s", whole) : pool_print(pool, "%u min %u s", whole / 60, whole % 60);
}

/* "12 to 24 visits in 2 min 40 s"; "2 min 51 s", of the whole run, without visits */
static const char *length_of(struct pool *pool, const struct record *record)
{
    const struct visits visits = record_visits(record);
    const char *least = visits.least < visits.most ? pool_print(pool, "%u to ", visits.least) : "";
    if (visits.seconds > 0)
        return pool_print(pool, "%s%u visits in %s", least, visits.most, duration(pool, visits.seconds));
    return record->elapsed > 0 ? duration(pool, record->elapsed) : "";
}

/* "suite standard, 2026-11-22 20:14 UTC, 24 visits in 2 min 40 s, bench 0.3.0" */
static const char *title_of(struct pool *pool, const struct record *record)
{
    const char *suite = record_suite(record);
    const double sustained = json_number_value(json_object_get(json_object_get(record->head, "options"), "sustained"));
    bool is_cold = false;
    for (unsigned i = 0; i < record->cells; i++)
        is_cold |= record->cell[i]->is_cold;
    const char *const parts[] = { *suite          ? pool_print(pool, "suite %s", suite)
                                  : record->sweep ? "sweep"
                                                  : "chosen problems",
                                  is_cold ? "cold" : "",
                                  sustained > 0 ? pool_print(pool, "sustained %s", pool_seconds(pool, sustained)) : "",
                                  heading_date(pool, record->head),
                                  length_of(pool, record),
                                  pool_print(pool, "bench %s", journal_text(record->head, "version")) };
    struct string_builder to = { .pool = pool };
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
        string_append(&to, "%s%s", to.length > 0 && *parts[i] ? ", " : "", parts[i]);
    return string_text(&to);
}

/* "No GPU here; "OpenCL" is this same CPU (PoCL).": by what the run said before it measured; "" where there is a GPU.
 */
static const char *alarm_of(struct pool *pool, const struct answer_set *set)
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
    if (set->overalls == 0 || !brief_shows(set, set->overall[0].part))
        return pool_print(pool, "%s.", lead);
    const struct answer_part *part = set->overall[0].part;
    const char *platform = part->device->platform;
    return pool_print(pool, "%s; \"%s\" is this same CPU (%s).", lead, part_label(pool, set, part),
                      strcmp(platform, "Portable Computing Language") == 0 ? "PoCL" : platform);
}

/* "4 cores"; "1 of 4 cores (affinity)" where fewer computed: by affinity, quota, --threads, or because they were held
 * back. "": unknown. */
static const char *cores_words(struct pool *pool, const struct record *record)
{
    const json_t *host = json_object_get(record->head, "host");
    const double cores = number_member(host, "cores");
    double used = fmin(cores, fmin(number_member(host, "worker_threads"), number_member(host, "quota"))); /* no NAN */
    const char *why = text_member(pool, host, "threads_reason", 96);
    for (unsigned i = 0; i < record->cells; i++)
        if (record->cell[i]->first.cores_computing < used) {
            used = record->cell[i]->first.cores_computing;
            why = "held back";
        }
    return !(cores > 0 && cores < 1000000) ? ""
           : used < cores ? pool_print(pool, ", %g of %.0f cores (%s)", used, cores, *why ? why : "part")
                          : pool_print(pool, ", %.0f core%s", cores, cores > 1 ? "s" : "");
}

const char *part_words(struct pool *pool, const struct answer_set *set, const struct answer_part *part)
{
    const struct device *device = part->device;
    const bool is_same_cpu = !part->is_gpu && device_same_silicon(part->device, set->part[0].device); /* by an API */
    struct string_builder to = { .pool = pool };
    if (part->cards > 1)
        string_append(&to, "%u x ", part->cards);
    string_append(&to, "%s",
                  !device->works_in_host_memory && is_same_cpu ? "the same CPU" : device_words(pool, device));
    if (!device->works_in_host_memory && strcmp(device->id, part_label(pool, set, part)) != 0)
        string_append(&to, " (%s)", device->id);
    else if (device->works_in_host_memory)
        string_append(&to, "%s", cores_words(pool, set->record));
    const double threads = number_member(json_object_get(set->record->head, "host"), "worker_threads");
    if (!device->works_in_host_memory && is_same_cpu && device->units > 0 && device->units < threads)
        string_append(&to, ", %u of %.0f cores", device->units, threads);
    return string_text(&to);
}

/* How far the equal cards of a part are from each other. */
static void add_cards(struct brief *brief, const struct answer_set *set, const struct answer_part *part)
{
    double apart = 0;
    for (unsigned i = 0; i < set->answers; i++)
        for (enum use use = 0; use < USES && set->answer[i].part == part; use++) {
            const struct ratio_range *range = &set->answer[i].cards[use];
            apart = fmax(apart, range->most / range->least - 1); /* fmax ignores NAN */
        }
    if (part->cards > 1)
        lines_add(
            &brief->pool, &brief->devices, "",
            pool_print(&brief->pool, "each row is of the slowest card; they differ by at most %.2g %%", 100 * apart));
}

/* "GPU": "NVIDIA H200 (cuda:0)   peak 51.5 TFLOP/s  4.10 TB/s"; with commas where there are no columns. */
static void fill_devices(struct brief *brief, const struct answer_set *set, bool in_columns)
{
    struct pool *pool = &brief->pool;
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
                          pool_print(pool, "%s%s", pool_flops(pool, part->flops, "FLOP"), type));
        if (!isnan(part->bandwidth))
            string_append(&to, "%s%s%s/s", comma, isnan(part->flops) ? "peak " : "", pool_bytes(pool, part->bandwidth));
        lines_add(pool, &brief->devices, part_label(pool, set, part), string_text(&to));
        add_cards(brief, set, part);
    }
}

/* "dGPU against iGPU": "matmul 1024 4.5x, conv 8x64x56 3.5x": by the times of data that stay. */
static void add_rival(struct brief *brief, const struct answer_set *set, const struct answer_part *part,
                      const struct answer_part *other)
{
    struct pool *pool = &brief->pool;
    struct string_builder to = { .pool = pool };
    for (const struct answer *answer = set->answer; answer < set->answer + set->answers; answer++) {
        const struct answer *rival = answer->part == part ? answer_find(set, answer->block, other) : NULL;
        const double ratio = rival ? rival->use[USE_RESIDENT].time.value / answer->use[USE_RESIDENT].time.value : NAN;
        if (ratio > 0)
            string_append(&to, "%s%s %sx", to.length > 0 ? ", " : "", problem_words(pool, set, answer),
                          ratio_words(pool, ratio));
    }
    if (to.length > 0)
        lines_add(pool, &brief->answers,
                  pool_print(pool, "%s against %s:", part_label(pool, set, part), part_label(pool, set, other)),
                  string_text(&to));
}

/* Of each GPU, in the order of the list; of the CPU through an API where there is none. */
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
    for (unsigned i = 1; i < set->overalls && set->overall[0].part->is_gpu; i++) {
        const bool is_turned = set->overall[i].part->device->class == CLASS_DGPU;
        if (set->overall[i].part->is_gpu)
            add_rival(brief, set, set->overall[is_turned ? i : 0].part, set->overall[is_turned ? 0 : i].part);
    }
    if (brief->answers.lines == 0)
        lines_add(pool, &brief->answers, "Is the GPU worth it?",
                  !set->has_gpu ? "Not known: no GPU was measured."
                  : set->parts > 0 && set->part[0].is_baseline
                      ? "Not compared: what was measured has times, but no verdict."
                      : "Not compared: there is no baseline.");
}

/* Problems with the same text share a line. */
static void add_shared(struct pool *pool, struct lines *out, const char *label, const char *text)
{
    for (unsigned i = 0; i < out->lines; i++) {
        struct line *line = &out->line[i];
        if (strcmp(line->text, text) == 0) {
            line->label = pool_print(pool, "%s, %s", line->label, label);
            return;
        }
    }
    lines_add(pool, out, label, text);
}

/* Why the largest problem of a workload is faster or slower, and every one that is compared with another type. */
static void add_whys(struct pool *pool, struct lines *out, const struct answer_set *set,
                     const struct answer_overall *overall, const char *label)
{
    for (unsigned i = 0; i < overall->workloads; i++)
        for (unsigned k = 0; k < overall->workload[i].count; k++) {
            const struct answer *answer = &set->answer[overall->workload[i].first + k];
            for (enum use use = 0; use < USES; use++) {
                const struct figure *one = &answer->use[use];
                const bool is_wanted = k + 1 == overall->workload[i].count || one->is_against_f32;
                const bool decides = one->verdict == VERDICT_FASTER || one->verdict == VERDICT_SLOWER;
                const char *why = is_wanted && decides ? why_words(pool, set, answer, use) : "";
                if (*why)
                    add_shared(pool, out, pool_print(pool, "%s%s", problem_words(pool, set, answer), label), why);
            }
        }
}

/* From how many uses of the same data on a problem pays that is faster only where the data stay. */
static void add_breakevens(struct pool *pool, struct lines *out, const struct answer_set *set,
                           const struct answer_part *part, const char *label)
{
    for (unsigned i = 0; i < set->answers; i++) {
        const struct answer *answer = &set->answer[i];
        const char *words = answer->part == part ? breakeven_words(pool, answer) : "";
        if (*words)
            add_shared(pool, out, pool_print(pool, "%s%s", problem_words(pool, set, answer), label), words);
    }
}

/* "to the GPU 12.5 GB/s, back 11.1 GB/s": a size is named where it differs from that of the label. */
static void fill_transfer(struct brief *brief, const struct answer_set *set, const struct answer_part *part,
                          const char *label)
{
    struct string_builder to = { .pool = &brief->pool };
    char bytes[TEXT_NUMBER];
    const char *first = NULL;
    for (unsigned i = 0; i < set->costs; i++) {
        const struct answer_cost *cost = &set->cost[i];
        if (cost->part != part || cost->kind >= COST_LAUNCH || cost->row->costs.no_copy || isnan(cost->row->bandwidth))
            continue;
        const bool is_up = cost->kind == COST_UPLOAD;
        text_binary(bytes, cost->row->cell->bytes);
        const bool is_other = first && strcmp(first, bytes) != 0;
        first = first ? first : pool_copy(&brief->pool, bytes);
        string_append(&to, "%s%s%s%s%s%s/s", to.length > 0 ? ", " : "", is_other ? bytes : "", is_other ? " " : "",
                      is_up ? part->is_gpu ? "to the GPU" : "to the buffer" : "back", " ",
                      pool_bytes(&brief->pool, cost->row->bandwidth));
    }
    if (first)
        lines_add(&brief->pool, &brief->costs, pool_print(&brief->pool, "Copy %s%s", first, label), string_text(&to));
}

/* The shortest launch, plain and by graph, with a wait or in a batch. `next` comes before what is added. */
static void add_launches(struct string_builder *to, const char **next, const struct answer_set *set,
                         const struct answer_part *part, bool is_batch)
{
    for (unsigned i = 0; i < set->costs; i++) {
        const struct answer_cost *cost = &set->cost[i];
        const double time = is_batch ? cost->row->launches.queued : cost->row->time.value;
        if (cost->part != part || cost->kind < COST_LAUNCH || isnan(time))
            continue;
        string_append(to, "%s%s%s", *next, cost->kind == COST_GRAPH ? "by graph " : "", pool_seconds(to->pool, time));
        *next = ", ";
    }
}

/* "8.89 us, by graph 6.80 us; in a batch 3.56 us, by graph 1.80 us, multiply 40M 112 instead of 120 us": with the rows
 * whose runs are so short that the wait after each counts. The tables have their times with it. */
static void fill_launch(struct brief *brief, const struct answer_set *set, const struct answer_part *part,
                        const char *label)
{
    struct string_builder to = { .pool = &brief->pool };
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
        const char *batch = pool_seconds(&brief->pool, row->launches.queued);
        const char *alone = pool_seconds(&brief->pool, row->time.value);
        const size_t number = strcspn(batch, " "); /* the unit is said once */
        const bool is_alike = strcmp(batch + number, alone + strcspn(alone, " ")) == 0;
        string_append(&to, "%s%s %.*s instead of %s", next, problem_words(&brief->pool, set, answer),
                      (int)(is_alike ? number : strlen(batch)), batch, alone);
        next = ", ";
    }
    lines_add(&brief->pool, &brief->costs, pool_print(&brief->pool, "Launch, wait%s", label), string_text(&to));
}

/* What is said of each processor; where there are several, each line names its own. */
static void fill_parts(struct brief *brief, const struct answer_set *set)
{
    static const char *const headings[] = { "Why", "Break-even" };
    struct pool *pool = &brief->pool;
    struct lines reasons[2] = { { .lines = 0 }, { .lines = 0 } };
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
        add_breakevens(pool, &reasons[1], set, part, label);
        for (unsigned k = 0; k < set->overalls; k++)
            if (set->overall[k].part == part)
                add_whys(pool, &reasons[0], set, &set->overall[k], label);
    }
    for (unsigned i = 0; i < 2; i++)
        for (unsigned k = 0; k < reasons[i].lines; k++) {
            const struct line *line = &reasons[i].line[k];
            struct line *latest = brief->reasons.lines > 0 ? &brief->reasons.line[brief->reasons.lines - 1] : NULL;
            if (k > 0 && latest && strcmp(line->label, line[-1].label) == 0)
                latest->text = pool_print(pool, "%s; %s", latest->text, line->text);
            else
                lines_add(pool, &brief->reasons, headings[i], pool_print(pool, "%s: %s", line->label, line->text));
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
        const struct figure *use = &answer->use[USE_RESIDENT];
        const double host_cpu = answer->row[USE_RESIDENT]->costs.host_cpu;
        if (use->cell->naives == 0)
            continue;
        const char *host = isnan(host_cpu)
                               ? ""
                               : pool_print(pool, "; it keeps %s cores of the host busy", pool_figure(pool, host_cpu));
        lines_add(pool, &brief->claims, problem_words(pool, set, answer),
                  pool_print(pool, "%s: %s. Naive here %s, fair %s (%s)%s", claim_outcomes[check[i].outcome],
                             check[i].claim->quote, naive_words(pool, set, answer), speedup_field(pool, &use->speedup),
                             verdict_size(pool, &use->speedup), host));
    }
}

static void fill_pointers(struct brief *brief, const struct result *run, const struct layout *layout)
{
    struct pool *pool = &brief->pool;
    const char *path = pool_clean(pool, *run->path ? run->path : layout->journal ? layout->journal : "");
    const char *file = layout->is_newest ? "" : " FILE";
    lines_add(
        pool, &brief->pointers, "",
        pool_print(pool, "every figure: bench report%s --full; charts: bench report%s -o report.html", file, file));
    if (*path)
        lines_add(pool, &brief->pointers, "", pool_print(pool, "journal: %s", path));
}

/* Columns of text from which on the titles have room. */
enum { NARROW = 66 };

bool brief_make(struct brief *out, const struct result *run, const struct answer_set *set, const struct layout *layout,
                struct error *err)
{
    *out = (struct brief){ .alarm = "",
                           .is_narrow = layout->width > 0 && layout->width < NARROW,
                           .is_whole = layout->width == 0 };
    out->title = title_of(&out->pool, set->record);
    out->alarm = alarm_of(&out->pool, set);
    fill_devices(out, set, layout->width >= NARROW);
    fill_answers(out, set);
    brief_fill_tables(out, set);
    fill_parts(out, set);
    fill_claims(out, set, layout->claims);
    brief_fill_warnings(out, set, run);
    fill_pointers(out, run, layout);
    return !out->pool.is_short || fail(err, STATUS_NO_MEMORY, "no memory for a report");
}
