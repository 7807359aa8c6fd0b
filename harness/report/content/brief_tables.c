/* The tables of a brief report: for each GPU its speed-ups in words, then for each the times and rates of both sides.
 */

#include "harness/report/content/brief.h"

#include "harness/base/text.h"

#include <math.h>
#include <string.h>

/* A narrow screen has no room for intervals (GROUP_PEAK), methods (GROUP_COST) and rates (GROUP_RATE). */
enum { SPEEDUP_PROBLEM, SPEEDUP_VALUE, SPEEDUP_COLUMNS = SPEEDUP_VALUE + 3 * USES };
static const struct column speedup_columns[SPEEDUP_COLUMNS] = {
    { "", "", ALIGN_LEFT, GROUP_NAME, "" },
    { "", "", ALIGN_NUMBER, GROUP_SPEEDUP, "resident speed-up" },
    { "", "", ALIGN_LEFT, GROUP_PEAK, "interval" },
    { "", "", ALIGN_LEFT, GROUP_SPEEDUP, "verdict" },
    { "", "", ALIGN_NUMBER, GROUP_SPEEDUP, "copied speed-up" },
    { "", "", ALIGN_LEFT, GROUP_PEAK, "interval" },
    { "", "", ALIGN_LEFT, GROUP_SPEEDUP, "verdict" },
};

/* Of each side time, rate and method with data that stay, and the time of one use with all copies. */
enum { SIDE_TIME, SIDE_RATE, SIDE_METHOD, SIDE_COPIED, SIDE_END };
enum { TIME_PROBLEM, TIME_BASELINE, TIME_OTHER = TIME_BASELINE + SIDE_END, TIME_COLUMNS = TIME_OTHER + SIDE_END };
static const struct column time_columns[TIME_COLUMNS] = {
    { "Time and rate", "", ALIGN_LEFT, GROUP_NAME, "" }, { "", "", ALIGN_RIGHT, GROUP_SPEEDUP, "compute" },
    { "", "", ALIGN_RIGHT, GROUP_RATE, "GFLOP/s" },      { "", "", ALIGN_LEFT, GROUP_COST, "method" },
    { "", "copied", ALIGN_LEFT, GROUP_TIME, "total" },   { "", "", ALIGN_RIGHT, GROUP_SPEEDUP, "compute" },
    { "", "", ALIGN_RIGHT, GROUP_RATE, "GFLOP/s" },      { "", "", ALIGN_LEFT, GROUP_COST, "method" },
    { "", "copied", ALIGN_LEFT, GROUP_TIME, "total" },
};

bool brief_shows(const struct answer_set *set, const struct answer_part *part)
{
    return !part->device->works_in_host_memory && !part->is_baseline && (part->is_gpu || !set->has_gpu);
}

/* Why a side has no speed-up, in a word: an outcome. */
static const char *flaw_word(const struct answer *answer, enum why why)
{
    if (why == WHY_UNVERIFIED)
        return "unverified";
    return why != WHY_WRONG && why != WHY_FAILED ? "-" : status_names[answer->unsound->cell->outcome.status];
}

/* "1.02", "(1.01 - 1.03)", "equal" */
static void put_half(struct pool *pool, const char **field, const struct answer *answer, enum use use)
{
    struct speedup_text text;
    const struct figure *one = &answer->use[use];
    speedup_write(&text, &one->speedup);
    field[0] = pool_copy(pool, text.value);
    field[1] = pool_copy(pool, text.interval);
    field[2] = one->verdict == VERDICT_NONE ? flaw_word(answer, answer->why[use]) : verdict_words[one->verdict];
}

static const char *row_name(struct pool *pool, const char *problem)
{
    return pool_print(pool, "  %s", problem);
}

static void fill_speedups(struct brief *brief, const struct answer_set *set, const struct answer answer[],
                          unsigned count)
{
    struct pool *pool = &brief->pool;
    struct table *table = &brief->table[brief->tables++];
    const char *label = part_label(pool, set, answer->part), *baseline = part_label(pool, set, &set->part[0]);
    table_open(pool, table, speedup_columns, SPEEDUP_COLUMNS, count);
    if (table->columns == 0)
        return;
    table->column[SPEEDUP_PROBLEM].title =
        pool_print(pool, "%s against %s%s%s", label, baseline, set->has_types ? "" : ", ",
                   set->has_types ? "" : answer->problem->dtype);
    table->column[SPEEDUP_VALUE].title = brief->is_narrow       ? "data stay"
                                         : answer->part->is_gpu ? pool_print(pool, "data stay on the %s", label)
                                                                : "data stay in place";
    table->column[SPEEDUP_VALUE + 3].title = brief->is_narrow ? "copied" : "copied at every use";
    for (unsigned i = 0; i < count; i++) {
        table->row[i].field[SPEEDUP_PROBLEM] = row_name(pool, problem_words(pool, set, &answer[i]));
        for (enum use use = 0; use < USES; use++)
            put_half(pool, &table->row[i].field[SPEEDUP_VALUE + 3 * use], &answer[i], use);
    }
    table_drop_empty(table);
    brief->tables -= table->columns == 1; /* nothing is compared */
}

/* "27.0 GB/s" where a run does less than one FLOP a byte, else "281 GFLOP/s". */
static const char *rate_words(struct pool *pool, const struct figures *figures)
{
    const struct cell_record *cell = figures->cell;
    if (!(cell->flops >= cell->bytes) && !isnan(figures->bandwidth))
        return pool_print(pool, "%s/s", pool_bytes(pool, figures->bandwidth));
    return isnan(figures->rate) ? "" : pool_flops(pool, figures->rate, dtype_operation(cell->dtype));
}

/* A rate above the peak that is printed of its part has a mark. */
static void put_side(struct brief *brief, const char **field, const struct figures *figures,
                     const struct answer_part *part)
{
    struct pool *pool = &brief->pool;
    const bool is_of_memory = !(figures->cell->flops >= figures->cell->bytes) && !isnan(figures->bandwidth);
    const bool is_above = is_of_memory ? figures->bandwidth > part->bandwidth : figures->rate > part->flops;
    brief->has_mark |= is_above;
    field[SIDE_TIME] = pool_seconds(pool, figures->time.value);
    field[SIDE_RATE] = pool_print(pool, "%s%s", rate_words(pool, figures), is_above ? "*" : "");
    field[SIDE_METHOD] = pool_copy(pool, method_short(figures->cell->method));
}

/* Keeps the digits of a column below each other where some have a mark. */
static void align_marks(struct pool *pool, struct table *table, unsigned column)
{
    bool has_mark = false;
    for (unsigned i = 0; i < table->rows; i++)
        has_mark |= strchr(table->row[i].field[column], '*') != NULL;
    for (unsigned i = 0; i < table->rows && has_mark; i++)
        if (*table->row[i].field[column] && !strchr(table->row[i].field[column], '*'))
            table->row[i].field[column] = pool_print(pool, "%s ", table->row[i].field[column]);
}

/* The lines of the table have no room for the word. */
static void add_unsettled(struct brief *brief, const char *problem, const struct figures *figures)
{
    struct pool *pool = &brief->pool;
    struct line *line = brief->costs.line;
    const char *words = pool_print(pool, "%s %s", problem, method_short(figures->cell->method));
    if (figures->settled != 0)
        return;
    if (brief->costs.lines == 0)
        lines_add(pool, &brief->costs, "Unsettled", words);
    else if (!strstr(line->text, words)) /* a baseline is beside each device */
        line->text = pool_print(pool, "%s, %s", line->text, words);
}

static const struct figures *measured(const struct figures *figures)
{
    return figures && figures->measured ? figures : NULL;
}

/* Whether there is a time. */
static bool put_times(struct brief *brief, struct row *row, const struct answer_set *set, const struct answer *answer)
{
    struct pool *pool = &brief->pool;
    const struct figure *stays = &answer->use[USE_RESIDENT], *moves = &answer->use[USE_COPIED];
    const struct figures *own = answer->row[USE_RESIDENT] ? answer->row[USE_RESIDENT] : answer->row[USE_COPIED];
    const struct figures *baseline =
        answer->baseline[USE_RESIDENT]
            ? answer->baseline[USE_RESIDENT]
            : figures_baseline(set->figures[answer->block - set->record->block], answer->block->cells);
    const char *problem = problem_words(pool, set, answer);
    row->field[TIME_PROBLEM] = row_name(pool, problem);
    if (measured(baseline)) {
        put_side(brief, &row->field[TIME_BASELINE], baseline, &set->part[0]);
        add_unsettled(brief, problem, baseline);
    }
    if (stays->is_against_f32) { /* the time of another row */
        row->field[TIME_BASELINE] = pool_seconds(pool, stays->baseline_seconds);
        row->field[TIME_BASELINE + SIDE_RATE] = "";
        row->field[TIME_BASELINE + SIDE_METHOD] = "in f32";
    }
    if (measured(own)) {
        put_side(brief, &row->field[TIME_OTHER], own, answer->part);
        add_unsettled(brief, problem, own);
    }
    if (brief->is_whole) {
        row->field[TIME_BASELINE + SIDE_COPIED] = pool_seconds(pool, moves->baseline_seconds);
        row->field[TIME_OTHER + SIDE_COPIED] = pool_seconds(pool, moves->time.value);
    }
    return measured(baseline) || measured(own);
}

static void fill_times(struct brief *brief, const struct answer_set *set, const struct answer answer[], unsigned count)
{
    struct pool *pool = &brief->pool;
    struct table *table = &brief->table[brief->tables++];
    table_open(pool, table, time_columns, TIME_COLUMNS, count);
    if (table->columns == 0)
        return;
    table->column[TIME_BASELINE].title = part_label(pool, set, &set->part[0]);
    table->column[TIME_OTHER].title = part_label(pool, set, answer->part);
    table->column[TIME_BASELINE].below = table->column[TIME_OTHER].below = brief->is_whole ? "data stay" : "";
    unsigned rows = 0;
    for (unsigned i = 0; i < count; i++)
        rows += put_times(brief, &table->row[rows], set, &answer[i]);
    table->rows = rows;
    align_marks(pool, table, TIME_BASELINE + SIDE_RATE);
    align_marks(pool, table, TIME_OTHER + SIDE_RATE);
    table_drop_empty(table);
}

/* Where nothing is compared, each measured cell that computes; and of workloads that were asked for by name those that
 * do not. */
static void fill_times_alone(struct brief *brief, const struct answer_set *set, bool has_answers)
{
    struct pool *pool = &brief->pool;
    struct table *table = &brief->table[brief->tables++];
    const json_t *asked = json_object_get(json_object_get(set->record->head, "options"), "workload");
    unsigned row = 0;
    table_open(pool, table, time_columns, TIME_COLUMNS, set->record->cells);
    for (unsigned i = 0; i < set->record->blocks && table->columns > 0; i++) {
        const unsigned cells = set->record->block[i].cells;
        const bool is_question = answer_is_question(set->figures[i], cells);
        for (unsigned k = 0; k < cells && (is_question ? !has_answers : json_array_size(asked) > 0); k++) {
            const struct figures *figures = &set->figures[i][k];
            const struct cell_record *cell = figures->cell;
            if (!figures_are_sound(figures) || cell->is_ceiling || !figures->device)
                continue;
            const char *device = set->parts > 1 ? pool_print(pool, " %s", cell->device_id) : "";
            const char *how = figures->only_moves               ? pool_print(pool, " %s", cell->memory)
                              : figures->headline == USE_COPIED ? " copied"
                                                                : "";
            table->row[row].field[TIME_PROBLEM] = pool_print(pool, "  %s%s%s", cell_words(pool, cell), device, how);
            put_side(brief, &table->row[row++].field[TIME_BASELINE], figures,
                     &set->part[set->part_of[figures->device - set->record->device]]);
        }
    }
    table->rows = row;
    if (row > 0 && set->parts == 1)
        table->column[TIME_BASELINE].title = part_label(pool, set, &set->part[0]);
    align_marks(pool, table, TIME_BASELINE + SIDE_RATE);
    table_drop_empty(table);
}

void brief_fill_tables(struct brief *brief, const struct answer_set *set)
{
    void (*const fill[])(struct brief *, const struct answer_set *, const struct answer *, unsigned) = { fill_speedups,
                                                                                                         fill_times };
    brief->table = pool_take(&brief->pool, (2 * set->parts + 1) * sizeof *brief->table);
    if (!brief->table)
        return;
    for (unsigned k = 0; k < 2; k++)
        for (unsigned first = 0, end; first < set->answers; first = end) {
            for (end = first; end < set->answers && set->answer[end].part == set->answer[first].part;)
                end++;
            if (brief_shows(set, set->answer[first].part))
                fill[k](brief, set, &set->answer[first], end - first);
        }
    if (set->parts > 0 && !set->record->sweep)
        fill_times_alone(brief, set, brief->tables > 0);
    if (brief->has_mark)
        lines_add(&brief->pool, &brief->costs, "*",
                  "above the printed peak: fewer operations, another type, or caches");
}
