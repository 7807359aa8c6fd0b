#ifndef HARNESS_REPORT_PLOTS_GNUPLOT_H
#define HARNESS_REPORT_PLOTS_GNUPLOT_H

/* gnuplot as a child process that is asked for one picture after the other. It is started without a shell and without
 * anybody's settings, writes numbers with a point wherever it runs, and can hang, fail or talk nonsense: every wait is
 * bounded. */

#include "harness/base/error.h"

#include <stdbool.h>

struct gnuplot;

/* The one that PATH has, for so many seconds in all. STATUS_UNSUPPORTED: there is none. */
struct gnuplot *gnuplot_start(double seconds, struct error *err);

/* What the script draws, as gnuplot wrote it, to be freed. The script is ASCII and sets terminal and output to nothing:
 * both are set here. After a failure gnuplot is dead, and every further call fails. */
char *gnuplot_draw(struct gnuplot *gnuplot, unsigned width, unsigned height, const char *script, struct error *err);

void gnuplot_end(struct gnuplot *gnuplot);

#endif
