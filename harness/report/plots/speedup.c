/* Speed-ups with intervals: a row for each problem, below the name of its processor. */

#include "harness/analysis/speedup.h"
#include "harness/base/text.h"
#include "harness/report/content/answer_words.h"
#include "harness/report/plots/plots.h"

#include <math.h>
#include <string.h>

enum { ROWS_MAX = 60 };
enum { MARGIN = 6, LEFT = 200, FIGURE = 64, PART_HEIGHT = 26, ROW_HEIGHT = 22, AXIS_HEIGHT = 40 }; /* pixels */

static const struct {
    const char *name;
    double raised; /* pixels */
} uses[USES] = {
    [USE_RESIDENT] = { "resident", 4 },
    [USE_COPIED] = { "copied", -4 },
};

struct rows {
    const struct answer *row[ROWS_MAX];
    const char *problem[ROWS_MAX];
    unsigned rows;
    unsigned parts, left_out;
};

static bool has_row(const struct answer *answer)
{
    return answer->use[USE_RESIDENT].speedup.value > 0 || answer->use[USE_COPIED].speedup.value > 0;
}

static void set_range(struct axis *axis, const struct rows *rows)
{
    axis_include(axis, 1 / 1.25);
    axis_include(axis, 1.25);
    for (unsigned i = 0; i < rows->rows; i++)
        for (enum use use = 0; use < USES; use++)
            axis_include_estimate(axis, &rows->row[i]->use[use].speedup);
    axis_widen(axis, 0.05);
}

/* The mark with its interval. */
static void draw_mark(struct drawing *drawing, const struct estimate *speedup, enum use use, double y)
{
    const struct axis *x = &drawing->x;
    bool is_known = !isnan(speedup->low) && !isnan(speedup->high);
    if (!(speedup->value > 0))
        return;
    if (is_known)
        drawing_line(drawing, axis_at(x, speedup->low), y, axis_at(x, speedup->high), y, use, "line");
    drawing_mark(drawing, axis_at(x, speedup->value), y, use, is_known);
}

static double row_height(const struct drawing *drawing)
{
    return drawing->is_narrow ? 2 * ROW_HEIGHT - 2 : ROW_HEIGHT;
}

static void draw_row(struct drawing *drawing, const struct rows *rows, unsigned at, double *y)
{
    double figures = 2 * FIGURE, middle = *y + ROW_HEIGHT / 2.0;
    double room = drawing->is_narrow ? drawing->width - 2 * MARGIN - figures : LEFT - MARGIN - 14;
    drawing_label(drawing, MARGIN, middle, ANCHOR_LEFT, "", drawing_shorten(drawing, rows->problem[at], room));
    for (enum use use = 0; use < USES; use++) {
        struct speedup_text text;
        const struct estimate *speedup = &rows->row[at]->use[use].speedup;
        if (!(speedup->value > 0))
            continue;
        speedup_write(&text, speedup);
        drawing_label(drawing, drawing->width - MARGIN - (use == USE_RESIDENT ? FIGURE : 0), middle, ANCHOR_RIGHT, "",
                      pool_print(drawing->pool, "%s\u00d7", text.value));
    }
    *y += row_height(drawing);
    for (enum use use = 0; use < USES; use++)
        draw_mark(drawing, &rows->row[at]->use[use].speedup, use, *y - ROW_HEIGHT / 2.0 - uses[use].raised);
}

/* "GPU NVIDIA H200 (cuda:0)" */
static const char *part_text(const struct drawing *drawing, const struct answer *answer)
{
    const struct device *device = answer->device;
    return device ? pool_print(drawing->pool, "%s %s (%s)", class_name(device->class), device->name, device->id)
                  : answer->problem->device_id;
}

static double draw_rows(struct drawing *drawing, const struct rows *rows, double y)
{
    for (unsigned i = 0; i < rows->rows; i++) {
        if (i == 0 || rows->row[i]->part != rows->row[i - 1]->part) {
            drawing_label(drawing, MARGIN, y + PART_HEIGHT / 2.0, ANCHOR_LEFT, "bold",
                          drawing_shorten(drawing, part_text(drawing, rows->row[i]), drawing->width - 2 * MARGIN));
            y += PART_HEIGHT;
        }
        draw_row(drawing, rows, i, &y);
    }
    return y;
}

static void draw(struct drawing *drawing, const void *data)
{
    const struct rows *rows = data;
    const struct legend legend[USES] = { { .name = uses[0].name, .style = 0 }, { .name = uses[1].name, .style = 1 } };
    double left = drawing->is_narrow ? MARGIN + 10 : LEFT, right = drawing->is_narrow ? MARGIN + 10 : 2 * FIGURE + 24;
    double top = drawing_legend(drawing, MARGIN, 14, legend, USES),
           height = rows->parts * PART_HEIGHT + rows->rows * row_height(drawing);
    drawing->x = (struct axis){ NAN, NAN, true, left, drawing->width - left - right };
    drawing->y = (struct axis){ 0, 1, false, top + height, -height };
    drawing->height = top + height + AXIS_HEIGHT;
    for (enum use use = 0; use < USES; use++) /* above the columns of figures */
        drawing_mark(drawing, drawing->width - MARGIN - (use == USE_RESIDENT ? FIGURE : 0) - 8, 14, use, true);
    set_range(&drawing->x, rows);
    drawing_x_axis(drawing, write_times, "times as fast as the baseline");
    double one = axis_at(&drawing->x, 1);
    drawing_line(drawing, one, top, one, top + height, 0, "axis");
    draw_rows(drawing, rows, top);
}

static const char *caption(const struct rows *rows, struct pool *pool)
{
    unsigned count[USES][VERDICT_COUNT] = { { 0 } };
    for (unsigned i = 0; i < rows->rows; i++)
        for (enum use use = 0; use < USES; use++)
            count[use][rows->row[i]->use[use].verdict]++;
    const char *text = pool_print(
        pool,
        "The speed-up over the fastest method of the baseline, usually the CPU: computing with data that stay on the "
        "device (circles), and with every transfer (squares). Bars are 95 %% intervals; a hollow mark has no interval. "
        "Resident: %u faster, %u about equal, %u slower; copied: %u, %u, %u.",
        count[0][VERDICT_FASTER], count[0][VERDICT_EQUAL], count[0][VERDICT_SLOWER], count[1][VERDICT_FASTER],
        count[1][VERDICT_EQUAL], count[1][VERDICT_SLOWER]);
    if (rows->left_out > 0)
        text = pool_print(pool, "%s Of %u rows the first %u are shown.", text, rows->rows + rows->left_out, rows->rows);
    return text;
}

void plot_speedups(struct pictures *out, const struct plot_run *run)
{
    struct pool *pool = &out->pool;
    struct rows *rows = pool_take(pool, sizeof *rows);
    if (!rows)
        return;
    for (unsigned i = 0; i < run->set->answers; i++) {
        const struct answer *answer = &run->set->answer[i];
        rows->left_out += has_row(answer) && rows->rows == ROWS_MAX;
        if (!has_row(answer) || rows->rows == ROWS_MAX)
            continue;
        rows->parts += rows->rows == 0 || rows->row[rows->rows - 1]->part != answer->part;
        rows->problem[rows->rows] = problem_words(pool, run->set, answer);
        rows->row[rows->rows++] = answer;
    }
    if (rows->rows == 0)
        return;
    const struct picture head = {
        .name = "speed-up",
        .title = "Speed-up",
        .caption = caption(rows, pool),
    };
    drawing_add(out, &head, draw, rows);
}
