/* The roofline model (Williams, Waterman and Patterson 2009): what a device can reach at a given number of FLOP per
 * byte, and what its fastest method reached at each problem. A picture for each element type. */

#include "harness/base/text.h"
#include "harness/machine/theory.h"
#include "harness/report/plots/plots.h"

#include <math.h>
#include <string.h>

enum { ROOFS_MAX = STYLES };
enum { LEFT = 56, RIGHT = 14, TOP = 26, BOTTOM = 44, HEIGHT = 400 }; /* pixels */

/* A device: FLOP/s and bytes/s; NAN unknown. */
struct roof {
    const struct device *device;
    const char *dtype;
    double rate, bandwidth;               /* as measured */
    double theory_rate, theory_bandwidth; /* theoretical */
    double link;                          /* bandwidth of transfers */
};

/* The fastest cell of a problem on a device. */
struct point {
    unsigned roof; /* of its device */
    const struct cell_record *cell;
    double intensity;    /* FLOP per byte */
    double rate, copied; /* FLOP/s of a resident run, and with every transfer; NAN unknown */
};

struct model {
    struct roof roof[ROOFS_MAX];
    unsigned roofs, more_roofs; /* devices, and those beyond the limit */
    struct point *point;
    unsigned points, room;
    unsigned left_out; /* cells bound by launches, of fast algorithms, or of devices without measured peaks */
};

static void read_roofs(struct model *out, const struct record *record, enum dtype dtype)
{
    for (unsigned i = 0; i < record->devices; i++) {
        struct theory theory;
        struct theory_memory memory;
        struct roof roof = { .device = &record->device[i],
                             .dtype = dtype_name(dtype),
                             .theory_rate = NAN,
                             .theory_bandwidth = NAN,
                             .link = NAN };
        roof.rate = roofline_flops(record, roof.device->id, dtype_name(dtype)).wall;
        roof.bandwidth = roofline_bandwidth(record, roof.device->id, ROOFLINE_TOP).wall;
        if (!(roof.rate > 0 && roof.bandwidth > 0))
            continue;
        if (theory_peak(roof.device, dtype, &theory))
            roof.theory_rate = theory.flops;
        if (theory_bandwidth(roof.device, &memory))
            roof.theory_bandwidth = memory.bandwidth;
        if (out->roofs < ROOFS_MAX)
            out->roof[out->roofs++] = roof;
        else
            out->more_roofs++;
    }
}

static struct roof *roof_of(struct model *model, const char *device_id)
{
    for (unsigned i = 0; i < model->roofs; i++)
        if (strcmp(model->roof[i].device->id, device_id) == 0)
            return &model->roof[i];
    return NULL;
}

/* Of each device and problem the fastest cell is kept; `first` is the first point of the problem. */
static void read_point(struct model *model, struct pool *pool, unsigned first, unsigned roof,
                       const struct cell_metrics *metrics)
{
    const struct cell_record *cell = metrics->cell;
    unsigned at = first;
    while (at < model->points && model->point[at].roof != roof)
        at++;
    if (at < model->points && model->point[at].rate >= metrics->rate)
        return;
    model->point = pool_grow(pool, model->point, model->points, &model->room, sizeof *model->point);
    if (pool->is_short)
        return;
    model->points += at == model->points;
    model->point[at] = (struct point){
        .roof = roof,
        .cell = cell,
        .intensity = cell->flops / cell->bytes,
        .rate = metrics->rate,
        .copied = metrics->whole.value > metrics->time.value ? cell->flops / metrics->whole.value : NAN,
    };
}

/* Nothing is above the roof: what is faster than the loops that measure peaks is the peak. False for data in caches
 * that are faster than memory. */
static bool raise_roof(struct roof *roof, const struct cell_metrics *metrics)
{
    const struct cell_record *cell = metrics->cell;
    const bool is_by_memory = cell->flops / cell->bytes < roof->rate / roof->bandwidth;
    if (is_by_memory && metrics->bandwidth > roof->bandwidth && !roofline_is_beyond_caches(cell))
        return false;
    if (is_by_memory)
        roof->bandwidth = fmax(roof->bandwidth, metrics->bandwidth);
    else
        roof->rate = fmax(roof->rate, metrics->rate);
    return true;
}

static void read_block(struct model *model, struct pool *pool, const struct block_record *block,
                       const struct cell_metrics metrics[], const char *dtype)
{
    unsigned first = model->points;
    for (unsigned i = 0; i < block->cells; i++) {
        const struct cell_record *cell = metrics[i].cell;
        struct roof *roof = roof_of(model, cell->device_id);
        if (!metrics[i].measured || cell->is_ceiling)
            continue;
        if (roof && metrics[i].only_moves && !metrics[i].is_fixed && !roof->device->works_in_host_memory)
            roof->link = metrics[i].bandwidth > 0 ? fmax(roof->link, metrics[i].bandwidth) : roof->link;
        if (metrics[i].only_moves || !(cell->flops > 0 && cell->bytes > 0 && metrics[i].rate > 0) ||
            cell->roof == ROOF_FLOPS || cell->roof == ROOF_BANDWIDTH || strcmp(cell->dtype, dtype) != 0)
            continue;
        bool is_by_launch = metrics[i].roof.bound == BOUND_LAUNCH || cell->roof == ROOF_LATENCY || cell->launches > 1;
        if (!is_by_launch && !cell->is_fast && roof && raise_roof(roof, &metrics[i]))
            read_point(model, pool, first, (unsigned)(roof - model->roof), &metrics[i]);
        else
            model->left_out++;
    }
}

static void set_range(struct drawing *drawing, const struct model *model)
{
    drawing->x = (struct axis){ NAN, NAN, true, LEFT, drawing->width - LEFT - RIGHT };
    drawing->y = (struct axis){ NAN, NAN, true, HEIGHT - BOTTOM, -(HEIGHT - BOTTOM - TOP) };
    for (unsigned i = 0; i < model->points; i++) {
        const struct point *point = &model->point[i];
        axis_include(&drawing->x, point->intensity);
        axis_include(&drawing->y, point->rate / 1e9);
        axis_include(&drawing->y, point->copied / 1e9);
    }
    for (unsigned i = 0; i < model->roofs; i++) {
        const struct roof *roof = &model->roof[i];
        axis_include(&drawing->x, roof->rate / roof->bandwidth / 4);
        axis_include(&drawing->x, roof->rate / roof->bandwidth * 8);
        axis_include(&drawing->y, roof->rate / 1e9);
        axis_include(&drawing->y, roof->theory_rate / 1e9);
    }
    axis_widen(&drawing->x, 0.06);
    axis_widen(&drawing->y, 0.1);
}

/* The slope of the bandwidth up to the ridge, then level; cut at the axes. */
static void draw_roof(struct drawing *drawing, unsigned style, const char *class, double rate, double bandwidth)
{
    const struct axis *x = &drawing->x, *y = &drawing->y;
    double ridge = rate / bandwidth, left = fmax(x->from, 1e9 * y->from / bandwidth), right = fmin(ridge, x->to);
    if (right > left)
        drawing_line(drawing, axis_at(x, left), axis_at(y, left * bandwidth / 1e9), axis_at(x, right),
                     axis_at(y, right * bandwidth / 1e9), style, class);
    if (ridge < x->to)
        drawing_line(drawing, axis_at(x, fmax(ridge, x->from)), axis_at(y, rate / 1e9), axis_at(x, x->to),
                     axis_at(y, rate / 1e9), style, class);
}

/* Above or below the line, from its right end on. Without room there is no label: the caption has all figures. */
static void label_level(struct drawing *drawing, double rate, double bandwidth, const char *text)
{
    double first = fmax(axis_at(&drawing->x, rate / bandwidth), drawing->x.start);
    double last = drawing->x.start + drawing->x.length - 2, y = axis_at(&drawing->y, rate / 1e9);
    for (double x = last; x > first + 10; x -= 10)
        if (drawing_try_label(drawing, x, y - 10, ANCHOR_RIGHT, "", text) ||
            drawing_try_label(drawing, x, y + 11, ANCHOR_RIGHT, "", text))
            return;
}

/* Beside the slope, from the ridge on. */
static void label_slope(struct drawing *drawing, double rate, double bandwidth, const char *text)
{
    const struct axis *x = &drawing->x, *y = &drawing->y;
    double last = fmin(axis_at(x, rate / bandwidth), x->start + x->length) - 6;
    for (double at = last; at > x->start; at -= 8) {
        double value = x->from * pow(x->to / x->from, (at - x->start) / x->length);
        double height = axis_at(y, value * bandwidth / 1e9);
        if (drawing_try_label(drawing, at - 7, height - 6, ANCHOR_RIGHT, "", text) ||
            drawing_try_label(drawing, at + 9, height + 7, ANCHOR_LEFT, "", text))
            return;
    }
}

static void label_roof(struct drawing *drawing, const struct roof *roof)
{
    char figure[TEXT_NUMBER];
    const char *id = drawing_shorten(drawing, roof->device->id, 110);
    label_level(drawing, roof->rate, roof->bandwidth,
                pool_print(drawing->pool, "%s %s", id, text_flops(figure, roof->rate, dtype_operation(roof->dtype))));
    label_slope(drawing, roof->rate, roof->bandwidth,
                pool_print(drawing->pool, "%s %s GB/s", id, text_figure(figure, roof->bandwidth / 1e9, NAN)));
    if (roof->theory_rate > 0)
        label_level(drawing, roof->theory_rate, roof->theory_bandwidth > 0 ? roof->theory_bandwidth : INFINITY,
                    pool_print(drawing->pool, "in theory %s",
                               text_flops(figure, roof->theory_rate, dtype_operation(roof->dtype))));
    if (roof->link > 0)
        label_slope(drawing, roof->rate, roof->link,
                    pool_print(drawing->pool, "transfer %s GB/s", text_figure(figure, roof->link / 1e9, NAN)));
}

/* Beside the highest mark of each problem: its name, or its workload alone if the whole name has no room. Among more
 * problems than the limit no further name would have room. */
static void label_problems(struct drawing *drawing, const struct model *model)
{
    enum { TRIED_MOST = 100 };
    for (unsigned i = 0, next, tried = 0; i < model->points && tried < TRIED_MOST; i = next, tried++) {
        char size[ANSWER_SIZE];
        const struct cell_record *cell = model->point[i].cell;
        double x = axis_at(&drawing->x, model->point[i].intensity), y = INFINITY;
        for (next = i; next < model->points && strcmp(model->point[next].cell->block, cell->block) == 0; next++)
            y = fmin(y, axis_at(&drawing->y, model->point[next].rate / 1e9));
        const char *name = pool_print(drawing->pool, "%s %s", cell->workload, answer_size(size, cell));
        if (!drawing_name(drawing, x, y, drawing_shorten(drawing, name, 190)))
            drawing_name(drawing, x, y, drawing_shorten(drawing, cell->workload, 100));
    }
}

static void draw_points(struct drawing *drawing, const struct model *model)
{
    for (unsigned i = 0; i < model->points; i++) {
        const struct point *point = &model->point[i];
        double x = axis_at(&drawing->x, point->intensity);
        if (point->copied > 0)
            drawing_mark(drawing, x, axis_at(&drawing->y, point->copied / 1e9), point->roof, false);
        drawing_mark(drawing, x, axis_at(&drawing->y, point->rate / 1e9), point->roof, true);
    }
}

static void draw(struct drawing *drawing, const void *data)
{
    const struct model *model = data;
    struct legend legend[ROOFS_MAX + 1];
    unsigned used = 0;
    bool has_copied = false;
    for (unsigned i = 0; i < model->roofs; i++)
        legend[used++] = (struct legend){ .name = model->roof[i].device->id, .style = i };
    for (unsigned i = 0; i < model->points; i++)
        has_copied |= model->point[i].copied > 0;
    if (has_copied)
        legend[used++] = (struct legend){ .name = "hollow: with every transfer", .style = 0, .is_hollow = true };
    set_range(drawing, model);
    double down = drawing_legend(drawing, 6, 14, legend, used);
    drawing->y.start += down;
    drawing->height = HEIGHT + down;
    const char *operation = dtype_operation(model->roofs > 0 ? model->roof[0].dtype : "");
    drawing_x_axis(drawing, write_plain, pool_print(drawing->pool, "%s per byte", operation));
    drawing_y_axis(drawing, write_plain, pool_print(drawing->pool, "G%s/s", operation));
    for (unsigned i = 0; i < model->roofs; i++) {
        const struct roof *roof = &model->roof[i];
        if (roof->theory_rate > 0)
            draw_roof(drawing, i, "dash", roof->theory_rate,
                      roof->theory_bandwidth > 0 ? roof->theory_bandwidth : INFINITY);
        if (roof->link > 0)
            draw_roof(drawing, i, "dot", roof->rate, roof->link);
        draw_roof(drawing, i, "line", roof->rate, roof->bandwidth);
    }
    draw_points(drawing, model);
    label_problems(drawing, model);
    for (unsigned i = 0; i < model->roofs; i++)
        label_roof(drawing, &model->roof[i]);
}

/* "cpu 436 GFLOP/s and 46.2 GB/s" */
static const char *figures(const struct roof *roof, struct pool *pool)
{
    char text[TEXT_NUMBER];
    const char *said =
        pool_print(pool, "%s %s", roof->device->id, text_flops(text, roof->rate, dtype_operation(roof->dtype)));
    if (roof->theory_rate > 0)
        said = pool_print(pool, "%s (in theory %s)", said,
                          text_flops(text, roof->theory_rate, dtype_operation(roof->dtype)));
    said = pool_print(pool, "%s and %s GB/s", said, text_figure(text, roof->bandwidth / 1e9, NAN));
    if (roof->link > 0)
        said = pool_print(pool, "%s, its transfers %s GB/s", said, text_figure(text, roof->link / 1e9, NAN));
    return said;
}

static const char *left_out(const struct model *model, struct pool *pool)
{
    const char *text = "";
    if (model->left_out > 0)
        text = pool_print(pool,
                          " Left out: %u that are bound by launches, need fewer operations than are counted, work in a "
                          "cache, or have no measured peaks.",
                          model->left_out);
    if (model->more_roofs > 0)
        text = pool_print(pool, "%s Of %u devices the first %u are shown.", text, model->more_roofs + model->roofs,
                          model->roofs);
    return text;
}

static const char *caption(const struct model *model, struct pool *pool)
{
    bool has_theory = false, has_link = false;
    const char *reached = "";
    for (unsigned i = 0; i < model->roofs; i++) {
        has_theory |= model->roof[i].theory_rate > 0;
        has_link |= model->roof[i].link > 0;
        reached = pool_print(pool, "%s%s %s", reached, i > 0 ? ";" : "", figures(&model->roof[i], pool));
    }
    return pool_print(pool,
                      "What each device can reach, as measured in this run (lines), and what its fastest method "
                      "reaches at each problem (marks). At most%s.%s%s%s",
                      reached, has_theory ? " Dashed: the theoretical limits of a device." : "",
                      has_link ? " Dotted: the limit when data are moved at every use." : "", left_out(model, pool));
}

void plot_rooflines(struct pictures *out, const struct plot_run *run)
{
    struct pool *pool = &out->pool;
    for (enum dtype dtype = 0; dtype < DTYPE_COUNT && !run->record->sweep; dtype++) {
        struct model *model = pool_take(pool, sizeof *model);
        if (!model)
            return;
        read_roofs(model, run->record, dtype);
        for (unsigned i = 0; i < run->record->blocks && model->roofs > 0; i++)
            if (run->set->metrics[i])
                read_block(model, pool, &run->record->block[i], run->set->metrics[i], dtype_name(dtype));
        if (model->points == 0)
            continue;
        const struct picture head = {
            .name = pool_print(pool, "roofline-%s", dtype_name(dtype)),
            .title = pool_print(pool, "Roofline, %s", dtype_name(dtype)),
            .caption = caption(model, pool),
        };
        drawing_add(out, &head, draw, model);
    }
}
