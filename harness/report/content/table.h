#ifndef HARNESS_REPORT_CONTENT_TABLE_H
#define HARNESS_REPORT_CONTENT_TABLE_H

/* A table for people, without its form. Texts are clean and live as long as the pool. None is NULL unless it says so.
 */

#include "harness/analysis/verdict.h"
#include "harness/base/pool.h"

enum align {
    ALIGN_LEFT,
    ALIGN_RIGHT,  /* "40,000,000" */
    ALIGN_NUMBER, /* at the decimal point; text to the right */
    ALIGN_SHARE,  /* percent of what is usual, which a page colours */
    ALIGN_RATIO,  /* "0.97 (0.95 - 0.99)": at the decimal point; text to the left */
    ALIGN_NOTES   /* "1 2 7": the numbers of footnotes, which a page links; a long list ends with "..." */
};

/* Columns that belong together, the most important first. A table that is too wide is cut between two groups. */
enum column_group {
    GROUP_NAME,    /* names the row; repeated in each part of a table that was cut */
    GROUP_SPEEDUP, /* the result */
    GROUP_PEAK,    /* how close to the measured peak it is */
    GROUP_RATE,
    GROUP_COST,
    GROUP_TIME,
    GROUP_COUNT
};

struct column {
    const char *title, *below; /* two lines: "resident" and "speed-up", "upload" and "ms"; `below` may be "" */
    enum align align;
    enum column_group group;
    const char *term; /* its entry in the glossary; "" where it needs none */
};

struct row {
    const char **field; /* one for each column; "" and "-": no value */
    const char *span;   /* an outcome, in place of all fields from span_at on; NULL: the row has figures */
    unsigned span_at;   /* a column; used only with a span */
};

/* Columns without any value are left out. */
struct table {
    struct column *column;
    unsigned columns;
    struct row *row;
    unsigned rows;
    bool is_grouped; /* spans name the rows below them: it is not cut, however wide it is */
};

/* Allocates a table with its rows; all fields are "". NULL when memory is short. */
struct table *table_open(struct pool *pool, const struct column column[], unsigned columns, unsigned rows);
/* Removes the columns without any value. */
void table_drop_empty(struct table *table);

/* A speed-up as it appears in tables: "0.97 (0.95 - 0.99)", "0.97 (not judged)", "-". */
const char *speedup_field(struct pool *pool, const struct estimate *speedup);

/* The text, or its beginning and ".." if it has more than `most` bytes. */
const char *shortened(struct pool *pool, const char *text, unsigned most);

#endif
