/* What changed between two sides of runs: a row for each cell that was compared. */

#include "harness/analysis/compare/comparison.h"
#include "harness/report/content/answer_words.h"
#include "harness/report/plots/drawing.h"

#include <math.h>

/* The change of a speed-up, or of the speed where there is only a time. */
static struct estimate change_of(const struct compared *cell, enum use use)
{
    const struct shift *shift = &cell->shift[use == USE_COPIED ? QUANTITY_COPIED : QUANTITY_RESIDENT];
    const struct shift *time = &cell->shift[QUANTITY_TIME];
    const bool has_none = isnan(cell->shift[QUANTITY_RESIDENT].ratio) && isnan(cell->shift[QUANTITY_COPIED].ratio);
    return use == USE_RESIDENT && has_none ? (struct estimate){ 1 / time->ratio, 1 / time->high, 1 / time->low, 0 }
                                           : (struct estimate){ shift->ratio, shift->low, shift->high, 0 };
}

void plot_changes(struct pictures *out, const struct comparison *comparison)
{
    struct pool *pool = &out->pool;
    struct estimates rows = { .least = 1.1, .axis = "times as fast as before" };
    struct estimate_row *row = rows.row = pool_take(pool, (comparison->cells + 1) * sizeof *row);
    for (unsigned i = 0; i < comparison->cells && !pool->is_short; i++) {
        const struct cell_record *cell = compared_cell(comparison->order[i]);
        if (comparison->order[i]->is_baseline)
            continue;
        row->name = pool_print(pool, "%s, %s %s", cell_words(pool, cell), cell->device_id, cell->method);
        for (enum use use = 0; use < USES; use++) {
            row->value[use] = change_of(comparison->order[i], use);
            row->figure[use] =
                row->value[use].value > 0 ? pool_print(pool, "%+.1f %%", 100 * (row->value[use].value - 1)) : NULL;
        }
        row += row->value[USE_RESIDENT].value > 0 || row->value[USE_COPIED].value > 0;
    }
    rows.rows = (unsigned)(row - rows.row);
    const struct picture head = {
        .name = "changes",
        .title = "Change of the speed-up",
        .caption = "How many times as fast as before: by the speed-up over the baseline, or by the time of what has "
                   "none. Bars are 95 % intervals; a hollow mark has none. The most serious changes first.",
    };
    if (rows.rows > 0)
        drawing_add(out, &head, draw_estimates, &rows);
}
