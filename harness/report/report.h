#ifndef HARNESS_REPORT_REPORT_H
#define HARNESS_REPORT_REPORT_H

/* A report is a pure function of records to bytes. Those for people are documents (content/document.h), which a maker
 * makes and a format writes; those for programs are written from the table of columns (content/columns.h). */

#include "harness/report/makers/makers.h"

struct report {
    const char *name, *extension;
    enum medium medium;
    document_writer *write; /* NULL: it is for programs, which the next three are for; NULL: there is no such report */
    bool (*write_runs)(const struct results *results, const struct answer_set set[], const struct layout *layout,
                       FILE *out, struct error *err);
    bool (*write_comparison)(const struct comparison *comparison, FILE *out, struct error *err);
    bool (*write_fleet)(const struct fleet *fleet, FILE *out, struct error *err);
};

/* The formats, ending with NULL, and one of such a list by its name or ending (NULL if there is none). */
extern const struct report *const reports[];
const struct report *report_find(const struct report *const list[], const char *name);

extern const struct report report_table, report_csv, report_json, report_html, report_markdown;

/* Whether it can write a comparison. */
static inline bool report_compares(const struct report *report)
{
    return report->write || report->write_comparison;
}

/* Each writes a report, in columns of text that fit into a width (0: no limit). Fails when the stream fails (a closed
 * pipe, a full disk), and when memory is short. */
bool report_runs(const struct report *report, const struct results *results, const struct layout *layout, FILE *out,
                 struct error *err);
bool report_comparison(const struct report *report, const struct comparison *comparison, unsigned width, FILE *out,
                       struct error *err);
bool report_fleet(const struct report *report, const struct fleet *fleet, unsigned width, FILE *out, struct error *err);

#endif
