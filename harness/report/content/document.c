#include "harness/report/content/document.h"

#include "harness/base/text.h"
#include "harness/report/content/builder.h"
#include "harness/report/content/ceilings.h"
#include "harness/report/content/claims.h"
#include "harness/report/content/heading.h"
#include "harness/report/content/notes.h"
#include "harness/report/content/races.h"
#include "harness/report/content/rows.h"
#include "harness/report/content/sweep.h"
#include "harness/report/content/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The block of a run on a problem; `next`: the same problem in a later run. */
struct run_block {
    const struct block_record *block;
    unsigned run;
    struct run_block *next;
};

/* One problem in all runs: a section of the document. */
struct problem_group {
    struct run_block *first, *last;
    unsigned cells;
};

struct document_builder {
    struct document *document;
    struct pool *pool; /* the document's */
    const struct results *results;
    struct problem_group *problem;
    unsigned problems, problem_room;
    struct notes *common; /* of each run, the notes that all of its rows have */
};

/* Without the folder, which may contain a person's name. */
static const char *file_name(struct pool *pool, const char *path)
{
    char name[256];
    const char *slash = strrchr(path, '/');
    text_clean(name, sizeof name, slash ? slash + 1 : path);
    return pool_copy(pool, name);
}

static void add_runs(struct document_builder *builder)
{
    struct document *document = builder->document;
    const struct results *results = builder->results;
    document->run = pool_take(builder->pool, (results->runs + 1) * sizeof *document->run);
    document->runs = document->run ? results->runs : 0;
    for (unsigned i = 0; i < document->runs; i++) {
        struct run_heading *heading = &document->run[i];
        heading->letter = run_letter(builder->pool, results, i);
        heading->name = file_name(builder->pool, results->run[i].path);
        heading_run(builder->pool, &heading->about, results->run[i].record);
    }
}

static void add_ceilings(struct document_builder *builder)
{
    unsigned rows = 0;
    struct table *table = &builder->document->ceilings;
    for (unsigned i = 0; i < builder->document->runs; i++)
        rows += builder->results->run[i].record->sweep ? 0 : ceilings_count(builder->results->run[i].record);
    if (rows == 0)
        return;
    ceilings_begin(builder->pool, table, rows);
    for (unsigned i = 0; i < builder->document->runs; i++)
        if (!builder->results->run[i].record->sweep)
            ceilings_fill(builder->pool, table, builder->results->run[i].record, builder->document->run[i].letter);
    table_drop_empty(table);
}

static bool add_part(struct document_builder *builder, const struct block_record *block, unsigned run, json_t *index)
{
    const struct cell_record *cell = block->cell[0];
    const char *key = pool_print(builder->pool, "%s\n%s\n%s", cell->workload, cell->dtype, cell->shape);
    const json_t *known = json_object_get(index, key);
    struct run_block *part = pool_take(builder->pool, sizeof *part);
    if (!part)
        return false;
    *part = (struct run_block){ .block = block, .run = run };
    if (!known) {
        builder->problem = pool_grow(builder->pool, builder->problem, builder->problems, &builder->problem_room,
                                     sizeof *builder->problem);
        if (builder->problems == builder->problem_room ||
            json_object_set_new(index, key, json_integer(builder->problems)) != 0)
            return false;
        builder->problem[builder->problems++] =
            (struct problem_group){ .first = part, .last = part, .cells = block->cells };
        return true;
    }
    struct problem_group *problem = &builder->problem[json_integer_value(known)];
    problem->last->next = part;
    problem->last = part;
    problem->cells += block->cells;
    return true;
}

/* Groups the blocks of all runs by problem, in the order of the first run. Blocks without cells (interrupted during
 * races) and blocks of ceilings have no section. */
static void find_problems(struct document_builder *builder)
{
    json_t *index = json_object();
    bool complete = index != NULL;
    for (unsigned run = 0; run < builder->document->runs; run++) {
        const struct record *record = builder->results->run[run].record;
        for (unsigned i = 0; complete && !record->sweep && i < record->blocks; i++)
            if (record->block[i].cells > 0 && !ceilings_only(&record->block[i]))
                complete = add_part(builder, &record->block[i], run, index);
    }
    json_decref(index);
    builder->pool->is_short |= !complete;
}

/* Adds the rows of one run from row `at` on, and the text about them. */
static void add_rows(struct document_builder *builder, struct section *section, const struct run_block *part,
                     const struct cell_metrics metrics[], unsigned at, json_t *numbers)
{
    struct pool *pool = builder->pool;
    const char *letter = builder->document->run[part->run].letter;
    const struct answer_set *set = &builder->document->answers[part->run];
    struct footnotes footnotes = {
        .pool = pool, .lines = &section->notes, .number = numbers, .common = &builder->common[part->run]
    };
    unsigned about = section->about.lines, answers = section->answers.lines;
    rows_fill(&section->table, at, metrics, part->block->cells, letter, &footnotes);
    heading_baselines(pool, &section->about, metrics, part->block->cells);
    races_append(pool, &section->about, part->block);
    verdict_append(pool, &section->answers, set, part->block);
    naive_lines_append(pool, &section->answers, metrics, part->block->cells);
    lines_set_letter(&section->about, about, letter);
    lines_set_letter(&section->answers, answers, letter);
}

static void add_problem(struct document_builder *builder, const struct problem_group *problem)
{
    struct section *section = section_add(builder->document, heading_problem(builder->pool, problem->first->block));
    struct cell_metrics *metrics = calloc(problem->cells, sizeof *metrics);
    json_t *numbers = json_object();
    unsigned at = 0;
    builder->pool->is_short |= !section || !metrics || !numbers;
    if (!builder->pool->is_short) {
        rows_open(builder->pool, &section->table, problem->cells);
        for (const struct run_block *part = problem->first; part; part = part->next) {
            const struct answer_set *set = &builder->document->answers[part->run];
            memcpy(&metrics[at], set->metrics[part->block - set->record->block], part->block->cells * sizeof *metrics);
            add_rows(builder, section, part, &metrics[at], at, numbers);
            at += part->block->cells;
        }
        rows_close(builder->pool, &section->table, metrics);
    }
    json_decref(numbers);
    free(metrics);
}

static void add_sections(struct document_builder *builder)
{
    for (unsigned i = 0; i < builder->document->runs && !builder->pool->is_short; i++) {
        const struct record *record = builder->results->run[i].record;
        if (!record->sweep)
            footnotes_common(&builder->common[i], &builder->document->answers[i]);
    }
    find_problems(builder);
    for (unsigned i = 0; i < builder->problems && !builder->pool->is_short; i++)
        add_problem(builder, &builder->problem[i]);
    for (unsigned i = 0; i < builder->document->runs && !builder->pool->is_short; i++)
        if (builder->results->run[i].record->sweep)
            sweep_append(builder->document, &builder->document->answers[i], builder->document->run[i].letter);
}

static void add_checks(struct pool *pool, struct lines *out, const struct record *record)
{
    double timed = 0, checked = 0;
    for (unsigned i = 0; i < record->cells; i++) {
        const struct cell_record *cell = record->cell[i];
        timed += cell->checks.timed > 0 ? cell->checks.timed : 0;
        checked += cell->checks.checked > 0 ? cell->checks.checked : 0;
    }
    if (timed > 0)
        lines_add(pool, out, "results checked", pool_print(pool, "%.0f of %.0f timed runs", checked, timed));
}

/* Notes on all rows of a run, then on the run itself. */
static void add_notes(struct document_builder *builder, unsigned run)
{
    struct notes notes;
    struct lines *out = &builder->document->notes;
    unsigned first = out->lines;
    for (unsigned i = 0; i < builder->common[run].count; i++)
        lines_add(builder->pool, out, "note",
                  pool_print(builder->pool, "every row: %s", builder->common[run].note[i].text));
    add_checks(builder->pool, out, builder->results->run[run].record);
    notes_read_run(&notes, builder->results->run[run].record);
    for (unsigned i = 0; i < notes.count; i++)
        lines_add(builder->pool, out, "note", notes.note[i].text);
    notes_release(&notes);
    lines_set_letter(out, first, builder->document->run[run].letter);
}

static void add_missing(struct document_builder *builder, unsigned run)
{
    struct lines *out = &builder->document->missing;
    unsigned first = out->lines;
    missing_read(builder->pool, out, &builder->results->run[run]);
    lines_set_letter(out, first, builder->document->run[run].letter);
}

bool document_make(struct document *out, const struct results *results, struct error *err)
{
    *out = (struct document){ .runs = 0 };
    struct document_builder builder = { .document = out, .pool = &out->pool, .results = results };
    out->title = heading_title(&out->pool, results);
    builder.common = calloc(results->runs + 1, sizeof *builder.common);
    out->pool.is_short |= !builder.common;
    add_runs(&builder);
    out->answers = pool_take(&out->pool, (results->runs + 1) * sizeof *out->answers);
    for (unsigned i = 0; i < out->runs && !out->pool.is_short; i++)
        out->pool.is_short |= !answer_set_read(&out->answers[i], results->run[i].record);
    add_ceilings(&builder);
    if (!out->pool.is_short)
        add_sections(&builder);
    for (unsigned i = 0; i < out->runs && !out->pool.is_short; i++) {
        add_notes(&builder, i);
        add_missing(&builder, i);
    }
    for (unsigned i = 0; builder.common && i < results->runs; i++)
        notes_release(&builder.common[i]);
    free(builder.common);
    return !out->pool.is_short || fail(err, STATUS_NO_MEMORY, "no memory for a report of %u runs", results->runs);
}
