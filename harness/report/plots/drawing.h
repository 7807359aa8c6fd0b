#ifndef HARNESS_REPORT_PLOTS_DRAWING_H
#define HARNESS_REPORT_PLOTS_DRAWING_H

/* A picture on its way: a script for gnuplot, and texts that are put into what it drew. The script names them by their
 * numbers, so that none of them can mean anything to gnuplot, and they are escaped in one place. */

#include "harness/base/pool.h"
#include "harness/base/text.h"
#include "harness/report/plots/plot.h"

enum { DRAWING_WIDTH = 760, DRAWING_TEXT = 12 }; /* pixels; the height of letters, too */

/* A stretch of the picture, in pixels from its left or its bottom, that shows values. */
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
    double tick[TICKS_MAX]; /* of the axis of x, once they are set */
    unsigned ticks;
    struct string_builder script;
    const char **text; /* by number */
    unsigned texts, room;
    struct pool *pool; /* of all drawings */
};

enum { DRAWINGS_MAX = 24 };
struct drawings {
    struct drawing drawing[DRAWINGS_MAX];
    unsigned count;
    unsigned left_out; /* that there was no room for */
    struct pool pool;
};

/* NULL where there are enough of them, or memory is short. */
struct drawing *drawing_add(struct drawings *drawings, unsigned height, const char *name_format, ...)
    __attribute__((format(printf, 3, 4)));

/* What the script says in the place of a text: ASCII letters and digits. */
const char *drawing_text(struct drawing *drawing, const char *text);

/* The text, made clean, or as much of its beginning as that many pixels have room for. */
const char *drawing_shorten(struct drawing *drawing, const char *text, double pixels);

/* About how wide it will be. */
double drawing_width(const char *text);

/* Writes both axes' place and range. To be called once they are final. */
void drawing_axes(struct drawing *drawing);

/* Where a value comes to lie, in pixels. */
double axis_at(const struct axis *axis, double value);

/* Widens an axis to hold the value; from and to begin as NAN. What is not finite, or cannot be on the axis, is left
 * out. */
void axis_include(struct axis *axis, double value);

/* Some room beyond what it holds: a share of its length at both ends. */
void axis_widen(struct axis *axis, double share);

/* Moves places on a line apart until neighbours are `gap` from each other, in the same order and from `least` to `most`
 * if there is room enough. Of more than so many the others stay where they are. */
enum { SPACE_OUT_MAX = 64 };
void space_out(double at[], unsigned count, double gap, double least, double most);

/* Marks round values, few of them, along an axis: 'x' or 'y'. How a value is written is said by `write`. */
typedef void value_writer(char to[], size_t room, double value);
void drawing_ticks(struct drawing *drawing, char which, value_writer *write);
void write_plain(char to[], size_t room, double value);   /* "0.5", "20,000" */
void write_times(char to[], size_t room, double value);   /* "0.5x" with a sign for times */
void write_percent(char to[], size_t room, double value); /* "50 %" */
void write_count(char to[], size_t room, double value);   /* "10k", "40M" */

/* A text at a place in pixels. */
#define INK  "#000000" /* becomes the colour of the page's own text */
#define GREY "#767676" /* of what matters less; as easy to read on white as on black */
enum anchor { ANCHOR_LEFT, ANCHOR_CENTER, ANCHOR_RIGHT };
void drawing_label(struct drawing *drawing, double x, double y, enum anchor anchor, const char *colour,
                   const char *text);
/* The same, turned by so many degrees around that place. */
void drawing_turned_label(struct drawing *drawing, double x, double y, enum anchor anchor, double degrees,
                          const char *colour, const char *text);

/* A mark at such a place: by itself, as in a legend. */
void drawing_mark(struct drawing *drawing, double x, double y, unsigned marker, const char *colour);

/* Colours and markers of what is told apart, at most so many: to be told apart in black and white, too. */
enum { STYLES = 6 };
struct style {
    const char *colour;    /* "#0072b2" */
    unsigned full, hollow; /* gnuplot's numbers of the marker */
    const char *dash;      /* gnuplot's pattern of the line */
};
extern const struct style styles[STYLES];

/* The SVG that a picture is, of what gnuplot drew by the script; to be freed. NULL when memory is short, or what it
 * drew is not what a picture can be made of. */
char *drawing_finish_svg(const struct drawing *drawing, const char *drawn, struct error *err);

#endif
