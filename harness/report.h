#ifndef HARNESS_REPORT_H
#define HARNESS_REPORT_H

/* A report is a pure function of a record to bytes. Each format is one file that ends in one `const struct report`. */

#include "harness/error.h"
#include "harness/record.h"

#include <stdio.h>

struct report {
    const char *name, *summary;
    /* Fails when the stream does (a closed pipe, a full disk). */
    bool (*write)(const struct record *record, FILE *out, struct error *err);
};

/* The formats, ending with NULL, and one by name (NULL if there is none). */
extern const struct report *const reports[];
const struct report *report_find(const char *name);

extern const struct report report_table, report_csv, report_json;

/* The last thing a format does: true when all it wrote arrived. */
bool report_end(FILE *out, struct error *err);

#endif
