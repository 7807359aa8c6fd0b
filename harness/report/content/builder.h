#ifndef HARNESS_REPORT_CONTENT_BUILDER_H
#define HARNESS_REPORT_CONTENT_BUILDER_H

/* The content of a report for people, without its form: text, Markdown and HTML are made from the same document, so
 * they agree. It covers one run, or several side by side with a letter for each.
 *
 * All texts are clean (text_clean), but not escaped for any format. None is NULL unless it says so. They live as long
 * as the document. What memory is short for is left out; the pool remembers that. */

#include "harness/analysis/answer.h"
#include "harness/analysis/compare/comparison.h"
#include "harness/base/error.h"
#include "harness/base/pool.h"
#include "harness/journal/results.h"

enum align {
    ALIGN_LEFT,
    ALIGN_RIGHT,  /* "40,000,000" */
    ALIGN_NUMBER, /* at the decimal point; text to the right */
    ALIGN_SHARE,  /* percent of what is usual, which a page colours */
    ALIGN_RATIO   /* "0.97 (0.95 - 0.99)": at the decimal point; text to the left */
};

/* Columns that belong together, the most important first. A table that is too wide is cut between two groups. */
enum column_group {
    GROUP_NAME,    /* names the row; repeated in each part of a table that was cut, as far as rows need it to differ */
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
    const char *repro;  /* the command that measures it again; NULL: there is none */
    unsigned *note;     /* numbers of the section's notes, from 1 */
    unsigned notes;
    unsigned note_room;
};

/* Columns without any value are left out. */
struct table {
    struct column *column;
    unsigned columns;
    struct row *row;
    unsigned rows;
    bool is_grouped; /* spans name the rows below them: it is not cut, however wide it is */
};

/* "machine   Intel ...": one paragraph. */
struct line {
    const char *label;  /* "machine", "baseline", "tried on cpu", "note"; "" where there is none */
    const char *letter; /* of the run it is about; "" where there is one run, or for all of them */
    const char *text;
};

struct lines {
    struct line *line;
    unsigned lines, room;
};

/* A problem, or a curve of a sweep. */
struct section {
    const char *title;  /* "multiply f32, n = 40,000,000" */
    const char *anchor; /* unique within the document: a slug (text.h) */
    struct lines about; /* the baseline, and the methods that were tried */
    struct table table;
    struct lines answers; /* the verdict, break-evens, thresholds */
    struct lines notes;   /* numbered from 1; rows refer to them */
    bool is_folded;       /* where the format can fold */
};

/* One journal. */
struct run_heading {
    const char *letter; /* "A"; "" where it is the only one */
    const char *name;   /* of the file, without its folder; "" if unknown */
    struct lines about; /* time, machine, devices, APIs without devices, libraries that differ between runs */
};

struct picture;

struct document {
    const char *title; /* "NVIDIA H200 against Intel Xeon, 2026-11-21" */
    struct lines head; /* what its journals lack; of a comparison: what it is based on */
    struct run_heading *run;
    unsigned runs;              /* 0: it is a comparison */
    struct answer_set *answers; /* of each run */
    struct section *section;
    unsigned sections, section_room;
    struct lines notes;            /* on the runs as a whole */
    const struct picture *picture; /* of what is not about runs, for a page; NULL: none */
    struct pool pool;              /* owns all of it */
};

/* The answers of some runs alone. To be released in any case. Fails only when memory is short. */
bool document_read_answers(struct document *out, const struct results *results, struct error *err);

/* The document of some runs. To be released in any case. Fails only when memory is short. */
bool document_make(struct document *out, const struct results *results, struct error *err);

/* A comparison as a document: a table of what changed, a folded one of what did not, and the cells of one side only. To
 * be released in any case. Speed-ups of both sides are columns where `width` has room for them (0: no limit). Fails
 * only when memory is short. */
bool comparison_document_make(struct document *out, const struct comparison *comparison, unsigned width,
                              struct error *err);

void document_release(struct document *document);

/* "1 2 7": the numbers of a row's notes; "" where it has none. A long list ends with "...". */
enum { ROW_NOTES = 48 };
const char *row_notes(char to[ROW_NOTES], const struct row *row);

/* Adds a line; both texts are copied. NULL when memory is short. */
struct line *lines_add(struct pool *pool, struct lines *lines, const char *label, const char *text);

/* Sets the letter of the lines from `first` on. */
void lines_set_letter(struct lines *lines, unsigned first, const char *letter);

/* Adds a section with its title and its anchor; NULL when memory is short. Pointers to other sections become
 * invalid. */
struct section *section_add(struct document *document, const char *title);

/* Allocates the rows; all fields are "". */
void table_open(struct pool *pool, struct table *table, const struct column column[], unsigned columns, unsigned rows);
/* Removes the columns without any value. */
void table_drop_empty(struct table *table);

/* Whether a row with figures has a note, or also one with an outcome. */
bool table_has_notes(const struct table *table, bool of_outcomes);

/* A speed-up as it appears in tables: "0.97 (0.95 - 0.99)", "0.97 (not judged)", "-". */
const char *speedup_field(struct pool *pool, const struct estimate *speedup);

/* The text, or its beginning and ".." if it has more than `most` bytes. */
const char *shortened(struct pool *pool, const char *text, unsigned most);

#endif
