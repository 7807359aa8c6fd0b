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
    const char *of = cell->roof == ROOF_BANDWIDTH ? pool_binary(pool, cell->held) : cell->dtype;
    if (cell->is_peak)
        return pool_print(pool, ", %.14s%s", of, cell->roof_serial ? ", serial" : "");
    return pool_print(pool, "%s%.14s%s%s", figures->destination ? " to " : "",
                      figures->destination ? figures->destination->id : "", cell->is_cold ? ", cold" : "",
                      figures->settled == 0 ? ", unsettled" : "");
}

const char *write_word(struct pool *pool, const struct cell_column *column, struct column_value value,
                       const struct column_source *source)
{
    return shortened(pool, value.text && *value.text ? value.text : "-", WORD_MOST);
}

/* "onednn, cold", "peer to cuda:1" */
const char *write_method(struct pool *pool, const struct cell_column *column, struct column_value value,
                         const struct column_source *source)
{
    const struct figures *figures = source->from[OF_FIGURES];
    const char *end = method_end(pool, figures), *method = figures->cell->method;
    const unsigned most = WORD_MOST - (unsigned)strlen(end);
    return pool_print(pool, "%s%s", shortened(pool, *method ? method : "-", most), end);
}

/* "0.97 (0.95 - 0.99)" */
const char *write_speedup(struct pool *pool, const struct cell_column *column, struct column_value value,
                          const struct column_source *source)
{
    const struct figures *figures = source->from[OF_FIGURES];
    const struct estimate *speedup = (const void *)((const char *)figures + column->offset);
    const bool is_missing = verdict_of(speedup) == VERDICT_NONE, is_baseline = figures->baseline == figures->cell;
    return is_missing && is_baseline ? "baseline" : speedup_field(pool, speedup);
}

const char *write_figure(struct pool *pool, const struct cell_column *column, struct column_value value,
                         const struct column_source *source)
{
    return pool_figure(pool, column->scale * value.number);
}

const char *write_time(struct pool *pool, const struct cell_column *column, struct column_value value,
                       const struct column_source *source)
{
    return pool_seconds(pool, value.number);
}

/* "12.4 s (compile)" */
const char *write_first(struct pool *pool, const struct cell_column *column, struct column_value value,
                        const struct column_source *source)
{
    const struct figures *figures = source->from[OF_FIGURES];
    const char *time = pool_seconds(pool, value.number), *mostly = figures->costs.first_mostly;
    return mostly ? pool_print(pool, "%s (%s)", time, mostly) : time;
}
