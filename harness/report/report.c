#include "harness/report/report.h"

#include "harness/report/formats/formats.h"

#include <string.h>

const struct report report_table = { "table", "txt", MEDIUM_TEXT, text_write, NULL, NULL, NULL };
const struct report report_markdown = { "markdown", "md", MEDIUM_MARKDOWN, markdown_write, NULL, NULL, NULL };
const struct report report_csv = { "csv", "csv", MEDIUM_TEXT, NULL, csv_runs, NULL, csv_fleet };
const struct report report_json = { "json", "json", MEDIUM_TEXT, NULL, json_runs, json_comparison, json_fleet };
const struct report report_html = { "html", "html", MEDIUM_PAGE, html_write, NULL, NULL, NULL };

const struct report *const reports[] = {
    &report_table, &report_markdown, &report_csv, &report_json, &report_html, NULL
};

const struct report *report_find(const struct report *const list[], const char *name)
{
    for (const struct report *const *report = list; *report; report++)
        if (strcmp((*report)->name, name) == 0 || strcmp((*report)->extension, name) == 0)
            return *report;
    return NULL;
}

bool report_runs(const struct report *report, const struct results *results, const struct layout *layout, FILE *out,
                 struct error *err)
{
    struct document document = { .medium = report->medium };
    struct answer_set *set = pool_take(&document.pool, (results->runs + 1) * sizeof *set);
    unsigned read = 0;
    bool written = set != NULL;
    for (; read < results->runs && written; read++)
        written = answer_set_read(&set[read], results->run[read].record);
    if (!written)
        fail(err, STATUS_NO_MEMORY, "no memory for a report of %u runs", results->runs);
    else if (report->write)
        written =
            run_document(&document, results, set, layout, err) && report->write(&document, layout->width, out, err);
    else
        written = report->write_runs(results, set, layout, out, err);
    for (unsigned i = 0; i < read; i++)
        answer_set_release(&set[i]);
    pool_release(&document.pool);
    return written;
}

bool report_comparison(const struct report *report, const struct comparison *comparison, unsigned width, FILE *out,
                       struct error *err)
{
    struct document document = { .medium = report->medium };
    const bool written =
        report->write ? comparison_document(&document, comparison, err) && report->write(&document, width, out, err)
                      : report->write_comparison(comparison, out, err);
    pool_release(&document.pool);
    return written;
}

bool report_fleet(const struct report *report, const struct fleet *fleet, unsigned width, FILE *out, struct error *err)
{
    struct document document = { .medium = report->medium };
    const bool written = report->write
                             ? fleet_document(&document, fleet, err) && report->write(&document, width, out, err)
                             : report->write_fleet(fleet, out, err);
    pool_release(&document.pool);
    return written;
}
