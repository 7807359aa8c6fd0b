#include "harness/report/content/document_parts.h"

#include "harness/analysis/speedup.h"
#include "harness/base/text.h"
#include "harness/report/content/notes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum row_column {
    COLUMN_RUN,
    COLUMN_DEVICE,
    COLUMN_METHOD,
    COLUMN_MEMORY,
    COLUMN_RESIDENT,
    COLUMN_COPIED,
    COLUMN_SHARE,
    COLUMN_BOUND,
    COLUMN_BANDWIDTH,
    COLUMN_RATE,
    COLUMN_ITEMS,
    COLUMN_PRECISION,
    COLUMN_HOST,
    COLUMN_ENERGY,
    COLUMN_EFFICIENCY,
    COLUMN_UPLOAD,
    COLUMN_REPACK,
    COLUMN_COMPUTE,
    COLUMN_ENQUEUE,
    COLUMN_EVENT,
    COLUMN_DOWNLOAD,
    COLUMN_WHOLE,
    COLUMN_FIRST,
    COLUMNS
};

/* Titles have two lines. The second of a time is its unit, the same within a section. */
static const struct column columns[COLUMNS] = {
    [COLUMN_RUN] = { "run", "", ALIGN_LEFT, GROUP_NAME, "run" },
    [COLUMN_DEVICE] = { "device", "", ALIGN_LEFT, GROUP_NAME, "device" },
    [COLUMN_METHOD] = { "method", "", ALIGN_LEFT, GROUP_NAME, "method" },
    [COLUMN_MEMORY] = { "memory", "", ALIGN_LEFT, GROUP_NAME, "memory" },
    [COLUMN_RESIDENT] = { "resident", "speed-up", ALIGN_RATIO, GROUP_SPEEDUP, "resident speed-up" },
    [COLUMN_COPIED] = { "copied", "speed-up", ALIGN_RATIO, GROUP_SPEEDUP, "copied speed-up" },
    [COLUMN_SHARE] = { "of peak", "%", ALIGN_NUMBER, GROUP_PEAK, "of peak %" },
    [COLUMN_BOUND] = { "bound by", "", ALIGN_LEFT, GROUP_PEAK, "bound by" },
    [COLUMN_BANDWIDTH] = { "GB/s", "", ALIGN_NUMBER, GROUP_RATE, "GB/s" },
    [COLUMN_RATE] = { "GFLOP/s", "", ALIGN_NUMBER, GROUP_RATE, "GFLOP/s" },
    [COLUMN_ITEMS] = { "items", "/s", ALIGN_NUMBER, GROUP_RATE, "items/s" }, /* the title is what they are */
    [COLUMN_PRECISION] = { "+-", "%", ALIGN_NUMBER, GROUP_RATE, "+-" },
    [COLUMN_HOST] = { "host", "CPU", ALIGN_NUMBER, GROUP_COST, "host CPU" },
    [COLUMN_ENERGY] = { "energy", "J", ALIGN_NUMBER, GROUP_COST, "energy J" },
    [COLUMN_EFFICIENCY] = { "GFLOP/s", "per W", ALIGN_NUMBER, GROUP_COST, "GFLOP/s per W" },
    [COLUMN_UPLOAD] = { "upload", "", ALIGN_NUMBER, GROUP_TIME, "upload" },
    [COLUMN_REPACK] = { "convert", "", ALIGN_NUMBER, GROUP_TIME, "convert" },
    [COLUMN_COMPUTE] = { "compute", "", ALIGN_NUMBER, GROUP_TIME, "compute" },
    [COLUMN_ENQUEUE] = { "no wait", "", ALIGN_NUMBER, GROUP_TIME, "no wait" },
    [COLUMN_EVENT] = { "device time", "", ALIGN_NUMBER, GROUP_TIME, "device time" },
    [COLUMN_DOWNLOAD] = { "download", "", ALIGN_NUMBER, GROUP_TIME, "download" },
    [COLUMN_WHOLE] = { "total", "", ALIGN_NUMBER, GROUP_TIME, "total" },
    [COLUMN_FIRST] = { "cold start", "", ALIGN_RATIO, GROUP_TIME, "cold start" },
};

static const double host_worth_a_figure = 0.05; /* processors */

/* What fills a row. */
struct filler {
    struct pool *pool;
    struct row *row;
    struct footnotes *footnotes;
};

enum { WORD_MOST = 31 }; /* of the name of a method; the figures need the rest of the line */

static void put_word(struct filler *to, enum row_column place, const char *text)
{
    to->row->field[place] = shortened(to->pool, *text ? text : "-", WORD_MOST);
}

static void put_figure(struct filler *to, enum row_column place, double value, double uncertainty)
{
    char figure[TEXT_NUMBER];
    to->row->field[place] = pool_copy(to->pool, text_figure(figure, value, uncertainty));
}

static void put_measured(struct filler *to, enum row_column place, double value, double half_width)
{
    char figure[TEXT_NUMBER];
    to->row->field[place] = pool_copy(to->pool, text_measured(figure, value, half_width));
}

/* At most three digits: the share is as uncertain as the ceiling. */
static void put_share(struct filler *to, const struct cell_metrics *metrics)
{
    const struct ceiling *ceiling = roofline_binding(&metrics->roof);
    double sum = ceiling ? metrics->half_width + ceiling->half_width : NAN, half_width = sum < 0.005 ? 0.005 : sum;
    put_measured(to, COLUMN_SHARE, 100 * metrics->share, half_width);
    put_word(to, COLUMN_BOUND, metrics->bound ? metrics->bound : "");
}

static void put_speedup(struct filler *to, enum row_column place, const struct cell_metrics *metrics,
                        const struct estimate *speedup)
{
    bool is_missing = verdict_side(speedup) == SIDE_MISSING, is_baseline = metrics->baseline == metrics->cell;
    to->row->field[place] = is_missing && is_baseline ? "baseline" : speedup_field(to->pool, speedup);
}

static void put_notes(struct filler *to, const struct cell_metrics *metrics)
{
    struct notes notes;
    notes_read(&notes, metrics);
    for (unsigned i = 0; i < notes.count; i++)
        footnotes_add(to->footnotes, to->row, notes.note[i].text);
    notes_release(&notes);
}

/* " (first: 12.4 s, mostly run)": the only time of a cell that is too slow to be measured. */
static const char *first_of(struct pool *pool, const struct cell_metrics *metrics)
{
    char time[TEXT_NUMBER];
    if (metrics->cell->outcome.status != STATUS_TOO_SLOW || isnan(metrics->first))
        return "";
    return pool_print(pool, " (first: %s%s%s)", text_seconds(time, metrics->first),
                      metrics->first_mostly ? ", mostly " : "", metrics->first_mostly ? metrics->first_mostly : "");
}

/* "failed: clBuildProgram: ...", in place of the figures. */
static void put_outcome(struct filler *to, const struct cell_metrics *metrics)
{
    const struct cell_record *cell = metrics->cell;
    const struct error *outcome = &cell->outcome;
    bool names_place = outcome->status == STATUS_FAILED && *outcome->where;
    const char *first = first_of(to->pool, metrics);
    if (outcome->status == STATUS_OK)
        to->row->span =
            pool_print(to->pool, "%s%s", cell->ended ? "ok, but without a single time" : "not finished", first);
    else
        to->row->span =
            pool_print(to->pool, "%s%s%s%s%s%s", status_name(outcome->status), names_place ? ": " : "",
                       names_place ? outcome->where : "", *outcome->message ? ": " : "", outcome->message, first);
    to->row->span_at = COLUMN_MEMORY + 1;
    put_notes(to, metrics);
}

/* " to cuda:1", ", cold"; of a peak the type or the size that its section's title does not have: ", 64 MiB" */
static const char *method_end(struct pool *pool, const struct cell_metrics *metrics)
{
    char bytes[TEXT_NUMBER];
    const struct cell_record *cell = metrics->cell;
    const char *of = cell->roof == ROOF_BANDWIDTH ? text_binary(bytes, cell->held) : cell->dtype;
    if (cell->is_ceiling)
        return pool_print(pool, ", %.14s%s", of, cell->roof_serial ? ", serial" : "");
    return pool_print(pool, "%s%.14s%s", metrics->destination ? " to " : "",
                      metrics->destination ? metrics->destination->id : "", cell->is_cold ? ", cold" : "");
}

/* "onednn, cold", "peer to cuda:1" */
static void put_method(struct filler *to, const struct cell_metrics *metrics)
{
    const struct cell_record *cell = metrics->cell;
    const char *end = method_end(to->pool, metrics);
    const unsigned most = WORD_MOST - (unsigned)strlen(end);
    put_word(to, COLUMN_METHOD,
             pool_print(to->pool, "%s%s", shortened(to->pool, *cell->method ? cell->method : "-", most), end));
}

/* Not for a driver that computes on the host's processors: there it is the work itself. Small values are left out. */
static void put_costs(struct filler *to, const struct cell_metrics *metrics)
{
    bool is_away = metrics->device && metrics->device->class != CLASS_CPU;
    put_figure(to, COLUMN_HOST, is_away && metrics->host_cpu >= host_worth_a_figure ? metrics->host_cpu : NAN, 0.3);
    put_figure(to, COLUMN_ENERGY, metrics->energy, metrics->energy_error);
    put_figure(to, COLUMN_EFFICIENCY, metrics->flops_per_joule / 1e9, metrics->energy_error);
}

static void put_row(struct filler *to, const struct cell_metrics *metrics)
{
    put_word(to, COLUMN_DEVICE, metrics->cell->device_id);
    put_method(to, metrics);
    put_word(to, COLUMN_MEMORY, metrics->cell->memory);
    if (!metrics->measured) {
        put_outcome(to, metrics);
        return;
    }
    put_speedup(to, COLUMN_RESIDENT, metrics, &metrics->resident);
    put_speedup(to, COLUMN_COPIED, metrics, &metrics->copied);
    put_share(to, metrics);
    if (metrics->no_copy && metrics->only_moves)
        put_word(to, COLUMN_BANDWIDTH, "no copy");
    else
        put_measured(to, COLUMN_BANDWIDTH, metrics->bandwidth / 1e9, metrics->half_width);
    put_measured(to, COLUMN_RATE, metrics->rate / 1e9, metrics->half_width);
    put_measured(to, COLUMN_ITEMS, metrics->items, metrics->half_width);
    put_figure(to, COLUMN_PRECISION, 100 * metrics->half_width, 0.3); /* an uncertainty needs two digits only */
    put_costs(to, metrics);
    put_notes(to, metrics);
}

static double time_in(const struct cell_metrics *metrics, enum row_column place)
{
    const bool is_launch = metrics->launches.is_launch;
    const double seconds[COLUMNS] = {
        [COLUMN_FIRST] = metrics->first,
        [COLUMN_UPLOAD] = metrics->upload,
        [COLUMN_REPACK] = metrics->repack,
        [COLUMN_COMPUTE] = metrics->compute,
        [COLUMN_ENQUEUE] = is_launch ? metrics->launches.enqueue : NAN,
        [COLUMN_EVENT] = metrics->event,
        [COLUMN_DOWNLOAD] = metrics->download,
        [COLUMN_WHOLE] = is_launch ? NAN : metrics->whole.value, /* launches have no transfers */
    };
    return metrics->measured ? seconds[place] : NAN;
}

/* The uncertainty of a time; NAN if unknown. */
static double uncertainty_of(const struct cell_metrics *metrics, enum row_column place)
{
    if (place == COLUMN_WHOLE)
        return estimate_half_width(&metrics->whole);
    return place == COLUMN_COMPUTE || place == COLUMN_ENQUEUE || place == COLUMN_EVENT ? metrics->half_width : NAN;
}

/* Fills the columns of times `from` to `to`, all in one unit. */
static void put_times(struct pool *pool, struct table *table, const struct cell_metrics metrics[], enum row_column from,
                      enum row_column to)
{
    double longest = -INFINITY;
    for (unsigned i = 0; i < table->rows; i++)
        for (enum row_column place = from; place <= to; place++)
            longest = fmax(longest, time_in(&metrics[i], place)); /* fmax ignores NAN */
    const struct time_unit *unit = time_unit_for(longest, longest);
    for (enum row_column place = from; place <= to; place++) {
        table->column[place].below = longest > -INFINITY ? unit->name : "";
        for (unsigned i = 0; i < table->rows; i++)
            put_figure(&(struct filler){ .pool = pool, .row = &table->row[i] }, place,
                       time_in(&metrics[i], place) / unit->seconds, uncertainty_of(&metrics[i], place));
    }
}

void rows_open(struct pool *pool, struct table *table, unsigned cells)
{
    table_open(pool, table, columns, COLUMNS, cells);
}

void rows_fill(struct table *table, unsigned at, const struct cell_metrics metrics[], unsigned count,
               const char *letter, struct footnotes *footnotes)
{
    for (unsigned i = 0; i < count && at + i < table->rows; i++) {
        struct filler to = { .pool = footnotes->pool, .row = &table->row[at + i], .footnotes = footnotes };
        to.row->field[COLUMN_RUN] = letter;
        if (strcmp(dtype_operation(metrics[i].cell->dtype), "OP") == 0) /* as all rows of the problem */
            table->column[COLUMN_RATE].title = table->column[COLUMN_EFFICIENCY].title = "GOP/s";
        if (*metrics[i].cell->items)
            table->column[COLUMN_ITEMS].title = metrics[i].cell->items;
        put_row(&to, &metrics[i]);
    }
}

void rows_close(struct pool *pool, struct table *table, const struct cell_metrics metrics[])
{
    if (table->columns == 0)
        return;
    put_times(pool, table, metrics, COLUMN_UPLOAD, COLUMN_WHOLE);
    put_times(pool, table, metrics, COLUMN_FIRST, COLUMN_FIRST);
    for (unsigned i = 0; i < table->rows; i++) {
        const char **field = &table->row[i].field[COLUMN_FIRST];
        if (!isnan(time_in(&metrics[i], COLUMN_FIRST)) && metrics[i].first_mostly)
            *field = pool_print(pool, "%s (%s)", *field, metrics[i].first_mostly);
    }
    table_drop_empty(table);
}
