/* Speed-ups over the baseline with intervals: a row for each cell that has one. */

#include "harness/analysis/speedup.h"
#include "harness/analysis/decision_rules.h"
#include "harness/base/text.h"
#include "harness/report/plots/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEFT = 236, RIGHT = 152, TOP = 34, BOTTOM = 46 }; /* pixels */
enum { USES = 2 };

/* Resident is drawn above offload. */
static const struct {
    const char *name;
    unsigned style;
    double raised; /* pixels */
    double column; /* right edge of its figures, pixels from the right */
} uses[USES] = {
    { "resident", 0, 4, 80 },
    { "offload", 1, -4, 8 },
};

enum set { SET_KNOWN, SET_UNKNOWN, SET_BELOW, SET_ABOVE, SETS };

static const struct estimate *speedup_of(const struct cell_metrics *metrics, unsigned use)
{
    return use == 0 ? &metrics->resident : &metrics->offload;
}

static bool may_have_row(const struct cell_record *cell)
{
    return *cell->baseline && strcmp(cell->baseline, cell->key) != 0;
}

static bool has_row(const struct cell_metrics *metrics)
{
    return !metrics->cell->is_ceiling && metrics->baseline != metrics->cell &&
           (metrics->resident.value > 0 || metrics->offload.value > 0);
}

static double score(const struct cell_metrics *metrics)
{
    return metrics->offload.value > 0 ? metrics->offload.value : metrics->resident.value;
}

static const struct plot_filter filter = { may_have_row, has_row, score };

static int by_size(const void *one, const void *other)
{
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

/* The largest factor on the axis: that of all values, without a few outliers that would take half of the axis or
 * more. */
static double reach(const struct plot_rows *rows)
{
    double distance[USES * ROWS_MAX];
    unsigned count = 0;
    for (unsigned i = 0; i < rows->rows; i++)
        for (unsigned use = 0; use < USES; use++)
            if (speedup_of(&rows->row[i].metrics, use)->value > 0)
                distance[count++] = fabs(log(speedup_of(&rows->row[i].metrics, use)->value));
    qsort(distance, count, sizeof *distance, by_size);
    unsigned few = count / 8, kept = count;
    for (unsigned i = 0; i < few; i++)
        if (distance[count - 2 - i] < distance[kept - 1] / 2)
            kept = count - 1 - i;
    return exp(fmax(distance[kept - 1], log(1.25)));
}

static void set_range(struct drawing *drawing, const struct plot_rows *rows)
{
    double most = reach(rows) * (1 + 1e-9);
    drawing->x.is_log = true;
    axis_include(&drawing->x, 1 / 1.25);
    axis_include(&drawing->x, 1.25);
    for (unsigned i = 0; i < rows->rows; i++)
        for (unsigned use = 0; use < USES; use++) {
            const struct estimate *speedup = speedup_of(&rows->row[i].metrics, use);
            const double value[] = { speedup->value, speedup->low, speedup->high };
            for (unsigned end = 0; end < 3; end++)
                axis_include(&drawing->x, fmin(fmax(value[end], 1 / most), most));
        }
    axis_widen(&drawing->x, 0.04);
}

/* The titles of the columns have the markers: they are the legend. */
static void write_legend(struct drawing *drawing)
{
    double y = drawing->height - TOP / 2.0 - 2, one = axis_at(&drawing->x, 1);
    bool has_left = one - LEFT > 90, has_right = LEFT + drawing->x.length - one > 90;
    if (has_left)
        drawing_label(drawing, one - 10, y, ANCHOR_RIGHT, GREY, "\u2190 slower");
    if (has_right)
        drawing_label(drawing, one + 10, y, ANCHOR_LEFT, GREY, "faster \u2192");
    for (unsigned use = 0; use < USES; use++) {
        const struct style *style = &styles[uses[use].style];
        double x = DRAWING_WIDTH - uses[use].column;
        drawing_label(drawing, x, y, ANCHOR_RIGHT, INK, uses[use].name);
        drawing_mark(drawing, x - drawing_width(uses[use].name) - 8, y, style->full, style->colour);
    }
}

static void write_figures(struct drawing *drawing, const struct plot_row *row)
{
    for (unsigned use = 0; use < USES; use++) {
        struct speedup_text text;
        char shown[TEXT_NUMBER + 4];
        const struct estimate *speedup = speedup_of(&row->metrics, use);
        if (!(speedup->value > 0))
            continue;
        speedup_write(&text, speedup);
        snprintf(shown, sizeof shown, "%s\u00d7", text.value);
        drawing_label(drawing, DRAWING_WIDTH - uses[use].column, row->y, ANCHOR_RIGHT, INK, shown);
    }
}

/* Points with an interval, without one, and beyond the axis. */
static enum set set_of(const struct axis *axis, const struct estimate *speedup)
{
    if (!(speedup->value > 0))
        return SETS;
    if (speedup->value < axis->from)
        return SET_BELOW;
    if (speedup->value > axis->to)
        return SET_ABOVE;
    return isnan(speedup->low) || isnan(speedup->high) ? SET_UNKNOWN : SET_KNOWN;
}

static void write_set(struct drawing *drawing, const struct plot_rows *rows, unsigned use, enum set set)
{
    string_append(&drawing->script, "$points%u%u << EOD\nNaN NaN NaN NaN\n", use, set); /* a set is never empty */
    for (unsigned i = 0; i < rows->rows; i++) {
        const struct estimate *speedup = speedup_of(&rows->row[i].metrics, use);
        if (set_of(&drawing->x, speedup) == set)
            string_append(&drawing->script, "%.9g %.9g %.9g %.9g\n", speedup->value, rows->row[i].y + uses[use].raised,
                          speedup->low, speedup->high - speedup->low);
    }
    string_append(&drawing->script, "EOD\n");
}

static void write_arrows(struct drawing *drawing, const struct plot_rows *rows, unsigned use)
{
    static const double length = 14; /* pixels */
    for (unsigned i = 0; i < rows->rows; i++) {
        enum set set = set_of(&drawing->x, speedup_of(&rows->row[i].metrics, use));
        double y = (rows->row[i].y + uses[use].raised) / drawing->height;
        double end = set == SET_BELOW ? drawing->x.start : drawing->x.start + drawing->x.length;
        if (set == SET_BELOW || set == SET_ABOVE)
            string_append(&drawing->script,
                          "set arrow from screen %.6g, screen %.6g to screen %.6g, screen %.6g head filled size screen "
                          "0.012,25 front lw 2 lc rgb \"%s\"\n",
                          (set == SET_BELOW ? end + length : end - length) / DRAWING_WIDTH, y, end / DRAWING_WIDTH, y,
                          styles[uses[use].style].colour);
    }
}

static void write_plot(struct drawing *drawing)
{
    string_append(&drawing->script, "set border 1 lw 0.8\nunset ytics\nplot ");
    for (unsigned use = 0; use < USES; use++) {
        const struct style *style = &styles[uses[use].style];
        string_append(&drawing->script,
                      "%s$points%u%u using 3:2:4:(0) with vectors nohead lw 2 lc rgb \"%s\", \\\n"
                      "$points%u%u using 1:2 with points pt %u ps 0.75 lc rgb \"%s\", \\\n"
                      "$points%u%u using 1:2 with points lw 1.5 pt %u ps 0.8 lc rgb \"%s\"",
                      use > 0 ? ", \\\n" : "", use, SET_KNOWN, style->colour, use, SET_KNOWN, style->full,
                      style->colour, use, SET_UNKNOWN, style->hollow, style->colour);
    }
    string_append(&drawing->script, "\n");
}

static const char *caption(const struct plot_rows *rows, struct pool *pool)
{
    unsigned known[USES] = { 0 }, faster[USES] = { 0 }, slower[USES] = { 0 }, close[USES] = { 0 };
    for (unsigned i = 0; i < rows->rows; i++)
        for (unsigned use = 0; use < USES; use++) {
            const struct cell_metrics *metrics = &rows->row[i].metrics;
            const struct estimate *speedup = speedup_of(metrics, use);
            bool is_disturbed = use == 1 && metrics->is_offload_disturbed, is_close = speedup_is_close(speedup);
            known[use] += speedup->value > 0;
            close[use] += !is_disturbed && is_close;
            faster[use] += !is_disturbed && !is_close && speedup_side(speedup) == SIDE_FASTER;
            slower[use] += !is_disturbed && !is_close && speedup_side(speedup) == SIDE_SLOWER;
        }
    return pool_print(
        pool,
        "The speed-up of each row over the baseline of its own run: resident, with operands that stay on the device "
        "(circles), and offload, with every transfer (squares); bars are 95 %% intervals, a hollow mark has no "
        "interval, an arrow is beyond the axis. Resident, %u of %u are certainly faster, %u certainly slower and %u as "
        "fast to within 2 %%; with every transfer, %u of %u, %u and %u.%s",
        faster[0], known[0], slower[0], close[0], faster[1], known[1], slower[1], close[1],
        plot_rows_left_out(rows, pool));
}

static void draw(struct drawing *drawing, struct plot_rows *rows)
{
    drawing->title = "Speed-up over the baseline";
    drawing->caption = caption(rows, drawing->pool);
    set_range(drawing, rows);
    drawing->x.start = LEFT;
    drawing->x.length = DRAWING_WIDTH - LEFT - RIGHT;
    drawing->y = (struct axis){ .from = BOTTOM, .to = BOTTOM + rows->height, .start = BOTTOM, .length = rows->height };
    drawing_axes(drawing);
    drawing_ticks(drawing, 'x', write_times);
    plot_rows_place(rows, drawing, BOTTOM, LEFT);
    for (unsigned i = 0; i < rows->rows; i++)
        write_figures(drawing, &rows->row[i]);
    for (unsigned use = 0; use < USES; use++) {
        write_set(drawing, rows, use, SET_KNOWN);
        write_set(drawing, rows, use, SET_UNKNOWN);
        write_arrows(drawing, rows, use);
    }
    write_legend(drawing);
    drawing_label(drawing, LEFT + drawing->x.length / 2, 12, ANCHOR_CENTER, INK, "times as fast as the baseline");
    plot_rows_grid(rows, drawing);
    plot_rows_rule(rows, drawing, 1);
    write_plot(drawing);
}

void plot_speedups(struct drawings *out, const struct results *results)
{
    struct plot_rows *rows = pool_take(&out->pool, sizeof *rows);
    if (!rows)
        return;
    plot_rows(rows, results, &filter, &out->pool);
    struct drawing *drawing = rows->rows > 0 ? drawing_add(out, TOP + BOTTOM + rows->height, "speed-up") : NULL;
    if (drawing)
        draw(drawing, rows);
}
