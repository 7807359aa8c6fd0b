/* Speed-ups with intervals, below the name of their processor; and how far single visits are from them. */

#include "harness/report/content/answer_words.h"
#include "harness/report/content/heading.h"
#include "harness/report/plots/drawing.h"

/* False where there is none. A quotient of two times has no visits. */
static bool put_use(struct pool *pool, struct estimate_row *row, const struct record *record,
                    const struct answer *answer, enum use use)
{
    const struct figure *from = &answer->use[use];
    if (!(from->speedup.value > 0))
        return false;
    const struct cell_record *cell = from->cell;
    const unsigned room = cell->track[SERIES_RESIDENT].slices + cell->track[SERIES_COPIED].slices;
    double *ratio = from->is_against_f32 ? NULL : pool_take(pool, room * sizeof *ratio);
    row->value[use] = from->speedup;
    row->figure[use] = pool_print(pool, "%s\u00d7", speedup_value(pool, &from->speedup));
    row->visit[use] = ratio;
    if (ratio)
        row->visits[use] = record_ratios(record, cell, use_series[use], ratio, room);
    return true;
}

void plot_speedups(struct pictures *out, const struct answer_set *set)
{
    static const struct picture speedups = {
        .name = "speed-up",
        .is_answer = true,
        .title = "Speed-up",
        .caption = "The speed-up over the fastest method of the baseline, usually the CPU: with data that stay on the "
                   "device (circles), and with data that are copied at every use (squares). Bars are 95 % intervals; a "
                   "hollow mark has no interval.",
    };
    static const struct picture visits = {
        .name = "visits",
        .title = "Spread of the visits",
        .caption = "A line for the speed-up in each visit, as a multiple of that of the row; shaded: the 95 % "
                   "interval. Visits beyond an end of the axis are at that end.",
    };
    struct pool *pool = out->pool;
    struct estimates rows = { .least = 2, .axis = "times as fast as the baseline" };
    const struct answer_part *part = NULL;
    struct estimate_row *row = rows.row = pool_take(pool, (set->answers + 1) * sizeof *row);
    for (const struct answer *answer = set->answer; !pool->is_short && answer < set->answer + set->answers; answer++) {
        bool has_any = false;
        for (enum use use = 0; use < USES; use++)
            has_any |= put_use(pool, row, set->record, answer, use);
        if (!has_any)
            continue;
        if (answer->part != part)
            row->heading =
                pool_print(pool, "%s %s", part_label(pool, set, answer->part), part_words(pool, set, answer->part));
        row++->name = problem_words(pool, set, answer);
        part = answer->part;
    }
    rows.rows = (unsigned)(row - rows.row);
    if (rows.rows == 0)
        return;
    drawing_add(out, &speedups, draw_estimates, &rows);
    rows.by_visit = true;
    rows.least = 1.1;
    rows.axis = "times the speed-up of the row";
    drawing_add(out, &visits, draw_estimates, &rows);
}
