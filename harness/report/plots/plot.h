#ifndef HARNESS_REPORT_PLOTS_PLOT_H
#define HARNESS_REPORT_PLOTS_PLOT_H

/* Pictures of results, drawn by gnuplot as SVG. They depend on the results only: the bytes are the same in every locale
 * and time zone. Only numbers of a journal reach gnuplot; texts are inserted into its output.
 *
 * A picture is dark on white, readable in a page of any colour. Inside a page of HTML two rules give it the colours of
 * the page, light or dark:
 *
 *   svg.picture { color: inherit }      text, axes and outlines are in currentColor
 *   svg.picture .paper { fill: none }   the white background
 *
 * All ids in it begin with its name, so that a page can have several pictures. */

#include "harness/base/error.h"
#include "harness/base/pool.h"

#include <stdbool.h>

struct results;

/* Texts are UTF-8, clean, and not escaped for any format. */
struct picture {
    const char *name;    /* letters, digits and '-', unique: "speed-up", "sweep-2"; part of the file name */
    const char *title;   /* a heading */
    const char *caption; /* describes the picture and what was left out, for readers who cannot see it */
    char *svg;           /* one <svg> element without an XML declaration */
};

struct pictures {
    struct pool pool;
    struct picture *picture; /* in the order of the report */
    unsigned count;
    char missing[240]; /* why there are none, or not all of them; "" otherwise */
};

/* Without gnuplot, or if it fails or takes too long, there are no pictures and `missing` says why. False only when
 * memory is short; pictures_release in any case. */
bool pictures_make(struct pictures *out, const struct results *results, struct error *err);
void pictures_release(struct pictures *pictures);

#endif
