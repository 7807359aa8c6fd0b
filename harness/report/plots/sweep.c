/* Speed-up by size: a picture for each curve of a sweep. */

#include "harness/analysis/curve.h"
#include "harness/report/content/builder.h"
#include "harness/report/content/sweep_text.h"
#include "harness/report/plots/plots.h"

#include <math.h>
#include <string.h>

enum { LEFT = 62, RIGHT = 176, TOP = 24, BOTTOM = 50, HEIGHT = 400 }; /* pixels */
enum { CURVES_MAX = 6 };

static const double outside = 30; /* pixels between a mark and the edge */

/* Whether the curve has points in a mode: without transfers it has one mode only. */
static bool has_mode(const struct curve *curve, enum mode mode)
{
    bool has = false;
    for (unsigned i = 0; i < curve->points; i++)
        has |= curve->point[i].speedup[mode].value > 0;
    return has && (curve->moves || mode == MODE_RESIDENT);
}

static bool has_points(const struct curve *curve)
{
    bool has = false;
    for (enum mode mode = 0; mode < MODES; mode++)
        has |= has_mode(curve, mode);
    return has;
}

static void set_range(struct drawing *drawing, const struct curves *curves, const struct curve *curve)
{
    drawing->x = (struct axis){ NAN, NAN, true, LEFT, DRAWING_WIDTH - LEFT - RIGHT };
    drawing->y = (struct axis){ NAN, NAN, true, BOTTOM, HEIGHT - TOP - BOTTOM };
    axis_include(&drawing->x, curves->from);
    axis_include(&drawing->x, curves->to);
    axis_include(&drawing->y, 1 / 1.5);
    axis_include(&drawing->y, 1.5);
    for (unsigned i = 0; i < curve->points; i++)
        for (enum mode mode = 0; mode < MODES; mode++) {
            const struct estimate *speedup = &curve->point[i].speedup[mode];
            if (!has_mode(curve, mode) || !(speedup->value > 0))
                continue;
            axis_include(&drawing->x, curve->point[i].size);
            axis_include(&drawing->y, speedup->value);
            axis_include(&drawing->y, speedup->low);
            axis_include(&drawing->y, speedup->high);
        }
    if (!(drawing->x.to > drawing->x.from))
        axis_include(&drawing->x, drawing->x.from * 2);
    axis_widen(&drawing->x, outside / drawing->x.length);
    axis_widen(&drawing->y, outside / drawing->y.length);
}

/* The crossings as shaded areas. */
static void write_threshold(struct drawing *drawing, const struct curve *curve, enum mode mode)
{
    static const double thin = 3; /* pixels: the smallest width of an area */
    struct threshold threshold;
    if (!curve_threshold(curve, mode, &threshold))
        return;
    for (unsigned i = 0; i < threshold.crossings; i++) {
        const struct crossing *crossing = &threshold.crossing[i];
        double left = axis_at(&drawing->x, crossing->low), right = axis_at(&drawing->x, crossing->high);
        double middle = (left + right) / 2;
        left = fmin(left, middle - thin / 2);
        right = fmax(right, middle + thin / 2);
        string_append(
            &drawing->script,
            "set object rect from screen %.6g, graph 0 to screen %.6g, graph 1 behind fs transparent solid 0.18 "
            "noborder fc rgb \"%s\"\n",
            left / DRAWING_WIDTH, right / DRAWING_WIDTH, styles[mode].colour);
    }
}

/* Modes are drawn side by side, so that no bar hides another. */
static void write_points(struct drawing *drawing, const struct curve *curve, enum mode mode)
{
    static const double apart = 5; /* pixels */
    const struct axis *x = &drawing->x;
    double aside = pow(x->to / x->from, (mode - 1.0) * apart / x->length);
    for (unsigned known = 0; known < 2; known++) {
        string_append(&drawing->script, "$points%u%u << EOD\nNaN NaN NaN NaN\n", mode, known);
        for (unsigned i = 0; i < curve->points; i++) {
            const struct estimate *speedup = &curve->point[i].speedup[mode];
            bool is_known = !isnan(speedup->low) && !isnan(speedup->high);
            if (speedup->value > 0 && is_known == (known == 1))
                string_append(&drawing->script, "%.9g %.9g %.9g %.9g\n", curve->point[i].size * aside, speedup->value,
                              speedup->low, speedup->high - speedup->low);
        }
        string_append(&drawing->script, "EOD\n");
    }
}

static bool write_model(struct drawing *drawing, const struct curve *curve, enum mode mode)
{
    struct curve_model model;
    if (!curve_model(curve, mode, &model))
        return false;
    string_append(&drawing->script, "$model%u << EOD\n", mode);
    for (unsigned i = 0; i < curve->points; i++) {
        const struct curve_point *point = &curve->point[i];
        double speedup = cost_seconds(&model.baseline, point->bytes, point->flops) /
                         cost_seconds(&model.own, point->bytes, point->flops);
        if (speedup > 0 && isfinite(speedup))
            string_append(&drawing->script, "%.9g %.9g\n", point->size, speedup);
    }
    string_append(&drawing->script, "NaN NaN\nEOD\n");
    return true;
}

static double last_of(const struct curve *curve, enum mode mode)
{
    double last = NAN;
    for (unsigned i = 0; i < curve->points; i++)
        if (curve->point[i].speedup[mode].value > 0)
            last = curve->point[i].speedup[mode].value;
    return last;
}

/* "pays from 75.2k to 108k" */
static const char *threshold_text(const struct curve *curve, enum mode mode, struct pool *pool)
{
    static const char *const said[] = {
        [THRESHOLD_UNSURE] = "",
        [THRESHOLD_NEVER] = "never surely faster",
        [THRESHOLD_ALWAYS] = "never surely slower",
        [THRESHOLD_CROSSES] = "",
    };
    struct threshold threshold;
    if (!curve_threshold(curve, mode, &threshold))
        return "";
    const char *text = said[threshold.outcome];
    for (unsigned i = 0; i < threshold.crossings; i++) {
        char low[TEXT_NUMBER], high[TEXT_NUMBER];
        const struct crossing *crossing = &threshold.crossing[i];
        write_count(low, sizeof low, crossing->low);
        write_count(high, sizeof high, crossing->high);
        text = pool_print(pool, "%s%s%s %s to %s", text, i > 0 ? ", " : "pays ", crossing->is_up ? "from" : "until",
                          low, high);
    }
    return text;
}

/* The name of each mode and its threshold, beside the last point. */
static void write_names(struct drawing *drawing, const struct curves *curves, const struct curve *curve)
{
    static const double line = 15; /* pixels */
    double height[MODES];
    enum mode of[MODES];
    unsigned count = 0;
    for (enum mode mode = 0; mode < MODES; mode++)
        if (has_mode(curve, mode)) {
            of[count] = mode;
            height[count++] = axis_at(&drawing->y, last_of(curve, mode));
        }
    space_out(height, count, 2.5 * line, BOTTOM + line, HEIGHT - 8);
    for (unsigned i = 0; i < count; i++) {
        double x = DRAWING_WIDTH - RIGHT + 6;
        const char *text = threshold_text(curve, of[i], drawing->pool);
        drawing_mark(drawing, x + 4, height[i], styles[of[i]].full, styles[of[i]].colour);
        drawing_label(drawing, x + 14, height[i], ANCHOR_LEFT, INK,
                      of[i] == MODE_USES
                          ? pool_print(drawing->pool, "%u use%s", curves->uses, curves->uses == 1 ? "" : "s")
                          : mode_names[of[i]]);
        if (*text)
            drawing_label(drawing, x + 14, height[i] - line, ANCHOR_LEFT, INK,
                          drawing_shorten(drawing, text, RIGHT - 22));
    }
}

/* The thresholds of all modes, as in the sentences below the table. */
static const char *caption(const struct curves *curves, const struct curve *curve, struct pool *pool)
{
    struct lines lines = { 0 };
    struct string_builder text = { .pool = pool };
    sweep_text_append(pool, &lines, curves, curve);
    string_append(&text,
                  "The speed-up of %s over %s at each size, %s, in %s memory: resident, with operands that stay "
                  "there%s. Bars are 95 %% intervals, a hollow mark has none. Shaded: where the faster side changes. "
                  "Thin lines: the cost model.",
                  curve->device->id, curves->baseline->id, curve->method ? curve->method : "by its fastest method",
                  curve->memory,
                  curve->moves ? "; with operands moved once for several uses; and offload, moved at each use" : "");
    /* the thresholds, a heading with the lines below it; the next heading is the model */
    for (unsigned i = 0; i < lines.lines && (i == 0 || lines.line[i].is_below); i++) {
        const char *part = lines.line[i].text;
        size_t length = strlen(part);
        length -= length > 0 && part[length - 1] == '.';
        string_append(&text, "%s %.*s", i > 1 ? ";" : "", (int)length, part);
    }
    string_append(&text, ".");
    return string_text(&text);
}

static void draw(struct drawing *drawing, const struct curves *curves, const struct curve *curve)
{
    const char *divider = "plot ";
    set_range(drawing, curves, curve);
    drawing_axes(drawing);
    drawing_ticks(drawing, 'x', write_count);
    drawing_ticks(drawing, 'y', write_times);
    string_append(&drawing->script,
                  "set arrow from graph 0, first 1 to graph 1, first 1 nohead lw 1.2 lc rgb \"" INK "\" back\n");
    write_names(drawing, curves, curve);
    drawing_label(drawing, LEFT + drawing->x.length / 2, 12, ANCHOR_CENTER, INK,
                  drawing_shorten(drawing, curves->unit, 300));
    drawing_label(drawing, 8, HEIGHT - 10, ANCHOR_LEFT, INK,
                  pool_print(drawing->pool, "times as fast as %s", curves->baseline->id));
    bool has_model[MODES] = { false };
    for (enum mode mode = 0; mode < MODES; mode++) {
        if (!has_mode(curve, mode))
            continue;
        write_threshold(drawing, curve, mode);
        write_points(drawing, curve, mode);
        has_model[mode] = write_model(drawing, curve, mode);
    }
    for (enum mode mode = 0; mode < MODES; mode++) {
        const struct style *style = &styles[mode];
        if (!has_mode(curve, mode))
            continue;
        if (has_model[mode])
            string_append(&drawing->script, "%s$model%u with lines lw 1.2 dt %s lc rgb \"%s\", \\\n", divider, mode,
                          style->dash, style->colour);
        string_append(&drawing->script,
                      "%s$points%u1 using 1:3:(0):4 with vectors nohead lw 2 lc rgb \"%s\", \\\n"
                      "$points%u1 using 1:2 with points pt %u ps 0.7 lc rgb \"%s\", \\\n"
                      "$points%u0 using 1:2 with points lw 1.5 pt %u ps 0.75 lc rgb \"%s\"",
                      has_model[mode] ? "" : divider, mode, style->colour, mode, style->full, style->colour, mode,
                      style->hollow, style->colour);
        divider = ", \\\n";
    }
    string_append(&drawing->script, "\n");
}

/* The number of pictures, the last of them, and the number of curves without one. */
struct sweep_pictures {
    struct drawing *last;
    unsigned drawn, more;
};

static void plot_sweep(struct drawings *out, const struct results *results, unsigned run,
                       struct sweep_pictures *sweep_pictures)
{
    struct curves curves;
    const char *letter = run_letter(&out->pool, results, run);
    out->pool.is_short |= !curves_read(&curves, results->run[run].record);
    for (unsigned i = 0; i < curves.curves && curves.baseline; i++) {
        const struct curve *curve = &curves.curve[i];
        bool is_drawn = has_points(curve) && sweep_pictures->drawn < CURVES_MAX;
        struct drawing *drawing = is_drawn ? drawing_add(out, HEIGHT, "sweep-%u", sweep_pictures->drawn + 1) : NULL;
        sweep_pictures->more += has_points(curve) && !is_drawn;
        if (!drawing)
            continue;
        sweep_pictures->drawn++;
        sweep_pictures->last = drawing;
        drawing->title = pool_print(&out->pool, "%s %s by size on %s, %s%s%s", curves.workload, curves.dtype,
                                    curve->device->id, curve->memory, *letter ? ", run " : "", letter);
        drawing->caption = caption(&curves, curve, &out->pool);
        draw(drawing, &curves, curve);
    }
    curves_free(&curves);
}

void plot_sweeps(struct drawings *out, const struct results *results)
{
    struct sweep_pictures sweep_pictures = { .last = NULL };
    for (unsigned i = 0; i < results->runs; i++)
        if (results->run[i].record && results->run[i].record->sweep)
            plot_sweep(out, results, i, &sweep_pictures);
    if (sweep_pictures.last && sweep_pictures.more > 0)
        sweep_pictures.last->caption =
            pool_print(&out->pool, "%s %u more curve%s no picture.", sweep_pictures.last->caption, sweep_pictures.more,
                       sweep_pictures.more == 1 ? " has" : "s have");
}
