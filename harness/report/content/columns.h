#ifndef HARNESS_REPORT_CONTENT_COLUMNS_H
#define HARNESS_REPORT_CONTENT_COLUMNS_H

/* The one table of columns (columns.c). A column has a name in the glossary, which explains it, its names in the CSV
 * and in the JSON, the member that it is read from, and the way in which tables for people show it. Text, Markdown,
 * HTML, CSV, JSON, results/figures.md and `bench explain` are made from it. */

#include "harness/analysis/answer.h"
#include "harness/analysis/naive.h"
#include "harness/report/content/document.h"
#include "harness/report/content/notes.h"

/* What a column is read from. */
enum origin { OF_NOTHING, OF_CELL, OF_DEVICE, OF_FIGURES, OF_SOURCE, ORIGINS };

struct cell_column;
struct column_source;

/* A value; FLAG: `number` is 0 or 1; ABSENT: the cell has no such part, such as a series or a naive timing. */
struct column_value {
    enum { VALUE_ABSENT, VALUE_UNKNOWN, VALUE_NUMBER, VALUE_FLAG, VALUE_TEXT } kind;
    double number;
    const char *text;
};

/* How a table for people shows it: figures have three digits (rows.c). */
enum show { SHOW_NOT, SHOW_WORD, SHOW_METHOD, SHOW_SPEEDUP, SHOW_FIGURE, SHOW_TIME, SHOW_FIRST, SHOW_NOTES };

struct cell_column {
    const char *term;       /* its entry in the glossary */
    const char *csv, *json; /* its names: a column, and a path in the object of a cell, "ceiling.share"; NULL: none */
    unsigned kind;          /* of the member; for column_value alone, as the next two and the last */
    enum origin origin;
    size_t offset;
    enum show show;      /* SHOW_NOT: it is not in the table of a problem */
    double scale;        /* of the figure that is shown */
    struct column shown; /* title NULL: not in tables for people */
    size_t count;        /* of an unsigned of the source that is 0 where the cell has no such part; 0: none */
};

struct cell_columns {
    struct cell_column *column; /* in the order of the CSV, and of the tables */
    unsigned count;
};

/* Which columns: all, those of the table of a problem, of the CSV unless all are asked for, of the CSV, of the JSON. */
enum format { FORMAT_ALL, FORMAT_TABLE, FORMAT_CSV, FORMAT_FULL_CSV, FORMAT_JSON };

/* Those columns; none when memory is short. */
struct cell_columns columns_read(struct pool *pool, enum format format);

/* The glossary's name for a column of the CSV, a path in the JSON, or the last part of one; NULL: it is none of them.
 */
const char *column_term(const char *name);

/* What columns are read from: of a cell, and what takes long and only some formats ask for. */
struct column_source {
    const void *from[ORIGINS];
    const char *run, *machine, *started; /* of the journal, set by the caller: letter, processor, when it began */
    double left_out;                     /* likewise: lines and values of it that could not be used */
    const char *joined_notes;            /* "first; second" */
    struct notes notes;
    struct naive naive;
    unsigned knows_gpu; /* 1: something is known of its state */
    char held_by[256];  /* why the GPU's clock was held down */
    struct series_source {
        struct summary summary;
        struct estimate time;
        unsigned slices;
        double host_cpu;  /* processor seconds of the host per second */
        const char *stop; /* why it ended */
    } series[SERIES_COUNT];
};

/* Reads a cell, without members of the journal; it is not to be copied. `pool` gets the notes; NULL: only what main
 * columns have. */
void column_source_read(struct column_source *out, struct pool *pool, const struct figures *figures);

/* The value of a column. */
struct column_value column_value(const struct cell_column *column, const struct column_source *source);

/* The cells of a problem as rows of a table: first the result, then how close it is to the peak, then the figures
 * behind it (rows.c). Opens a table of the columns FORMAT_TABLE for that many cells, and fills in the cells of one run
 * after the other, the next at row `at`. `common`: notes that get no footnote. */
struct table *rows_open(struct pool *pool, const struct cell_columns *columns, unsigned cells);
void rows_fill(struct table *table, const struct cell_columns *columns, unsigned at, const struct figures figures[],
               unsigned count, const char *letter, const struct notes *common, struct notes *footnotes);

#endif
