#include "harness/report/plots/drawing.h"

#include "harness/base/xml.h"

#include <math.h>
#include <string.h>

/* Pixels of a picture outside pages; bytes of a text. */
enum { SHOWN_WIDTH = 560, LONGEST = 256 };

/* The same area, centred on a mark's position. */
static const char *const marks[STYLES] = {
    "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "m-3.5-3.5h7v7h-7z",
    "m0-4.6l4.4 7.8h-8.8z",
    "m0-5l4.6 5l-4.6 5l-4.6-5z",
    "m0 4.6l4.4-7.8h-8.8z",
    "m-4.2-1.5h2.7v-2.7h3v2.7h2.7v3h-2.7v2.7h-3v-2.7h-2.7z",
};

static const char *draw_picture(struct pool *pool, const struct picture *head, drawer *draw, const void *data,
                                unsigned width)
{
    struct drawing drawing = { .body = { .pool = pool }, .pool = pool, .width = width };
    xml_append(&drawing.body, "role=\"img\" aria-label=\"%s. %s\">\n", head->title, head->caption);
    string_append(&drawing.body, "<style>%s</style>\n<rect class=\"paper\" width=\"100%%\" height=\"100%%\"/>\n",
                  drawing_style);
    draw(&drawing, data);
    return pool_print(pool,
                      "<svg class=\"picture\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %u %.0f\" "
                      "width=\"%u\" %s</svg>\n",
                      width, ceil(drawing.height), SHOWN_WIDTH, string_text(&drawing.body));
}

void drawing_add(struct pictures *out, const struct picture *head, drawer *draw, const void *data)
{
    struct picture *picture = pool_add(out->pool, &out->picture, &out->count, head, sizeof *head);
    if (!picture)
        return;
    picture->svg = draw_picture(out->pool, head, draw, data, DRAWING_NARROW);
    picture->wide = draw_picture(out->pool, head, draw, data, DRAWING_WIDE);
}

void drawing_line(struct drawing *drawing, double x1, double y1, double x2, double y2, unsigned style,
                  const char *class)
{
    xml_append(&drawing->body, "<path d=\"M%f %fL%f %f\" class=\"c%u %s\"/>\n", x1, y1, x2, y2, style, class);
}

void drawing_rectangle(struct drawing *drawing, double x, double y, double width, double height, unsigned style,
                       const char *class)
{
    xml_append(&drawing->body, "<rect x=\"%f\" y=\"%f\" width=\"%f\" height=\"%f\" class=\"c%u %s\"/>\n", x, y, width,
               height, style, class);
}

void drawing_mark(struct drawing *drawing, double x, double y, unsigned style, bool is_full)
{
    xml_append(&drawing->body, "<path d=\"M%f %f", x, y);
    string_append(&drawing->body, "%s", marks[style]);
    xml_append(&drawing->body, "\" class=\"c%u %s\"/>\n", style, is_full ? "full" : "hollow");
}

void drawing_estimate(struct drawing *drawing, const struct estimate *estimate, bool is_on_y, double at, unsigned style)
{
    static const double half = 6; /* of the line across each end, which the mark does not hide */
    const struct axis *axis = is_on_y ? &drawing->y : &drawing->x;
    const double middle = axis_at(axis, estimate->value), low = axis_at(axis, estimate->low),
                 high = axis_at(axis, estimate->high);
    const bool is_known = !isnan(low) && !isnan(high);
    if (!(estimate->value > 0))
        return;
    drawing_mark(drawing, is_on_y ? at : middle, is_on_y ? middle : at, style, is_known);
    if (is_known && is_on_y)
        xml_append(&drawing->body, "<path d=\"M%f %fV%fM%f %fH%fM%f %fH%f\" class=\"c%u line\"/>\n", at, low, high,
                   at - half, low, at + half, at - half, high, at + half, style);
    else if (is_known)
        xml_append(&drawing->body, "<path d=\"M%f %fH%fM%f %fV%fM%f %fV%f\" class=\"c%u line\"/>\n", low, at, high, low,
                   at - half, at + half, high, at - half, at + half, style);
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
    return axis->start + log(value / axis->from) / log(axis->to / axis->from) * axis->length;
}

void axis_include(struct axis *axis, double value)
{
    static const double most = 1e18; /* no machine gets there */
    if (!(value > 1 / most && value < most))
        return;
    axis->from = fmin(axis->from, value); /* fmin ignores NAN */
    axis->to = fmax(axis->to, value);
}

void axis_include_estimate(struct axis *axis, const struct estimate *estimate, double by)
{
    axis_include(axis, estimate->value / by);
    axis_include(axis, estimate->low / by);
    axis_include(axis, estimate->high / by);
}

void axis_widen(struct axis *axis, double share)
{
    double factor = pow(axis->to / axis->from, share);
    axis->from /= factor;
    axis->to *= factor;
}

unsigned axis_ticks(const struct axis *axis, double tick[TICKS_MAX])
{
    static const struct {
        double apart, mantissas[20]; /* decades between the nearest two */
    } sets[] = { { 0.018, { 1, 1.05, 1.1, 1.15, 1.2, 1.3, 1.4, 1.5, 1.6, 1.8, 2, 3, 4, 5, 6, 7, 8, 9, 9.5 } },
                 { 0.037, { 1, 1.1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9 } },
                 { 0.096, { 1, 1.5, 2, 3, 4, 6, 8 } },
                 { 0.30, { 1, 2, 5 } },
                 { 0.47, { 1, 3 } },
                 { 1, { 1 } },
                 { 2, { 1 } },
                 { 4, { 1 } } };
    const double room = axis->length > 0 ? 54 : 2 * DRAWING_LINE; /* pixels of a text */
    const double decade = fabs(axis->length) / log10(axis->to / axis->from);
    unsigned set = 0, count = 0;
    while (set + 1 < sizeof sets / sizeof *sets && sets[set].apart * decade < room)
        set++;
    const double every = fmax(1, sets[set].apart);
    for (double at = every * floor(log10(axis->from) / every); at <= log10(axis->to); at += every)
        for (unsigned i = 0; sets[set].mantissas[i] > 0; i++) {
            const double value = sets[set].mantissas[i] * pow(10, at);
            if (value >= axis->from && value <= axis->to && count < TICKS_MAX)
                tick[count++] = value;
        }
    return count;
}

/* "0.5", "10k", "40M", with a sign behind it. */
static const char *value_words(struct pool *pool, double value, const char *sign)
{
    static const char *const suffix[] = { "", "k", "M", "G", "T", "P" };
    unsigned power = 0;
    for (; value >= 999.9999 && power < 5; power++)
        value /= 1000;
    return pool_print(pool, "%.6g%s%s", value, suffix[power], sign);
}

const char *drawing_shorten(struct drawing *drawing, const char *text, double pixels)
{
    static const char more[] = "\u2026";
    char shown[LONGEST];
    double width, sum = DRAWING_TEXT;
    size_t used = 0;
    text_clean(shown, sizeof shown - sizeof more, text);
    const bool is_cut = drawing_width(shown) > pixels;
    while (is_cut && shown[used]) {
        const size_t bytes = character(&shown[used], &width);
        sum += width * DRAWING_TEXT;
        if (sum > pixels)
            break;
        used += bytes;
    }
    if (is_cut)
        strcpy(&shown[used], more);
    return pool_copy(drawing->pool, shown);
}

void drawing_label(struct drawing *drawing, double x, double y, enum anchor anchor, const char *class, const char *text)
{
    static const char *const anchors[] = { "start", "middle", "end" };
    const char *shown = pool_copy(drawing->pool, text_cleaned(text).text);
    if (anchor == ANCHOR_BELOW)
        xml_append(&drawing->body, "<text transform=\"translate(%f %f) rotate(-90)\">%s</text>\n", x + 4, y, shown);
    else
        xml_append(&drawing->body, "<text x=\"%f\" y=\"%f\" text-anchor=\"%s\" class=\"%s\">%s</text>\n", x, y + 4,
                   anchors[anchor], class, shown);
}

double drawing_legend(struct drawing *drawing, const struct legend legend[], unsigned count)
{
    static const double left = 6, mark = 15, between = 16; /* pixels */
    double at = left, y = 14;
    for (unsigned i = 0; i < count; i++) {
        const char *name = drawing_shorten(drawing, legend[i].name, drawing->width - left - mark - 4);
        double width = mark + drawing_width(name);
        if (at > left && at + width > drawing->width - 4) {
            at = left;
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

void drawing_axes(struct drawing *drawing, const char *x_sign, const char *x_title, const char *y_title)
{
    double tick[TICKS_MAX];
    const struct axis *x = &drawing->x, *y = &drawing->y;
    const double right = x->start + x->length, top = y->start + y->length;
    for (unsigned i = 0, count = axis_ticks(x, tick); i < count; i++) {
        const double at = axis_at(x, tick[i]);
        const char *text = value_words(drawing->pool, tick[i], x_sign);
        drawing_line(drawing, at, top, at, y->start, 0, "grid");
        const double half = drawing_width(text) / 2 + 1, middle = fmax(half, fmin(at, drawing->width - half));
        drawing_label(drawing, middle, y->start + 13, ANCHOR_CENTER, "", text);
    }
    for (unsigned i = 0, count = y_title ? axis_ticks(y, tick) : 0; i < count; i++) {
        const double at = axis_at(y, tick[i]);
        drawing_line(drawing, x->start, at, right, at, 0, "grid");
        drawing_label(drawing, x->start - 6, at, ANCHOR_RIGHT, "", value_words(drawing->pool, tick[i], ""));
    }
    drawing_line(drawing, x->start, y->start, right, y->start, 0, "axis");
    drawing_label(drawing, x->start + x->length / 2, y->start + 13 + DRAWING_LINE, ANCHOR_CENTER, "soft", x_title);
    if (y_title)
        drawing_label(drawing, 4, top - 14, ANCHOR_LEFT, "soft", y_title);
}
