#ifndef HARNESS_REPORT_PLOTS_ROWS_H
#define HARNESS_REPORT_PLOTS_ROWS_H

/* Pictures with a row for each cell, grouped by problem. */

#include "harness/analysis/cell_metrics.h"
#include "harness/report/plots/plots.h"

enum { ROWS_MAX = 40 };

struct plot_row {
    const char *problem; /* "multiply f32, n = 40,000,000" in its first row; NULL in the others */
    const char *label;   /* "A opencl:0 portable, mapped" */
    struct cell_metrics metrics;
    double y; /* pixels from below */
};

struct plot_rows {
    struct plot_row row[ROWS_MAX];
    unsigned rows;
    bool only_best;    /* of each device and problem, because there are too many */
    bool is_full;      /* there are still too many */
    unsigned problems; /* problems with all of their rows */
    unsigned all;      /* problems that may have rows, in all runs */
    unsigned height;   /* pixels of all rows */
};

/* Which cells have a row, and a score: if there are too many, only the best of each device and problem are shown, and
 * of these the first. Sweeps have their own pictures. */
struct plot_filter {
    bool (*may_have_row)(const struct cell_record *cell); /* checked first, as metrics take long to compute */
    bool (*has_row)(const struct cell_metrics *metrics);
    double (*score)(const struct cell_metrics *metrics);
};
void plot_rows(struct plot_rows *out, const struct results *results, const struct plot_filter *filter,
               struct pool *pool);

/* The grid at the ticks of x, and a line at a value. They do not cross the names of problems. */
void plot_rows_grid(const struct plot_rows *rows, struct drawing *drawing);
void plot_rows_rule(const struct plot_rows *rows, struct drawing *drawing, double value);

/* Sets the positions of the rows above `bottom`, and writes their names to the left of x. */
void plot_rows_place(struct plot_rows *rows, struct drawing *drawing, double bottom, double x);

/* The sentence of the caption on rows that are not shown; "" if all are. */
const char *plot_rows_left_out(const struct plot_rows *rows, struct pool *pool);

#endif
