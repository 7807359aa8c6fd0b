#include "harness/report/plots/drawing.h"

#include "harness/base/text.h"
#include "harness/base/xml.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* The colours of Okabe and Ito, which people with any kind of colour vision can distinguish. Neighbours differ in
 * lightness too. */
const struct style styles[STYLES] = {
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
    drawing->script.pool = drawing->pool;
    va_start(arguments, name_format);
    vsnprintf(drawing->name, sizeof drawing->name, name_format, arguments);
    va_end(arguments);
    drawings->count++;
    return drawing;
}

enum { LONGEST = 256 }; /* bytes of a text */

/* The bytes of the character there, and its width in units of its height: Latin, Greek and Cyrillic letters are about
 * half as wide as high, ideographs as wide. */
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

const char *drawing_shorten(struct drawing *drawing, const char *text, double pixels)
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
    string_append(&drawing->script, "set lmargin at screen %.6g\nset rmargin at screen %.6g\n",
                  x->start / DRAWING_WIDTH, (x->start + x->length) / DRAWING_WIDTH);
    string_append(&drawing->script, "set bmargin at screen %.6g\nset tmargin at screen %.6g\n",
                  y->start / drawing->height, (y->start + y->length) / drawing->height);
    string_append(&drawing->script, "set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\n", x->from, x->to, y->from, y->to);
    string_append(&drawing->script, "%s%sunset key\nset border 3 lw 0.8\nset tics nomirror scale 0.6\n",
                  x->is_log ? "set logscale x\n" : "", y->is_log ? "set logscale y\n" : "");
    string_append(&drawing->script, "set grid back lt 1 lc rgb \"#dd000000\" lw 0.8\nset errorbars 0\n");
}

void drawing_turned_label(struct drawing *drawing, double x, double y, enum anchor anchor, double degrees,
                          const char *colour, const char *text)
{
    static const char *const anchors[] = { "left", "center", "right" };
    string_append(
        &drawing->script, "set label \"%s\" at screen %.6g, screen %.6g %s rotate by %.4g front tc rgb \"%s\"\n",
        drawing_text(drawing, text), x / DRAWING_WIDTH, y / drawing->height, anchors[anchor], degrees, colour);
}

void drawing_label(struct drawing *drawing, double x, double y, enum anchor anchor, const char *colour,
                   const char *text)
{
    drawing_turned_label(drawing, x, y, anchor, 0, colour, text);
}

void drawing_mark(struct drawing *drawing, double x, double y, unsigned marker, const char *colour)
{
    string_append(&drawing->script,
                  "set label \"\" at screen %.6g, screen %.6g point pt %u ps 0.75 lc rgb \"%s\" front\n",
                  x / DRAWING_WIDTH, y / drawing->height, marker, colour);
}

double axis_at(const struct axis *axis, double value)
{
    double share = axis->is_log ? log(value / axis->from) / log(axis->to / axis->from)
                                : (value - axis->from) / (axis->to - axis->from);
    return axis->start + share * axis->length;
}

void axis_include(struct axis *axis, double value)
{
    static const double most = 1e15; /* within gnuplot's range, and no machine gets there */
    if (!(fabs(value) < most) || (axis->is_log && !(value > 1 / most)))
        return;
    axis->from = fmin(axis->from, value); /* fmin ignores NAN */
    axis->to = fmax(axis->to, value);
}

void axis_widen(struct axis *axis, double share)
{
    if (axis->is_log) {
        double factor = pow(axis->to / axis->from, share);
        axis->from /= factor;
        axis->to *= factor;
        return;
    }
    double room = (axis->to - axis->from) * share;
    axis->from -= room;
    axis->to += room;
}

void space_out(double at[], unsigned count, double gap, double least, double most)
{
    unsigned order[SPACE_OUT_MAX], used = count < SPACE_OUT_MAX ? count : SPACE_OUT_MAX;
    for (unsigned i = 0; i < used; i++) {
        unsigned place = i;
        for (; place > 0 && at[order[place - 1]] > at[i]; place--)
            order[place] = order[place - 1];
        order[place] = i;
    }
    for (unsigned i = 0; i < used; i++)
        at[order[i]] = fmax(at[order[i]], i > 0 ? at[order[i - 1]] + gap : least);
    for (unsigned i = used; i-- > 0;)
        at[order[i]] = fmin(at[order[i]], i + 1 < used ? at[order[i + 1]] - gap : most);
}

/* The ticks within a decade, by the number of decades. */
static const struct {
    double least; /* of decades on the axis */
    double mantissa[8];
} densities[] = {
    { 2.4, { 1, 0 } },
    { 1.2, { 1, 3, 0 } },
    { 0.5, { 1, 2, 5, 0 } },
    { 0, { 1, 1.5, 2, 3, 5, 7, 0 } },
};
enum { DENSITIES = sizeof densities / sizeof *densities, TICKS_MIN = 3 };

static void put_tick(struct drawing *drawing, const struct axis *axis, value_writer *write, double value,
                     unsigned *count)
{
    char text[32];
    value += 0; /* -0 becomes 0 */
    double slack = axis->is_log ? axis->from * 1e-9 : (axis->to - axis->from) * 1e-9;
    if (value < axis->from - slack || value > axis->to * (1 + 1e-9) + (axis->is_log ? 0 : slack))
        return;
    write(text, sizeof text, value);
    if (axis == &drawing->x && drawing->ticks < TICKS_MAX)
        drawing->tick[drawing->ticks++] = value;
    string_append(&drawing->script, "%s\"%s\" %.9g", (*count)++ > 0 ? ", " : "", drawing_text(drawing, text), value);
}

static void even_ticks(struct drawing *drawing, const struct axis *axis, value_writer *write, unsigned *count)
{
    double rough = (axis->to - axis->from) / 5, decade = pow(10, floor(log10(rough)));
    double step = rough / decade > 5   ? 10 * decade
                  : rough / decade > 2 ? 5 * decade
                  : rough / decade > 1 ? 2 * decade
                                       : decade;
    for (double at = ceil(axis->from / step - 1e-9); at * step <= axis->to + step * 1e-9 && *count < 20; at++)
        put_tick(drawing, axis, write, at * step, count);
}

/* How many ticks there would be: one besides 1 does not show the scale. */
static unsigned ticks_within(const struct axis *axis, const double mantissa[], double every)
{
    unsigned count = 0;
    for (double at = every * floor(log10(axis->from) / every); at <= log10(axis->to); at += every)
        for (unsigned i = 0; mantissa[i] > 0; i++)
            count += mantissa[i] * pow(10, at) >= axis->from && mantissa[i] * pow(10, at) <= axis->to;
    return count;
}

static void log_ticks(struct drawing *drawing, const struct axis *axis, value_writer *write, unsigned *count)
{
    double decades = log10(axis->to / axis->from);
    double every = fmax(1, ceil(decades / 8));
    unsigned density = 0;
    while (density + 2 < DENSITIES && decades < densities[density].least)
        density++;
    while (density + 1 < DENSITIES && ticks_within(axis, densities[density].mantissa, every) < TICKS_MIN)
        density++;
    const double *mantissa = densities[density].mantissa;
    for (double at = every * floor(log10(axis->from) / every); at <= log10(axis->to); at += every)
        for (unsigned i = 0; mantissa[i] > 0; i++)
            put_tick(drawing, axis, write, mantissa[i] * pow(10, at), count);
}

void drawing_ticks(struct drawing *drawing, char which, value_writer *write)
{
    const struct axis *axis = which == 'x' ? &drawing->x : &drawing->y;
    unsigned count = 0;
    drawing->ticks = which == 'x' ? 0 : drawing->ticks;
    string_append(&drawing->script, "set %ctics (", which);
    if (axis->is_log && log10(axis->to / axis->from) > densities[2].least)
        log_ticks(drawing, axis, write, &count);
    else
        even_ticks(drawing, axis, write, &count);
    string_append(&drawing->script, ")\n");
}

void write_plain(char to[], size_t room, double value)
{
    if (fabs(value) >= 1e3 && fabs(value) < 1e6)
        snprintf(to, room, "%d,%03d", (int)(value / 1000 + 1e-9), (int)fmod(fabs(value) + 1e-6, 1000));
    else
        snprintf(to, room, "%.6g", fabs(value) < 1e-12 ? 0 : value);
}

void write_times(char to[], size_t room, double value)
{
    char plain[32];
    write_plain(plain, sizeof plain, value);
    snprintf(to, room, "%s\u00d7", plain);
}

void write_percent(char to[], size_t room, double value)
{
    snprintf(to, room, "%.6g %%", 100 * value);
}

void write_count(char to[], size_t room, double value)
{
    static const char *const suffix[] = { "", "k", "M", "G", "T" };
    unsigned power = 0;
    while (value >= 999.9999 && power < 4) {
        value /= 1000;
        power++;
    }
    snprintf(to, room, "%.6g%s", value, suffix[power]);
}

/* gnuplot writes a whole document in black without background, with the same ids in each. These are replaced. */
static const struct {
    const char *from, *to;
    bool then_name; /* followed by the name of the picture */
    const char *end;
} changes[] = {
    { "'black'", "'currentColor'", false, "" },
    { "\"black\"", "\"currentColor\"", false, "" },
    { "'rgb(  0,   0,   0)'", "'currentColor'", false, "" },
    { "\"rgb(  0,   0,   0)\"", "\"currentColor\"", false, "" },
    { "\"rgb(0,0,0)\"", "\"currentColor\"", false, "" },
    { "\"sans-serif:Bold\"", "\"sans-serif\" font-weight=\"bold\"", false, "" },
    { " id='gp", " id='", true, "-gp" },
    { " id=\"gnuplot_", " id=\"", true, "-" },
    { "'#gp", "'#", true, "-gp" },
};

/* Writes the text for a placeholder "QT12Q"; returns what follows it, NULL if there is no placeholder. */
static const char *put_text(const struct drawing *drawing, const char *at, FILE *out)
{
    char *end;
    if (strncmp(at, "QT", 2) != 0 || !isdigit((unsigned char)at[2]))
        return NULL;
    unsigned long number = strtoul(at + 2, &end, 10);
    if (*end != 'Q' || number >= drawing->texts)
        return NULL;
    xml_text(out, drawing->text[number], "");
    return end + 1;
}

static const char *put_change(const struct drawing *drawing, const char *at, FILE *out)
{
    for (unsigned i = 0; i < sizeof changes / sizeof *changes; i++) {
        size_t length = strlen(changes[i].from);
        if (strncmp(at, changes[i].from, length) != 0)
            continue;
        fprintf(out, "%s%s%s", changes[i].to, changes[i].then_name ? drawing->name : "", changes[i].end);
        return at + length;
    }
    return NULL;
}

/* Skips elements without effect: unused filters, titles that a browser would show as tooltips, empty groups. NULL if
 * there is none. */
static const char *skip(const char *at)
{
    static const char *const elements[][2] = { { "<filter", "</filter>" }, { "<title>", "</title>" } };
    for (unsigned i = 0; i < sizeof elements / sizeof *elements; i++) {
        const char *end = strncmp(at, elements[i][0], strlen(elements[i][0])) == 0 ? strstr(at, elements[i][1]) : NULL;
        if (end)
            return end + strlen(elements[i][1]);
    }
    if (strncmp(at, "<g ", 3) != 0)
        return NULL;
    const char *end = strchr(at, '>');
    return end && strncmp(end, ">\n</g>\n", 7) == 0 ? end + 7 : NULL;
}

static void put_head(const struct drawing *drawing, FILE *out)
{
    fprintf(out,
            "<svg class=\"picture\" xmlns=\"http://www.w3.org/2000/svg\" "
            "xmlns:xlink=\"http://www.w3.org/1999/xlink\" viewBox=\"0 0 %d %u\" width=\"%d\" height=\"%u\" "
            "color=\"#1f2328\" role=\"img\" aria-label=\"",
            DRAWING_WIDTH, drawing->height, DRAWING_WIDTH, drawing->height);
    xml_text(out, drawing->title, "");
    fputs(". ", out);
    xml_text(out, drawing->caption, "");
    fprintf(out, "\">\n<rect class=\"paper\" width=\"%d\" height=\"%u\" fill=\"#ffffff\"/>\n", DRAWING_WIDTH,
            drawing->height);
}

char *drawing_finish_svg(const struct drawing *drawing, const char *drawn, struct error *err)
{
    char *svg = NULL;
    size_t bytes;
    const char *begin = strstr(drawn, "<defs>"), *end = strstr(drawn, "</svg>");
    if (!begin || !end || end < begin || strstr(drawn, "<script") || strstr(end + 1, "<svg")) {
        fail(err, STATUS_FAILED, "gnuplot drew what is no picture");
        return NULL;
    }
    FILE *out = open_memstream(&svg, &bytes);
    if (!out) {
        fail(err, STATUS_NO_MEMORY, "no memory for a picture");
        return NULL;
    }
    put_head(drawing, out);
    fputs("<g>\n", out); /* the group that contains <defs> */
    for (const char *at = begin, *next; at < end; at = next) {
        if ((next = skip(at)) || (next = put_text(drawing, at, out)) || (next = put_change(drawing, at, out)))
            continue;
        fputc(*at, out);
        next = at + 1;
    }
    fputs("</svg>\n", out);
    if (fclose(out) == 0)
        return svg;
    free(svg);
    fail(err, STATUS_NO_MEMORY, "no memory for a picture of %zu bytes", bytes);
    return NULL;
}
