#ifndef HARNESS_REPORT_CONTENT_BUILDER_H
#define HARNESS_REPORT_CONTENT_BUILDER_H

/* The parts of a document, and what fills them.
 *
 * All texts are clean (text_clean), but not escaped for any format. None is NULL unless it says so. They live as long
 * as the document. What memory is short for is left out; the pool remembers that. */

#include "harness/analysis/speedup.h"
#include "harness/base/pool.h"
#include "harness/journal/results.h"

enum align {
    ALIGN_LEFT,
    ALIGN_RIGHT,  /* "40,000,000" */
    ALIGN_NUMBER, /* by the point; words to the right */
    ALIGN_RATIO   /* "0.97x [0.95, 0.99]": by the point; words to the left */
};

/* Columns that are read together, in the order in which they are asked for: where a table is too wide it is cut between
 * two groups. */
enum column_group {
    GROUP_NAME,    /* what the row is of; stands in each part of a table that was cut, as far as it takes to tell rows
                    * apart */
    GROUP_SPEEDUP, /* the answer */
    GROUP_CEILING, /* how good that is */
    GROUP_RATE,
    GROUP_COST,
    GROUP_TIME,
    GROUP_COUNT
};

struct column {
    const char *title, *below; /* two lines: "resident" and "speed-up", "upload" and "ms"; `below` may be "" */
    enum align align;
    enum column_group group;
    const char *term; /* that the glossary explains it under; "" where it needs no word */
};

struct row {
    const char **field; /* one for each column; "" and "-": nothing to show */
    const char *span;   /* what became of it, in the place of all fields from span_at on; NULL: nothing did */
    unsigned span_at;   /* a column; only with a span */
    unsigned *note;     /* numbers of its section's notes, from 1 */
    unsigned notes;
    unsigned note_room;
};

/* Columns in which no row has anything are not in it. */
struct table {
    struct column *column;
    unsigned columns;
    struct row *row;
    unsigned rows;
};

/* "machine   Intel ...": one paragraph. */
struct line {
    const char *label;  /* "machine", "baseline", "tried on cpu", "note"; "" where there is none */
    const char *letter; /* of the run that it is about; "" where there is one run, and where it is about all of them */
    const char *text;
    bool is_below; /* belongs to the line before it that is not: "Threshold ...:" and its parts */
};

struct lines {
    struct line *line;
    unsigned lines, room;
};

/* A speed-up, or a size from which on there is one. */
struct summary_card_figure {
    const char *use;              /* "data stays", "data moved" */
    const char *value, *interval; /* "0.90x" and "[0.89, 0.94]"; interval may be "" */
    struct estimate speedup;      /* NAN where it is of no single one */
    enum side side;
};

enum { CARD_FIGURES = 3 };

struct summary_card {
    const char *letter;   /* of the run; "" where there is one */
    const char *device;   /* "opencl:0 portable, mapped: a CPU through OpenCL" */
    const char *baseline; /* what it is compared with: "cpu openblas"; "" nothing */
    const char *answer;   /* "Worth it", "Slower", "14.5 GB/s" */
    enum side side;       /* that they lean to; SIDE_MISSING where they lean to none because nothing is compared */
    struct summary_card_figure figure[CARD_FIGURES];
    unsigned figures;
};

struct cards {
    struct summary_card *card;
    unsigned cards, room;
};

/* A problem, or a curve of a sweep. */
struct section {
    const char *title;  /* "multiply f32, n = 40,000,000 (40.0 MFLOP, 480 MB)" */
    const char *anchor; /* a name of it within the document: small letters, digits and '-'; unique */
    struct lines about; /* what the rows are compared with, and what was tried */
    struct table table;
    struct lines legend;  /* of marks in the sheet: label "[?]" */
    struct cards cards;   /* the answers of those devices that have one, for those who only look */
    struct lines answers; /* whether it is worth it; from how many uses on; thresholds */
    struct lines notes;   /* that rows refer to: the first has number 1 */
};

/* One journal. */
struct run_heading {
    const char *letter; /* "A"; "" where it is the only one */
    const char *name;   /* of the file, without its folder; "" unknown */
    struct lines about; /* when it was measured, the machine, its devices, what gave none, libraries that differ */
};

struct document {
    const char *title; /* "GPU against CPU on Intel Xeon, 2026-11-21" */
    struct run_heading *run;
    unsigned runs;
    struct table ceilings; /* no rows: none were measured */
    struct section *section;
    unsigned sections, section_room;
    struct lines notes;   /* on whole runs */
    struct lines missing; /* what a reader would look for in vain: "The run was interrupted: ..." */
    struct pool pool;     /* all of it lives there */
};

void document_release(struct document *document);

/* The text of the first line with that label; "" where there is none. */
const char *lines_find(const struct lines *lines, const char *label);

/* "1 2 7": the numbers of a row's notes; "" where it has none. Cut with "..." where they are too many. */
enum { ROW_NOTES = 48 };
const char *row_notes(char to[ROW_NOTES], const struct row *row);

/* Adds a paragraph; both texts are copied. NULL when memory is short. */
struct line *lines_add(struct pool *pool, struct lines *lines, const char *label, const char *text);

/* Says of the lines from `first` on which run they are about. */
void lines_set_letter(struct lines *lines, unsigned first, const char *letter);

/* A new section, with its title and its anchor; NULL when memory is short. Those before it may have moved. */
struct section *section_add(struct document *document, const char *title);

/* Makes room for the rows, all fields "". */
void table_open(struct pool *pool, struct table *table, const struct column column[], unsigned columns, unsigned rows);
/* Leaves out the columns in which no row has anything to show. */
void table_drop_empty(struct table *table);

/* A speed-up as tables have it: "0.97x [0.95, 0.99]", "0.97x [?]", "-". */
const char *speedup_field(struct pool *pool, const struct estimate *speedup);

/* "A" for the first of several runs; "" where there is one. */
const char *run_letter(struct pool *pool, const struct results *results, unsigned run);

#endif
