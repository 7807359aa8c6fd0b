/* The report for spreadsheets and programs: one flat row per cell (RFC 4180), SI units, the unit in the column's name.
 */

#include "harness/analysis/answer.h"
#include "harness/base/text.h"
#include "harness/journal/journal.h"
#include "harness/report/content/columns.h"
#include "harness/report/formats/formats.h"
#include "harness/report/formats/output.h"

#include <string.h>

static void put_row(FILE *out, const struct cell_columns *columns, const struct column_source *source)
{
    for (unsigned i = 0; i < columns->count; i++) {
        const struct column_value value = column_value(&columns->column[i], source);
        fputs(i > 0 ? "," : "", out);
        if (value.kind == VALUE_TEXT)
            output_put_csv(value.text, out);
        else if (value.kind >= VALUE_NUMBER)
            fprintf(out, text_is_whole(value.number) ? "%.0f" : "%.9g", value.number);
    }
    fputs("\r\n", out);
}

bool csv_runs(const struct results *results, const struct answer_set set[], const struct layout *layout, FILE *out,
              struct error *err)
{
    struct pool pool = { 0 };
    const struct cell_columns columns = columns_read(&pool, layout->all_columns ? FORMAT_FULL_CSV : FORMAT_CSV);
    for (unsigned i = 0; i < columns.count; i++)
        fprintf(out, "%s%s", i > 0 ? "," : "", columns.column[i].csv);
    fputs("\r\n", out);
    for (unsigned run = 0; run < results->runs; run++) {
        const struct record *record = results->run[run].record;
        for (unsigned i = 0; i < record->blocks; i++)
            for (unsigned k = 0; k < record->block[i].cells; k++) {
                struct column_source source;
                column_source_read(&source, layout->all_columns ? &pool : NULL, &set[run].figures[i][k]);
                source.run = results_letter(run);
                source.machine = journal_text(json_object_get(record->head, "host"), "name");
                source.started = journal_text(record->head, "started");
                source.left_out = (double)result_left_out(&results->run[run]);
                put_row(out, &columns, &source);
            }
    }
    const bool is_short = pool.is_short;
    pool_release(&pool);
    return is_short ? fail(err, STATUS_NO_MEMORY, "no memory for a report of %u runs", results->runs)
                    : output_end(out, err);
}
