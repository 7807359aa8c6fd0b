/* Speed-up by size: a picture for each curve of a sweep. */

#include "harness/analysis/threshold.h"
#include "harness/report/content/answer_words.h"
#include "harness/report/plots/drawing.h"

#include <math.h>

enum { LEFT = 56, RIGHT = 12, TOP = 26, BOTTOM = 44, HEIGHT = 330 }; /* pixels */

struct sweep {
    const struct curves *curves;
    const struct curve *curve;
};

/* Whether the curve has points in a mode: without transfers it has one mode only. */
static bool has_mode(const struct curve *curve, enum mode mode)
{
    bool has = false;
    for (unsigned i = 0; i < curve->points; i++)
        has |= curve->point[i].speedup[mode].value > 0;
    return has && (curve->moves || mode == MODE_RESIDENT);
}

static void set_range(struct drawing *drawing, const struct curves *curves, const struct curve *curve)
{
    axis_include(&drawing->x, curves->from);
    axis_include(&drawing->x, curves->to);
    axis_include(&drawing->y, 0.5);
    axis_include(&drawing->y, 2);
    for (unsigned i = 0; i < curve->points; i++)
        for (enum mode mode = 0; mode < MODES; mode++) {
            axis_include(&drawing->x, curve->point[i].size);
            if (has_mode(curve, mode))
                axis_include_estimate(&drawing->y, &curve->point[i].speedup[mode], 1);
        }
    if (!(drawing->x.to > drawing->x.from))
        axis_include(&drawing->x, drawing->x.from * 2);
    axis_widen(&drawing->x, 0.05);
    axis_widen(&drawing->y, 0.07);
}

/* The crossings as shaded areas. */
static void draw_threshold(struct drawing *drawing, const struct curve *curve, enum mode mode)
{
    static const double thin = 3; /* pixels: the smallest width of an area */
    struct threshold threshold;
    const struct axis *y = &drawing->y;
    threshold_find(&threshold, curve, mode);
    for (unsigned i = 0; i < threshold.crossings; i++) {
        const struct crossing *crossing = &threshold.crossing[i];
        double left = axis_at(&drawing->x, crossing->low), width = axis_at(&drawing->x, crossing->high) - left;
        drawing_rectangle(drawing, left, y->start + y->length, fmax(width, thin), -y->length, mode, "shade");
    }
}

/* Modes are drawn side by side, so that no interval hides another. */
static void draw_points(struct drawing *drawing, const struct curve *curve, enum mode mode)
{
    static const double apart = 5; /* pixels */
    double before_x = NAN, before_y = NAN;
    for (unsigned i = 0; i < curve->points; i++) {
        const struct estimate *speedup = &curve->point[i].speedup[mode];
        const double x = axis_at(&drawing->x, curve->point[i].size) + (mode - 1.0) * apart;
        const double y = speedup->value > 0 ? axis_at(&drawing->y, speedup->value) : NAN;
        if (!isnan(y) && !isnan(before_y))
            drawing_line(drawing, before_x, before_y, x, y, mode, "join");
        drawing_estimate(drawing, speedup, true, x, mode);
        before_x = x;
        before_y = y;
    }
}

static void draw(struct drawing *drawing, const void *data)
{
    const struct sweep *sweep = data;
    const struct curve *curve = sweep->curve;
    struct legend legend[MODES];
    unsigned used = 0;
    for (enum mode mode = 0; mode < MODES; mode++)
        if (has_mode(curve, mode))
            legend[used++] = (struct legend){ .name = mode_words(drawing->pool, sweep->curves, mode), .style = mode };
    drawing->height = HEIGHT + drawing_legend(drawing, legend, used);
    drawing->x = (struct axis){ NAN, NAN, LEFT, drawing->width - LEFT - RIGHT };
    drawing->y = (struct axis){ NAN, NAN, drawing->height - BOTTOM, -(HEIGHT - BOTTOM - TOP) };
    set_range(drawing, sweep->curves, curve);
    drawing_axes(drawing, "", drawing_shorten(drawing, sweep->curves->unit, 240),
                 pool_print(drawing->pool, "times as fast as %s", sweep->curves->baseline->id));
    double one = axis_at(&drawing->y, 1);
    drawing_line(drawing, LEFT, one, LEFT + drawing->x.length, one, 0, "axis");
    for (unsigned i = 0; i < used; i++)
        draw_threshold(drawing, curve, legend[i].style);
    for (unsigned i = 0; i < used; i++)
        draw_points(drawing, curve, legend[i].style);
}

static const char *caption(const struct sweep *sweep, struct pool *pool)
{
    const struct curve *curve = sweep->curve;
    return pool_print(
        pool,
        "The speed-up of %s over %s at each size, %s, in %s memory, for each way to use the data. Bars are "
        "95 %% intervals, a hollow mark has none. Shaded: where the faster side changes.",
        curve->device->id, sweep->curves->baseline->id, curve->method ? curve->method : "by its fastest method",
        curve->memory);
}

void plot_sweeps(struct pictures *out, const struct answer_set *set)
{
    struct curves curves;
    struct pool *pool = out->pool;
    unsigned drawn = 0;
    if (!set->record->sweep)
        return;
    pool->is_short |= !curves_read(&curves, set->record);
    for (unsigned i = 0; i < curves.curves && curves.baseline; i++) {
        const struct sweep sweep = { &curves, &curves.curve[i] };
        bool has_points = false;
        for (enum mode mode = 0; mode < MODES; mode++)
            has_points |= has_mode(sweep.curve, mode);
        if (!has_points)
            continue;
        const struct picture head = {
            .name = pool_print(pool, "sweep-%u", ++drawn),
            .title = pool_print(pool, "%s %s by size on %s, %s", curves.workload, curves.dtype, sweep.curve->device->id,
                                sweep.curve->memory),
            .caption = caption(&sweep, pool),
        };
        drawing_add(out, &head, draw, &sweep);
    }
    curves_free(&curves);
}
