#ifndef HARNESS_REPORT_PLOTS_PLOT_H
#define HARNESS_REPORT_PLOTS_PLOT_H

/* Pictures of what journals hold, drawn by gnuplot as SVG. They are a pure function of the results: the same bytes in
 * every locale and time zone. Of a journal nothing but numbers reaches gnuplot; texts are put into what it drew.
 *
 * A picture is the same text wherever it goes. By itself it is dark on white, so that it can be read in a page of any
 * colour. Inside a page of HTML two rules of style let it take on the page's own colours, light or dark:
 *
 *   svg.picture { color: inherit }      text, axes and outlines are in currentColor
 *   svg.picture .paper { fill: none }   the white behind all
 *
 * All ids in it begin with its name, so that several stand in one page. */

#include "harness/base/error.h"
#include "harness/base/pool.h"

#include <stdbool.h>

struct results;

/* Texts are UTF-8, clean, and not escaped for any format. */
struct picture {
    const char *name;  /* of letters, digits and '-', unique among all: "speed-up", "sweep-2"; part of a file's name */
    const char *title; /* a heading */
    const char *caption; /* says in words what is to be seen, and what was left out: it stands for the picture where
                          * that cannot be seen */
    char *svg;           /* one <svg> element without a line about XML before it */
};

struct pictures {
    struct pool pool;
    struct picture *picture; /* in the order to show them */
    unsigned count;
    char missing[240]; /* a sentence why there are none, or not all of them; "" otherwise */
};

/* Without gnuplot, or where that fails or takes too long, there are none and *out says why. False only when memory is
 * short; pictures_release in any case. */
bool pictures_make(struct pictures *out, const struct results *results, struct error *err);
void pictures_release(struct pictures *pictures);

#endif
