#include "harness/report/plots/drawing.h"

#include "harness/base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Okabe and Ito's colours, which people of every kind of colour vision tell apart, in an order in which neighbours
 * differ in lightness as well. */
const struct look looks[LOOKS] = {
    { "#0072b2", 7, 6, "solid" },        { "#d55e00", 5, 4, "(12,5)" },   { "#009e73", 9, 8, "(3,4)" },
    { "#cc79a7", 13, 12, "(12,4,3,4)" }, { "#e69f00", 11, 10, "(20,5)" }, { "#56b4e9", 15, 14, "(6,6)" },
};

struct drawing *drawing_add(struct drawings *drawings, unsigned height, const char *name_format, ...)
{
    va_list arguments;
    struct drawing *drawing = &drawings->drawing[drawings->count];
    drawings->left_out += drawings->count == DRAWINGS_MAX;
    if (drawings->count == DRAWINGS_MAX || drawings->pool.is_short)
        return NULL;
    *drawing = (struct drawing){ .height = height, .pool = &drawings->pool, .title = "", .caption = "" };
    drawing->x = drawing->y = (struct axis){ .from = NAN, .to = NAN };
    drawing->script = open_memstream(&drawing->written, &drawing->bytes);
    if (!drawing->script) {
        drawings->pool.is_short = true;
        return NULL;
    }
    va_start(arguments, name_format);
    vsnprintf(drawing->name, sizeof drawing->name, name_format, arguments);
    va_end(arguments);
    drawings->count++;
    return drawing;
}

void drawings_release(struct drawings *drawings)
{
    for (unsigned i = 0; i < drawings->count; i++) {
        fclose(drawings->drawing[i].script);
        free(drawings->drawing[i].written);
    }
    pool_release(&drawings->pool);
    drawings->count = 0;
}

enum { LONGEST = 256 }; /* bytes of a text */

/* The number of bytes of the character that begins there, and how wide it is in heights of a letter: letters of the
 * Latin, Greek and Cyrillic scripts are about half as wide as high, ideographs as wide. */
static size_t character(const char *at, double *width)
{
    size_t bytes = 1;
    while (((unsigned char)at[bytes] & 0xc0) == 0x80)
        bytes++;
    *width = strchr("il.,:;|'!()[] ", *at) ? 0.36 : bytes >= 3 ? 1 : *at >= 'A' && *at <= 'Z' ? 0.72 : 0.59;
    return bytes;
}

double drawing_width(const char *text)
{
    double width, sum = 0;
    for (const char *at = text; *at; at += character(at, &width), sum += width)
        width = 0;
    return sum * DRAWING_TEXT;
}

const char *drawing_text(struct drawing *drawing, const char *text)
{
    char shown[LONGEST];
    const char **more = pool_grow(drawing->pool, drawing->text, drawing->texts, &drawing->room, sizeof *more);
    drawing->text = more;
    if (drawing->pool->is_short)
        return "";
    text_clean(shown, sizeof shown, text);
    drawing->text[drawing->texts] = pool_copy(drawing->pool, shown);
    return pool_print(drawing->pool, "QT%uQ", drawing->texts++);
}

const char *drawing_cut(struct drawing *drawing, const char *text, double pixels)
{
    static const char more[] = "\u2026";
    char shown[LONGEST];
    double width, sum = DRAWING_TEXT;
    size_t used = 0;
    text_clean(shown, sizeof shown - sizeof more, text);
    bool is_cut = drawing_width(shown) > pixels || strlen(text) > strlen(shown) + 8;
    while (is_cut && shown[used]) {
        size_t bytes = character(&shown[used], &width);
        sum += width * DRAWING_TEXT;
        if (sum > pixels)
            break;
        used += bytes;
    }
    if (is_cut)
        strcpy(&shown[used], more);
    return pool_copy(drawing->pool, shown);
}

void drawing_axes(struct drawing *drawing)
{
    const struct axis *x = &drawing->x, *y = &drawing->y;
    fprintf(drawing->script, "set lmargin at screen %.6g\nset rmargin at screen %.6g\n", x->start / DRAWING_WIDTH,
            (x->start + x->length) / DRAWING_WIDTH);
    fprintf(drawing->script, "set bmargin at screen %.6g\nset tmargin at screen %.6g\n", y->start / drawing->height,
            (y->start + y->length) / drawing->height);
    fprintf(drawing->script, "set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\n", x->from, x->to, y->from, y->to);
    fprintf(drawing->script, "%s%sunset key\nset border 3 lw 0.8\nset tics nomirror scale 0.6\n",
            x->is_log ? "set logscale x\n" : "", y->is_log ? "set logscale y\n" : "");
    fputs("set grid back lt 1 lc rgb \"#dd000000\" lw 0.8\nset errorbars 0\n", drawing->script);
}

void drawing_turned_label(struct drawing *drawing, double x, double y, enum anchor anchor, double degrees,
                          const char *colour, const char *text)
{
    static const char *const anchors[] = { "left", "center", "right" };
    fprintf(drawing->script, "set label \"%s\" at screen %.6g, screen %.6g %s rotate by %.4g front tc rgb \"%s\"\n",
            drawing_text(drawing, text), x / DRAWING_WIDTH, y / drawing->height, anchors[anchor], degrees, colour);
}

void drawing_label(struct drawing *drawing, double x, double y, enum anchor anchor, const char *colour,
                   const char *text)
{
    drawing_turned_label(drawing, x, y, anchor, 0, colour, text);
}

void drawing_mark(struct drawing *drawing, double x, double y, unsigned marker, const char *colour)
{
    fprintf(drawing->script, "set label \"\" at screen %.6g, screen %.6g point pt %u ps 0.75 lc rgb \"%s\" front\n",
            x / DRAWING_WIDTH, y / drawing->height, marker, colour);
}
