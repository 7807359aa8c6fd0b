/* The phases of a run with every transfer: a bar for each cell that moves or repacks data. All bars have the same
 * length, so that milliseconds compare with seconds; the time is at the end. */

#include "harness/base/text.h"
#include "harness/report/plots/rows.h"

#include <math.h>

enum { LEFT = 236, RIGHT = 96, TOP = 34, BOTTOM = 46 }; /* pixels */
static const double half_a_bar = 7;                     /* pixels */

/* In the order of time. Colours differ in lightness too, and their labels are readable on any page. */
static const struct {
    const char *name, *colour, *ink;
} parts[PHASE_COUNT] = {
    [PHASE_UPLOAD] = { "upload", "#0072b2", "#ffffff" },
    [PHASE_REPACK] = { "repack", "#cc79a7", "#1a1a1a" },
    [PHASE_COMPUTE] = { "compute", "#e3e3e3", "#1a1a1a" },
    [PHASE_DOWNLOAD] = { "download", "#e69f00", "#1a1a1a" },
};

/* Seconds; 0 if the phase does not exist. */
static double part_of(const struct cell_metrics *metrics, enum phase phase)
{
    const double seconds[PHASE_COUNT] = {
        [PHASE_UPLOAD] = metrics->upload,
        [PHASE_REPACK] = metrics->repack,
        [PHASE_COMPUTE] = metrics->offload_compute,
        [PHASE_DOWNLOAD] = metrics->download,
    };
    return seconds[phase] > 0 ? seconds[phase] : 0;
}

static double sum_of(const struct cell_metrics *metrics)
{
    double sum = 0;
    for (enum phase phase = 0; phase < PHASE_COUNT; phase++)
        sum += part_of(metrics, phase);
    return sum;
}

static bool may_have_row(const struct cell_record *cell)
{
    const struct samples *phase = cell->track[SERIES_OFFLOAD].phase;
    return phase[PHASE_UPLOAD].count > 0 || phase[PHASE_REPACK].count > 0 || phase[PHASE_DOWNLOAD].count > 0;
}

static bool has_row(const struct cell_metrics *metrics)
{
    return !metrics->cell->is_ceiling && !metrics->only_moves && isfinite(sum_of(metrics)) &&
           sum_of(metrics) > part_of(metrics, PHASE_COMPUTE) && part_of(metrics, PHASE_COMPUTE) > 0;
}

static double score(const struct cell_metrics *metrics)
{
    return -sum_of(metrics);
}

static const struct plot_filter filter = { may_have_row, has_row, score };

/* The shares are written where they fit. */
static void write_bar(struct drawing *drawing, const struct plot_row *row)
{
    double before = 0, sum = sum_of(&row->metrics);
    for (enum phase phase = 0; phase < PHASE_COUNT; phase++) {
        char text[TEXT_NUMBER];
        double share = part_of(&row->metrics, phase) / sum;
        double middle = axis_at(&drawing->x, before + share / 2);
        if (share > 0)
            string_append(
                &drawing->script,
                "set object rect from %.6g,%.6g to %.6g,%.6g fs solid border lc rgb \"#1a1a1a\" fc rgb \"%s\" lw 0.5\n",
                before, row->y - half_a_bar, before + share, row->y + half_a_bar, parts[phase].colour);
        snprintf(text, sizeof text, share > 0.99 && share < 1 ? "> 99 %%" : "%.0f %%", 100 * share);
        if (share * drawing->x.length > drawing_width(text) + 6)
            drawing_label(drawing, middle, row->y, ANCHOR_CENTER, parts[phase].ink, text);
        before += share;
    }
    char time[TEXT_NUMBER];
    drawing_label(drawing, DRAWING_WIDTH - 8, row->y, ANCHOR_RIGHT, INK, text_seconds(time, sum));
}

static void write_legend(struct drawing *drawing, const struct plot_rows *rows)
{
    double x = LEFT, y = drawing->height - TOP / 2.0 - 2;
    for (enum phase phase = 0; phase < PHASE_COUNT; phase++) {
        bool is_used = false;
        for (unsigned i = 0; i < rows->rows; i++)
            is_used |= part_of(&rows->row[i].metrics, phase) > 0;
        if (!is_used)
            continue;
        string_append(
            &drawing->script,
            "set object rect from screen %.6g, screen %.6g to screen %.6g, screen %.6g fs solid border lc rgb "
            "\"#1a1a1a\" fc rgb \"%s\" lw 0.5\n",
            x / DRAWING_WIDTH, (y - 5) / drawing->height, (x + 16) / DRAWING_WIDTH, (y + 5) / drawing->height,
            parts[phase].colour);
        drawing_label(drawing, x + 22, y, ANCHOR_LEFT, INK, parts[phase].name);
        x += 22 + drawing_width(parts[phase].name) + 22;
    }
    drawing_label(drawing, DRAWING_WIDTH - 8, y, ANCHOR_RIGHT, INK, "together");
}

static const char *caption(const struct plot_rows *rows, struct pool *pool)
{
    unsigned mostly = 0;
    for (unsigned i = 0; i < rows->rows; i++)
        mostly += 2 * part_of(&rows->row[i].metrics, PHASE_COMPUTE) < sum_of(&rows->row[i].metrics);
    return pool_print(
        pool,
        "The time of one use when its operands are moved to the device and back, by the phases of the offload runs "
        "with a wait after each (compute in the tables is that of resident runs), from left to right: upload, "
        "repacking if the method does that, compute, download. A bar is the whole time of its row, which is written at "
        "its end. In %u of %u rows computing takes less than half of it.%s",
        mostly, rows->rows, plot_rows_left_out(rows, pool));
}

static void draw(struct drawing *drawing, struct plot_rows *rows)
{
    drawing->title = "Where the time goes";
    drawing->caption = caption(rows, drawing->pool);
    drawing->x = (struct axis){ .from = 0, .to = 1, .start = LEFT, .length = DRAWING_WIDTH - LEFT - RIGHT };
    drawing->y = (struct axis){ .from = BOTTOM, .to = BOTTOM + rows->height, .start = BOTTOM, .length = rows->height };
    drawing_axes(drawing);
    drawing_ticks(drawing, 'x', write_percent);
    plot_rows_place(rows, drawing, BOTTOM, LEFT);
    for (unsigned i = 0; i < rows->rows; i++)
        write_bar(drawing, &rows->row[i]);
    write_legend(drawing, rows);
    drawing_label(drawing, LEFT + drawing->x.length / 2, 12, ANCHOR_CENTER, INK,
                  "share of one use with every transfer: phases of the offload runs");
    string_append(&drawing->script, "set border 1 lw 0.8\nunset ytics\nplot NaN notitle\n");
}

void plot_parts(struct drawings *out, const struct results *results)
{
    struct plot_rows *rows = pool_take(&out->pool, sizeof *rows);
    if (!rows)
        return;
    plot_rows(rows, results, &filter, &out->pool);
    struct drawing *drawing = rows->rows > 0 ? drawing_add(out, TOP + BOTTOM + rows->height, "parts") : NULL;
    if (drawing)
        draw(drawing, rows);
}
