/* The roofline model (Williams, Waterman and Patterson 2009): what a device can reach at a given number of FLOP per
 * byte, and what the cells reached. A picture for each run and element type. */

#include "harness/base/text.h"
#include "harness/report/content/builder.h"
#include "harness/report/plots/plots.h"
#include "harness/report/plots/roofline_model.h"

#include <math.h>
#include <string.h>

/* Pixels: the margins, and the room for the names of problems at the bottom. */
enum {
    FRAME_LEFT = 62,
    FRAME_RIGHT = 182,
    FRAME_TOP = 28,
    FRAME_BOTTOM = 50,
    FRAME_HEIGHT = 460,
    NAMES_HEIGHT = 130,
};

/* A roof: limited by the bandwidth up to the ridge, then level. And the position of its label. */
struct slope {
    const struct device_roof *roof;
    double rate, bandwidth;
    bool is_link, is_theory, is_labelled;
    double x, y, width; /* pixels */
};

struct slopes {
    struct slope slope[3 * ROOFS_MAX];
    unsigned count;
};

enum { NAMES_MAX = 32 };

static void set_range(struct drawing *drawing, const struct roofline_model *model)
{
    drawing->x.is_log = drawing->y.is_log = true;
    for (unsigned i = 0; i < model->points; i++) {
        const struct point *point = &model->point[i];
        axis_include(&drawing->x, point->intensity);
        axis_include(&drawing->y, point->rate / 1e9);
        axis_include(&drawing->y, point->offload / 1e9);
    }
    for (unsigned i = 0; i < model->roofs; i++) {
        const struct device_roof *roof = &model->roof[i];
        axis_include(&drawing->x, roof->rate / roof->bandwidth / 2);
        axis_include(&drawing->x, roof->rate / roof->bandwidth * 8);
        axis_include(&drawing->y, roof->rate / 1e9);
        axis_include(&drawing->y, roof->theory_rate / 1e9);
    }
    axis_widen(&drawing->x, 0.06);
    axis_widen(&drawing->y, 0.05);
    drawing->x.start = FRAME_LEFT;
    drawing->x.length = DRAWING_WIDTH - FRAME_LEFT - FRAME_RIGHT;
    drawing->y.start = FRAME_BOTTOM;
    drawing->y.length = FRAME_HEIGHT - FRAME_TOP - FRAME_BOTTOM;
    drawing->y.from /= pow(drawing->y.to / drawing->y.from, NAMES_HEIGHT / (drawing->y.length - NAMES_HEIGHT));
}

/* The points of a roof: the slope of the bandwidth up to the ridge, then level. */
static void write_roof(struct drawing *drawing, const char *name, unsigned at, double rate, double bandwidth)
{
    double from = drawing->x.from, to = drawing->x.to, ridge = rate / bandwidth;
    string_append(&drawing->script, "$%s%u << EOD\n%.9g %.9g\n", name, at, from, fmin(rate, bandwidth * from) / 1e9);
    if (ridge > from && ridge < to)
        string_append(&drawing->script, "%.9g %.9g\n", ridge, rate / 1e9);
    string_append(&drawing->script, "%.9g %.9g\nEOD\n", to, fmin(rate, bandwidth * to) / 1e9);
}

static void write_points(struct drawing *drawing, const struct roofline_model *model, unsigned roof)
{
    for (unsigned offload = 0; offload < 2; offload++) {
        string_append(&drawing->script, "$points%u%u << EOD\nNaN NaN\n", roof, offload);
        for (unsigned i = 0; i < model->points; i++) {
            const struct point *point = &model->point[i];
            double rate = offload ? point->offload : point->rate;
            if (point->roof == roof && rate > 0)
                string_append(&drawing->script, "%.9g %.9g\n", point->intensity, rate / 1e9);
        }
        string_append(&drawing->script, "EOD\n");
    }
}

static void write_plot(struct drawing *drawing, const struct roofline_model *model)
{
    const char *divider = "plot ";
    for (unsigned i = 0; i < model->roofs; i++) {
        const struct device_roof *roof = &model->roof[i];
        const struct style *style = &styles[i];
        if (roof->theory_rate > 0) {
            string_append(&drawing->script, "%s$theory%u with lines lw 1.2 dt (6,5) lc rgb \"%s\"", divider, i,
                          style->colour);
            divider = ", \\\n";
        }
        if (roof->link > 0) {
            string_append(&drawing->script, "%s$link%u with lines lw 1.2 dt (1.5,4) lc rgb \"%s\"", divider, i,
                          style->colour);
            divider = ", \\\n";
        }
        string_append(&drawing->script,
                      "%s$roof%u with lines lw %.2g lc rgb \"%s\", $points%u0 with points pt %u ps 0.8 lc rgb \"%s\", "
                      "$points%u1 with points lw 1.5 pt %u ps 0.8 lc rgb \"%s\"",
                      divider, i, fmax(1.4, 3.2 - 0.9 * i), style->colour, i, style->full, style->colour, i,
                      style->hollow, style->colour);
        divider = ", \\\n";
    }
    string_append(&drawing->script, "\n");
}

/* "cpu 436 GFLOP/s and 46.2 GB/s" */
static const char *figures(const struct device_roof *roof, struct pool *pool)
{
    char text[TEXT_NUMBER];
    const char *said = pool_print(pool, "%s %s", roof->device->id, text_flops(text, roof->rate));
    if (roof->theory_rate > 0)
        said = pool_print(pool, "%s (in theory %s)", said, text_flops(text, roof->theory_rate));
    said = pool_print(pool, "%s and %s GB/s", said, text_figure(text, roof->bandwidth / 1e9, NAN));
    if (roof->link > 0)
        said = pool_print(pool, "%s, its transfers %s GB/s", said, text_figure(text, roof->link / 1e9, NAN));
    return said;
}

static const char *left_out(const struct roofline_model *model, struct pool *pool)
{
    const char *text = "";
    if (model->by_launch > 0)
        text = pool_print(pool, " Left out: %u that are bound by launches.", model->by_launch);
    if (model->left_out > 0)
        text = pool_print(pool, "%s Of %u rows the first %u are shown.", text, model->left_out + model->points,
                          model->points);
    if (model->more_roofs > 0)
        text = pool_print(pool, "%s Of %u devices the first %u are shown.", text, model->more_roofs + model->roofs,
                          model->roofs);
    if (model->roofless > 0)
        text = pool_print(pool, "%s Left out: %u of devices whose ceilings were not measured.", text, model->roofless);
    return text;
}

static const char *caption(const struct roofline_model *model, struct pool *pool)
{
    bool has_theory = false, has_link = false, has_fast = false;
    const char *reached = "";
    for (unsigned i = 0; i < model->roofs; i++) {
        has_theory |= model->roof[i].theory_rate > 0;
        has_link |= model->roof[i].link > 0;
        reached = pool_print(pool, "%s%s %s", reached, i > 0 ? ";" : "", figures(&model->roof[i], pool));
    }
    for (unsigned i = 0; i < model->points; i++)
        has_fast |= model->point[i].cell->is_fast;
    return pool_print(
        pool,
        "What each device can reach, as measured in this run (lines), and what the problems reach (marks), by the FLOP "
        "per byte of their operands: full marks with operands on the device, hollow ones with every transfer. At "
        "most%s.%s%s A mark above its slope works in a cache.%s%s",
        reached, has_theory ? " Dashed: the theoretical limits of a device." : "",
        has_link ? " Dotted: the lower roof with transfers from and to the host at every use." : "",
        has_fast ? " One above the roof may be a fast algorithm, which does fewer operations than are counted." : "",
        left_out(model, pool));
}

static void write_line(struct drawing *drawing, struct slopes *slopes, const struct roofline_model *model, unsigned at,
                       const char *name, double rate, double bandwidth)
{
    write_roof(drawing, name, at, rate, bandwidth);
    slopes->slope[slopes->count++] = (struct slope){
        .roof = &model->roof[at],
        .rate = rate,
        .bandwidth = bandwidth,
        .is_link = strcmp(name, "link") == 0,
        .is_theory = strcmp(name, "theory") == 0,
    };
}

static void write_lines(struct drawing *drawing, const struct roofline_model *model, struct slopes *slopes, unsigned at)
{
    const struct device_roof *roof = &model->roof[at];
    write_line(drawing, slopes, model, at, "roof", roof->rate, roof->bandwidth);
    if (roof->theory_rate > 0)
        write_line(drawing, slopes, model, at, "theory", roof->theory_rate,
                   roof->theory_bandwidth > 0 ? roof->theory_bandwidth : INFINITY);
    if (roof->link > 0)
        write_line(drawing, slopes, model, at, "link", roof->rate, roof->link);
    write_points(drawing, model, at);
}

/* All bandwidths have the same slope on logarithmic axes. */
static double slope_angle(const struct drawing *drawing)
{
    const struct axis *x = &drawing->x, *y = &drawing->y;
    return atan(y->length / log(y->to / y->from) / (x->length / log(x->to / x->from)));
}

/* The distance to the label of a slope, which is parallel to it. */
static double from_label(const struct drawing *drawing, const struct slope *slope, double x, double y)
{
    double angle = slope_angle(drawing), right = x - slope->x, up = y - slope->y;
    double along = fabs(right * cos(angle) + up * sin(angle)), across = up * cos(angle) - right * sin(angle);
    return hypot(fmax(0, along - slope->width / 2), across);
}

/* The distance in pixels to the nearest line, mark or label; `own` is not counted. */
static double room_at(const struct drawing *drawing, const struct roofline_model *model, const struct slopes *slopes,
                      const struct slope *own, double x, double y)
{
    double room = INFINITY,
           value = drawing->x.from * pow(drawing->x.to / drawing->x.from, (x - drawing->x.start) / drawing->x.length);
    for (unsigned i = 0; i < slopes->count; i++) {
        const struct slope *slope = &slopes->slope[i];
        double height = axis_at(&drawing->y, fmin(slope->rate, slope->bandwidth * value) / 1e9);
        room = slope == own ? room : fmin(room, fabs(height - y) * cos(slope_angle(drawing)));
        room = slope->is_labelled ? fmin(room, from_label(drawing, slope, x, y) - DRAWING_TEXT / 2.0) : room;
    }
    for (unsigned i = 0; i < model->points; i++)
        for (unsigned offload = 0; offload < 2; offload++) {
            double rate = offload ? model->point[i].offload : model->point[i].rate;
            double height = rate > 0 ? axis_at(&drawing->y, rate / 1e9) : INFINITY;
            room = fmin(room, hypot(axis_at(&drawing->x, model->point[i].intensity) - x, height - y));
        }
    return room;
}

/* Puts the label along its slope, above it or, for a transfer, below it, where there is most room above the names of
 * problems; not beside the level part. Without enough room there is no label: the caption has all figures. */
static void label_slope(struct drawing *drawing, const struct roofline_model *model, const struct slopes *slopes,
                        struct slope *slope)
{
    enum { PLACES = 24 };
    static const double enough = 6.5, plenty = 20; /* pixels */
    const struct axis *x = &drawing->x, *y = &drawing->y;
    char figure[TEXT_NUMBER], text[64];
    snprintf(text, sizeof text, "%.24s%s %s GB/s", slope->roof->device->id, slope->is_link ? " transfer" : "",
             text_figure(figure, slope->bandwidth / 1e9, NAN));
    double first = axis_at(x, fmax(x->from, 1e9 * y->from / slope->bandwidth));
    double last = axis_at(x, fmin(x->to, slope->rate / slope->bandwidth));
    double angle = slope_angle(drawing), best = enough;
    double along = drawing_width(text) * cos(angle) / 2, beside = slope->is_link ? -9 : 9;
    for (unsigned i = 0; i < PLACES; i++) {
        double at = first + along + 8 + (last - first - 2 * along - 16) * i / (PLACES - 1);
        double middle = at - beside * sin(angle), room = plenty;
        double height =
            axis_at(y, slope->bandwidth * x->from / 1e9) + (at - x->start) * tan(angle) + beside * cos(angle);
        for (int part = -4; part <= 4; part++)
            room = fmin(room, room_at(drawing, model, slopes, slope, middle + part * along / 4,
                                      height + part * along / 4 * tan(angle)));
        bool fits = last - first > 2 * along + 16 && middle - along > x->start &&
                    height - along * tan(angle) > FRAME_BOTTOM + NAMES_HEIGHT;
        if (fits && room > best) {
            best = room;
            slope->is_labelled = true;
            slope->x = middle;
            slope->y = height;
            slope->width = drawing_width(text);
        }
    }
    if (slope->is_labelled)
        drawing_turned_label(drawing, slope->x, slope->y, ANCHOR_CENTER, angle * 180 / acos(-1), INK, text);
}

/* Whether the line ends before its ridge. */
static bool ends_on_slope(const struct drawing *drawing, const struct slope *slope)
{
    return slope->bandwidth > 0 && slope->bandwidth * drawing->x.to < slope->rate;
}

/* Labels at the right end of the lines, moved apart if they would touch. */
static void label_levels(struct drawing *drawing, const struct roofline_model *model)
{
    double height[3 * ROOFS_MAX];
    char text[3 * ROOFS_MAX][80], rate[TEXT_NUMBER];
    unsigned count = 0, style[3 * ROOFS_MAX];
    for (unsigned i = 0; i < model->roofs; i++) {
        const struct device_roof *roof = &model->roof[i];
        height[count] = axis_at(&drawing->y, fmin(roof->rate, roof->bandwidth * drawing->x.to) / 1e9);
        style[count] = i;
        snprintf(text[count++], sizeof *text, "%.24s %s", roof->device->id, text_flops(rate, roof->rate));
        if (roof->theory_rate > 0) {
            height[count] = axis_at(&drawing->y, roof->theory_rate / 1e9);
            style[count] = i;
            snprintf(text[count++], sizeof *text, "in theory %s", text_flops(rate, roof->theory_rate));
        }
        if (ends_on_slope(drawing, &(struct slope){ .rate = roof->rate, .bandwidth = roof->link })) {
            height[count] = axis_at(&drawing->y, roof->link * drawing->x.to / 1e9);
            style[count] = i;
            snprintf(text[count++], sizeof *text, "transfer %s GB/s", text_figure(rate, roof->link / 1e9, NAN));
        }
    }
    space_out(height, count, 15, FRAME_BOTTOM, drawing->height - 8);
    for (unsigned i = 0; i < count; i++) {
        const struct style *own = &styles[style[i]];
        drawing_mark(drawing, DRAWING_WIDTH - FRAME_RIGHT + 10, height[i], own->full, own->colour);
        drawing_label(drawing, DRAWING_WIDTH - FRAME_RIGHT + 20, height[i], ANCHOR_LEFT, INK,
                      drawing_shorten(drawing, text[i], FRAME_RIGHT - 22));
    }
}

static void label_lines(struct drawing *drawing, const struct roofline_model *model, struct slopes *slopes)
{
    for (unsigned i = 0; i < slopes->count; i++)
        if (!slopes->slope[i].is_theory && !(slopes->slope[i].is_link && ends_on_slope(drawing, &slopes->slope[i])))
            label_slope(drawing, model, slopes, &slopes->slope[i]);
    label_levels(drawing, model);
}

/* Problems of a workload at the same position share a name: "conv 8, 32". */
struct name {
    const char *workload;
    char text[64];
    double x; /* pixels */
};

static struct name *find_name(struct name name[], unsigned count, const char *workload, double x)
{
    static const double same = 8; /* pixels */
    for (unsigned i = 0; i < count; i++)
        if (strcmp(name[i].workload, workload) == 0 && fabs(name[i].x - x) < same)
            return &name[i];
    return NULL;
}

static unsigned read_names(struct name name[NAMES_MAX], const struct drawing *drawing,
                           const struct roofline_model *model)
{
    unsigned count = 0;
    for (unsigned i = 0; i < model->points; i++) {
        char size[TEXT_NUMBER];
        const struct point *point = &model->point[i];
        double x = axis_at(&drawing->x, point->intensity);
        struct name *known = find_name(name, count, point->cell->workload, x);
        plot_size_name(size, point->cell->shape);
        if (!known && count < NAMES_MAX) {
            name[count] = (struct name){ .workload = point->cell->workload, .x = x };
            snprintf(name[count++].text, sizeof name->text, "%.24s %s", point->cell->workload, size);
        } else if (known && !strstr(known->text, size) && strlen(known->text) < 24) {
            size_t used = strlen(known->text);
            snprintf(known->text + used, sizeof known->text - used, ", %s", size);
        }
    }
    return count;
}

/* Vertical names in the room below all marks. */
static void label_problems(struct drawing *drawing, const struct roofline_model *model)
{
    struct name name[NAMES_MAX];
    double x[NAMES_MAX];
    unsigned count = read_names(name, drawing, model);
    for (unsigned i = 0; i < count; i++)
        x[i] = name[i].x;
    space_out(x, count, 15, FRAME_LEFT + 10, FRAME_LEFT + drawing->x.length);
    for (unsigned i = 0; i < count; i++)
        drawing_turned_label(drawing, x[i], FRAME_BOTTOM + 8, ANCHOR_LEFT, 90, INK,
                             drawing_shorten(drawing, name[i].text, NAMES_HEIGHT));
}

/* The legend of the marks. */
static void write_legend(struct drawing *drawing)
{
    static const char *const name[] = { "on the device", "with every transfer" };
    double x = DRAWING_WIDTH - FRAME_RIGHT, y = drawing->height - 11;
    for (unsigned i = 2; i-- > 0;) {
        drawing_label(drawing, x, y, ANCHOR_RIGHT, INK, name[i]);
        x -= drawing_width(name[i]) + 8;
        drawing_mark(drawing, x, y, i == 0 ? styles[0].full : styles[0].hollow, INK);
        x -= 20;
    }
}

static void draw(struct drawing *drawing, const struct roofline_model *model)
{
    struct slopes slopes = { .count = 0 };
    set_range(drawing, model);
    drawing_axes(drawing);
    drawing_ticks(drawing, 'x', write_plain);
    drawing_ticks(drawing, 'y', write_plain);
    for (unsigned i = 0; i < model->roofs; i++)
        write_lines(drawing, model, &slopes, i);
    label_lines(drawing, model, &slopes);
    label_problems(drawing, model);
    drawing_label(drawing, FRAME_LEFT + drawing->x.length / 2, 12, ANCHOR_CENTER, INK, "FLOP to a byte");
    drawing_label(drawing, 8, drawing->height - 9, ANCHOR_LEFT, INK, "GFLOP/s");
    write_legend(drawing);
    write_plot(drawing, model);
}

static void plot_roofline(struct drawings *out, const struct results *results, unsigned run, const char *dtype)
{
    const char *letter = run_letter(&out->pool, results, run);
    struct roofline_model *model = pool_take(&out->pool, sizeof *model);
    if (!model)
        return;
    roofline_model_read(model, results->run[run].record, dtype);
    struct drawing *drawing =
        model->points > 0 ? drawing_add(out, FRAME_HEIGHT, "roofline-%s%s%s", dtype, *letter ? "-" : "", letter) : NULL;
    if (drawing) {
        drawing->title = pool_print(&out->pool, "Roofline, %s%s%s", dtype, *letter ? ", run " : "", letter);
        drawing->caption = caption(model, &out->pool);
        draw(drawing, model);
    }
}

void plot_rooflines(struct drawings *out, const struct results *results)
{
    for (unsigned i = 0; i < results->runs; i++)
        for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++)
            if (results->run[i].record && !results->run[i].record->sweep)
                plot_roofline(out, results, i, dtype_name(dtype));
}
