#ifndef HARNESS_REPORT_PLOTS_GNUPLOT_H
#define HARNESS_REPORT_PLOTS_GNUPLOT_H

/* gnuplot as a child process that draws one picture after the other. It is started without a shell and without user
 * settings, in a fixed locale. All waits are bounded, as gnuplot may hang or fail. */

#include "harness/base/error.h"

#include <stdbool.h>

struct gnuplot;

/* Starts the first gnuplot on PATH, with a timeout in seconds for all pictures. STATUS_UNSUPPORTED: there is none. */
struct gnuplot *gnuplot_start(double seconds, struct error *err);

/* gnuplot's output for a script, to be freed. The script is ASCII and does not set terminal or output, which are set
 * here. After a failure gnuplot has ended and every further call fails. */
char *gnuplot_draw(struct gnuplot *gnuplot, unsigned width, unsigned height, const char *script, struct error *err);

void gnuplot_end(struct gnuplot *gnuplot);

#endif
