#include "harness/report/content/builder.h"

#include "harness/base/text.h"
#include "harness/report/content/claims.h"
#include "harness/report/content/document_parts.h"
#include "harness/report/content/heading.h"
#include "harness/report/content/notes.h"

#include <string.h>

/* The block of a run on a problem. */
struct part {
    const struct block_record *block;
    unsigned run;
};

struct document_builder {
    struct document *document;
    struct pool *pool; /* the document's */
    const struct results *results;
    struct cell_columns columns; /* of the tables */
    struct part *part;           /* of the problem in work */
    unsigned parts;
    struct notes *common; /* of each run, the notes that all of its rows have */
};

/* Without the folder, which may contain a person's name. */
static const char *file_name(struct pool *pool, const char *path)
{
    const char *slash = strrchr(path, '/');
    return pool_clean(pool, slash ? slash + 1 : path);
}

static void add_runs(struct document_builder *builder)
{
    struct document *document = builder->document;
    const struct results *results = builder->results;
    document->run = pool_take(builder->pool, (results->runs + 1) * sizeof *document->run);
    for (unsigned i = 0; document->run && i < document->runs; i++) {
        struct run_heading *heading = &document->run[i];
        heading->letter = results_letter_if_several(results, i);
        heading->name = file_name(builder->pool, results->run[i].path);
        const unsigned first = document->head.lines;
        missing_read(builder->pool, &document->head, &results->run[i]);
        lines_set_letter(&document->head, first, heading->letter);
        heading_run(builder->pool, &heading->about, results->run[i].record);
    }
}

/* Finds the blocks of all runs on the problem of a block, or all that measure peaks, which share a section. Without
 * cells (interrupted during races) a block has none. */
static void find_parts(struct document_builder *builder, const struct block_record *block)
{
    const bool are_peaks = heading_is_peaks(block);
    builder->parts = 0;
    for (unsigned run = 0; run < builder->document->runs; run++) {
        const struct record *record = builder->results->run[run].record;
        const struct block_record *same = record_find_block(record, block->name);
        for (unsigned i = 0; i < record->blocks && are_peaks; i++)
            if (heading_is_peaks(&record->block[i]))
                builder->part[builder->parts++] = (struct part){ &record->block[i], run };
        if (same && same->cells > 0 && !are_peaks && !record->sweep)
            builder->part[builder->parts++] = (struct part){ same, run };
    }
}

/* Adds the rows of one run from row `at` on, and the text about them. Returns the number of rows. */
static unsigned add_rows(struct document_builder *builder, struct section *section, const struct part *part,
                         unsigned at)
{
    struct pool *pool = builder->pool;
    const char *letter = builder->document->run[part->run].letter;
    const struct answer_set *set = &builder->document->answers[part->run];
    const struct figures *figures = set->figures[part->block - set->record->block];
    struct footnotes footnotes = { .pool = pool, .lines = &section->notes, .common = &builder->common[part->run] };
    unsigned about = section->about.lines, answers = section->answers.lines;
    rows_fill(&section->table, &builder->columns, at, figures, part->block->cells, letter, &footnotes);
    heading_baselines(pool, &section->about, figures, part->block->cells);
    races_append(pool, &section->about, part->block);
    verdict_append(pool, &section->answers, set, part->block);
    naive_lines_append(pool, &section->answers, figures, part->block->cells);
    lines_set_letter(&section->about, about, letter);
    lines_set_letter(&section->answers, answers, letter);
    return part->block->cells;
}

static void add_problem(struct document_builder *builder)
{
    struct section *section = section_add(builder->document, heading_problem(builder->pool, builder->part->block));
    unsigned cells = 0, at = 0;
    for (unsigned i = 0; i < builder->parts; i++)
        cells += builder->part[i].block->cells;
    if (!section)
        return;
    rows_open(builder->pool, &section->table, &builder->columns, cells);
    for (unsigned i = 0; i < builder->parts && !builder->pool->is_short; i++)
        at += add_rows(builder, section, &builder->part[i], at);
    table_drop_empty(&section->table);
}

/* A problem comes where its first block is. */
static void add_run(struct document_builder *builder, unsigned run)
{
    const struct record *record = builder->results->run[run].record;
    if (record->sweep) {
        sweep_append(builder->document, &builder->document->answers[run], builder->document->run[run].letter);
        return;
    }
    for (unsigned i = 0; i < record->blocks && !builder->pool->is_short; i++) {
        if (record->block[i].cells == 0)
            continue;
        find_parts(builder, &record->block[i]);
        if (builder->part->block == &record->block[i])
            add_problem(builder);
    }
}

static void add_sections(struct document_builder *builder)
{
    unsigned blocks = 0;
    for (unsigned i = 0; i < builder->document->runs; i++) {
        blocks += builder->results->run[i].record->blocks;
        if (!builder->results->run[i].record->sweep)
            builder->common[i] = footnotes_common(builder->pool, &builder->document->answers[i]);
    }
    builder->part = pool_take(builder->pool, (blocks + 1) * sizeof *builder->part);
    for (unsigned i = 0; i < builder->document->runs && !builder->pool->is_short; i++)
        add_run(builder, i);
}

/* Notes on all rows of a run, then on the run itself. */
static void add_notes(struct document_builder *builder, unsigned run)
{
    const struct notes notes = notes_read_run(builder->pool, builder->results->run[run].record);
    struct lines *out = &builder->document->notes;
    unsigned first = out->lines;
    for (unsigned i = 0; i < builder->common[run].count; i++)
        lines_add(builder->pool, out, "note",
                  pool_print(builder->pool, "every row: %s", builder->common[run].note[i].text));
    for (unsigned i = 0; i < notes.count; i++)
        lines_add(builder->pool, out, "note", notes.note[i].text);
    lines_set_letter(out, first, builder->document->run[run].letter);
}

static void put_spent(struct pool *pool, struct row *row, const char *name, const double spent[SPENT_COUNT])
{
    double all = 0;
    row->field[0] = name;
    for (unsigned i = 0; i < SPENT_COUNT; i++) {
        row->field[i + 1] = pool_print(pool, "%.1f", spent[i]);
        all += spent[i];
    }
    row->field[SPENT_COUNT + 1] = pool_print(pool, "%.1f", all);
}

/* Where the time of a run went: a row for each problem and one for all, in seconds. */
static void add_spent(struct document_builder *builder, unsigned run)
{
    struct column column[SPENT_COUNT + 2] = { { "problem", "", ALIGN_LEFT, GROUP_NAME, "" } };
    const struct record *record = builder->results->run[run].record;
    struct pool *pool = builder->pool;
    unsigned rows = 0, at = 0;
    double sum[SPENT_COUNT] = { 0 };
    for (unsigned i = 0; i < record->blocks; i++)
        rows += record->block[i].cells > 0 && record->block[i].spent[SPENT_MEASURING] > 0;
    if (rows == 0)
        return;
    struct section *section = section_add(builder->document, "where the time went, in seconds");
    for (enum spent spent = 0; spent < SPENT_COUNT; spent++)
        column[spent + 1] = (struct column){ spent_names[spent], "", ALIGN_NUMBER, GROUP_TIME, "" };
    column[SPENT_COUNT + 1] = (struct column){ "all", "", ALIGN_NUMBER, GROUP_TIME, "" };
    if (section)
        table_open(pool, &section->table, column, SPENT_COUNT + 2, rows + 1);
    for (unsigned i = 0; i < record->blocks && !pool->is_short; i++) {
        const struct block_record *block = &record->block[i];
        if (block->cells == 0 || !(block->spent[SPENT_MEASURING] > 0))
            continue;
        for (enum spent spent = 0; spent < SPENT_COUNT; spent++)
            sum[spent] += block->spent[spent];
        put_spent(pool, &section->table.row[at++], cell_words(pool, block->cell[0]), block->spent);
    }
    if (!pool->is_short)
        put_spent(pool, &section->table.row[at], "all", sum);
}

bool document_read_answers(struct document *out, const struct results *results, struct error *err)
{
    *out = (struct document){ .runs = 0 };
    out->answers = pool_take(&out->pool, (results->runs + 1) * sizeof *out->answers);
    for (; out->runs < results->runs && !out->pool.is_short; out->runs++)
        out->pool.is_short |= !answer_set_read(&out->answers[out->runs], results->run[out->runs].record);
    return !out->pool.is_short || fail(err, STATUS_NO_MEMORY, "no memory for a report of %u runs", results->runs);
}

bool document_make(struct document *out, const struct results *results, struct error *err)
{
    if (!document_read_answers(out, results, err))
        return false;
    struct document_builder builder = { .document = out, .pool = &out->pool, .results = results };
    out->title = heading_title(&out->pool, results);
    builder.columns = columns_read(&out->pool, FORMAT_TABLE);
    builder.common = pool_take(&out->pool, (results->runs + 1) * sizeof *builder.common);
    add_runs(&builder);
    if (!out->pool.is_short)
        add_sections(&builder);
    for (unsigned i = 0; i < out->runs && !out->pool.is_short; i++) {
        add_spent(&builder, i);
        add_notes(&builder, i);
    }
    return !out->pool.is_short || fail(err, STATUS_NO_MEMORY, "no memory for a report of %u runs", results->runs);
}
