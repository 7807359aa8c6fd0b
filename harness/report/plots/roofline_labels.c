/* What is written into a roofline: at the slopes, at what is level, and below all for the problems. */

#include "harness/report/plots/roofline_labels.h"

#include "harness/base/text.h"
#include "harness/report/plots/plots.h"

#include <math.h>
#include <string.h>

enum { NAMES_MAX = 32 };

/* Of all slopes, as all bandwidths have the same on two logarithmic axes. */
static double slope_angle(const struct drawing *drawing)
{
    const struct axis *x = &drawing->x, *y = &drawing->y;
    return atan(y->length / log(y->to / y->from) / (x->length / log(x->to / x->from)));
}

/* From a place to the label of a slope, which lies along it. */
static double from_label(const struct drawing *drawing, const struct slope *slope, double x, double y)
{
    double angle = slope_angle(drawing), right = x - slope->x, up = y - slope->y;
    double along = fabs(right * cos(angle) + up * sin(angle)), across = up * cos(angle) - right * sin(angle);
    return hypot(fmax(0, along - slope->width / 2), across);
}

/* What labels keep away from: pixels that some line, mark or label is away from a place; a line's own is not counted.
 */
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

/* Along a slope, above it or, of a transfer, below, where there is most room, above the names of the problems; not
 * where the line is level. Without room there is none: the caption has all figures. */
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

/* Whether a line has not come to its ridge yet where the picture ends. */
static bool ends_on_slope(const struct drawing *drawing, const struct slope *slope)
{
    return slope->bandwidth > 0 && slope->bandwidth * drawing->x.to < slope->rate;
}

/* At the right of what is level, moved apart where they would touch. */
static void label_levels(struct drawing *drawing, const struct roofline_model *model)
{
    double height[3 * ROOFS_MAX];
    char text[3 * ROOFS_MAX][80], rate[TEXT_NUMBER];
    unsigned count = 0, look[3 * ROOFS_MAX];
    for (unsigned i = 0; i < model->roofs; i++) {
        const struct roof *roof = &model->roof[i];
        height[count] = axis_at(&drawing->y, fmin(roof->rate, roof->bandwidth * drawing->x.to) / 1e9);
        look[count] = i;
        snprintf(text[count++], sizeof *text, "%.24s %s", roof->device->id, text_flops(rate, roof->rate));
        if (roof->theory_rate > 0) {
            height[count] = axis_at(&drawing->y, roof->theory_rate / 1e9);
            look[count] = i;
            snprintf(text[count++], sizeof *text, "in theory %s", text_flops(rate, roof->theory_rate));
        }
        if (ends_on_slope(drawing, &(struct slope){ .rate = roof->rate, .bandwidth = roof->link })) {
            height[count] = axis_at(&drawing->y, roof->link * drawing->x.to / 1e9);
            look[count] = i;
            snprintf(text[count++], sizeof *text, "transfer %s GB/s", text_figure(rate, roof->link / 1e9, NAN));
        }
    }
    spread(height, count, 15, FRAME_BOTTOM, drawing->height - 8);
    for (unsigned i = 0; i < count; i++) {
        const struct look *own = &looks[look[i]];
        drawing_mark(drawing, DRAWING_WIDTH - FRAME_RIGHT + 10, height[i], own->full, own->colour);
        drawing_label(drawing, DRAWING_WIDTH - FRAME_RIGHT + 20, height[i], ANCHOR_LEFT, INK,
                      drawing_cut(drawing, text[i], FRAME_RIGHT - 22));
    }
}

void roofline_label_lines(struct drawing *drawing, const struct roofline_model *model, struct slopes *slopes)
{
    for (unsigned i = 0; i < slopes->count; i++)
        if (!slopes->slope[i].is_theory && !(slopes->slope[i].is_link && ends_on_slope(drawing, &slopes->slope[i])))
            label_slope(drawing, model, slopes, &slopes->slope[i]);
    label_levels(drawing, model);
}

/* Problems of a workload that lie on top of each other have one name: "conv 8, 32". */
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

/* Upright, in the room below all marks. */
void roofline_label_problems(struct drawing *drawing, const struct roofline_model *model)
{
    struct name name[NAMES_MAX];
    double x[NAMES_MAX];
    unsigned count = read_names(name, drawing, model);
    for (unsigned i = 0; i < count; i++)
        x[i] = name[i].x;
    spread(x, count, 15, FRAME_LEFT + 10, FRAME_LEFT + drawing->x.length);
    for (unsigned i = 0; i < count; i++)
        drawing_turned_label(drawing, x[i], FRAME_BOTTOM + 8, ANCHOR_LEFT, 90, INK,
                             drawing_cut(drawing, name[i].text, NAMES_HEIGHT));
}
