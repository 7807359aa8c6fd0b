/* The report for spreadsheets and programs: one flat row per cell (RFC 4180), SI units, the unit in the column's name.
 */

#include "harness/analysis/answer.h"
#include "harness/base/text.h"
#include "harness/journal/journal.h"
#include "harness/report/formats/metrics.h"
#include "harness/report/formats/output.h"
#include "harness/report/report.h"

#include <string.h>

/* The columns that are written, and where. */
struct csv {
    FILE *out;
    enum metric_names names;
    char name[METRICS_MAX][METRIC_NAME];
    unsigned columns;
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
static void put_value(FILE *out, const struct metric_value *value)
{
    if (value->kind == METRIC_TEXT)
        put_quoted(out, value->text, *value->text && strchr("=+-@\t\r", *value->text));
    else if (value->kind >= METRIC_NUMBER)
        fprintf(out, text_is_whole(value->number) ? "%.0f" : "%.9g", value->number);
}

static void put_row(const struct csv *csv, const struct record *record, const char *letter,
                    const struct cell_metrics *metrics)
{
    struct metric_value value[METRICS_MAX];
    struct cell_values values;
    cell_values_read(&values, letter, journal_text(json_object_get(record->head, "host"), "name"),
                     journal_text(record->head, "started"), metrics, csv->names);
    metrics_read(&values, csv->names, value);
    for (unsigned i = 0; i < csv->columns; i++) {
        fputs(i > 0 ? "," : "", csv->out);
        put_value(csv->out, &value[i]);
    }
    cell_values_release(&values);
    fputs("\r\n", csv->out);
}

/* Returns whether there was memory for all of them. */
static bool put_rows(const struct csv *csv, const struct record *record, const char *letter)
{
    struct answer_set set;
    const bool complete = answer_set_read(&set, record);
    for (unsigned i = 0; complete && i < record->blocks; i++)
        for (unsigned k = 0; k < record->block[i].cells; k++)
            put_row(csv, record, letter, &set.metrics[i][k]);
    answer_set_release(&set);
    return complete;
}

static bool csv_write(const struct results *results, const struct layout *layout, FILE *out, struct error *err)
{
    struct csv csv = { .out = out, .names = layout->all_columns ? METRIC_COLUMNS : METRIC_MAIN_COLUMNS };
    char letter[LETTER_ROOM];
    csv.columns = metrics_names(csv.names, csv.name);
    for (unsigned i = 0; i < csv.columns; i++)
        fprintf(out, "%s%s", i > 0 ? "," : "", csv.name[i]);
    fputs("\r\n", out);
    for (unsigned run = 0; run < results->runs; run++)
        if (!put_rows(&csv, results->run[run].record, results_letter(letter, run)))
            return fail(err, STATUS_NO_MEMORY, "no memory for a report of %u runs", results->runs);
    return output_end(out, err);
}

const struct report report_csv = {
    .name = "csv",
    .extension = "csv",
    .write = csv_write,
};
