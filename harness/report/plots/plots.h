#ifndef HARNESS_REPORT_PLOTS_PLOTS_H
#define HARNESS_REPORT_PLOTS_PLOTS_H

/* One kind of picture a file. Each adds what the results have for it to the drawings: nothing, one picture, or one for
 * each run, device or curve, few enough to be looked at. */

#include "harness/base/text.h"
#include "harness/journal/results.h"
#include "harness/report/plots/drawing.h"

void plot_speedups(struct drawings *out, const struct results *results);
void plot_parts(struct drawings *out, const struct results *results);
void plot_rooflines(struct drawings *out, const struct results *results);
void plot_sweeps(struct drawings *out, const struct results *results);
void plot_drift(struct drawings *out, const struct results *results);

/* "2048", "40M": the first figure of a shape, short enough for a name beside a mark; "" where it has none. */
void plot_size_name(char to[TEXT_NUMBER], const char *shape);

#endif
