/* How steady the machine was: the time of each slice relative to the median of its cell and series, over the time of
 * the run. A picture for each run. */

#include "harness/measure/stats.h"
#include "harness/report/content/builder.h"
#include "harness/report/plots/plots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEFT = 62, RIGHT = 16, TOP = 46, BOTTOM = 50, HEIGHT = 320 }; /* pixels */
enum { MARKS_MAX = 1800, DEVICES_SHOWN = STYLES, NAMES_MAX = 60 };

struct mark {
    unsigned device;
    double at, value; /* seconds since the run began; relative to the median */
};

struct marks {
    struct mark *mark;
    unsigned count, room;
    unsigned all;   /* slices in the run */
    unsigned every; /* shown: every n-th */
    unsigned beyond;
    double low, high;                  /* the range of nine in ten */
    const char *device[DEVICES_SHOWN]; /* ids */
    unsigned devices;
    bool has_others; /* more devices than styles */
};

static unsigned device_of(struct marks *marks, const char *id)
{
    unsigned at = 0;
    while (at < marks->devices && strcmp(marks->device[at], id) != 0)
        at++;
    if (at == marks->devices && at < DEVICES_SHOWN)
        marks->device[marks->devices++] = id;
    return at;
}

static bool is_shown(const struct slice *slice)
{
    return slice->median > 0 && isfinite(slice->median) && slice->at >= 0 && slice->at < 1e9;
}

static double middle_of(const struct track *track)
{
    double *median = malloc((track->slices + 1) * sizeof *median);
    for (unsigned i = 0; median && i < track->slices; i++)
        median[i] = track->slice[i].median;
    double middle = median ? stats_median(median, track->slices) : NAN;
    free(median);
    return middle;
}

static void read_track(struct marks *out, unsigned device, const struct track *track)
{
    double middle = middle_of(track);
    for (unsigned i = 0; i < track->slices && middle > 0; i++)
        if (is_shown(&track->slice[i]) && i % out->every == 0 && out->count < out->room)
            out->mark[out->count++] = (struct mark){ device, track->slice[i].at, track->slice[i].median / middle };
}

/* Failed cells are not shown, nor series with so few slices that each determines the median. */
static bool has_track(const struct cell_record *cell, enum series series)
{
    return cell->outcome.status == STATUS_OK && cell->track[series].slices >= 3;
}

static bool read_marks(struct marks *out, const struct record *record, struct pool *pool)
{
    for (unsigned i = 0; i < record->cells; i++)
        for (enum series series = 0; series < SERIES_COUNT; series++)
            if (has_track(record->cell[i], series))
                out->all += record->cell[i]->track[series].slices;
    out->every = 1 + out->all / (MARKS_MAX + 1);
    out->room = out->all < MARKS_MAX ? out->all : MARKS_MAX;
    out->mark = pool_take(pool, (out->room + 1) * sizeof *out->mark);
    for (unsigned i = 0; out->mark && i < record->cells; i++) {
        const struct cell_record *cell = record->cell[i];
        for (enum series series = 0; series < SERIES_COUNT; series++)
            if (has_track(cell, series)) {
                unsigned device = device_of(out, cell->device_id);
                out->has_others |= device == DEVICES_SHOWN;
                if (device < DEVICES_SHOWN)
                    read_track(out, device, &cell->track[series]);
            }
    }
    return out->mark != NULL;
}

/* The range of y contains nearly all marks. */
static void set_range(struct drawing *drawing, struct marks *marks)
{
    double *value = pool_take(drawing->pool, (marks->count + 1) * sizeof *value);
    drawing->x = (struct axis){ 0, NAN, false, LEFT, DRAWING_WIDTH - LEFT - RIGHT };
    drawing->y = (struct axis){ NAN, NAN, false, BOTTOM, HEIGHT - TOP - BOTTOM };
    for (unsigned i = 0; value && i < marks->count; i++) {
        value[i] = marks->mark[i].value;
        axis_include(&drawing->x, marks->mark[i].at);
    }
    if (!value)
        return;
    axis_include(&drawing->x, 1);
    marks->low = stats_quantile(value, marks->count, 0.05);
    marks->high = stats_quantile(value, marks->count, 0.95);
    axis_include(&drawing->y, fmin(0.95, stats_quantile(value, marks->count, 0.005)));
    axis_include(&drawing->y, fmin(2, fmax(1.05, stats_quantile(value, marks->count, 0.985))));
    axis_widen(&drawing->y, 0.08);
    for (unsigned i = 0; i < marks->count; i++)
        marks->beyond += marks->mark[i].value < drawing->y.from || marks->mark[i].value > drawing->y.to;
}

static void write_marks(struct drawing *drawing, const struct marks *marks, unsigned device)
{
    for (unsigned beyond = 0; beyond < 2; beyond++) {
        string_append(&drawing->script, "$marks%u%u << EOD\nNaN NaN\n", device, beyond);
        for (unsigned i = 0; i < marks->count; i++) {
            const struct mark *mark = &marks->mark[i];
            double shown = fmin(fmax(mark->value, drawing->y.from), drawing->y.to);
            if (mark->device == device && (mark->value != shown) == (beyond == 1))
                string_append(&drawing->script, "%.6g %.6g\n", mark->at, shown);
        }
        string_append(&drawing->script, "EOD\n");
    }
}

/* The time of the first slice shown; NAN if there is none. */
static double beginning_of(const struct block_record *block)
{
    double from = NAN;
    for (unsigned i = 0; i < block->cells; i++)
        for (enum series series = 0; series < SERIES_COUNT; series++)
            for (unsigned j = 0; j < block->cell[i]->track[series].slices; j++)
                if (is_shown(&block->cell[i]->track[series].slice[j]))
                    from = fmin(from, block->cell[i]->track[series].slice[j].at);
    return from;
}

/* The name of a problem, or of its workload if there is no room; in a sweep, which has one workload, the size. */
static void write_name(struct drawing *drawing, const struct block_record *block, bool is_swept, double x, double room)
{
    char size[TEXT_NUMBER], name[64];
    plot_size_name(size, block->cell[0]->shape);
    snprintf(name, sizeof name, "%.24s%s%.16s", is_swept ? "" : block->cell[0]->workload, is_swept ? "" : " ", size);
    if (!is_swept && drawing_width(name) > room)
        snprintf(name, sizeof name, "%.24s", block->cell[0]->workload);
    if (drawing_width(name) <= room)
        drawing_label(drawing, x, BOTTOM + drawing->y.length + 13, ANCHOR_LEFT, GREY, name);
}

/* A line where each problem begins. */
static void write_problems(struct drawing *drawing, const struct record *record)
{
    const struct block_record *before = NULL;
    double x = NAN, end = LEFT + drawing->x.length;
    for (unsigned i = 0, shown = 0; i < record->blocks && shown < NAMES_MAX; i++) {
        double from = beginning_of(&record->block[i]);
        if (isnan(from))
            continue;
        if (before)
            write_name(drawing, before, record->sweep, x + 2, axis_at(&drawing->x, from) - x - 6);
        x = axis_at(&drawing->x, from);
        before = &record->block[i];
        string_append(&drawing->script,
                      "set arrow from %.6g, graph 0 to %.6g, graph 1 nohead lw 0.4 lc rgb \"" GREY "\" back\n", from,
                      from);
        shown++;
    }
    if (before)
        write_name(drawing, before, record->sweep, x + 2, end - x);
}

static void write_legend(struct drawing *drawing, const struct marks *marks)
{
    double x = DRAWING_WIDTH - 8, y = drawing->height - 11;
    for (unsigned i = marks->devices; i-- > 0;) {
        const char *name = drawing_shorten(drawing, marks->device[i], 100);
        drawing_label(drawing, x, y, ANCHOR_RIGHT, INK, name);
        x -= drawing_width(name) + 8;
        drawing_mark(drawing, x, y, styles[i].full, styles[i].colour);
        x -= 22;
    }
}

/* Whether a device was measured, but with too few slices for each cell to be shown. */
static bool is_left_out(const struct marks *marks, const struct record *record, const char *id)
{
    bool is_measured = false, is_known = false;
    for (unsigned i = 0; i < record->cells; i++)
        for (enum series series = 0; series < SERIES_COUNT; series++)
            is_measured |= strcmp(record->cell[i]->device_id, id) == 0 &&
                           record->cell[i]->outcome.status == STATUS_OK && record->cell[i]->track[series].slices > 0;
    for (unsigned i = 0; i < marks->devices; i++)
        is_known |= strcmp(marks->device[i], id) == 0;
    return is_measured && !is_known && !marks->has_others;
}

static const char *caption(const struct marks *marks, const struct record *record, struct pool *pool)
{
    const char *text = pool_print(pool,
                                  "The time of each slice relative to the median of its cell and series, over the time "
                                  "at which it was measured; a vertical line marks the start of a problem. Nine of ten "
                                  "are between %.2f and %.2f times that median. What affects all devices at once is "
                                  "the machine: speed-ups are ratios of neighbouring slices, which it hardly changes.",
                                  marks->low, marks->high);
    if (marks->every > 1)
        text = pool_print(pool, "%s Of %u slices one in %u of each cell is shown.", text, marks->all, marks->every);
    if (marks->has_others)
        text = pool_print(pool, "%s The first %u devices are shown.", text, marks->devices);
    for (unsigned i = 0; i < record->devices; i++)
        if (is_left_out(marks, record, record->device[i].id))
            text = pool_print(pool, "%s No cell of %s has the three slices that it takes to be shown.", text,
                              record->device[i].id);
    if (marks->beyond > 0)
        text = pool_print(pool, "%s %u beyond the axis %s hollow, at its edge.", text, marks->beyond,
                          marks->beyond == 1 ? "is" : "are");
    return text;
}

static void draw(struct drawing *drawing, struct marks *marks, const struct record *record)
{
    set_range(drawing, marks);
    drawing->caption = caption(marks, record, drawing->pool);
    drawing_axes(drawing);
    drawing_ticks(drawing, 'x', write_plain);
    drawing_ticks(drawing, 'y', write_times);
    string_append(&drawing->script, "unset grid\nset grid ytics back lt 1 lc rgb \"#dd000000\" lw 0.8\n");
    write_problems(drawing, record);
    write_legend(drawing, marks);
    drawing_label(drawing, LEFT + drawing->x.length / 2, 12, ANCHOR_CENTER, INK, "seconds since the run began");
    drawing_label(drawing, 8, HEIGHT - 11, ANCHOR_LEFT, INK, "time of a slice, in medians of its cell");
    for (unsigned i = 0; i < marks->devices; i++)
        write_marks(drawing, marks, i);
    for (unsigned i = marks->devices; i-- > 0;) /* the baseline has fewer marks than the others, so it is drawn last */
        string_append(
            &drawing->script,
            "%s$marks%u0 with points pt %u ps 0.4 lc rgb \"%s\", \\\n$marks%u1 with points lw 1.2 pt %u ps 0.55 lc "
            "rgb \"%s\"",
            i + 1 < marks->devices ? ", \\\n" : "plot ", i, styles[i].full, styles[i].colour, i, styles[i].hollow,
            styles[i].colour);
    string_append(&drawing->script, "\n");
}

void plot_drift(struct drawings *out, const struct results *results)
{
    for (unsigned i = 0; i < results->runs; i++) {
        struct marks marks = { .count = 0 };
        const char *letter = run_letter(&out->pool, results, i);
        const struct record *record = results->run[i].record;
        if (!record || !read_marks(&marks, record, &out->pool) || marks.count == 0)
            continue;
        struct drawing *drawing = drawing_add(out, HEIGHT, "drift%s%s", *letter ? "-" : "", letter);
        if (!drawing)
            continue;
        drawing->title = pool_print(&out->pool, "Steadiness over the run%s%s", *letter ? ", run " : "", letter);
        draw(drawing, &marks, record);
    }
}
