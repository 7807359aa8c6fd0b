/* How speed-ups changed between two sides of runs: a row for each cell that was compared. */

#include "harness/analysis/compare/comparison.h"
#include "harness/report/content/answer_words.h"
#include "harness/report/plots/drawing.h"

void plot_changes(struct pictures *out, const struct comparison *comparison)
{
    struct pool *pool = out->pool;
    struct estimates rows = { .least = 1.1, .axis = "times the speed-up before" };
    struct estimate_row *row = rows.row = pool_take(pool, (comparison->cells + 1) * sizeof *row);
    for (unsigned i = 0; i < comparison->cells && !pool->is_short; i++) {
        const struct cell_record *cell = compared_cell(comparison->order[i]);
        row->name = pool_print(pool, "%s, %s", cell_words(pool, cell), cell->device_id);
        for (enum use use = 0; use < USES; use++) {
            const enum quantity quantity = use == USE_COPIED ? QUANTITY_COPIED : QUANTITY_RESIDENT;
            const struct shift *shift = &comparison->order[i]->shift[quantity];
            row->value[use] = (struct estimate){ shift->ratio, shift->low, shift->high, 0 };
            row->figure[use] = shift->ratio > 0 ? pool_print(pool, "%+.1f %%", 100 * (shift->ratio - 1)) : NULL;
        }
        row += row->figure[USE_RESIDENT] || row->figure[USE_COPIED];
    }
    rows.rows = (unsigned)(row - rows.row);
    const struct picture head = {
        .name = "changes",
        .title = "Change of the speed-up",
        .caption = "How many times the speed-up before: bars are 95 % intervals, a hollow mark has none. The most "
                   "serious changes come first.",
    };
    if (rows.rows > 0)
        drawing_add(out, &head, draw_estimates, &rows);
}
