#ifndef HARNESS_REPORT_PLOTS_PLOTS_H
#define HARNESS_REPORT_PLOTS_PLOTS_H

/* One kind of picture for each file. Each function adds its pictures of one run: none, one, or one for each element
 * type or curve, up to a limit. */

#include "harness/analysis/answer.h"
#include "harness/report/plots/drawing.h"

void plot_times(struct pictures *out, const struct answer_set *set);
void plot_speedups(struct pictures *out, const struct answer_set *set);
void plot_rooflines(struct pictures *out, const struct answer_set *set);
void plot_sweeps(struct pictures *out, const struct answer_set *set);

#endif
