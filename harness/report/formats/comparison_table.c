/* A comparison as text for a terminal. */

#include "harness/base/text.h"
#include "harness/report/content/footnotes.h"
#include "harness/report/formats/comparison.h"
#include "harness/report/formats/output.h"
#include "harness/report/formats/prose.h"
#include "harness/report/formats/text_table.h"
#include "harness/report/report.h"

static const struct column columns[] = {
    { "  verdict", "", ALIGN_LEFT, GROUP_NAME, "verdict" },
    { "device", "", ALIGN_LEFT, GROUP_NAME, "device" },
    { "method", "", ALIGN_LEFT, GROUP_NAME, "method" },
    { "resident", "%", ALIGN_RIGHT, GROUP_SPEEDUP, "resident change" },
    { "+-", "", ALIGN_RIGHT, GROUP_SPEEDUP, "+-" },
    { "offload", "%", ALIGN_RIGHT, GROUP_SPEEDUP, "offload change" },
    { "+-", "", ALIGN_RIGHT, GROUP_SPEEDUP, "+-" },
    { "time", "%", ALIGN_RIGHT, GROUP_TIME, "time change" },
    { "+-", "", ALIGN_RIGHT, GROUP_TIME, "+-" },
    { "baseline's", "time, %", ALIGN_RIGHT, GROUP_TIME, "baseline's change" },
};
enum { COLUMNS = sizeof columns / sizeof *columns, NAME_ROOM = 40 };

struct table_builder {
    struct pool *pool;
    const struct comparison *comparison;
    struct table table;
    struct footnotes footnotes;
};

/* Long names are cut to fit the column. */
static const char *name_text(struct pool *pool, const char *name)
{
    char text[NAME_ROOM];
    text_copy(text, sizeof text, *name ? name : "-");
    return pool_copy(pool, text);
}

static const char *percent_of(struct pool *pool, const struct shift *shift)
{
    char text[PERCENT_ROOM];
    return pool_copy(pool, percent_text(text, shift->ratio, shift->low, shift->high));
}

static void fill_row(struct table_builder *builder, struct row *row, const struct compared *cell)
{
    static const enum quantity shown[] = { QUANTITY_RESIDENT, QUANTITY_OFFLOAD, QUANTITY_TIME };
    struct pool *pool = builder->pool;
    const char **field = row->field;
    *field++ = pool_print(pool, "  %s", comparison_verdict(builder->comparison, cell->change));
    *field++ = name_text(pool, compared_cell(cell)->device_id);
    *field++ = name_text(pool, compared_method(pool, builder->comparison, cell));
    for (unsigned i = 0; i < sizeof shown / sizeof *shown; i++) {
        char half[PERCENT_ROOM];
        *field++ = percent_of(pool, &cell->shift[shown[i]]);
        *field++ = pool_copy(pool, half_text(half, &cell->shift[shown[i]]));
    }
    *field = percent_of(pool, &cell->baseline_shift);
    if (*cell->reason)
        footnotes_add(&builder->footnotes, row, cell->reason);
    for (unsigned i = 0; i < cell->notes; i++)
        footnotes_add(&builder->footnotes, row, cell->note[i]);
}

/* A row for each cell, and above the first of a problem one with the problem's name. */
static void fill(struct table_builder *builder)
{
    const struct comparison *comparison = builder->comparison;
    struct table *table = &builder->table;
    const struct cell_record *latest = NULL;
    char problem[PROBLEM_ROOM];
    table_open(builder->pool, table, columns, COLUMNS, 2 * comparison->cells);
    table->rows = 0;
    for (unsigned i = 0; i < comparison->cells && !builder->pool->is_short; i++) {
        const struct cell_record *cell = compared_cell(comparison->order[i]);
        if (!compared_has_row(comparison->order[i]))
            continue;
        if (!latest || !compared_is_of(cell, latest))
            table->row[table->rows++].span = pool_copy(builder->pool, compared_problem(problem, cell));
        fill_row(builder, &table->row[table->rows++], comparison->order[i]);
        latest = cell;
    }
}

/* Not cut to the terminal: a row below the name of its problem needs all columns, some 90 characters. */
static void print_rows(const struct table *table, FILE *out)
{
    struct text_table text_table;
    struct text_table_part part[TEXT_TABLE_COLUMNS];
    text_table_measure(&text_table, table);
    text_table_cut(&text_table, 0, part);
    text_table_print(&text_table, &part[0], 0, out);
}

static bool print_table(const struct comparison *comparison, unsigned width, FILE *out)
{
    struct pool pool = { 0 };
    struct lines notes = { 0 }, lone = { 0 };
    struct table_builder builder = { .pool = &pool,
                                     .comparison = comparison,
                                     .footnotes = { .pool = &pool, .lines = &notes, .number = json_object() } };
    pool.is_short |= !builder.footnotes.number;
    if (!pool.is_short) {
        fill(&builder);
        comparison_lone(&pool, &lone, comparison);
    }
    if (!pool.is_short && builder.table.rows > 0) {
        fputc('\n', out);
        print_rows(&builder.table, out);
        fputc('\n', out);
        prose_fit("", comparison_legend, width, out);
        fputs(notes.lines > 0 ? "\n" : "", out);
        text_table_notes(&notes, width, out);
    }
    fputs(lone.lines > 0 ? "\n" : "", out);
    for (unsigned i = 0; i < lone.lines && !pool.is_short; i++)
        prose_fit(lone.line[i].label, lone.line[i].text, width, out);
    bool is_complete = !pool.is_short;
    json_decref(builder.footnotes.number);
    pool_release(&pool);
    return is_complete;
}

static bool table_write(const struct comparison *comparison, unsigned width, FILE *out, struct error *err)
{
    char summary[SUMMARY_ROOM], basis[BASIS_ROOM];
    fprintf(out, "%s\n", comparison_summary(summary, comparison));
    prose_fit("", comparison_basis(basis, comparison), width, out);
    for (unsigned i = 0; i < comparison->warnings; i++)
        prose_fit("warning: ", comparison->warning[i], width, out);
    if (comparison->cells > 0 && comparison_matched(comparison) == 0)
        prose_fit("warning: ", "no cell but baselines is on both sides, so nothing was compared", width, out);
    if (comparison->cells > 0 && !print_table(comparison, width, out))
        return fail(err, STATUS_NO_MEMORY, "no memory for a table of %u cells", comparison->cells);
    return output_end(out, err);
}

const struct comparison_report comparison_table = {
    .name = "table",
    .extension = "txt",
    .write = table_write,
};
