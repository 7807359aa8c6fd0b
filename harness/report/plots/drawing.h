#ifndef HARNESS_REPORT_PLOTS_DRAWING_H
#define HARNESS_REPORT_PLOTS_DRAWING_H

/* A picture in preparation: a script for gnuplot, and texts that are inserted into gnuplot's output. The script has
 * placeholders for them, so no text reaches gnuplot, and all are escaped in one place. */

#include "harness/base/pool.h"
#include "harness/base/text.h"
#include "harness/report/plots/plot.h"

enum { DRAWING_WIDTH = 760, DRAWING_TEXT = 12 }; /* pixels; also the height of letters */

/* An axis: values `from` to `to` at pixels `start` to `start + length` from the left or the bottom. */
struct axis {
    double from, to;
    bool is_log;
    double start, length;
};

enum { TICKS_MAX = 32 };

struct drawing {
    char name[48];
    const char *title, *caption;
    unsigned height;
    struct axis x, y;
    double tick[TICKS_MAX]; /* of the x axis, once they are set */
    unsigned ticks;
    struct string_builder script;
    const char **text; /* by number */
    unsigned texts, room;
    struct pool *pool; /* shared by all drawings */
};

enum { DRAWINGS_MAX = 24 };
struct drawings {
    struct drawing drawing[DRAWINGS_MAX];
    unsigned count;
    unsigned left_out; /* more than DRAWINGS_MAX */
    struct pool pool;
};

/* NULL if there are too many, or memory is short. */
struct drawing *drawing_add(struct drawings *drawings, unsigned height, const char *name_format, ...)
    __attribute__((format(printf, 3, 4)));

/* The placeholder of a text for the script: ASCII letters and digits. */
const char *drawing_text(struct drawing *drawing, const char *text);

/* The cleaned text, shortened to that many pixels. */
const char *drawing_shorten(struct drawing *drawing, const char *text, double pixels);

/* The approximate width in pixels. */
double drawing_width(const char *text);

/* Writes the position and range of both axes. To be called once they are final. */
void drawing_axes(struct drawing *drawing);

/* The position of a value in pixels. */
double axis_at(const struct axis *axis, double value);

/* Extends an axis to include the value; from and to begin as NAN. Values that are not finite, or not positive on a
 * logarithmic axis, are ignored. */
void axis_include(struct axis *axis, double value);

/* Adds a margin at both ends: a share of its length. */
void axis_widen(struct axis *axis, double share);

/* Moves positions apart until neighbours have a distance of `gap`, in the same order and between `least` and `most` if
 * possible. Positions after the first SPACE_OUT_MAX are not moved. */
enum { SPACE_OUT_MAX = 64 };
void space_out(double at[], unsigned count, double gap, double least, double most);

/* Adds a few ticks at round values of an axis: 'x' or 'y'. `write` formats a value. */
typedef void value_writer(char to[], size_t room, double value);
void drawing_ticks(struct drawing *drawing, char which, value_writer *write);
void write_plain(char to[], size_t room, double value);   /* "0.5", "20,000" */
void write_times(char to[], size_t room, double value);   /* "0.5" with a multiplication sign */
void write_percent(char to[], size_t room, double value); /* "50 %" */
void write_count(char to[], size_t room, double value);   /* "10k", "40M" */

/* A text at a position in pixels. */
#define INK  "#000000" /* replaced by the text colour of the page */
#define GREY "#767676" /* for less important text; the same contrast on white and on black */
enum anchor { ANCHOR_LEFT, ANCHOR_CENTER, ANCHOR_RIGHT };
void drawing_label(struct drawing *drawing, double x, double y, enum anchor anchor, const char *colour,
                   const char *text);
/* The same, rotated by `degrees` around that position. */
void drawing_turned_label(struct drawing *drawing, double x, double y, enum anchor anchor, double degrees,
                          const char *colour, const char *text);

/* A single marker at a position, as in a legend. */
void drawing_mark(struct drawing *drawing, double x, double y, unsigned marker, const char *colour);

/* Colours and markers of series, which differ in black and white too. */
enum { STYLES = 6 };
struct style {
    const char *colour;    /* "#0072b2" */
    unsigned full, hollow; /* gnuplot's numbers for markers */
    const char *dash;      /* gnuplot's pattern for lines */
};
extern const struct style styles[STYLES];

/* The final SVG, made of gnuplot's output; to be freed. NULL when memory is short, or the output is not a picture. */
char *drawing_finish_svg(const struct drawing *drawing, const char *drawn, struct error *err);

#endif
