/* The roofline model (Williams, Waterman and Patterson 2009): what a device can reach at a given number of FLOP per
 * byte, and what its fastest method reached at each problem. A picture for each element type. */

#include "harness/report/content/answer_words.h"
#include "harness/report/plots/drawing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROOFS_MAX = STYLES, PROBLEMS_MAX = 22 }; /* so many names have room above the plot; the caption says so */
enum { LEFT = 50, RIGHT = 12, NAME = 150, TOP = NAME + 8, BOTTOM = 44, HEIGHT = 438, NAME_STEP = 14 }; /* pixels */

/* A device: FLOP/s and bytes/s, as measured. */
struct roof {
    const struct device *device;
    double rate, bandwidth;
};

/* The fastest cell of a problem on a device. */
struct point {
    const struct cell_record *cell; /* NULL: there is none */
    double intensity;               /* FLOP per byte */
    double rate, copied;            /* FLOP/s of a resident run, and with every transfer; NAN unknown */
};

struct model {
    const char *dtype;
    struct roof roof[ROOFS_MAX];
    unsigned roofs, problems;
    struct point point[PROBLEMS_MAX][ROOFS_MAX];
};

static void read_roofs(struct model *out, const struct record *record)
{
    for (unsigned i = 0; i < record->devices && out->roofs < ROOFS_MAX; i++) {
        const struct device *device = &record->device[i];
        const struct roof roof = { device, roofline_flops(record, device->id, out->dtype).wall,
                                   roofline_bandwidth(record, device->id, ROOFLINE_TOP).wall };
        if (roof.rate > 0 && roof.bandwidth > 0)
            out->roof[out->roofs++] = roof;
    }
}

/* Nothing is above the roof: what is faster than the loops that measure peaks is the peak. False for data in caches
 * that are faster than memory. */
static bool raise_roof(struct roof *roof, const struct figures *figures)
{
    const struct cell_record *cell = figures->cell;
    const bool is_by_memory = cell->flops / cell->bytes < roof->rate / roof->bandwidth;
    if (is_by_memory && figures->bandwidth > roof->bandwidth && !roofline_is_beyond_caches(cell))
        return false;
    if (is_by_memory)
        roof->bandwidth = fmax(roof->bandwidth, figures->bandwidth);
    else
        roof->rate = fmax(roof->rate, figures->rate);
    return true;
}

/* Launches and fast algorithms do not do the operations that are counted at the rate that the model is about. */
static bool is_point(const struct figures *figures, const char *dtype)
{
    const struct cell_record *cell = figures->cell;
    return figures_are_sound(figures) && !cell->is_peak && !figures->only_moves && cell->roof == ROOF_NONE &&
           !cell->is_fast && cell->launches <= 1 && figures->roof.bound != BOUND_LAUNCH && cell->flops > 0 &&
           cell->bytes > 0 && figures->rate > 0 && strcmp(cell->dtype, dtype) == 0;
}

static void read_block(struct model *model, const struct block_record *block, const struct figures figures[])
{
    bool has_point = false;
    for (unsigned i = 0; i < block->cells && model->problems < PROBLEMS_MAX; i++) {
        const struct cell_record *cell = figures[i].cell;
        unsigned at = 0;
        while (at < model->roofs && strcmp(model->roof[at].device->id, cell->device_id) != 0)
            at++;
        if (!is_point(&figures[i], model->dtype) || at == model->roofs || !raise_roof(&model->roof[at], &figures[i]))
            continue;
        struct point *own = &model->point[model->problems][at];
        const double seconds = figures[i].use[USE_COPIED].time.value;
        if (!own->cell || figures[i].rate > own->rate)
            *own = (struct point){ cell, cell->flops / cell->bytes, figures[i].rate,
                                   seconds > figures[i].time.value ? cell->flops / seconds : NAN };
        has_point = true;
    }
    model->problems += has_point;
}

static void set_range(struct drawing *drawing, const struct model *model)
{
    for (unsigned i = 0; i < model->roofs; i++) {
        const struct roof *roof = &model->roof[i];
        axis_include(&drawing->x, roof->rate / roof->bandwidth / 4);
        axis_include(&drawing->x, roof->rate / roof->bandwidth * 8);
        axis_include(&drawing->y, roof->rate);
        for (unsigned k = 0; k < model->problems; k++) {
            const struct point *point = &model->point[k][i]; /* zero, which is ignored, where there is none */
            axis_include(&drawing->x, point->intensity);
            axis_include(&drawing->y, point->rate);
            axis_include(&drawing->y, point->copied);
        }
    }
    axis_widen(&drawing->x, 0.06);
    axis_widen(&drawing->y, 0.1);
}

static int compare_points(const void *a, const void *b)
{
    const struct point *const *one = a, *const *other = b;
    return ((*one)->intensity > (*other)->intensity) - ((*one)->intensity < (*other)->intensity);
}

/* The names of the problems above the plot, from left to right, each with a line down to its marks. */
static void draw_names(struct drawing *drawing, const struct model *model)
{
    const struct axis *x = &drawing->x, *y = &drawing->y;
    const struct point *of[PROBLEMS_MAX];
    double at[PROBLEMS_MAX + 1];
    for (unsigned i = 0; i < model->problems; i++) {
        of[i] = model->point[i];
        for (unsigned k = 1; k < model->roofs; k++) /* the highest mark */
            of[i] = model->point[i][k].rate > of[i]->rate ? &model->point[i][k] : of[i];
    }
    qsort(of, model->problems, sizeof *of, compare_points);
    for (unsigned i = 0; i < model->problems; i++)
        at[i] = fmax(axis_at(x, of[i]->intensity), i > 0 ? at[i - 1] + NAME_STEP : 0);
    at[model->problems] = x->start + x->length + NAME_STEP;
    for (unsigned i = model->problems; i-- > 0;) {
        const double top = y->start + y->length;
        const char *name =
            pool_print(drawing->pool, "%s %s", of[i]->cell->workload, answer_size(drawing->pool, of[i]->cell));
        at[i] = fmin(at[i], at[i + 1] - NAME_STEP);
        drawing_label(drawing, at[i], top - 6, ANCHOR_BELOW, "", drawing_shorten(drawing, name, NAME));
        drawing_line(drawing, at[i], top - 3, axis_at(x, of[i]->intensity), axis_at(y, of[i]->rate), 0, "grid");
    }
}

static void draw(struct drawing *drawing, const void *data)
{
    const struct model *model = data;
    const char *operation = dtype_operation(model->dtype);
    struct legend legend[ROOFS_MAX + 1] = { { .name = NULL } };
    for (unsigned i = 0; i < model->roofs; i++) { /* "cpu 436 GFLOP/s, 46.2 GB/s" */
        const struct roof *roof = &model->roof[i];
        legend[i].name = pool_print(drawing->pool, "%s %s, %s/s", roof->device->id,
                                    text_flops(roof->rate, operation).text, text_bytes(roof->bandwidth).text);
        legend[i].style = i;
    }
    legend[model->roofs] = (struct legend){ .name = "hollow: copied at every use", .is_hollow = true };
    drawing->height = HEIGHT + drawing_legend(drawing, legend, model->roofs + 1);
    drawing->x = (struct axis){ NAN, NAN, LEFT, drawing->width - LEFT - RIGHT };
    drawing->y = (struct axis){ NAN, NAN, drawing->height - BOTTOM, -(HEIGHT - BOTTOM - TOP) };
    set_range(drawing, model);
    drawing_axes(drawing, "", pool_print(drawing->pool, "%s per byte", operation),
                 pool_print(drawing->pool, "%s/s", operation));
    draw_names(drawing, model);
    const struct axis *x = &drawing->x, *y = &drawing->y;
    for (unsigned i = 0; i < model->roofs; i++) { /* the slope of the bandwidth up to the ridge, then level */
        const struct roof *roof = &model->roof[i];
        const double left = fmax(x->from, y->from / roof->bandwidth), top = axis_at(y, roof->rate);
        const double ridge = axis_at(x, roof->rate / roof->bandwidth);
        drawing_line(drawing, axis_at(x, left), axis_at(y, left * roof->bandwidth), ridge, top, i, "line");
        drawing_line(drawing, ridge, top, axis_at(x, x->to), top, i, "line");
    }
    for (unsigned i = 0; i < model->problems; i++)
        for (unsigned k = 0; k < model->roofs; k++) {
            const struct point *point = &model->point[i][k];
            if (point->copied > 0)
                drawing_mark(drawing, axis_at(x, point->intensity), axis_at(y, point->copied), k, false);
            if (point->rate > 0)
                drawing_mark(drawing, axis_at(x, point->intensity), axis_at(y, point->rate), k, true);
        }
}

void plot_rooflines(struct pictures *out, const struct answer_set *set)
{
    struct pool *pool = out->pool;
    for (enum dtype dtype = 0; dtype < DTYPE_COUNT && !set->record->sweep; dtype++) {
        struct model *model = pool_take(pool, sizeof *model);
        if (!model)
            return;
        model->dtype = dtype_name(dtype);
        read_roofs(model, set->record);
        for (unsigned i = 0; i < set->record->blocks && model->roofs > 0; i++)
            if (set->figures[i])
                read_block(model, &set->record->block[i], set->figures[i]);
        if (model->problems == 0)
            continue;
        const struct picture head = {
            .name = pool_print(pool, "roofline-%s", model->dtype),
            .title = pool_print(pool, "Roofline, %s", model->dtype),
            .caption = "What each device can reach, as measured in this run (lines), and what its fastest method "
                       "reaches at each problem (marks). Up to 6 devices and 22 problems, without results that are "
                       "bound by launches, need fewer operations than are counted, or come from a cache.",
        };
        drawing_add(out, &head, draw, model);
    }
}
