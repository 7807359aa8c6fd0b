#include "harness/report/content/document.h"

#include "harness/base/text.h"
#include "harness/report/content/breakeven_text.h"
#include "harness/report/content/builder.h"
#include "harness/report/content/ceilings.h"
#include "harness/report/content/heading.h"
#include "harness/report/content/naive_text.h"
#include "harness/report/content/notes.h"
#include "harness/report/content/notes_machine.h"
#include "harness/report/content/rows.h"
#include "harness/report/content/summary_card.h"
#include "harness/report/content/sweep.h"
#include "harness/report/content/trials.h"
#include "harness/report/content/verdict.h"

#include <stdlib.h>
#include <string.h>

/* A block of one run, and that of a later run on the same problem. */
struct share {
    const struct block_record *block;
    unsigned run;
    struct share *next;
};

/* What becomes a section. */
struct problem {
    struct share *first, *last;
    unsigned cells;
};

struct making {
    struct document *document;
    struct pool *pool; /* the document's */
    const struct results *results;
    const struct claim *claims;
    struct problem *problem;
    unsigned problems, problem_room;
    json_t **common; /* of each run, the notes on all of its rows */
};

/* Without the folder, which may name a person, and is nobody's business but theirs. */
static const char *file_name(struct pool *pool, const char *path)
{
    char name[256];
    const char *slash = strrchr(path, '/');
    text_clean(name, sizeof name, slash ? slash + 1 : path);
    return pool_copy(pool, name);
}

static void add_runs(struct making *making)
{
    struct document *document = making->document;
    const struct results *results = making->results;
    document->run = pool_take(making->pool, (results->runs + 1) * sizeof *document->run);
    document->runs = document->run ? results->runs : 0;
    for (unsigned i = 0; i < document->runs; i++) {
        struct run_heading *heading = &document->run[i];
        heading->letter = run_letter(making->pool, results, i);
        heading->name = file_name(making->pool, results->run[i].path);
        heading_run(making->pool, &heading->about, results->run[i].record);
        heading_libraries(making->pool, &heading->about, results, results->run[i].record);
    }
}

static void add_ceilings(struct making *making)
{
    unsigned rows = 0;
    struct table *table = &making->document->ceilings;
    for (unsigned i = 0; i < making->document->runs; i++)
        rows += making->results->run[i].record->sweep ? 0 : ceilings_count(making->results->run[i].record);
    if (rows == 0)
        return;
    ceilings_begin(making->pool, table, rows);
    for (unsigned i = 0; i < making->document->runs; i++)
        if (!making->results->run[i].record->sweep)
            ceilings_fill(making->pool, table, making->results->run[i].record, making->document->run[i].letter);
    table_shed(table);
}

/* What a block is on, and the how-manieth it is of that problem in its run: `times` counts them. NULL when memory is
 * short. */
static const char *problem_key(struct pool *pool, const struct block_record *block, json_t *times)
{
    const struct cell_record *cell = block->cell[0];
    const char *key = pool_print(pool, "%s\n%s\n%s", cell->workload, cell->dtype, cell->shape);
    json_int_t before = json_integer_value(json_object_get(times, key));
    if (json_object_set_new(times, key, json_integer(before + 1)) != 0)
        return NULL;
    return pool_print(pool, "%s\n%" JSON_INTEGER_FORMAT, key, before);
}

static bool add_share(struct making *making, const struct block_record *block, unsigned run, json_t *index,
                      json_t *times)
{
    const char *key = problem_key(making->pool, block, times);
    const json_t *known = key ? json_object_get(index, key) : NULL;
    struct share *share = pool_take(making->pool, sizeof *share);
    if (!key || !share)
        return false;
    *share = (struct share){ .block = block, .run = run };
    if (!known) {
        making->problem =
            pool_grow(making->pool, making->problem, making->problems, &making->problem_room, sizeof *making->problem);
        if (making->problems == making->problem_room ||
            json_object_set_new(index, key, json_integer(making->problems)) != 0)
            return false;
        making->problem[making->problems++] = (struct problem){ .first = share, .last = share, .cells = block->cells };
        return true;
    }
    struct problem *problem = &making->problem[json_integer_value(known)];
    problem->last->next = share;
    problem->last = share;
    problem->cells += block->cells;
    return true;
}

/* The same problem of several runs is one; those that a later run alone has follow. Cut off while its methods were
 * tried, or shown above all, a block has none. */
static void find_problems(struct making *making)
{
    json_t *index = json_object();
    bool complete = index != NULL;
    for (unsigned run = 0; run < making->document->runs; run++) {
        const struct record *record = making->results->run[run].record;
        json_t *times = json_object();
        complete = complete && times;
        for (unsigned i = 0; complete && !record->sweep && i < record->blocks; i++)
            if (record->block[i].cells > 0 && !ceilings_hold(&record->block[i]))
                complete = add_share(making, &record->block[i], run, index, times);
        json_decref(times);
    }
    json_decref(index);
    making->pool->is_short |= !complete;
}

/* What one run has to say of the problem: its rows from `at` on, and the words about them. */
static void add_rows(struct making *making, struct section *section, const struct share *share,
                     const struct cell_metrics metrics[], unsigned at, json_t *numbers)
{
    struct pool *pool = making->pool;
    const char *letter = making->document->run[share->run].letter;
    struct footnotes footnotes = {
        .pool = pool, .lines = &section->notes, .number = numbers, .common = making->common[share->run]
    };
    unsigned about = section->about.lines, answers = section->answers.lines;
    rows_fill(&section->table, at, metrics, share->block->cells, letter, &footnotes);
    heading_baselines(pool, &section->about, metrics, share->block->cells);
    trials_append(pool, &section->about, share->block);
    summary_cards_add_block(&section->cards, pool, letter, metrics, share->block->cells);
    verdict_append(pool, &section->answers, metrics, share->block->cells);
    breakeven_text_append(pool, &section->answers, metrics, share->block->cells);
    naive_text_append(pool, &section->answers, making->results->run[share->run].record, metrics, share->block->cells,
                      making->claims);
    lines_sign(&section->about, about, letter);
    lines_sign(&section->answers, answers, letter);
}

static void add_problem(struct making *making, const struct problem *problem)
{
    struct section *section = section_add(making->document, heading_problem(making->pool, problem->first->block));
    struct cell_metrics *metrics = calloc(problem->cells, sizeof *metrics);
    json_t *numbers = json_object();
    unsigned at = 0;
    making->pool->is_short |= !section || !metrics || !numbers;
    if (!making->pool->is_short) {
        rows_open(making->pool, &section->table, problem->cells);
        for (const struct share *share = problem->first; share; share = share->next) {
            cell_metrics_fill(&metrics[at], making->results->run[share->run].record, share->block);
            add_rows(making, section, share, &metrics[at], at, numbers);
            at += share->block->cells;
        }
        rows_close(making->pool, &section->table, metrics);
    }
    json_decref(numbers);
    free(metrics);
}

static void add_sections(struct making *making)
{
    for (unsigned i = 0; i < making->document->runs && !making->pool->is_short; i++) {
        const struct record *record = making->results->run[i].record;
        making->common[i] = record->sweep ? json_object() : footnotes_common(record);
        making->pool->is_short |= !making->common[i];
    }
    find_problems(making);
    for (unsigned i = 0; i < making->problems && !making->pool->is_short; i++)
        add_problem(making, &making->problem[i]);
    for (unsigned i = 0; i < making->document->runs && !making->pool->is_short; i++)
        if (making->results->run[i].record->sweep)
            sweep_append(making->document, making->results->run[i].record, making->document->run[i].letter);
}

/* What is said of all rows of a run, and of the run. */
static void add_notes(struct making *making, unsigned run)
{
    struct notes notes;
    struct lines *out = &making->document->notes;
    const char *text;
    json_t *rows;
    unsigned first = out->lines;
    json_object_foreach (making->common[run], text, rows)
        lines_add(making->pool, out, "note", pool_print(making->pool, "every row: %s", text));
    notes_read_run(&notes, making->results->run[run].record);
    for (unsigned i = 0; i < notes.count; i++)
        lines_add(making->pool, out, "note", notes.text[i]);
    notes_release(&notes);
    lines_sign(out, first, making->document->run[run].letter);
}

/* That a run did not reach its end its record says itself. */
static void add_missing(struct making *making, unsigned run)
{
    struct result result = making->results->run[run];
    const struct record *record = result.record;
    char fault[FAULTS_MAX][FAULT_ROOM];
    struct lines *out = &making->document->missing;
    unsigned first = out->lines;
    result.faults.complete = true;
    for (unsigned i = 0, faults = result_faults(&result, fault); i < faults; i++)
        lines_add(making->pool, out, "journal", fault[i]);
    if (strcmp(record->end, "complete") != 0)
        lines_add(making->pool, out, "",
                  pool_print(making->pool, "The %s was %s: what it had measured until then is shown.",
                             record->sweep ? "sweep" : "run", *record->end ? record->end : "broken off"));
    lines_sign(out, first, making->document->run[run].letter);
}

bool document_make(struct document *out, const struct results *results, const struct claim *claims, struct error *err)
{
    *out = (struct document){ .runs = 0 };
    struct making making = { .document = out, .pool = &out->pool, .results = results, .claims = claims };
    char title[HEADING_ROOM];
    heading_title(title, results);
    out->title = pool_copy(&out->pool, title);
    making.common = calloc(results->runs + 1, sizeof *making.common);
    out->pool.is_short |= !making.common;
    add_runs(&making);
    add_ceilings(&making);
    if (!out->pool.is_short)
        add_sections(&making);
    for (unsigned i = 0; i < out->runs && !out->pool.is_short; i++) {
        add_notes(&making, i);
        add_missing(&making, i);
    }
    for (unsigned i = 0; making.common && i < results->runs; i++)
        json_decref(making.common[i]);
    free(making.common);
    return !out->pool.is_short || fail(err, STATUS_NO_MEMORY, "no memory for a report of %u runs", results->runs);
}
