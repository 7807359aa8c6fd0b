#include "harness/report/plots/rows.h"

#include "harness/base/text.h"
#include "harness/report/content/heading.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROW_HEIGHT = 20, PROBLEM_HEIGHT = 24, PADDING = 6, MARGIN = 8, INDENT = 14 }; /* pixels */

void plot_size_name(char to[TEXT_NUMBER], const char *shape)
{
    const char *figure = strchr(shape, '=');
    double value = figure ? strtod(figure + 1, NULL) : 0;
    *to = '\0';
    if (value >= 1e5 && value < 1e18)
        write_count(to, TEXT_NUMBER, value);
    else if (value > 0 && value < 1e18)
        snprintf(to, TEXT_NUMBER, "%.0f", value);
}

/* Without the work in brackets, which is in the tables. */
static const char *problem_text(const struct block_record *block, struct pool *pool)
{
    const char *heading = heading_problem(pool, block), *bracket = strstr(heading, " (");
    return bracket ? pool_print(pool, "%.*s", (int)(bracket - heading), heading) : heading;
}

struct collector {
    struct plot_rows *rows;
    const struct plot_filter *filter;
    const char *letter;
    bool is_first; /* the next row is the first of its problem */
    struct pool *pool;
};

static bool is_beaten(const struct collector *collector, const struct cell_metrics metrics[], unsigned count,
                      unsigned at)
{
    for (unsigned i = 0; i < count; i++) {
        bool is_rival = i != at && collector->filter->has_row(&metrics[i]) &&
                        strcmp(metrics[i].cell->device_id, metrics[at].cell->device_id) == 0;
        double difference =
            is_rival ? collector->filter->score(&metrics[i]) - collector->filter->score(&metrics[at]) : 0;
        if (difference > 0 || (is_rival && difference == 0 && i < at))
            return true;
    }
    return false;
}

static void collect_block(struct collector *collector, const struct block_record *block,
                          const struct cell_metrics metrics[])
{
    unsigned count = block->cells;
    struct plot_rows *rows = collector->rows;
    for (unsigned i = 0; i < count; i++) {
        if (!collector->filter->has_row(&metrics[i]))
            continue;
        if (rows->only_best && is_beaten(collector, metrics, count, i))
            continue;
        if (rows->rows == ROWS_MAX) {
            rows->is_full = true;
            return;
        }
        struct plot_row *row = &rows->row[rows->rows++];
        const struct cell_record *cell = metrics[i].cell;
        *row = (struct plot_row){ .metrics = metrics[i],
                                  .label = pool_print(collector->pool, "%s%s%.40s %.60s, %.30s", collector->letter,
                                                      *collector->letter ? "  " : "", cell->device_id, cell->method,
                                                      cell->memory) };
        row->problem = collector->is_first ? problem_text(block, collector->pool) : NULL;
        rows->height += ROW_HEIGHT + (collector->is_first ? PROBLEM_HEIGHT : 0);
        collector->is_first = false;
    }
}

/* NULL if the run does not have that problem. Sweeps have their own pictures. */
static const struct block_record *find_block(const struct record *record, const char *name)
{
    for (unsigned i = 0; record && !record->sweep && i < record->blocks; i++)
        if (strcmp(record->block[i].name, name) == 0)
            return &record->block[i];
    return NULL;
}

static bool is_known(const struct results *results, unsigned runs, const char *name)
{
    for (unsigned i = 0; i < runs; i++)
        if (find_block(results->run[i].record, name))
            return true;
    return false;
}

static bool may_have_rows(const struct collector *collector, const struct block_record *block)
{
    for (unsigned i = 0; i < block->cells; i++)
        if (!block->cell[i]->is_ceiling && collector->filter->may_have_row(block->cell[i]))
            return true;
    return false;
}

/* A problem in all runs from one on, side by side. Whether it may have rows; nothing is collected if that is full. */
static bool collect_problem(struct collector *collector, const struct results *results, unsigned from, const char *name)
{
    const bool is_full = collector->rows->is_full;
    bool may_have = false;
    collector->is_first = true;
    for (unsigned i = from; i < results->runs; i++) {
        const struct record *record = results->run[i].record;
        const struct block_record *block = find_block(record, name);
        if (!block || !may_have_rows(collector, block))
            continue;
        may_have = true;
        struct cell_metrics *metrics = is_full ? NULL : cell_metrics_of_block(record, block);
        if (!metrics)
            continue;
        collector->letter = run_letter(collector->pool, results, i);
        collect_block(collector, block, metrics);
        free(metrics);
    }
    return may_have;
}

/* All rows of a problem or none, as half a problem would look complete. The first problem is shown in any case. */
static void collect_whole_problem(struct collector *collector, const struct results *results, unsigned from,
                                  const char *name)
{
    struct plot_rows *rows = collector->rows;
    const unsigned before = rows->rows, height = rows->height;
    const bool was_full = rows->is_full;
    bool may_have = collect_problem(collector, results, from, name);
    if (was_full) {
        rows->all += may_have;
    } else if (rows->is_full && before > 0) {
        rows->all++;
        rows->rows = before;
        rows->height = height;
    } else {
        rows->all += rows->rows > before;
        rows->problems += !rows->is_full && rows->rows > before;
    }
}

static void collect(struct collector *collector, const struct results *results)
{
    struct plot_rows *rows = collector->rows;
    rows->rows = rows->problems = rows->all = 0;
    rows->height = PADDING;
    rows->is_full = false;
    for (unsigned i = 0; i < results->runs; i++) {
        const struct record *record = results->run[i].record;
        for (unsigned at = 0; record && !record->sweep && at < record->blocks; at++)
            if (!is_known(results, i, record->block[at].name))
                collect_whole_problem(collector, results, i, record->block[at].name);
    }
}

void plot_rows(struct plot_rows *out, const struct results *results, const struct plot_filter *filter,
               struct pool *pool)
{
    struct collector collector = { .rows = out, .filter = filter, .pool = pool };
    out->only_best = false;
    collect(&collector, results);
    if (!out->is_full)
        return;
    out->only_best = true;
    collect(&collector, results);
}

static void write_name(struct drawing *drawing, double x, double y, double room, const char *style, const char *name)
{
    string_append(&drawing->script, "set label \"%s\" at screen %.6g, screen %.6g left front %s\n",
                  drawing_text(drawing, drawing_shorten(drawing, name, room)), x / DRAWING_WIDTH, y / drawing->height,
                  style);
}

void plot_rows_place(struct plot_rows *rows, struct drawing *drawing, double bottom, double x)
{
    double y = bottom + rows->height;
    for (unsigned i = 0; i < rows->rows; i++) {
        struct plot_row *row = &rows->row[i];
        if (row->problem) {
            y -= PROBLEM_HEIGHT;
            write_name(drawing, MARGIN, y + PROBLEM_HEIGHT / 2.0 - 2, DRAWING_WIDTH - 2 * MARGIN,
                       "font \"sans-serif:Bold\"", row->problem);
        }
        y -= ROW_HEIGHT;
        row->y = y + ROW_HEIGHT / 2.0;
        write_name(drawing, MARGIN + INDENT, row->y, x - MARGIN - INDENT - 6, "", row->label);
    }
}

static void rule(const struct plot_rows *rows, struct drawing *drawing, double value, const char *style)
{
    for (unsigned i = 0, next; i < rows->rows; i = next) {
        next = i + 1;
        while (next < rows->rows && !rows->row[next].problem)
            next++;
        string_append(&drawing->script, "set arrow from %.9g,%.6g to %.9g,%.6g nohead %s back\n", value,
                      rows->row[i].y + ROW_HEIGHT / 2.0, value, rows->row[next - 1].y - ROW_HEIGHT / 2.0, style);
    }
}

void plot_rows_grid(const struct plot_rows *rows, struct drawing *drawing)
{
    string_append(&drawing->script, "unset grid\n");
    for (unsigned i = 0; i < drawing->ticks; i++)
        rule(rows, drawing, drawing->tick[i], "lt 1 lw 0.8 lc rgb \"#dd000000\"");
}

void plot_rows_rule(const struct plot_rows *rows, struct drawing *drawing, double value)
{
    rule(rows, drawing, value, "lw 1.2 lc rgb \"" INK "\"");
}

const char *plot_rows_left_out(const struct plot_rows *rows, struct pool *pool)
{
    const char *text = rows->only_best ? " Of each device only the fastest row of a problem is shown" : "";
    if (rows->is_full && rows->problems > 0)
        text = pool_print(pool, "%s, and of %u problems the first %u", text, rows->all, rows->problems);
    else if (rows->is_full)
        text = pool_print(pool, "%s, and of these the first %u; %u more problem%s left out", text, rows->rows,
                          rows->all - 1, rows->all == 2 ? " is" : "s are");
    return *text ? pool_print(pool, "%s.", text) : "";
}
