#include "harness/report/plots/drawing.h"

#include "harness/base/xml.h"

#include <math.h>

/* Pixels. A phone has a name on a line of its own, a wide page beside the axis. */
enum { MARGIN = 6, GAP = 12, NAME_MOST = 300, FIGURE = 52, HEADING = 28, NAME = 18, ROW = 30, APART = 7, AXIS = 40 };

/* The right end of a column of figures. */
static double figure_at(const struct drawing *drawing, enum use use)
{
    return drawing->width - MARGIN - (use == USE_RESIDENT ? FIGURE : 0);
}

/* Visits as lines, over their interval as an area. */
static void draw_visits(struct drawing *drawing, const struct estimate_row *row, enum use use, double middle)
{
    static const double half = 6;
    const struct axis *axis = &drawing->x;
    const struct estimate *of = &row->value[use];
    const double low = axis_at(axis, of->low / of->value), width = axis_at(axis, of->high / of->value) - low;
    if (!isnan(width))
        drawing_rectangle(drawing, low, middle - half, width, 2 * half, use, "shade");
    xml_append(&drawing->body, "<path class=\"c%u visit\" d=\"", use);
    for (unsigned i = 0; i < row->visits[use]; i++)
        xml_append(&drawing->body, "M%f %fV%f",
                   axis_at(axis, fmin(fmax(row->visit[use][i] / of->value, axis->from), axis->to)), middle - half,
                   middle + half);
    string_append(&drawing->body, "\"/>\n");
}

static void draw_row(struct drawing *drawing, const struct estimate_row *row, bool by_visit, double name_at,
                     double middle)
{
    const double end = name_at < middle ? figure_at(drawing, USE_RESIDENT) - FIGURE : drawing->x.start - GAP;
    drawing_label(drawing, MARGIN, name_at, ANCHOR_LEFT, "", drawing_shorten(drawing, row->name, end - MARGIN + 1));
    for (enum use use = 0; use < USES; use++) {
        const double y = middle + (use == USE_RESIDENT ? -APART : APART);
        if (row->figure[use])
            drawing_label(drawing, figure_at(drawing, use), name_at, ANCHOR_RIGHT, "", row->figure[use]);
        if (by_visit)
            draw_visits(drawing, row, use, y);
        else
            drawing_estimate(drawing, &row->value[use], false, y, use);
    }
}

void draw_estimates(struct drawing *drawing, const void *data)
{
    const struct estimates *of = data;
    const struct legend legend[USES] = { { .name = "data stay", .style = USE_RESIDENT },
                                         { .name = "copied at every use", .style = USE_COPIED } };
    const bool is_narrow = drawing->width < DRAWING_WIDE;
    const double top = drawing_legend(drawing, legend, USES), name = is_narrow ? NAME : 0;
    double widest = 0, end = top;
    drawing->x = (struct axis){ 1 / of->least, of->least, MARGIN, drawing->width - 2 * MARGIN };
    for (const struct estimate_row *row = of->row; row < of->row + of->rows; row++) {
        end += (row->heading ? HEADING : 0) + name + ROW;
        widest = fmax(widest, drawing_width(row->name));
        for (enum use use = 0; use < USES; use++)
            axis_include_estimate(&drawing->x, &row->value[use], of->by_visit ? row->value[use].value : 1);
    }
    axis_widen(&drawing->x, 0.04);
    if (!is_narrow) {
        drawing->x.start += fmin(widest, NAME_MOST) + GAP;
        drawing->x.length -= fmin(widest, NAME_MOST) + GAP + 2 * FIGURE + MARGIN;
    }
    drawing->y = (struct axis){ 1, 2, end, top - end };
    drawing->height = end + AXIS;
    for (enum use use = 0; use < USES; use++) /* above the columns of figures */
        drawing_mark(drawing, figure_at(drawing, use) - 8, 14, use, true);
    drawing_axes(drawing, "\u00d7", of->axis, NULL);
    const double one = axis_at(&drawing->x, 1);
    drawing_line(drawing, one, top, one, end, 0, "axis");
    double y = top;
    for (const struct estimate_row *row = of->row; row < of->row + of->rows; y += name + ROW, row++) {
        if (row->heading)
            drawing_label(drawing, MARGIN, y + HEADING / 2.0, ANCHOR_LEFT, "bold",
                          drawing_shorten(drawing, row->heading, drawing->width - 2 * MARGIN));
        y += row->heading ? HEADING : 0;
        draw_row(drawing, row, of->by_visit, y + (is_narrow ? NAME / 2.0 + 3 : ROW / 2.0), y + name + ROW / 2.0);
    }
}
