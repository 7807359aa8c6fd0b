/* A comparison as text for a terminal. */

#include "harness/base/text.h"
#include "harness/report/formats/comparison.h"
#include "harness/report/formats/output.h"
#include "harness/report/formats/prose.h"
#include "harness/report/formats/text_table.h"
#include "harness/report/report.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

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

/* The sheet in the making, and the sentences that its rows refer to by number. */
struct making {
    const struct comparison *comparison;
    struct pool pool;
    struct table table;
    json_t *number; /* by sentence, in the order in which they came */
    bool is_complete;
};

static void refer(struct making *making, struct row *row, const char *text)
{
    json_t *number = json_object_get(making->number, text);
    if (!number) {
        number = json_integer((json_int_t)json_object_size(making->number) + 1);
        making->is_complete &= json_object_set_new(making->number, text, number) == 0;
    }
    row->note = pool_grow(&making->pool, row->note, row->notes, &row->note_room, sizeof *row->note);
    if (row->notes < row->note_room)
        row->note[row->notes++] = (unsigned)json_integer_value(number);
}

/* In a column, a name is no longer than it must be. */
static const char *name_text(struct making *making, const char *name)
{
    char text[NAME_ROOM];
    text_copy(text, sizeof text, *name ? name : "-");
    return pool_copy(&making->pool, text);
}

static const char *percent_of(struct making *making, const struct shift *shift)
{
    char text[PERCENT_ROOM];
    return pool_copy(&making->pool, percent_text(text, shift->ratio, shift->low, shift->high));
}

static const char *half_of(struct making *making, const struct shift *shift)
{
    char text[PERCENT_ROOM];
    return pool_copy(&making->pool, half_text(text, shift));
}

static struct row *row_add(struct making *making)
{
    struct row *row = &making->table.row[making->table.rows];
    row->field = pool_take(&making->pool, COLUMNS * sizeof *row->field);
    if (!row->field)
        return NULL;
    for (unsigned i = 0; i < COLUMNS; i++)
        row->field[i] = "";
    making->table.rows++;
    return row;
}

static void add_problem(struct making *making, const struct cell_record *cell)
{
    char problem[PROBLEM_ROOM];
    struct row *row = row_add(making);
    if (row)
        row->span = pool_copy(&making->pool, compared_problem(problem, cell));
}

static void add_cell(struct making *making, const struct compared *cell)
{
    static const enum quantity shown[] = { QUANTITY_RESIDENT, QUANTITY_OFFLOAD, QUANTITY_TIME };
    const struct cell_record *named = compared_cell(cell);
    struct row *row = row_add(making);
    unsigned column = 0;
    if (!row)
        return;
    row->field[column++] = pool_print(&making->pool, "  %s", change_name(cell->change));
    row->field[column++] = name_text(making, named->device_id);
    row->field[column++] = name_text(making, compared_method(&making->pool, making->comparison, cell));
    for (unsigned i = 0; i < sizeof shown / sizeof *shown; i++) {
        row->field[column++] = percent_of(making, &cell->shift[shown[i]]);
        row->field[column++] = half_of(making, &cell->shift[shown[i]]);
    }
    row->field[column] = percent_of(making, &cell->held_against);
    if (*cell->reason)
        refer(making, row, cell->reason);
    for (unsigned i = 0; i < cell->notes; i++)
        refer(making, row, cell->note[i]);
}

static void fill(struct making *making, const struct compared *const order[], unsigned cells)
{
    making->table.row = pool_take(&making->pool, 2 * cells * sizeof *making->table.row);
    const struct cell_record *latest = NULL;
    for (unsigned i = 0; making->table.row && i < cells; i++) {
        const struct cell_record *cell = compared_cell(order[i]);
        if (!compared_has_row(order[i]))
            continue;
        if (!latest || !compared_is_of(cell, latest))
            add_problem(making, cell);
        add_cell(making, order[i]);
        latest = cell;
    }
}

/* What only one side has, a line for each problem. */
static void print_lone(struct making *making, const struct compared *const order[], unsigned cells, unsigned width,
                       FILE *out)
{
    bool is_first = true;
    for (unsigned at = 0; at < cells;) {
        enum change change = order[at]->change;
        if (compared_has_row(order[at])) {
            at++;
            continue;
        }
        fputs(is_first ? "\n" : "", out);
        is_first = false;
        prose_fit(comparison_lone_lead(change), comparison_lone(&making->pool, order, cells, &at), width, out);
    }
}

static void print_notes(const struct making *making, unsigned width, FILE *out)
{
    const char *text;
    json_t *number;
    if (json_object_size(making->number) > 0)
        fputc('\n', out);
    json_object_foreach (making->number, text, number) {
        char lead[24];
        snprintf(lead, sizeof lead, "%4lld  ", (long long)json_integer_value(number));
        prose_fit(lead, text, width, out);
    }
}

/* In one piece, however wide: a row whose problem stands above it cannot be cut. It takes some 90 columns. */
static void print_sheet(const struct table *table, FILE *out)
{
    struct text_table text_table;
    struct text_table_part part[GRID_COLUMNS];
    text_table_measure(&text_table, table);
    text_table_cut(&text_table, 0, part);
    text_table_print(&text_table, &part[0], 0, out);
}

static bool print_table(const struct comparison *comparison, unsigned width, FILE *out)
{
    struct column column[COLUMNS];
    struct making making = { .comparison = comparison, .number = json_object(), .is_complete = true };
    const struct compared **order = comparison_order(comparison);
    memcpy(column, columns, sizeof column);
    making.table.column = column;
    making.table.columns = COLUMNS;
    if (order && making.number)
        fill(&making, order, comparison->cells);
    bool is_complete = order && making.number && making.is_complete && !making.pool.is_short;
    if (is_complete && making.table.rows > 0) {
        fputc('\n', out);
        print_sheet(&making.table, out);
        fputc('\n', out);
        prose_fit("", comparison_legend, width, out);
        print_notes(&making, width, out);
    }
    if (is_complete)
        print_lone(&making, order, comparison->cells, width, out);
    is_complete = is_complete && !making.pool.is_short;
    json_decref(making.number);
    pool_release(&making.pool);
    free(order);
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
    .summary = "a row for each cell, what became slower first",
    .write = table_write,
};
