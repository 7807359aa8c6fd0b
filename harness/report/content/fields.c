/* The fields of a cell in tables for people. */

#include "harness/base/text.h"
#include "harness/report/content/columns.h"

#include <string.h>

enum { WORD_MOST = 31 }; /* of the name of a method; the figures need the rest of the line */

/* " to cuda:1", ", cold", ", unsettled"; of a peak the type or the size that its section's title does not have: ", 64
 * MiB" */
static const char *method_end(struct pool *pool, const struct figures *figures)
{
    const struct cell_record *cell = figures->cell;
    const char *of = cell->roof == ROOF_BANDWIDTH ? pool_copy(pool, text_binary(cell->held).text) : cell->dtype;
    if (cell->is_peak)
        return pool_print(pool, ", %.14s", of);
    return pool_print(pool, "%s%.14s%s%s", figures->destination ? " to " : "",
                      figures->destination ? figures->destination->id : "", cell->is_cold ? ", cold" : "",
                      figures->settled == 0 ? ", unsettled" : "");
}

const char *column_field(struct pool *pool, const struct cell_column *column, const struct column_source *source)
{
    const struct column_value value = column_value(column, source);
    const struct figures *figures = source->from[OF_FIGURES];
    switch (column->show) {
    case SHOW_NOT:
    case SHOW_NOTES: /* their numbers are of the table (rows.c) */
        break;
    case SHOW_WORD:
        return shortened(pool, value.text && *value.text ? value.text : "-", WORD_MOST);
    case SHOW_METHOD: { /* "onednn, cold", "peer to cuda:1" */
        const char *end = method_end(pool, figures), *method = *value.text ? value.text : "-";
        return pool_print(pool, "%s%s", shortened(pool, method, WORD_MOST - (unsigned)strlen(end)), end);
    }
    case SHOW_SPEEDUP: { /* "0.97 (0.95 - 0.99)" */
        const struct estimate *speedup = (const void *)((const char *)figures + column->offset);
        const bool is_missing = verdict_of(speedup) == VERDICT_NONE, is_baseline = figures->baseline == figures->cell;
        return is_missing && is_baseline ? "baseline" : speedup_field(pool, speedup);
    }
    case SHOW_FIGURE:
        return pool_copy(pool, text_figure(column->scale * value.number).text);
    case SHOW_TIME:
        return pool_copy(pool, text_seconds(value.number).text);
    case SHOW_FIRST: { /* "12.4 s (compile)" */
        const char *time = pool_copy(pool, text_seconds(value.number).text), *mostly = figures->costs.first_mostly;
        return mostly ? pool_print(pool, "%s (%s)", time, mostly) : time;
    }
    }
    return "";
}
