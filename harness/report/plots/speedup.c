/* Speed-ups with intervals, below the name of their processor; and how far single visits are from them. */

#include "harness/report/content/answer_words.h"
#include "harness/report/plots/drawing.h"

/* "GPU NVIDIA H200 (cuda:0)" */
static const char *part_text(struct pool *pool, const struct answer_set *set, const struct answer *answer)
{
    const struct device *device = answer->device;
    const char *label = part_label(pool, set, answer->part);
    return device ? pool_print(pool, "%s %s (%s)", label, device_words(pool, device), device->id) : label;
}

static void put_speedup(struct pool *pool, struct estimate_row *row, const struct estimate *speedup, enum use use)
{
    struct speedup_text text;
    speedup_write(&text, speedup);
    row->value[use] = *speedup;
    row->figure[use] = pool_print(pool, "%s\u00d7", text.value);
}

/* All is relative to the speed-up. A quotient of two times has no visits. */
static void put_visits(struct pool *pool, struct estimate_row *row, const struct record *record,
                       const struct answer_use *from, enum use use)
{
    const struct cell_record *cell = from->cell->cell;
    const struct estimate *speedup = &from->speedup;
    const unsigned room = cell->track[SERIES_RESIDENT].slices + cell->track[SERIES_COPIED].slices;
    double *ratio = from->is_against_f32 ? NULL : pool_take(pool, room * sizeof *ratio);
    const enum series series = use == USE_COPIED ? SERIES_COPIED : SERIES_RESIDENT;
    row->visits[use] = ratio ? record_ratios(record, cell, series, ratio, room) : 0;
    for (unsigned i = 0; i < row->visits[use]; i++)
        ratio[i] /= speedup->value;
    row->visit[use] = ratio;
    row->figure[use] = pool_print(pool, "%u", row->visits[use]);
    if (row->visits[use] > 0)
        row->value[use] = (struct estimate){ 1, speedup->low / speedup->value, speedup->high / speedup->value, 0 };
}

static void read_rows(struct estimates *out, struct pool *pool, const struct answer_set *set, bool by_visit)
{
    struct estimate_row *row = out->row = pool_take(pool, (set->answers + 1) * sizeof *row);
    for (unsigned i = 0; i < set->answers && !pool->is_short; i++) {
        const struct answer *answer = &set->answer[i];
        *row =
            (struct estimate_row){ .heading = part_text(pool, set, answer), .name = problem_words(pool, set, answer) };
        for (enum use use = 0; use < USES; use++) {
            const struct estimate *speedup = &answer->use[use].speedup;
            if (speedup->value > 0 && by_visit)
                put_visits(pool, row, set->record, &answer->use[use], use);
            else if (speedup->value > 0)
                put_speedup(pool, row, speedup, use);
        }
        row += row->value[USE_RESIDENT].value > 0 || row->value[USE_COPIED].value > 0;
    }
    out->rows = (unsigned)(row - out->row);
}

void plot_speedups(struct pictures *out, const struct answer_set *set)
{
    struct estimates rows = { .least = 2, .axis = "times as fast as the baseline" };
    unsigned count[USES][VERDICT_COUNT] = { { 0 } };
    for (unsigned i = 0; i < set->answers; i++)
        for (enum use use = 0; use < USES; use++)
            count[use][set->answer[i].use[use].verdict]++;
    read_rows(&rows, &out->pool, set, false);
    const struct picture head = {
        .name = "speed-up",
        .is_answer = true,
        .title = "Speed-up",
        .caption =
            pool_print(&out->pool,
                       "The speed-up over the fastest method of the baseline, usually the CPU: with data that "
                       "stay on the device (circles), and with data that are copied at every use (squares). "
                       "Bars are 95 %% intervals; a hollow mark has no interval. Data stay: %u faster, %u equal, "
                       "%u slower; copied at every use: %u, %u, %u.",
                       count[0][VERDICT_FASTER], count[0][VERDICT_EQUAL], count[0][VERDICT_SLOWER],
                       count[1][VERDICT_FASTER], count[1][VERDICT_EQUAL], count[1][VERDICT_SLOWER]),
    };
    if (rows.rows > 0)
        drawing_add(out, &head, draw_estimates, &rows);
}

void plot_visits(struct pictures *out, const struct answer_set *set)
{
    struct estimates rows = { .least = 1.1, .axis = "times the speed-up of the row" };
    const struct picture head = {
        .name = "visits",
        .title = "Spread of the visits",
        .caption =
            "A line for the speed-up in each visit, as a multiple of that of the row; shaded: the 95 % interval. "
            "At the right the number of visits. Those beyond an end of the axis are at that end.",
    };
    read_rows(&rows, &out->pool, set, true);
    if (rows.rows > 0)
        drawing_add(out, &head, draw_estimates, &rows);
}
