/* Speed-ups with intervals: a row for each problem, below the name of its processor. */

#include "harness/analysis/verdict.h"
#include "harness/base/text.h"
#include "harness/report/content/answer_words.h"
#include "harness/report/plots/drawing.h"

#include <math.h>

enum {
    MARGIN = 6,
    GAP = 8,
    LEFT_MOST = 165,
    FIGURE = 46,
    PART_HEIGHT = 26,
    ROW_HEIGHT = 22,
    AXIS_HEIGHT = 40
}; /* pixels */

static bool has_row(const struct answer *answer)
{
    return answer->use[USE_RESIDENT].speedup.value > 0 || answer->use[USE_COPIED].speedup.value > 0;
}

/* The right end of the column of figures. */
static double figure_at(enum use use)
{
    return DRAWING_WIDTH - MARGIN - (use == USE_RESIDENT ? FIGURE : 0);
}

static void draw_row(struct drawing *drawing, const struct answer_set *set, const struct answer *answer, double middle)
{
    const char *problem =
        drawing_shorten(drawing, problem_words(drawing->pool, set, answer), drawing->x.start - MARGIN - GAP);
    drawing_label(drawing, MARGIN, middle, ANCHOR_LEFT, "", problem);
    for (enum use use = 0; use < USES; use++) {
        struct speedup_text text;
        const struct estimate *speedup = &answer->use[use].speedup;
        speedup_write(&text, speedup);
        if (speedup->value > 0)
            drawing_label(drawing, figure_at(use), middle, ANCHOR_RIGHT, "",
                          pool_print(drawing->pool, "%s\u00d7", text.value));
        drawing_estimate(drawing, speedup, false, middle + (use == USE_RESIDENT ? -4 : 4), use);
    }
}

/* Where the axis begins: after the widest name of a problem. */
static double left_end(const struct drawing *drawing, const struct answer_set *set)
{
    double widest = 0;
    for (unsigned i = 0; i < set->answers; i++)
        widest = fmax(widest, drawing_width(problem_words(drawing->pool, set, &set->answer[i])));
    return fmin(MARGIN + widest + GAP, LEFT_MOST);
}

/* "GPU NVIDIA H200 (cuda:0)" */
static const char *part_text(const struct drawing *drawing, const struct answer *answer)
{
    const struct device *device = answer->device;
    return device ? pool_print(drawing->pool, "%s %s (%s)", class_names[device->class], device->name, device->id)
                  : answer->problem->device_id;
}

/* Draws the rows from a height on and returns that of their end; with `is_measured` only that. */
static double draw_rows(struct drawing *drawing, const struct answer_set *set, double y, bool is_measured)
{
    const struct answer_part *part = NULL;
    for (unsigned i = 0; i < set->answers; i++) {
        const struct answer *answer = &set->answer[i];
        if (!has_row(answer))
            continue;
        if (answer->part != part && !is_measured)
            drawing_label(drawing, MARGIN, y + PART_HEIGHT / 2.0, ANCHOR_LEFT, "bold",
                          drawing_shorten(drawing, part_text(drawing, answer), DRAWING_WIDTH - 2 * MARGIN));
        y += answer->part != part ? PART_HEIGHT : 0;
        part = answer->part;
        if (!is_measured)
            draw_row(drawing, set, answer, y + ROW_HEIGHT / 2.0);
        y += ROW_HEIGHT;
    }
    return y;
}

static void draw(struct drawing *drawing, const void *data)
{
    const struct answer_set *set = data;
    const struct legend legend[USES] = { { .name = "resident", .style = USE_RESIDENT },
                                         { .name = "copied", .style = USE_COPIED } };
    const double top = drawing_legend(drawing, legend, USES), end = draw_rows(drawing, set, top, true);
    const double left = left_end(drawing, set);
    drawing->x = (struct axis){ 0.5, 2, left, DRAWING_WIDTH - left - 2 * FIGURE - 2 * MARGIN };
    drawing->y = (struct axis){ 1, 2, end, top - end };
    drawing->height = end + AXIS_HEIGHT;
    for (unsigned i = 0; i < set->answers; i++)
        for (enum use use = 0; use < USES; use++)
            axis_include_estimate(&drawing->x, &set->answer[i].use[use].speedup);
    axis_widen(&drawing->x, 0.05);
    for (enum use use = 0; use < USES; use++) /* above the columns of figures */
        drawing_mark(drawing, figure_at(use) - 8, 14, use, true);
    drawing_axes(drawing, "\u00d7", "times as fast as the baseline", NULL);
    double one = axis_at(&drawing->x, 1);
    drawing_line(drawing, one, top, one, end, 0, "axis");
    draw_rows(drawing, set, top, false);
}

void plot_speedups(struct pictures *out, const struct answer_set *set)
{
    unsigned rows = 0, count[USES][VERDICT_COUNT] = { { 0 } };
    for (unsigned i = 0; i < set->answers; i++) {
        rows += has_row(&set->answer[i]);
        for (enum use use = 0; use < USES; use++)
            count[use][set->answer[i].use[use].verdict]++;
    }
    if (rows == 0)
        return;
    const struct picture head = {
        .name = "speed-up",
        .title = "Speed-up",
        .caption = pool_print(&out->pool,
                              "The speed-up over the fastest method of the baseline, usually the CPU: with data that "
                              "stay on the device (circles), and with data that are copied at every use (squares). "
                              "Bars are 95 %% intervals; a hollow mark has no interval. Resident: %u faster, %u equal, "
                              "%u slower; copied: %u, %u, %u.",
                              count[0][VERDICT_FASTER], count[0][VERDICT_EQUAL], count[0][VERDICT_SLOWER],
                              count[1][VERDICT_FASTER], count[1][VERDICT_EQUAL], count[1][VERDICT_SLOWER]),
    };
    drawing_add(out, &head, draw, set);
}
