/* The report for spreadsheets and programs: one flat row per cell (RFC 4180), SI units, the unit in the column's name.
 */

#include "harness/analysis/answer.h"
#include "harness/base/text.h"
#include "harness/journal/journal.h"
#include "harness/report/content/columns.h"
#include "harness/report/formats/formats.h"
#include "harness/report/formats/output.h"

#include <string.h>

static void put_value(FILE *out, const struct column_value *value)
{
    if (value->kind == VALUE_TEXT)
        output_put_csv(value->text, out);
    else if (value->kind >= VALUE_NUMBER)
        fprintf(out, text_is_whole(value->number) ? "%.0f" : "%.9g", value->number);
}

static void put_row(FILE *out, const struct cell_columns *columns, const struct result *run, const char *letter,
                    const struct figures *figures, struct pool *pool)
{
    const struct record *record = run->record;
    struct column_source source;
    column_source_read(&source, pool, figures);
    source.run = letter;
    source.machine = journal_text(json_object_get(record->head, "host"), "name");
    source.started = journal_text(record->head, "started");
    source.left_out = (double)result_left_out(run);
    for (unsigned i = 0; i < columns->count; i++) {
        const struct column_value value = column_value(&columns->column[i], &source);
        fputs(i > 0 ? "," : "", out);
        put_value(out, &value);
    }
    fputs("\r\n", out);
}

bool csv_runs(const struct results *results, const struct layout *layout, FILE *out, struct error *err)
{
    struct pool pool = { 0 };
    const struct cell_columns columns = columns_read(&pool, layout->all_columns ? FORMAT_FULL_CSV : FORMAT_CSV);
    bool complete = !pool.is_short;
    for (unsigned i = 0; i < columns.count; i++)
        fprintf(out, "%s%s", i > 0 ? "," : "", columns.column[i].csv);
    fputs("\r\n", out);
    for (unsigned run = 0; run < results->runs && complete; run++) {
        struct answer_set set;
        const struct record *record = results->run[run].record;
        complete = answer_set_read(&set, record);
        for (unsigned i = 0; complete && i < record->blocks; i++)
            for (unsigned k = 0; k < record->block[i].cells; k++)
                put_row(out, &columns, &results->run[run], results_letter(run), &set.figures[i][k],
                        layout->all_columns ? &set.pool : NULL);
        answer_set_release(&set);
    }
    pool_release(&pool);
    return complete ? output_end(out, err)
                    : fail(err, STATUS_NO_MEMORY, "no memory for a report of %u runs", results->runs);
}
