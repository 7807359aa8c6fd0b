#ifndef HARNESS_REPORT_CONTENT_BRIEF_H
#define HARNESS_REPORT_CONTENT_BRIEF_H

/* The report of one run on one screen: the answer in words, speed-ups, times and rates, why, and what is wrong with the
 * run. Everything else is in the full report (document_make). Text, Markdown and HTML are made from it. */

#include "harness/report/content/answer_words.h"
#include "harness/report/content/builder.h"
#include "harness/report/content/notes.h"
#include "harness/report/report.h"

/* The most lines at 80 columns of a standard run with one kind of GPU, and the most warnings. */
enum { BRIEF_LINES = 40, BRIEF_WARNINGS = 3 };

struct brief {
    const char *alarm;    /* "No GPU here.", and who else used the machine; "" */
    const char *title;    /* "suite standard, 2026-11-22 20:14 UTC, 24 visits in 2 min 40 s, bench 0.3.0" */
    struct lines answers; /* label: "Is the GPU worth it?", then "Copied at every use:"; text: the answer */
    struct lines devices; /* label: "GPU"; text: name, kind, measured peak and bandwidth */
    /* For each GPU its speed-ups, then for each its times and rates: a row for each problem. The title of the first
     * column is that of the table. */
    struct table *table;
    unsigned tables;
    bool is_narrow;      /* short titles */
    bool has_mark;       /* a rate is above the peak of its side */
    bool is_whole;       /* no limit to the width: also the times with data that are copied */
    struct lines claims; /* label: a problem; text: what others say, a naive timing, the fair one, whether they agree */
    struct lines costs;  /* label: "Copy 64 MiB", "Launch" */
    struct lines reasons; /* label: "Why", "Break-even"; text: the problems and what is said of them */
    struct lines
        warnings; /* label: "!"; text: what is wrong, and what to do; the worst first, at most BRIEF_WARNINGS */
    struct lines pointers; /* "every figure: bench report --full" */
    struct pool pool;      /* owns all of it */
};

/* The answers are those of the run. Its pool is to be released in any case. Fails only when memory is short. */
bool brief_make(struct brief *out, const struct result *run, const struct answer_set *set, const struct layout *layout,
                struct error *err);

/* Its larger parts. */
void brief_fill_tables(struct brief *brief, const struct answer_set *set);
void brief_fill_warnings(struct brief *brief, const struct answer_set *set, const struct result *run);

/* Adds the notes of all cells and sorts. Those on intervals that are wider than asked for, which are seldom few, share
 * one. Returns the number of measurements. */
unsigned brief_cell_notes(struct notes *to, const struct answer_set *set);

/* "Intel Core i5-8250U, 4 cores", "2 x NVIDIA H200 (cuda:0)", "the same CPU (opencl:0)" */
const char *part_words(struct pool *pool, const struct answer_set *set, const struct answer_part *part);

/* Whether a part is compared on the screen: a GPU, or the CPU through an API where there is none. */
bool brief_shows(const struct answer_set *set, const struct answer_part *part);

#endif
