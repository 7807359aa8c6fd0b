#ifndef HARNESS_REPORT_CONTENT_BRIEF_H
#define HARNESS_REPORT_CONTENT_BRIEF_H

/* The report of one run on one screen: the answer, one table, the costs, why, and what is wrong with the run.
 * Everything else is in the full report (document.h). Text and Markdown are made from it. */

#include "harness/report/content/answer_words.h"
#include "harness/report/content/builder.h"
#include "harness/report/content/note_list.h"
#include "harness/report/report.h"

/* The most lines of a brief report at 80 columns. */
enum { BRIEF_LINES = 40, BRIEF_ROWS = 24, BRIEF_WARNINGS = 3 };

struct brief {
    const char *alarm;    /* "No GPU was measured: ..."; "" where there is one */
    const char *title;    /* "bench 0.2.0   suite standard   2026-11-22 20:14 UTC   took 2 min 51 s" */
    struct lines devices; /* label: "GPU"; text: name, kind, measured peak and bandwidth */
    struct lines answers; /* label: the question; text: the answer. The first is about the rows of the table */
    const char *caption;  /* "f32, mapped memory; speed-up = CPU time / GPU time +- 95 %" */
    /* The legend in three parts that follow each other as they are: "G=GFLOP/s; ", only with columns of GROUP_RATE;
     * "times in ms; ^ faster, = within 5 %"; and "; 40M: n = 40,000,000". */
    const char *rates, *legend, *names;
    struct table table;          /* a row for each answer; may be empty */
    unsigned more_rows;          /* that are not in the table */
    struct lines costs;          /* label: "transfer", "launch" */
    struct lines why, breakeven; /* label: a workload or a problem */
    unsigned more_lines;         /* of these two, that are not in them */
    struct lines claims; /* label: a problem; text: what others say, a naive timing, the fair one, whether they agree */
    struct lines warnings;         /* what is wrong, and what to do; the worst first, at most BRIEF_WARNINGS */
    unsigned more_warnings, notes; /* that are not shown; `pointers` says how many */
    struct lines pointers;         /* label: what there is; text: the command or the file */
    struct pool pool;              /* owns all of it */
};

/* `answers` are those of the run; NULL: they are read. To be released in any case. Columns of the table that `width`
 * has no room for are left out (0: none). Fails only when memory is short. */
bool brief_make(struct brief *out, const struct result *run, const struct answer_set *answers,
                const struct layout *layout, struct error *err);
void brief_release(struct brief *brief);

/* Its larger parts. */
void brief_fill_table(struct brief *brief, const struct answer_set *set, unsigned width);
void brief_fill_warnings(struct brief *brief, const struct answer_set *set, const struct result *run);

/* Adds the notes of all cells and sorts. Those on figures that are less certain than asked for, which is seldom a few,
 * share one. Returns the number of measurements. */
unsigned brief_cell_notes(struct notes *to, const struct answer_set *set);

/* Whether a part's answers are in the table: of more than two different GPUs only the best one's are. */
bool brief_shows(const struct answer_set *set, const struct answer_part *part);

#endif
