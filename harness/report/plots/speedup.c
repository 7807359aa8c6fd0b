/* Speed-ups with intervals: a row for each problem, below the name of its processor. */

#include "harness/analysis/speedup.h"
#include "harness/base/text.h"
#include "harness/report/content/answer_words.h"
#include "harness/report/plots/plots.h"

#include <math.h>
#include <string.h>

enum { ROWS_MAX = 60 };
enum { MARGIN = 6, LEFT = 118, FIGURE = 46, PART_HEIGHT = 26, ROW_HEIGHT = 22, AXIS_HEIGHT = 40 }; /* pixels */

static const char *const names[USES] = { [USE_RESIDENT] = "resident", [USE_COPIED] = "copied" };

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

/* At least from half to twice as fast. */
static void set_range(struct axis *axis, const struct rows *rows)
{
    axis_include(axis, 0.5);
    axis_include(axis, 2);
    for (unsigned i = 0; i < rows->rows; i++)
        for (enum use use = 0; use < USES; use++)
            axis_include_estimate(axis, &rows->row[i]->use[use].speedup);
    axis_widen(axis, 0.05);
}

/* The right end of the column of figures. */
static double figure_at(enum use use)
{
    return DRAWING_WIDTH - MARGIN - (use == USE_RESIDENT ? FIGURE : 0);
}

static void draw_row(struct drawing *drawing, const struct rows *rows, unsigned at, double middle)
{
    const char *problem = drawing_shorten(drawing, rows->problem[at], LEFT - MARGIN - 8);
    drawing_label(drawing, MARGIN, middle, ANCHOR_LEFT, "", problem);
    for (enum use use = 0; use < USES; use++) {
        struct speedup_text text;
        const struct estimate *speedup = &rows->row[at]->use[use].speedup;
        speedup_write(&text, speedup);
        if (speedup->value > 0)
            drawing_label(drawing, figure_at(use), middle, ANCHOR_RIGHT, "",
                          pool_print(drawing->pool, "%s\u00d7", text.value));
        drawing_estimate(drawing, speedup, false, middle + (use == USE_RESIDENT ? -4 : 4), use);
    }
}

/* "GPU NVIDIA H200 (cuda:0)" */
static const char *part_text(const struct drawing *drawing, const struct answer *answer)
{
    const struct device *device = answer->device;
    return device ? pool_print(drawing->pool, "%s %s (%s)", class_name(device->class), device->name, device->id)
                  : answer->problem->device_id;
}

static void draw_rows(struct drawing *drawing, const struct rows *rows, double y)
{
    for (unsigned i = 0; i < rows->rows; i++) {
        if (i == 0 || rows->row[i]->part != rows->row[i - 1]->part) {
            drawing_label(drawing, MARGIN, y + PART_HEIGHT / 2.0, ANCHOR_LEFT, "bold",
                          drawing_shorten(drawing, part_text(drawing, rows->row[i]), DRAWING_WIDTH - 2 * MARGIN));
            y += PART_HEIGHT;
        }
        draw_row(drawing, rows, i, y + ROW_HEIGHT / 2.0);
        y += ROW_HEIGHT;
    }
}

static void draw(struct drawing *drawing, const void *data)
{
    const struct rows *rows = data;
    const struct legend legend[USES] = { { .name = names[0], .style = 0 }, { .name = names[1], .style = 1 } };
    const double top = drawing_legend(drawing, legend, USES),
                 height = rows->parts * PART_HEIGHT + rows->rows * ROW_HEIGHT;
    drawing->x = (struct axis){ NAN, NAN, LEFT, DRAWING_WIDTH - LEFT - 2 * FIGURE - 2 * MARGIN };
    drawing->y = (struct axis){ 1, 2, top + height, -height };
    drawing->height = top + height + AXIS_HEIGHT;
    for (enum use use = 0; use < USES; use++) /* above the columns of figures */
        drawing_mark(drawing, figure_at(use) - 8, 14, use, true);
    set_range(&drawing->x, rows);
    drawing_x_axis(drawing, "\u00d7", "times as fast as the baseline");
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
        "The speed-up over the fastest method of the baseline, usually the CPU: with data that stay on the device "
        "(circles), and with data that are copied at every use (squares). Bars are 95 %% intervals; a hollow mark has "
        "no interval. Resident: %u faster, %u equal, %u slower; copied: %u, %u, %u.",
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
    const struct picture head = { .name = "speed-up", .title = "Speed-up", .caption = caption(rows, pool) };
    drawing_add(out, &head, draw, rows);
}
