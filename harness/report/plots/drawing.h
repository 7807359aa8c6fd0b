#ifndef HARNESS_REPORT_PLOTS_DRAWING_H
#define HARNESS_REPORT_PLOTS_DRAWING_H

/* A picture while it is drawn, as SVG, and its axes. Positions are pixels from the left and from the top. They are
 * rounded to tenths, so that every machine writes the same bytes. Everything that is drawn is also remembered as a box:
 * a label that would touch one can be left out or drawn elsewhere. */

#include "harness/report/plots/plot.h"

#include <stddef.h>
#include <stdio.h>

/* Values `from` to `to` at pixels `start` to `start + length`; the length of a y axis is negative. */
struct axis {
    double from, to;
    bool is_log;
    double start, length;
};

/* The position of a value. */
double axis_at(const struct axis *axis, double value);

/* Extends the axis to a value; NAN at both ends: it is empty. Values that are not finite, or not positive on a
 * logarithmic axis, are ignored. */
void axis_include(struct axis *axis, double value);

/* The same for a speed-up and its interval; one that is not positive has no mark, and is ignored. */
void axis_include_estimate(struct axis *axis, const struct estimate *estimate);

/* Adds a margin at both ends: a share of its length. */
void axis_widen(struct axis *axis, double share);

/* Text for a value. */
typedef void value_writer(char to[], size_t room, double value);
void write_plain(char to[], size_t room, double value); /* "0.5", "20,000" */
void write_times(char to[], size_t room, double value); /* "0.5" with a multiplication sign */
void write_count(char to[], size_t room, double value); /* "10k", "40M" */

/* Round values on the axis, as many as there is room for their texts. Returns how many. */
enum { TICKS_MAX = 24 };
unsigned axis_ticks(const struct axis *axis, value_writer *write, double tick[TICKS_MAX]);

enum { DRAWING_TEXT = 12, DRAWING_LINE = 17 }; /* pixels: height of letters, of a line of text */

struct drawing {
    FILE *out;
    struct pool *pool;
    double width, height; /* the function that draws sets the height */
    bool is_narrow;       /* for a phone; otherwise for a page */
    struct axis x, y;
    struct box *box;
    unsigned boxes, room;
};

/* Adds a picture, drawn twice: for a page and for a phone. Its name is unique. What is too much is counted. */
typedef void drawer(struct drawing *drawing, const void *data);
void drawing_add(struct pictures *out, const struct picture *head, drawer *draw, const void *data);

/* Colours and markers of series, which differ in black and white too. */
enum { STYLES = 6 };

/* Classes of lines: "axis", "grid"; and with a colour "c0" to "c5": "line", "thin", "dash", "dot". Of areas: "full",
 * "shade", "upload", "convert", "compute", "download". Of texts: "", "soft", "bold", "dark", "light". */
void drawing_line(struct drawing *drawing, double x1, double y1, double x2, double y2, unsigned style,
                  const char *class);
void drawing_rectangle(struct drawing *drawing, double x, double y, double width, double height, unsigned style,
                       const char *class);
void drawing_mark(struct drawing *drawing, double x, double y, unsigned style, bool is_full);

/* Small dots, of which there may be thousands. */
void drawing_dots(struct drawing *drawing, unsigned count, const double x[], const double y[], unsigned style);

/* A text, cleaned and escaped; y is its middle. */
enum anchor { ANCHOR_LEFT, ANCHOR_CENTER, ANCHOR_RIGHT };
void drawing_label(struct drawing *drawing, double x, double y, enum anchor anchor, const char *class,
                   const char *text);
/* The same where it touches nothing and is within the axes; otherwise it draws nothing and returns false. */
bool drawing_try_label(struct drawing *drawing, double x, double y, enum anchor anchor, const char *class,
                       const char *text);
/* The same beside a mark there, on any side. */
bool drawing_name(struct drawing *drawing, double x, double y, const char *text);

/* The text's width in pixels, in the widest of the usual fonts; and the cleaned text, shortened to a width. */
double drawing_width(const char *text);
const char *drawing_shorten(struct drawing *drawing, const char *text, double pixels);

/* An entry of the legend: a mark of a style, or a small area of a class; and its name. */
struct legend {
    const char *name, *class; /* class: NULL for a mark */
    unsigned style;
    bool is_hollow;
};
/* Draws the entries side by side, in as many lines as they take from x on, the first at y. Returns the y below. */
double drawing_legend(struct drawing *drawing, double x, double y, const struct legend legend[], unsigned count);

/* Draws the axis with its grid, ticks at round values, and its title: that of x below it, that of y above it. */
void drawing_x_axis(struct drawing *drawing, value_writer *write, const char *title);
void drawing_y_axis(struct drawing *drawing, value_writer *write, const char *title);

#endif
