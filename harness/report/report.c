#include "harness/report/report.h"

#include "harness/report/content/builder.h"
#include "harness/report/plots/plot.h"

#include <string.h>

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

bool report_compare(const struct report *report, const struct comparison *comparison, unsigned width, FILE *out,
                    struct error *err)
{
    if (report->write_comparison)
        return report->write_comparison(comparison, out, err);
    struct document document;
    struct pictures pictures = { .count = 0 };
    bool written = comparison_document_make(&document, comparison, report == &report_table ? width : 0, err);
    if (report == &report_html) /* no other format shows it */
        plot_changes(&pictures, comparison);
    document.picture = pictures.picture;
    written = written && report->document(&document, width, out, err);
    pool_release(&pictures.pool);
    document_release(&document);
    return written;
}

bool report_write_run(const struct report *report, struct record *record, const struct layout *layout, FILE *out,
                      struct error *err)
{
    struct result run = { .path = "", .record = record };
    return report->write(&(struct results){ &run, 1 }, layout, out, err);
}
