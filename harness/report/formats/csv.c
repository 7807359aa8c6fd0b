/* The report for spreadsheets and programs: one flat row per cell (RFC 4180), SI units, the unit in the column's name.
 */

#include "harness/base/text.h"
#include "harness/journal/record_members.h"
#include "harness/report/formats/metrics.h"
#include "harness/report/formats/output.h"
#include "harness/report/report.h"

#include <string.h>

/* The row that is written. */
struct csv_row {
    FILE *out;
    bool is_title, has_field;
    bool is_short; /* memory was short */
};

/* Some spreadsheets separate fields by semicolons or tabs. */
static void put_quoted(FILE *out, const char *text, bool is_formula)
{
    bool needs_quotes = strpbrk(text, ",;\t\"\r\n") != NULL;
    if (needs_quotes)
        fputc('"', out);
    if (is_formula)
        fputc('\'', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    if (needs_quotes)
        fputc('"', out);
}

/* A text that a spreadsheet would take for a formula gets an apostrophe, as in spreadsheets. */
static void put_value(FILE *out, const json_t *value)
{
    char number[32] = "";
    const char *text = json_string_value(value);
    double figure = json_number_value(value);
    if (json_is_number(value))
        snprintf(number, sizeof number, text_is_whole(figure) ? "%.0f" : "%.9g", figure);
    if (json_is_boolean(value))
        strcpy(number, json_is_true(value) ? "1" : "0");
    put_quoted(out, text ? text : number, text && *text && strchr("=+-@\t\r", *text));
}

static void put_field(void *context, const char *column, json_t *value)
{
    struct csv_row *row = context;
    if (row->has_field)
        fputc(',', row->out);
    row->has_field = true;
    if (row->is_title)
        fputs(column, row->out);
    else
        put_value(row->out, value);
    row->is_short |= !row->is_title && !value;
    json_decref(value);
}

static enum metric_names columns_of(const struct layout *layout)
{
    return layout->all_columns ? METRIC_COLUMNS : METRIC_MAIN_COLUMNS;
}

/* Returns whether there was memory for all of them. */
static bool put_rows(const struct record *record, const char *letter, const struct layout *layout, FILE *out)
{
    const char *machine = journal_text(json_object_get(record->head, "host"), "name");
    struct round_times times = { { 0 } };
    bool is_short = false;
    for (unsigned i = 0; i < record->cells && !is_short; i++) {
        struct csv_row row = { .out = out };
        struct cell_metrics metrics;
        struct cell_values values;
        cell_metrics_read(&metrics, record, record->cell[i], &times);
        cell_values_read(&values, letter, machine, journal_text(record->head, "started"), &metrics);
        metrics_each(&values, columns_of(layout), put_field, &row);
        cell_values_release(&values);
        fputs("\r\n", out);
        is_short = row.is_short;
    }
    return !is_short;
}

static bool csv_write(const struct results *results, const struct layout *layout, FILE *out, struct error *err)
{
    struct csv_row titles = { .out = out, .is_title = true };
    char letter[LETTER_ROOM];
    metrics_each(NULL, columns_of(layout), put_field, &titles);
    fputs("\r\n", out);
    for (unsigned run = 0; run < results->runs; run++)
        if (!put_rows(results->run[run].record, results_letter(letter, run), layout, out))
            return fail(err, STATUS_NO_MEMORY, "no memory for a report of %u runs", results->runs);
    return output_end(out, err);
}

const struct report report_csv = {
    .name = "csv",
    .extension = "csv",
    .write = csv_write,
};
