#ifndef HARNESS_REPORT_PLOTS_PLOT_H
#define HARNESS_REPORT_PLOTS_PLOT_H

/* Pictures of results, as SVG. They depend on the results only: the bytes are the same on every machine. Each is drawn
 * twice, so that letters have their usual size on a phone and on a wide page. Its colours follow the reader's choice of
 * light or dark; on paper it is light. It has no ids, so that a page can have several. */

#include "harness/analysis/answer.h"
#include "harness/base/error.h"
#include "harness/base/pool.h"

#include <stdbool.h>

struct comparison;
struct results;

/* Texts are UTF-8, clean, and not escaped for any format. */
struct picture {
    const char *name;    /* letters, digits and '-', unique: "speed-up", "sweep-2"; part of the file name */
    const char *title;   /* a heading */
    const char *caption; /* describes the picture and what was left out, for readers who cannot see it */
    const char *svg;     /* one <svg> element without an XML declaration, for a phone */
    const char *wide;    /* the same for a wide page */
    bool is_answer;      /* it shows what the answer says, and belongs beside it */
    unsigned run;        /* the number of its run */
};

struct pictures {
    struct pool *pool;
    struct picture *picture; /* in the order of the report */
    unsigned count;
};

/* Adds the pictures of runs. The pool says whether memory was short, here and below. */
void plot_runs(struct pictures *out, const struct results *results, const struct answer_set answers[]);

/* Adds the picture of a comparison: what changed, and how sure that is. */
void plot_changes(struct pictures *out, const struct comparison *comparison);

#endif
