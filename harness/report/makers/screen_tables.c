/* The tables of the screen: for each GPU its speed-ups in words, then for each the times and rates of both sides. */

#include "harness/report/makers/makers.h"

#include <string.h>

/* A narrow screen has no room for intervals (GROUP_PEAK), methods (GROUP_COST) and rates (GROUP_RATE). */
enum { HALF_VALUE, HALF_INTERVAL, HALF_VERDICT, HALF_END };
enum {
    SPEEDUP_PROBLEM,
    SPEEDUP_STAYS,
    SPEEDUP_COPIED = SPEEDUP_STAYS + HALF_END,
    SPEEDUP_COLUMNS = SPEEDUP_COPIED + HALF_END
};
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
static const struct column side_columns[SIDE_END] = {
    { "", "", ALIGN_RIGHT, GROUP_SPEEDUP, "compute" },
    { "", "", ALIGN_RIGHT, GROUP_RATE, "GFLOP/s" },
    { "", "", ALIGN_LEFT, GROUP_COST, "method" },
    { "", "copied", ALIGN_LEFT, GROUP_TIME, "total" },
};

/* Why there is no speed-up, in a word: the outcome of the row, or of its baseline. */
static const char *lack_word(const struct answer *answer, enum use use)
{
    const struct figures *unsound = answer->unsound;
    const struct cell_record *cell = unsound ? unsound->cell : answer->use[use].baseline;
    return !cell                               ? "-"
           : cell->outcome.status != STATUS_OK ? status_names[cell->outcome.status]
           : unsound && !unsound->measured     ? "no times"
           : unsound || cell->verified == 0    ? "unverified"
                                               : "-";
}

/* "1.02", "(1.01 - 1.03)", "equal" */
static void put_half(struct pool *pool, const char **field, const struct answer *answer, enum use use)
{
    const struct figure *one = &answer->use[use];
    field[HALF_VALUE] = speedup_value(pool, &one->speedup);
    field[HALF_INTERVAL] = speedup_interval(pool, &one->speedup);
    field[HALF_VERDICT] = one->verdict != VERDICT_NONE ? verdict_words[one->verdict] : lack_word(answer, use);
}

static void end_table(struct screen *screen, struct table *table)
{
    table_drop_empty(table);
    if (table->columns > 1) /* there is more than names */
        document_table(screen->document, table);
}

static void add_speedups(struct screen *screen, const struct answer answer[], unsigned count)
{
    const struct answer_set *set = screen->set;
    struct pool *pool = &screen->document->pool;
    struct table *table = table_open(pool, speedup_columns, SPEEDUP_COLUMNS, count);
    const char *label = part_label(pool, set, answer->part), *baseline = part_label(pool, set, &set->part[0]);
    if (!table)
        return;
    table->column[SPEEDUP_PROBLEM].title =
        pool_print(pool, "%s against %s%s%s", label, baseline, set->has_types ? "" : ", ",
                   set->has_types ? "" : answer->problem->dtype);
    table->column[SPEEDUP_STAYS].title = screen->is_narrow      ? "data stay"
                                         : answer->part->is_gpu ? pool_print(pool, "data stay on the %s", label)
                                                                : "data stay in place";
    table->column[SPEEDUP_COPIED].title = screen->is_narrow ? "copied" : "copied at every use";
    for (unsigned i = 0; i < count; i++) {
        const char **field = table->row[i].field;
        field[SPEEDUP_PROBLEM] = pool_print(pool, "  %s", problem_words(pool, set, &answer[i]));
        put_half(pool, &field[SPEEDUP_STAYS], &answer[i], USE_RESIDENT);
        put_half(pool, &field[SPEEDUP_COPIED], &answer[i], USE_COPIED);
    }
    end_table(screen, table);
}

/* A side of a line, if it was measured and verified. A rate above the peak that is printed of its part has a mark. The
 * lines of the table have no room to say that its method is not settled; a baseline is beside each device, and is named
 * once. */
static void put_side(struct screen *screen, const char **field, const struct figures *figures,
                     const struct answer_part *part, const char *problem)
{
    struct pool *pool = &screen->document->pool;
    struct string_builder *unsettled = &screen->unsettled;
    if (!figures || !figures_are_sound(figures))
        return;
    const bool is_above =
        rate_is_of_memory(figures) ? figures->bandwidth > part->bandwidth : figures->rate > part->flops;
    const char *words = pool_print(pool, "%s %s", problem, figures->cell->method);
    screen->has_mark |= is_above;
    field[SIDE_TIME] = pool_copy(pool, text_seconds(figures->time.value).text);
    field[SIDE_RATE] = pool_print(pool, "%s%s", is_above ? "*" : "", rate_words(pool, figures));
    field[SIDE_METHOD] = figures->cell->method;
    if (figures->settled == 0 && !strstr(string_text(unsettled), words))
        string_append(unsettled, "%s%s", unsettled->length > 0 ? ", " : "", words);
}

static void put_times(struct screen *screen, const char **field, const struct answer *answer)
{
    const struct answer_set *set = screen->set;
    struct pool *pool = &screen->document->pool;
    const struct figure *stays = &answer->use[USE_RESIDENT], *moves = &answer->use[USE_COPIED];
    const struct figures *own = answer->row[USE_RESIDENT] ? answer->row[USE_RESIDENT] : answer->row[USE_COPIED];
    const struct figures *baseline =
        answer->baseline[USE_RESIDENT]
            ? answer->baseline[USE_RESIDENT]
            : figures_baseline(set->figures[answer->block - set->record->block], answer->block->cells);
    const char *problem = problem_words(pool, set, answer);
    field[TIME_PROBLEM] = pool_print(pool, "  %s", problem);
    put_side(screen, &field[TIME_BASELINE], baseline, &set->part[0], problem);
    if (stays->is_against_f32) { /* the time of another row */
        field[TIME_BASELINE + SIDE_TIME] = pool_copy(pool, text_seconds(stays->baseline_seconds).text);
        field[TIME_BASELINE + SIDE_RATE] = "";
        field[TIME_BASELINE + SIDE_METHOD] = "in f32";
    }
    put_side(screen, &field[TIME_OTHER], own, answer->part, problem);
    if (screen->layout->width == 0) {
        field[TIME_BASELINE + SIDE_COPIED] = pool_copy(pool, text_seconds(moves->baseline_seconds).text);
        field[TIME_OTHER + SIDE_COPIED] = pool_copy(pool, text_seconds(moves->time.value).text);
    }
}

static struct table *open_times(struct pool *pool, unsigned rows)
{
    struct column column[TIME_COLUMNS] = { { "Time and rate", "", ALIGN_LEFT, GROUP_NAME, "" } };
    memcpy(&column[TIME_BASELINE], side_columns, sizeof side_columns);
    memcpy(&column[TIME_OTHER], side_columns, sizeof side_columns);
    return table_open(pool, column, TIME_COLUMNS, rows);
}

static void add_times(struct screen *screen, const struct answer answer[], unsigned count)
{
    const struct answer_set *set = screen->set;
    struct pool *pool = &screen->document->pool;
    struct table *table = open_times(pool, count);
    if (!table)
        return;
    table->column[TIME_BASELINE].title = part_label(pool, set, &set->part[0]);
    table->column[TIME_OTHER].title = part_label(pool, set, answer->part);
    table->column[TIME_BASELINE].below = table->column[TIME_OTHER].below =
        screen->layout->width == 0 ? "data stay" : "";
    for (unsigned i = 0; i < count; i++)
        put_times(screen, table->row[i].field, &answer[i]);
    end_table(screen, table);
}

/* Where nothing is compared, each measured cell that computes; and of workloads that were asked for by name those that
 * do not. */
static void add_times_alone(struct screen *screen, bool has_answers)
{
    const struct answer_set *set = screen->set;
    struct pool *pool = &screen->document->pool;
    struct table *table = open_times(pool, set->record->cells);
    const json_t *asked = json_object_get(json_object_get(set->record->head, "options"), "workload");
    unsigned rows = 0;
    for (unsigned i = 0; i < set->record->blocks && table; i++) {
        const unsigned cells = set->record->block[i].cells;
        const bool is_question = answer_is_question(set->figures[i], cells);
        for (unsigned k = 0; k < cells && (is_question ? !has_answers : json_array_size(asked) > 0); k++) {
            const struct figures *figures = &set->figures[i][k];
            const struct cell_record *cell = figures->cell;
            if (!figures_are_sound(figures) || cell->is_peak || !figures->device)
                continue;
            const char **field = table->row[rows++].field;
            const char *how = figures->only_moves               ? pool_print(pool, " %s", cell->memory)
                              : figures->headline == USE_COPIED ? " copied"
                                                                : "";
            field[TIME_PROBLEM] = pool_print(pool, "  %s%s%s%s", cell_words(pool, cell), set->parts > 1 ? " " : "",
                                             set->parts > 1 ? cell->device_id : "", how);
            put_side(screen, &field[TIME_BASELINE], figures,
                     &set->part[set->part_of[figures->device - set->record->device]], cell_words(pool, cell));
        }
    }
    if (rows == 0)
        return;
    if (set->parts == 1)
        table->column[TIME_BASELINE].title = part_label(pool, set, &set->part[0]);
    table->rows = rows;
    end_table(screen, table);
}

void screen_add_tables(struct screen *screen)
{
    static void (*const add[])(struct screen *, const struct answer *, unsigned) = { add_speedups, add_times };
    const struct answer_set *set = screen->set;
    bool has_answers = false;
    for (unsigned k = 0; k < 2; k++)
        for (unsigned first = 0, end; first < set->answers; first = end) {
            for (end = first; end < set->answers && set->answer[end].part == set->answer[first].part;)
                end++;
            if (!part_is_shown(set, set->answer[first].part) || (set->parts > 1 && !set->part[0].is_baseline))
                continue;
            add[k](screen, &set->answer[first], end - first);
            has_answers = true;
        }
    if (set->parts > 0 && !set->record->sweep)
        add_times_alone(screen, has_answers);
}
