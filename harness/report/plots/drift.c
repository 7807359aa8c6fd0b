/* How steady the machine was: the time of each slice relative to the median of its cell and series, over the time of
 * the run. */

#include "harness/analysis/figures.h"
#include "harness/report/plots/plots.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { LEFT = 56, RIGHT = 16, TOP = 42, BOTTOM = 44, HEIGHT = 300 }; /* pixels */
enum { DOTS_MAX = 1800, DEVICES_SHOWN = STYLES, DOTS_ALL = DEVICES_SHOWN * DOTS_MAX };

/* All dots, each with the place of its device. */
struct dots {
    const struct record *record;
    double at[DOTS_ALL], value[DOTS_ALL]; /* seconds since the run began; relative to the median */
    unsigned of[DOTS_ALL], dots, count[DEVICES_SHOWN];
    const char *device[DEVICES_SHOWN]; /* ids */
    unsigned devices;
    bool has_others; /* more devices than styles */
    unsigned all;    /* slices in the run */
    unsigned every;  /* shown: every n-th */
    unsigned beyond;
    double low, high;       /* the range of nine in ten */
    double from, to, until; /* the axes */
};

static unsigned device_of(struct dots *dots, const char *id)
{
    unsigned at = 0;
    while (at < dots->devices && strcmp(dots->device[at], id) != 0)
        at++;
    if (at == dots->devices && at < DEVICES_SHOWN)
        dots->device[dots->devices++] = id;
    return at;
}

static bool is_shown(const struct slice *slice)
{
    return slice->median > 0 && isfinite(slice->median) && slice->at >= 0 && slice->at < 1e9;
}

static void read_track(struct dots *out, unsigned device, const struct track *track)
{
    double middle = track_median(track, offsetof(struct slice, median));
    for (unsigned i = 0; i < track->slices && middle > 0; i += out->every)
        if (is_shown(&track->slice[i]) && out->count[device] < DOTS_MAX) {
            out->at[out->dots] = track->slice[i].at;
            out->value[out->dots] = track->slice[i].median / middle;
            out->of[out->dots++] = device;
            out->count[device]++;
        }
}

/* Failed cells are not shown, nor series with so few slices that each determines the median. */
static bool has_track(const struct cell_record *cell, enum series series)
{
    return cell->outcome.status == STATUS_OK && cell->track[series].slices >= 3;
}

static void read_dots(struct dots *out)
{
    const struct record *record = out->record;
    for (unsigned i = 0; i < record->cells; i++)
        for (enum series series = 0; series < SERIES_COUNT; series++)
            if (has_track(record->cell[i], series))
                out->all += record->cell[i]->track[series].slices;
    out->every = 1 + out->all / (DOTS_MAX + 1);
    for (unsigned i = 0; i < record->cells; i++)
        for (enum series series = 0; series < SERIES_COUNT; series++) {
            if (!has_track(record->cell[i], series))
                continue;
            unsigned device = device_of(out, record->cell[i]->device_id);
            out->has_others |= device == DEVICES_SHOWN;
            if (device < DEVICES_SHOWN)
                read_track(out, device, &record->cell[i]->track[series]);
        }
}

/* The range of y contains nearly all of them. */
static void set_range(struct dots *dots)
{
    dots->until = 1;
    for (unsigned i = 0; i < dots->dots; i++)
        dots->until = fmax(dots->until, dots->at[i]);
    dots->low = stats_quantile(dots->value, dots->dots, 0.05);
    dots->high = stats_quantile(dots->value, dots->dots, 0.95);
    dots->from = fmin(0.95, stats_quantile(dots->value, dots->dots, 0.005));
    dots->to = fmin(2, fmax(1.05, stats_quantile(dots->value, dots->dots, 0.985)));
    for (unsigned i = 0; i < dots->dots; i++)
        dots->beyond += dots->value[i] < dots->from || dots->value[i] > dots->to;
}

static void draw(struct drawing *drawing, const void *data)
{
    const struct dots *dots = data;
    struct legend legend[DEVICES_SHOWN];
    double x[DOTS_MAX], y[DOTS_MAX];
    for (unsigned i = 0; i < dots->devices; i++)
        legend[i] = (struct legend){ .name = dots->device[i], .style = i };
    double down = drawing_legend(drawing, 6, 14, legend, dots->devices);
    drawing->x = (struct axis){ 0, dots->until, false, LEFT, drawing->width - LEFT - RIGHT };
    drawing->y = (struct axis){ dots->from, dots->to, false, HEIGHT - BOTTOM + down, -(HEIGHT - BOTTOM - TOP) };
    drawing->height = HEIGHT + down;
    drawing_x_axis(drawing, write_plain, "seconds since the run began");
    drawing_y_axis(drawing, write_times, "");
    drawing_label(drawing, 6, down + TOP - 30, ANCHOR_LEFT, "soft", "time of a slice over the median of its cell");
    for (unsigned i = dots->devices; i-- > 0;) { /* the baseline has fewer dots than the others, so it is drawn last */
        unsigned count = 0;
        for (unsigned k = 0; k < dots->dots; k++)
            if (dots->of[k] == i) {
                x[count] = axis_at(&drawing->x, dots->at[k]);
                y[count++] = axis_at(&drawing->y, fmin(fmax(dots->value[k], dots->from), dots->to));
            }
        drawing_dots(drawing, count, x, y, i);
    }
}

static const char *caption(const struct dots *dots, struct pool *pool)
{
    const char *text = pool_print(pool,
                                  "The time of each slice relative to the median of its cell and series, over the time "
                                  "at which it was measured. Nine of ten "
                                  "are between %.2f and %.2f times that median. What affects all devices at once is "
                                  "the machine: speed-ups are ratios of neighbouring slices, which it hardly changes.",
                                  dots->low, dots->high);
    if (dots->every > 1)
        text = pool_print(pool, "%s Of %u slices one in %u of each cell is shown.", text, dots->all, dots->every);
    if (dots->has_others)
        text = pool_print(pool, "%s The first %u devices are shown.", text, dots->devices);
    if (dots->beyond > 0)
        text = pool_print(pool, "%s %u beyond the axis %s at its edge.", text, dots->beyond,
                          dots->beyond == 1 ? "is" : "are");
    return text;
}

void plot_drift(struct pictures *out, const struct plot_run *run)
{
    struct pool *pool = &out->pool;
    struct dots *dots = pool_take(pool, sizeof *dots);
    if (!dots)
        return;
    dots->record = run->record;
    read_dots(dots);
    if (dots->dots == 0)
        return;
    set_range(dots);
    const struct picture head = {
        .name = "drift",
        .title = "Steadiness over the run",
        .caption = caption(dots, pool),
        .is_diagnostic = true,
    };
    drawing_add(out, &head, draw, dots);
}
