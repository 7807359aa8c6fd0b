#ifndef HARNESS_REPORT_CONTENT_DOCUMENT_H
#define HARNESS_REPORT_CONTENT_DOCUMENT_H

/* A report for people, without its form: a flat list of items. A maker (makers/) adds them in the order in which a
 * reader sees them; a format (formats/) goes through them once. Text, Markdown and HTML have the same words that way.
 *
 * All texts are clean (text_clean), but not escaped for any format. None is NULL unless it says so. They live as long
 * as the document's pool. What memory is short for is left out; the pool remembers that. */

#include "harness/base/error.h"
#include "harness/report/content/table.h"

#include <stdio.h>

enum item_kind {
    ITEM_HEADING,
    ITEM_LINE,
    ITEM_TABLE,
    ITEM_PICTURE,
    ITEM_FOLD, /* what follows is folded where the format can do that, up to its end */
    ITEM_END
};

/* Whether it belongs to the answer on one screen or to the full report. */
enum level { LEVEL_SCREEN, LEVEL_FULL };

/* What a line is about. Lines next to each other that are about the same are a group, which stands apart. */
enum about {
    ABOUT_ALARM,    /* what makes the whole answer doubtful */
    ABOUT_ANSWER,   /* "Is the GPU worth it?": the answer */
    ABOUT_DEVICE,   /* "GPU": name, kind, measured peak and bandwidth */
    ABOUT_CLAIM,    /* "matmul 1024": what others say of it, and whether they agree */
    ABOUT_COST,     /* "Copy 64 MiB", "Launch, wait" */
    ABOUT_REASON,   /* "Why", "Break-even" */
    ABOUT_WARNING,  /* what is wrong, and what to do */
    ABOUT_RUN,      /* suite, time, length; and where more is */
    ABOUT_MISSING,  /* what the journals lack; of a comparison: what it is based on */
    ABOUT_MACHINE,  /* time, machine, devices, APIs without devices */
    ABOUT_BASIS,    /* of a table: the baseline, and the methods that were tried */
    ABOUT_VERDICT,  /* of a table: what it says */
    ABOUT_FOOTNOTE, /* of a table: in the order of their numbers, from 1 */
    ABOUT_NOTE,     /* on the whole */
    ABOUT_METHOD,   /* how it was measured */
    ABOUT_COMMAND,  /* what a user types to measure again */
    ABOUT_SOURCE    /* the name of a journal */
};

struct picture;
struct notes;

struct item {
    enum item_kind kind;
    enum level level;
    enum about about;   /* of a line */
    unsigned depth;     /* of a heading: 1 is a title, 2 a part, 3 a part of that */
    const char *letter; /* of the run it is about; "" where there is one run, or for all of them */
    const char *label;  /* of a line: "machine", "tried on cpu", or "" */
    const char *text;   /* of a line, a heading, a fold */
    const struct table *table;
    const struct picture *picture;
};

/* What it is made for: makers choose the order of the items, and what belongs to them, by it. */
enum medium { MEDIUM_TEXT, MEDIUM_MARKDOWN, MEDIUM_PAGE };

struct document {
    enum medium medium;
    bool is_colored;      /* text: with the escape codes of a terminal */
    const char *pictures; /* Markdown: what the names of picture files begin with; NULL: there are none */
    enum level level;     /* of the items that are added next, and the run that they are about */
    const char *letter;
    struct item *item;
    unsigned items;
    struct pool pool; /* owns all of it */
};

/* Writes a document. `width`: columns that text should fit into; 0: no limit. Fails when the stream fails, and when
 * memory is short. */
typedef bool document_writer(const struct document *document, unsigned width, FILE *out, struct error *err);

/* Each adds an item. Pointers to texts and tables must live as long as the document; formatted texts are copied. */
void document_heading(struct document *document, unsigned depth, const char *text);
void document_line(struct document *document, enum about about, const char *label, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void document_table(struct document *document, const struct table *table); /* without rows: nothing */
void document_picture(struct document *document, const struct picture *picture);
void document_fold(struct document *document, const char *title);
void document_end(struct document *document);

/* The end of the group of lines that begins with an item; of another item the next one. */
const struct item *document_group_end(const struct document *document, const struct item *item);

/* Adds a sentence, unless it is there. Returns the numbers of a row (ALIGN_NOTES) with its number. */
const char *footnotes_add(struct notes *footnotes, const char *numbers, const char *text);
/* Adds the lines of all of them. */
void document_footnotes(struct document *document, const struct notes *footnotes);

#endif
