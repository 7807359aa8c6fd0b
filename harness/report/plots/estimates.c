#include "harness/report/plots/drawing.h"

#include <math.h>
#include <string.h>

/* Pixels. A phone has a name on a line of its own, a wide page beside the axis. */
enum { MARGIN = 6, GAP = 12, NAME_MOST = 300, FIGURE = 52, HEADING = 28, NAME = 18, ROW = 30, APART = 7, AXIS = 40 };

/* The right end of a column of figures. */
static double figure_at(const struct drawing *drawing, enum use use)
{
    return drawing->width - MARGIN - (use == USE_RESIDENT ? FIGURE : 0);
}

/* Where the axis begins: on a wide page after the widest name. */
static double left_end(const struct drawing *drawing, const struct estimates *estimates)
{
    double widest = 0;
    if (drawing->width < DRAWING_WIDE)
        return MARGIN;
    for (unsigned i = 0; i < estimates->rows; i++)
        widest = fmax(widest, drawing_width(estimates->row[i].name));
    return MARGIN + fmin(widest, NAME_MOST) + GAP;
}

/* Visits as lines, over their interval as an area. */
static void draw_visits(struct drawing *drawing, const struct estimate_row *row, enum use use, double middle)
{
    static const double height = 12;
    const struct axis *axis = &drawing->x;
    const double low = axis_at(axis, row->value[use].low), width = axis_at(axis, row->value[use].high) - low;
    if (!isnan(width))
        drawing_rectangle(drawing, low, middle - height / 2, width, height, use, "shade");
    for (unsigned i = 0; i < row->visits[use]; i++) {
        const double x = axis_at(axis, fmin(fmax(row->visit[use][i], axis->from), axis->to));
        drawing_line(drawing, x, middle - height / 2, x, middle + height / 2, use, "visit");
    }
}

static void draw_row(struct drawing *drawing, const struct estimate_row *row, double name_at, double middle)
{
    const double end = name_at < middle ? figure_at(drawing, USE_RESIDENT) - FIGURE : drawing->x.start - GAP;
    drawing_label(drawing, MARGIN, name_at, ANCHOR_LEFT, "", drawing_shorten(drawing, row->name, end - MARGIN + 1));
    for (enum use use = 0; use < USES; use++) {
        const double y = middle + (use == USE_RESIDENT ? -APART : APART);
        if (row->figure[use])
            drawing_label(drawing, figure_at(drawing, use), name_at, ANCHOR_RIGHT, "", row->figure[use]);
        if (row->visits[use] > 0)
            draw_visits(drawing, row, use, y);
        else
            drawing_estimate(drawing, &row->value[use], false, y, use);
    }
}

/* Draws the rows from a height on and returns that of their end; with `is_measured` only that. */
static double draw_rows(struct drawing *drawing, const struct estimates *estimates, double y, bool is_measured)
{
    const double name = drawing->width < DRAWING_WIDE ? NAME : 0;
    const char *heading = NULL;
    for (unsigned i = 0; i < estimates->rows; i++) {
        const struct estimate_row *row = &estimates->row[i];
        if (row->heading && (!heading || strcmp(row->heading, heading) != 0)) {
            heading = row->heading;
            if (!is_measured)
                drawing_label(drawing, MARGIN, y + HEADING / 2.0, ANCHOR_LEFT, "bold",
                              drawing_shorten(drawing, heading, drawing->width - 2 * MARGIN));
            y += HEADING;
        }
        if (!is_measured)
            draw_row(drawing, row, y + (name > 0 ? name / 2 + 3 : ROW / 2.0), y + name + ROW / 2.0);
        y += name + ROW;
    }
    return y;
}

void draw_estimates(struct drawing *drawing, const void *data)
{
    const struct estimates *estimates = data;
    const struct legend legend[USES] = { { .name = "data stay", .style = USE_RESIDENT },
                                         { .name = "copied at every use", .style = USE_COPIED } };
    const double top = drawing_legend(drawing, legend, USES), end = draw_rows(drawing, estimates, top, true);
    const double left = left_end(drawing, estimates);
    const double figures = drawing->width < DRAWING_WIDE ? MARGIN : 2 * FIGURE + 2 * MARGIN;
    drawing->x = (struct axis){ 1 / estimates->least, estimates->least, left, drawing->width - left - figures };
    drawing->y = (struct axis){ 1, 2, end, top - end };
    drawing->height = end + AXIS;
    for (unsigned i = 0; i < estimates->rows; i++)
        for (enum use use = 0; use < USES; use++)
            axis_include_estimate(&drawing->x, &estimates->row[i].value[use]);
    axis_widen(&drawing->x, 0.04);
    for (enum use use = 0; use < USES; use++) /* above the columns of figures */
        drawing_mark(drawing, figure_at(drawing, use) - 8, 14, use, true);
    drawing_axes(drawing, "\u00d7", estimates->axis, NULL);
    const double one = axis_at(&drawing->x, 1);
    drawing_line(drawing, one, top, one, end, 0, "axis");
    draw_rows(drawing, estimates, top, false);
}
