#include "harness/report/plots/drawing.h"

#include "harness/base/text.h"
#include "harness/base/xml.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_WIDTH = 720, PHONE_WIDTH = 328, LONGEST = 256 }; /* pixels; bytes of a text */

/* The colours of Okabe and Ito, which people with any kind of colour vision can distinguish; lighter on a dark page.
 * Neighbours differ in lightness too. */
static const char sheet[] =
    ".picture text{font:12px system-ui,-apple-system,\"Segoe UI\",Roboto,\"Liberation Sans\",Arial,sans-serif;"
    "fill:#1d2126;paint-order:stroke;stroke:#fff;stroke-width:3px;stroke-linejoin:round}"
    ".picture .bold{font-weight:bold}.picture .soft{fill:#59616c}.picture .dark{fill:#1a1a1a;stroke:none}"
    ".picture .light{fill:#fff;stroke:none}.picture .paper{fill:#fff}"
    ".picture .axis{stroke:#59616c}.picture .grid{stroke:#e3e6ea}"
    ".picture .c0{color:#0072b2}.picture .c1{color:#c24f00}.picture .c2{color:#00805d}"
    ".picture .c3{color:#b0527f}.picture .c4{color:#9a6a00}.picture .c5{color:#2f7fae}"
    ".picture .full{fill:currentColor;stroke:currentColor}"
    ".picture .hollow{fill:none;stroke:currentColor;stroke-width:1.5}"
    ".picture .line{fill:none;stroke:currentColor;stroke-width:2}"
    ".picture .thin{fill:none;stroke:currentColor;stroke-width:1.2}"
    ".picture .dash{stroke:currentColor;stroke-width:1.2;stroke-dasharray:6 5}"
    ".picture .dot{stroke:currentColor;stroke-width:1.2;stroke-dasharray:1.5 4}"
    ".picture .dots{fill:none;stroke:currentColor;stroke-width:3.6;stroke-linecap:round}"
    ".picture .shade{fill:currentColor;opacity:.18}"
    ".picture .upload{fill:#0072b2}.picture .convert{fill:#cc79a7}.picture .compute{fill:#c9ced4}"
    ".picture .download{fill:#e69f00}"
    "@media screen and (prefers-color-scheme:dark){.picture text{fill:#e4e7eb;stroke:#1b1f24}.picture "
    ".soft{fill:#a3abb6}"
    ".picture .dark{fill:#1a1a1a}.picture .light{fill:#fff}.picture .paper{fill:#1b1f24}"
    ".picture .axis{stroke:#a3abb6}.picture .grid{stroke:#333941}"
    ".picture .c0{color:#6cb6ff}.picture .c1{color:#ff9a5c}.picture .c2{color:#3ecf9f}"
    ".picture .c3{color:#f0a3cb}.picture .c4{color:#f2c14e}.picture .c5{color:#9fdcff}}";

/* The same area, centred on a mark's position. */
static const char *const marks[STYLES] = {
    "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "m-3.5-3.5h7v7h-7z",
    "m0-4.6l4.4 7.8h-8.8z",
    "m0-5l4.6 5l-4.6 5l-4.6-5z",
    "m0 4.6l4.4-7.8h-8.8z",
    "m-4.2-1.5h2.7v-2.7h3v2.7h2.7v3h-2.7v2.7h-3v-2.7h-2.7z",
};

struct box {
    double left, top, right, bottom;
};

static const char *draw_once(struct pool *pool, const struct picture *head, drawer *draw, const void *data,
                             bool is_narrow)
{
    char *body = NULL, *escaped = NULL;
    size_t bytes;
    const char *svg = "";
    struct drawing drawing = { .pool = pool, .is_narrow = is_narrow, .width = is_narrow ? PHONE_WIDTH : PAGE_WIDTH };
    FILE *label = open_memstream(&escaped, &bytes);
    drawing.out = open_memstream(&body, &bytes);
    pool->is_short |= !drawing.out || !label;
    if (drawing.out && label) {
        xml_text(label, head->title);
        fputs(". ", label);
        xml_text(label, head->caption);
        draw(&drawing, data);
    }
    pool->is_short |= drawing.out && fclose(drawing.out) != 0;
    pool->is_short |= label && fclose(label) != 0;
    unsigned width = (unsigned)drawing.width, height = (unsigned)ceil(drawing.height);
    if (!pool->is_short)
        svg = pool_print(pool,
                         "<svg class=\"picture %s\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %u %u\" "
                         "width=\"%u\" height=\"%u\" role=\"img\" aria-label=\"%s\">\n<style>%s</style>\n"
                         "<rect class=\"paper\" width=\"%u\" height=\"%u\"/>\n%s</svg>\n",
                         is_narrow ? "narrow" : "wide", width, height, width, height, escaped, sheet, width, height,
                         body);
    free(body);
    free(escaped);
    return svg;
}

void drawing_add(struct pictures *out, const struct picture *head, drawer *draw, const void *data)
{
    out->left_out += out->count == PICTURES_MAX;
    if (out->count == PICTURES_MAX || out->pool.is_short)
        return;
    struct picture *picture = &out->picture[out->count++];
    *picture = *head;
    picture->svg = draw_once(&out->pool, head, draw, data, false);
    picture->narrow = draw_once(&out->pool, head, draw, data, true);
}

/* Remembers that something was drawn there. */
static void occupy(struct drawing *drawing, double left, double top, double right, double bottom)
{
    drawing->box = pool_grow(drawing->pool, drawing->box, drawing->boxes, &drawing->room, sizeof *drawing->box);
    if (!drawing->pool->is_short)
        drawing->box[drawing->boxes++] = (struct box){ left, top, right, bottom };
}

void drawing_line(struct drawing *drawing, double x1, double y1, double x2, double y2, unsigned style,
                  const char *class)
{
    static const double step = 5; /* pixels; axes, grids and broken lines may pass behind a label */
    xml_print(drawing->out, "<path d=\"M%f %fL%f %f\" class=\"c%u %s\"/>\n", x1, y1, x2, y2, style, class);
    if (strcmp(class, "line") != 0 && strcmp(class, "thin") != 0)
        return;
    /* hypot would be the only function here that asks for a glibc of 2022. */
    const double length = sqrt((x2 - x1) * (x2 - x1) + (y2 - y1) * (y2 - y1));
    unsigned steps = (unsigned)(fmin(length, 1e4) / step) + 1;
    for (unsigned i = 0; i <= steps; i++) {
        double x = x1 + (x2 - x1) * i / steps, y = y1 + (y2 - y1) * i / steps;
        occupy(drawing, x - 1, y - 1, x + 1, y + 1);
    }
}

void drawing_rectangle(struct drawing *drawing, double x, double y, double width, double height, unsigned style,
                       const char *class)
{
    xml_print(drawing->out, "<rect x=\"%f\" y=\"%f\" width=\"%f\" height=\"%f\" class=\"c%u %s\"/>\n", x, y, width,
              height, style, class);
}

void drawing_mark(struct drawing *drawing, double x, double y, unsigned style, bool is_full)
{
    xml_print(drawing->out, "<path d=\"M%f %f", x, y);
    fputs(marks[style], drawing->out);
    xml_print(drawing->out, "\" class=\"c%u %s\"/>\n", style, is_full ? "full" : "hollow");
    occupy(drawing, x - 5, y - 5, x + 5, y + 5);
}

void drawing_dots(struct drawing *drawing, unsigned count, const double x[], const double y[], unsigned style)
{
    xml_print(drawing->out, "<path d=\"");
    for (unsigned i = 0; i < count; i++)
        xml_print(drawing->out, "M%f %fh0", x[i], y[i]);
    xml_print(drawing->out, "\" class=\"c%u dots\"/>\n", style);
}

/* The bytes of the character there, and its width in units of its height, in DejaVu Sans: the widest usual font. */
static size_t character(const char *at, double *width)
{
    size_t bytes = 1;
    while (((unsigned char)at[bytes] & 0xc0) == 0x80)
        bytes++;
    *width = strchr("il.,:;|'!()[] jfIrt-/", *at) ? 0.42 : 0.645;
    if (strchr("mwMW%=+<>", *at) || bytes >= 2)
        *width = 1;
    else if (*at >= 'A' && *at <= 'Z' && *at != 'I')
        *width = 0.77;
    return bytes;
}

double drawing_width(const char *text)
{
    double width = 0, sum = 0;
    for (const char *at = text; *at; sum += width)
        at += character(at, &width);
    return sum * DRAWING_TEXT;
}

double axis_at(const struct axis *axis, double value)
{
    double share = axis->is_log ? log(value / axis->from) / log(axis->to / axis->from)
                                : (value - axis->from) / (axis->to - axis->from);
    return axis->start + share * axis->length;
}

void axis_include(struct axis *axis, double value)
{
    static const double most = 1e15; /* no machine gets there */
    if (!(fabs(value) < most) || (axis->is_log && !(value > 1 / most)))
        return;
    axis->from = fmin(axis->from, value); /* fmin ignores NAN */
    axis->to = fmax(axis->to, value);
}

void axis_include_estimate(struct axis *axis, const struct estimate *estimate)
{
    if (!(estimate->value > 0))
        return;
    axis_include(axis, estimate->value);
    axis_include(axis, estimate->low);
    axis_include(axis, estimate->high);
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

/* Adds a value that is on the axis. Returns false when there are too many. */
static bool add(const struct axis *axis, double value, double tick[], unsigned *count)
{
    double slack = axis->is_log ? axis->from * 1e-9 : (axis->to - axis->from) * 1e-9;
    if (value < axis->from - slack || value > axis->to + slack)
        return true;
    if (*count == TICKS_MAX)
        return false;
    tick[(*count)++] = value + 0; /* -0 becomes 0 */
    return true;
}

/* Powers of ten times a few values, for every so many decades. Returns the count, 0 if there are too many. */
static unsigned log_set(const struct axis *axis, const double mantissa[], double every, double tick[])
{
    unsigned count = 0;
    for (double at = every * floor(log10(axis->from) / every); at <= log10(axis->to); at += every)
        for (unsigned i = 0; mantissa[i] > 0; i++)
            if (!add(axis, mantissa[i] * pow(10, at), tick, &count))
                return 0;
    return count;
}

static unsigned even_set(const struct axis *axis, double step, double tick[])
{
    unsigned count = 0;
    for (double at = ceil(axis->from / step - 1e-9); at * step <= axis->to + step * 1e-9; at++)
        if (!add(axis, at * step, tick, &count))
            return 0;
    return count;
}

/* Whether the texts do not touch: side by side, or one above the other. */
static bool has_room(const struct axis *axis, value_writer *write, const double tick[], unsigned count)
{
    double before = 0;
    for (unsigned i = 0; i < count; i++) {
        char text[32];
        write(text, sizeof text, tick[i]);
        double size = axis->length > 0 ? drawing_width(text) + 6 : 2 * DRAWING_LINE;
        if (i > 0 && fabs(axis_at(axis, tick[i]) - axis_at(axis, tick[i - 1])) < (before + size) / 2)
            return false;
        before = size;
    }
    return count > 0;
}

unsigned axis_ticks(const struct axis *axis, value_writer *write, double tick[TICKS_MAX])
{
    static const double steps[] = { 1, 2, 5 };
    static const double mantissas[][8] = { { 1, 1.5, 2, 3, 5, 7, 0 }, { 1, 2, 5, 0 }, { 1, 3, 0 }, { 1, 0 } };
    static const double few_decades = 0.5;
    bool is_even = !axis->is_log || log10(axis->to / axis->from) < few_decades;
    double decade = pow(10, floor(log10((axis->to - axis->from) / 20)));
    for (unsigned i = 0; i < 12 && axis->to > axis->from; i++) {
        unsigned count = is_even ? even_set(axis, steps[i % 3] * decade * pow(10, i / 3), tick)
                                 : log_set(axis, mantissas[i < 3 ? i : 3], i < 3 ? 1 : i - 2, tick);
        if (has_room(axis, write, tick, count))
            return count;
    }
    return 0;
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

static struct box box_of(double x, double y, enum anchor anchor, const char *text)
{
    double width = drawing_width(text), left = x - width * anchor / 2;
    return (struct box){ left, y - DRAWING_TEXT / 2.0 - 1, left + width, y + DRAWING_TEXT / 2.0 + 1 };
}

void drawing_label(struct drawing *drawing, double x, double y, enum anchor anchor, const char *class, const char *text)
{
    static const char *const anchors[] = { "", " text-anchor=\"middle\"", " text-anchor=\"end\"" };
    char shown[LONGEST];
    text_clean(shown, sizeof shown, text);
    xml_print(drawing->out, "<text x=\"%f\" y=\"%f\"", x, y + 4);
    fputs(anchors[anchor], drawing->out);
    if (*class)
        xml_print(drawing->out, " class=\"%s\"", class);
    xml_print(drawing->out, ">%s</text>\n", shown);
    struct box box = box_of(x, y, anchor, shown);
    occupy(drawing, box.left, box.top, box.right, box.bottom);
}

bool drawing_try_label(struct drawing *drawing, double x, double y, enum anchor anchor, const char *class,
                       const char *text)
{
    struct box box = box_of(x, y, anchor, text);
    const struct axis *right = &drawing->x, *up = &drawing->y;
    bool is_free = box.left > right->start && box.right < right->start + right->length + 1 && box.bottom < up->start &&
                   box.top > up->start + up->length;
    for (unsigned i = 0; i < drawing->boxes && is_free; i++) {
        const struct box *other = &drawing->box[i];
        is_free =
            box.right < other->left || other->right < box.left || box.bottom < other->top || other->bottom < box.top;
    }
    if (is_free)
        drawing_label(drawing, x, y, anchor, class, text);
    return is_free;
}

bool drawing_name(struct drawing *drawing, double x, double y, const char *text)
{
    static const struct {
        double right, down;
        enum anchor anchor;
    } sides[] = {
        { 8, 0, ANCHOR_LEFT },    { -8, 0, ANCHOR_RIGHT }, { 0, 14, ANCHOR_CENTER }, { 0, -14, ANCHOR_CENTER },
        { 6, 12, ANCHOR_LEFT },   { 6, -12, ANCHOR_LEFT }, { -6, 12, ANCHOR_RIGHT }, { -6, -12, ANCHOR_RIGHT },
        { 0, 28, ANCHOR_CENTER }, { 6, 24, ANCHOR_LEFT },  { -6, 24, ANCHOR_RIGHT }, { 6, -24, ANCHOR_LEFT },
    };
    for (unsigned i = 0; i < sizeof sides / sizeof *sides; i++)
        if (drawing_try_label(drawing, x + sides[i].right, y + sides[i].down, sides[i].anchor, "", text))
            return true;
    return false;
}

double drawing_legend(struct drawing *drawing, double x, double y, const struct legend legend[], unsigned count)
{
    static const double mark = 15, between = 16; /* pixels */
    double at = x;
    for (unsigned i = 0; i < count; i++) {
        const char *name = drawing_shorten(drawing, legend[i].name, drawing->width - x - mark - 4);
        double width = mark + drawing_width(name);
        if (at > x && at + width > drawing->width - 4) {
            at = x;
            y += DRAWING_LINE;
        }
        if (legend[i].class)
            drawing_rectangle(drawing, at, y - 5, 10, 10, legend[i].style, legend[i].class);
        else
            drawing_mark(drawing, at + 5, y, legend[i].style, !legend[i].is_hollow);
        drawing_label(drawing, at + mark, y, ANCHOR_LEFT, "", name);
        at += width + between;
    }
    return y + DRAWING_LINE;
}

void drawing_x_axis(struct drawing *drawing, value_writer *write, const char *title)
{
    double tick[TICKS_MAX];
    const struct axis *x = &drawing->x, *y = &drawing->y;
    unsigned count = axis_ticks(x, write, tick);
    drawing_line(drawing, x->start, y->start, x->start + x->length, y->start, 0, "axis");
    for (unsigned i = 0; i < count; i++) {
        char text[32];
        double at = axis_at(x, tick[i]);
        write(text, sizeof text, tick[i]);
        drawing_line(drawing, at, y->start, at, y->start + 4, 0, "axis");
        drawing_line(drawing, at, y->start + y->length, at, y->start, 0, "grid");
        double half = drawing_width(text) / 2; /* the last one stays within the picture */
        drawing_label(drawing, fmin(at, drawing->width - half - 1), y->start + 13, ANCHOR_CENTER, "", text);
    }
    drawing_label(drawing, x->start + x->length / 2, y->start + 13 + DRAWING_LINE, ANCHOR_CENTER, "soft", title);
}

void drawing_y_axis(struct drawing *drawing, value_writer *write, const char *title)
{
    double tick[TICKS_MAX];
    const struct axis *x = &drawing->x, *y = &drawing->y;
    unsigned count = axis_ticks(y, write, tick);
    drawing_line(drawing, x->start, y->start, x->start, y->start + y->length, 0, "axis");
    for (unsigned i = 0; i < count; i++) {
        char text[32];
        double at = axis_at(y, tick[i]);
        write(text, sizeof text, tick[i]);
        drawing_line(drawing, x->start - 4, at, x->start, at, 0, "axis");
        drawing_line(drawing, x->start, at, x->start + x->length, at, 0, "grid");
        drawing_label(drawing, x->start - 7, at, ANCHOR_RIGHT, "", text);
    }
    drawing_label(drawing, 4, y->start + y->length - 14, ANCHOR_LEFT, "soft", title);
}
