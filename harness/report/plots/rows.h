#ifndef HARNESS_REPORT_PLOTS_ROWS_H
#define HARNESS_REPORT_PLOTS_ROWS_H

/* Pictures that have a row for each cell, those of a problem together below its name. */

#include "harness/analysis/cell_metrics.h"
#include "harness/report/plots/plots.h"

enum { ROWS_MAX = 40 };

struct plot_row {
    const char *problem; /* "multiply f32, n = 40,000,000" where its first row is; NULL in the others */
    const char *label;   /* "A opencl:0 portable, mapped" */
    struct cell_metrics metrics;
    double y; /* pixels from below */
};

struct plot_rows {
    struct plot_row row[ROWS_MAX];
    unsigned rows;
    bool only_best;    /* of each device and problem, as there are too many */
    bool is_full;      /* there are too many all the same */
    unsigned problems; /* whose rows are all here */
    unsigned all;      /* that may have rows, of all runs */
    unsigned height;   /* pixels that all rows take */
};

/* What a row of a kind needs, and how good one is, the more the better: where there are too many, the best of each
 * device and problem are shown, and the first of these. Sweeps have a picture of their own. */
struct plot_filter {
    bool (*may_have_row)(const struct cell_record *cell); /* looked at first, as facts take long to work out */
    bool (*has_row)(const struct cell_metrics *metrics);
    double (*score)(const struct cell_metrics *metrics);
};
void plot_rows(struct plot_rows *out, const struct results *results, const struct plot_filter *filter,
               struct pool *pool);

/* The grid at the ticks of x, and a line at a value, across the rows and not through the names of the problems. */
void plot_rows_grid(const struct plot_rows *rows, struct drawing *drawing);
void plot_rows_rule(const struct plot_rows *rows, struct drawing *drawing, double value);

/* Places the rows so that the lowest stands above `bottom`, and writes their names, the rows' to the left of x. */
void plot_rows_place(struct plot_rows *rows, struct drawing *drawing, double bottom, double x);

/* What the caption says of rows that are not shown; "" where all are. */
const char *plot_rows_left_out(const struct plot_rows *rows, struct pool *pool);

#endif
