#ifndef HARNESS_REPORT_PLOTS_DRAWING_H
#define HARNESS_REPORT_PLOTS_DRAWING_H

/* A picture while it is drawn, as SVG, and its axes. Positions are pixels from the left and from the top. They are
 * rounded to tenths, so that every machine writes the same bytes. */

#include "harness/base/text.h"
#include "harness/report/plots/plot.h"

/* A logarithmic axis: values `from` to `to` at pixels `start` to `start + length`; the length of a y axis is
 * negative. */
struct axis {
    double from, to;
    double start, length;
};

/* The position of a value. */
double axis_at(const struct axis *axis, double value);

/* Extends the axis to a value; NAN at both ends: it is empty. Values that are not positive or not finite are ignored.
 */
void axis_include(struct axis *axis, double value);

/* The same for a speed-up and its interval, divided. */
void axis_include_estimate(struct axis *axis, const struct estimate *estimate, double by);

/* Adds a margin at both ends: a share of its length. */
void axis_widen(struct axis *axis, double share);

/* Round values on the axis, as many as there is room for their texts. Returns how many. */
enum { TICKS_MAX = 24 };
unsigned axis_ticks(const struct axis *axis, double tick[TICKS_MAX]);

/* Pixels: the widths of a picture on a phone and on a wide page; the height of letters, and of a line of text. */
enum { DRAWING_NARROW = 380, DRAWING_WIDE = 800, DRAWING_TEXT = 12, DRAWING_LINE = 17 };

/* The style sheet, as the build embeds it. */
extern const char drawing_style[];

struct drawing {
    struct string_builder body;
    struct pool *pool;
    double width;  /* DRAWING_NARROW or DRAWING_WIDE */
    double height; /* the function that draws sets it */
    struct axis x, y;
};

/* Adds a picture, drawn at both widths. Its name is unique. */
typedef void drawer(struct drawing *drawing, const void *data);
void drawing_add(struct pictures *out, const struct picture *head, drawer *draw, const void *data);

/* Colours and markers of series, which differ in black and white too. */
enum { STYLES = 6 };

/* Classes of lines: "axis", "grid"; and with a colour "line". Of areas: "shade", "upload", "convert", "compute",
 * "download". Of texts: "", "soft", "bold", "dark". */
void drawing_line(struct drawing *drawing, double x1, double y1, double x2, double y2, unsigned style,
                  const char *class);
void drawing_rectangle(struct drawing *drawing, double x, double y, double width, double height, unsigned style,
                       const char *class);
void drawing_mark(struct drawing *drawing, double x, double y, unsigned style, bool is_full);

/* The mark of a speed-up with its interval: on the x axis at the height `at`, or on the y axis. Hollow without an
 * interval; nothing where it is not positive. */
void drawing_estimate(struct drawing *drawing, const struct estimate *estimate, bool is_on_y, double at,
                      unsigned style);

/* A text, cleaned and escaped; y is its middle. ANCHOR_BELOW: upwards from there. */
enum anchor { ANCHOR_LEFT, ANCHOR_CENTER, ANCHOR_RIGHT, ANCHOR_BELOW };
void drawing_label(struct drawing *drawing, double x, double y, enum anchor anchor, const char *class,
                   const char *text);

/* The text's width in pixels, in the widest of the usual fonts; and the cleaned text, shortened to a width. */
double drawing_width(const char *text);
const char *drawing_shorten(struct drawing *drawing, const char *text, double pixels);

/* An entry of the legend: a mark of a style, or a small area of a class; and its name. */
struct legend {
    const char *name, *class; /* class: NULL for a mark */
    unsigned style;
    bool is_hollow;
};
/* Draws the entries side by side, in as many lines as they take, at the top. Returns the y below. */
double drawing_legend(struct drawing *drawing, const struct legend legend[], unsigned count);

/* Draws the axes with their grid, ticks at round values such as "20k", those of x with a sign behind each, and titles:
 * that of x below it, that of y above it. y_title NULL: an x axis only. */
void drawing_axes(struct drawing *drawing, const char *x_sign, const char *x_title, const char *y_title);

/* Estimates on one logarithmic axis: a row for each, below the heading of its group, with a figure at the right for
 * each use. Or its visits, as multiples of it. */
struct estimate_row {
    const char *heading, *name;  /* heading: NULL where its group goes on */
    struct estimate value[USES]; /* without a mark where it is not positive */
    const char *figure[USES];    /* NULL: none */
    const double *visit[USES];
    unsigned visits[USES];
};
struct estimates {
    struct estimate_row *row;
    unsigned rows;
    double least; /* the axis goes at least from 1 / least to least */
    const char *axis;
    bool by_visit;
};
drawer draw_estimates; /* of a struct estimates */

/* The pictures of one run: each function adds none, one, or one for each element type or curve, up to a limit. */
void plot_times(struct pictures *out, const struct answer_set *set);
void plot_speedups(struct pictures *out, const struct answer_set *set);
void plot_rooflines(struct pictures *out, const struct answer_set *set);
void plot_sweeps(struct pictures *out, const struct answer_set *set);

#endif
