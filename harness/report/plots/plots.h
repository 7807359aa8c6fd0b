#ifndef HARNESS_REPORT_PLOTS_PLOTS_H
#define HARNESS_REPORT_PLOTS_PLOTS_H

/* One kind of picture for each file. Each function adds its pictures: none, one, or one for each run, device or curve,
 * up to a limit. */

#include "harness/base/text.h"
#include "harness/journal/results.h"
#include "harness/report/plots/drawing.h"

void plot_speedups(struct drawings *out, const struct results *results);
void plot_parts(struct drawings *out, const struct results *results);
void plot_rooflines(struct drawings *out, const struct results *results);
void plot_sweeps(struct drawings *out, const struct results *results);
void plot_drift(struct drawings *out, const struct results *results);

/* "2048", "40M": the first number of a shape, as a short name beside a mark; "" if it has none. */
void plot_size_name(char to[TEXT_NUMBER], const char *shape);

#endif
