#ifndef HARNESS_REPORT_REPORT_H
#define HARNESS_REPORT_REPORT_H

/* A report is a pure function of records to bytes. Each format is one file that ends in one `const struct report`. */

#include "harness/analysis/compare/comparison.h"
#include "harness/analysis/verdict.h"
#include "harness/base/error.h"
#include "harness/journal/results.h"

#include <stdio.h>

/* What others have published of a problem. */
struct claim {
    const char *workload, *dtype, *shape;
    const char *chip;    /* part of the device's name that it is about; NULL: it names none */
    const char *quote;   /* what they say, in their words where it is short */
    enum verdict says;   /* of the device against the CPU; of the change since the smaller shape if there is one */
    const char *smaller; /* a smaller shape that they compare with; NULL: none */
};

/* What a report is written on, and what the caller adds to the results. */
struct layout {
    unsigned width;             /* columns that text should fit into; 0: no limit */
    const char *pictures;       /* what the names of picture files begin with; NULL: no such files are written */
    bool all_columns;           /* of CSV; otherwise the most important ones */
    const struct claim *claims; /* up to one without a workload; NULL: none */
    bool is_brief;              /* text and Markdown: on one screen (brief.h), not in full */
    bool is_colored;            /* text: with the escape codes of a terminal */
    bool is_newest;             /* the run is the one that `bench report` takes without a file */
    const char *journal;        /* path of the run's journal; NULL: as in the results */
};

struct document;

struct report {
    const char *name, *extension;
    /* Writes the report of one or several runs. Fails when the stream fails (a closed pipe, a full disk). */
    bool (*write)(const struct results *results, const struct layout *layout, FILE *out, struct error *err);
    /* Writes a document that is not about runs. `width`: columns that text should fit into. NULL: the format is for
     * programs. */
    bool (*document)(const struct document *document, unsigned width, FILE *out, struct error *err);
    /* Writes a comparison that is no document. A format with neither has no comparison. */
    bool (*write_comparison)(const struct comparison *comparison, FILE *out, struct error *err);
};

/* The formats, ending with NULL, and one of such a list by its name or ending (NULL if there is none). */
extern const struct report *const reports[];
const struct report *report_find(const struct report *const list[], const char *name);

extern const struct report report_table, report_csv, report_json, report_html, report_markdown;

/* Writes a comparison of two sets of runs, as a document or in the format's own way. */
bool report_compare(const struct report *report, const struct comparison *comparison, unsigned width, FILE *out,
                    struct error *err);
/* The report of one run that is in memory. */
bool report_write_run(const struct report *report, struct record *record, const struct layout *layout, FILE *out,
                      struct error *err);

#endif
