/* The one table of a brief report: a row for each problem and processor, both sides beside each other. */

#include "harness/report/content/brief.h"

#include "harness/base/text.h"

#include <stdlib.h>
#include <string.h>

enum {
    COLUMN_PROBLEM,
    COLUMN_MEMORY, /* and the device, where they differ between rows */
    COLUMN_PART,
    COLUMN_BASELINE_METHOD,
    COLUMN_BASELINE_TIME,
    COLUMN_BASELINE_RATE,
    COLUMN_METHOD,
    COLUMN_TIME,
    COLUMN_RATE,
    COLUMN_COMPUTE,
    COLUMN_TRANSFERS,
    COLUMN_SYMBOL,
    COLUMNS
};

/* GROUP_RATE, GROUP_TIME and GROUP_COST (methods) are left out of narrow tables. */
static const struct column columns[COLUMNS] = {
    [COLUMN_PROBLEM] = { "", "", ALIGN_LEFT, GROUP_NAME, "" },
    [COLUMN_MEMORY] = { "", "memory", ALIGN_LEFT, GROUP_NAME, "memory" },
    [COLUMN_PART] = { "", "", ALIGN_LEFT, GROUP_NAME, "device" },
    [COLUMN_BASELINE_METHOD] = { "", "method", ALIGN_LEFT, GROUP_COST, "method" },
    [COLUMN_BASELINE_TIME] = { "", "time", ALIGN_RIGHT, GROUP_TIME, "compute" },
    [COLUMN_BASELINE_RATE] = { "", "rate", ALIGN_RIGHT, GROUP_RATE, "GFLOP/s" },
    [COLUMN_METHOD] = { "", "method", ALIGN_LEFT, GROUP_COST, "method" },
    [COLUMN_TIME] = { "", "time", ALIGN_RIGHT, GROUP_TIME, "compute" },
    [COLUMN_RATE] = { "", "rate", ALIGN_RIGHT, GROUP_RATE, "GFLOP/s" },
    [COLUMN_COMPUTE] = { "compute", "", ALIGN_LEFT, GROUP_SPEEDUP, "compute speed-up" },
    [COLUMN_TRANSFERS] = { "with", "transfers", ALIGN_LEFT, GROUP_SPEEDUP, "speed-up with transfers" },
    [COLUMN_SYMBOL] = { "", "", ALIGN_LEFT, GROUP_SPEEDUP, "" },
};

enum { INTERVALS_ABOVE = 100 }; /* text columns */

struct units {
    const struct time_unit *unit;
    bool is_wide; /* intervals in full */
    bool has_bytes, has_flops, has_tera, has_whole, has_repack, has_fast;
    bool has[VERDICT_COUNT]; /* verdicts in the column of symbols */
    const char *both;        /* "^/v", if a row has two; else NULL */
};

/* Three digits at most, fewer where the interval is wide. */
static const char *figure(struct pool *pool, double value, double half_width)
{
    static const double worth_three = 0.02;
    char text[TEXT_NUMBER];
    return pool_copy(pool,
                     half_width < worth_three ? text_figure(text, value, NAN) : text_measured(text, value, half_width));
}

/* "272G" of FLOP, "27.0B" of bytes where a run does less than one FLOP a byte. */
static const char *rate_words(struct pool *pool, struct units *units, const struct cell_metrics *metrics)
{
    static const double tera = 1e13;
    const struct cell_record *cell = metrics->cell;
    bool is_bytes = !(cell->flops >= cell->bytes) && !isnan(metrics->bandwidth);
    double rate = is_bytes ? metrics->bandwidth : metrics->rate;
    if (isnan(rate))
        return "";
    units->has_fast |= cell->is_fast && !is_bytes;
    bool is_tera = !is_bytes && rate >= tera;
    units->has_bytes |= is_bytes;
    const bool is_whole = !is_bytes && strcmp(dtype_operation(cell->dtype), "OP") == 0;
    units->has_whole |= is_whole;
    units->has_flops |= !is_bytes && !is_tera;
    units->has_tera |= is_tera;
    return pool_print(pool, "%s%s", figure(pool, rate / (is_tera ? 1e12 : 1e9), metrics->half_width),
                      is_bytes  ? "B"
                      : is_tera ? "T"
                                : "G");
}

/* Why a side has no speed-up, in a word: an outcome. */
static const char *flaw_word(const struct answer *answer, enum why why)
{
    if (why == WHY_UNVERIFIED)
        return "unverified";
    return why != WHY_WRONG && why != WHY_FAILED ? "-" : status_name(answer->unsound->cell->outcome.status);
}

/* "0.98+-.01"; "0.98x [0.97, 0.99]" where there is room; with the range over equal cards. */
static const char *speedup_column(struct pool *pool, const struct units *units, const struct answer *answer,
                                  enum use one)
{
    const struct answer_use *use = &answer->use[one];
    if (use->verdict == VERDICT_NONE)
        return flaw_word(answer, use->why);
    if (units->is_wide)
        return speedup_field(pool, &use->speedup);
    return speedup_words(pool, &use->speedup);
}

/* "=", "^/v" where both uses differ, and a mark where the baseline repacks with transfers. */
static const char *symbol_of(struct pool *pool, const struct answer *answer, struct units *units)
{
    const struct answer_use *stays = &answer->use[USE_COMPUTE], *moves = &answer->use[USE_TRANSFERS];
    bool repacks = moves->baseline && moves->baseline->repack > 0 && moves->verdict != VERDICT_NONE,
         differ = moves->verdict != VERDICT_NONE && moves->verdict != stays->verdict;
    units->has_repack |= repacks;
    units->has[stays->verdict] = units->has[moves->verdict] = true;
    if (differ && stays->verdict != VERDICT_NONE)
        units->both = pool_print(pool, "%s/%s", verdict_symbols[stays->verdict], verdict_symbols[moves->verdict]);
    return pool_print(pool, "%s%s%s%s", verdict_symbols[stays->verdict],
                      differ && stays->verdict != VERDICT_NONE ? "/" : "",
                      differ ? verdict_symbols[moves->verdict] : "", repacks ? "*" : "");
}

/* What was measured of either side, also where nothing could be compared. */
static const struct cell_metrics *shown_cell(const struct answer *answer)
{
    const struct cell_metrics *cell = answer->use[USE_COMPUTE].cell;
    return cell ? cell : answer->use[USE_TRANSFERS].cell;
}

static const struct cell_metrics *shown_baseline(const struct answer_set *set, const struct answer *answer)
{
    const struct cell_metrics *metrics = set->metrics[answer->block - set->record->block];
    const struct cell_metrics *baseline = answer->use[USE_COMPUTE].baseline;
    baseline = baseline ? baseline : answer_baseline(metrics, answer->block->cells);
    return baseline && baseline->measured ? baseline : NULL;
}

static void put_side(struct pool *pool, const char **field, struct units *units, const struct cell_metrics *metrics)
{
    field[0] = *metrics->cell->method ? pool_copy(pool, method_short(metrics->cell->method)) : "-";
    field[1] = figure(pool, metrics->time.value / units->unit->seconds, metrics->half_width);
    field[2] = rate_words(pool, units, metrics);
}

/* The time that it is compared with: of another row. */
static void put_wider(struct pool *pool, const char **field, struct units *units, const struct answer_use *use)
{
    field[0] = "in f32";
    field[1] =
        figure(pool, use->baseline_seconds / units->unit->seconds, estimate_half_width(&use->cell->baseline_in_f32));
    field[2] = "";
}

static void put_row(struct brief *brief, struct row *row, const struct answer_set *set, const struct answer *answer,
                    struct units *units)
{
    struct pool *pool = &brief->pool;
    const struct cell_metrics *cell = shown_cell(answer), *baseline = shown_baseline(set, answer);
    row->field[COLUMN_PROBLEM] = problem_words(pool, set, answer);
    row->field[COLUMN_MEMORY] = cell ? pool_copy(pool, cell->cell->memory) : "";
    row->field[COLUMN_PART] = part_label(pool, set, answer->part);
    if (baseline)
        put_side(pool, &row->field[COLUMN_BASELINE_METHOD], units, baseline);
    if (baseline && answer->use[USE_COMPUTE].is_against_f32)
        put_wider(pool, &row->field[COLUMN_BASELINE_METHOD], units, &answer->use[USE_COMPUTE]);
    if (cell)
        put_side(pool, &row->field[COLUMN_METHOD], units, cell);
    row->field[COLUMN_COMPUTE] = speedup_column(pool, units, answer, USE_COMPUTE);
    row->field[COLUMN_TRANSFERS] = speedup_column(pool, units, answer, USE_TRANSFERS);
    row->field[COLUMN_SYMBOL] = symbol_of(pool, answer, units);
}

bool brief_shows(const struct answer_set *set, const struct answer_part *part)
{
    enum { SIDE_BY_SIDE = 2 };
    unsigned gpus = 0;
    for (unsigned i = 0; i < set->overalls; i++)
        gpus += set->overall[i].part->is_gpu;
    if (set->has_gpu && !part->is_gpu)
        return false;
    return (set->has_gpu ? gpus : set->overalls) <= SIDE_BY_SIDE || part == set->overall[0].part;
}

static const struct time_unit *unit_of(const struct answer_set *set, const struct answer *const shown[], unsigned rows)
{
    double least = INFINITY, most = 0;
    for (unsigned i = 0; i < rows; i++) {
        const struct cell_metrics *side[] = { shown_cell(shown[i]), shown_baseline(set, shown[i]) };
        for (unsigned k = 0; k < 2; k++) {
            double seconds = side[k] ? side[k]->time.value : NAN;
            least = fmin(least, seconds); /* fmin and fmax ignore NAN */
            most = fmax(most, seconds);
        }
    }
    return time_unit_for(least, most);
}

static bool differs(const struct table *table, unsigned column)
{
    for (unsigned i = 1; i < table->rows; i++)
        if (*table->row[i].field[column] && strcmp(table->row[i].field[column], table->row[0].field[column]) != 0)
            return true;
    return false;
}

/* A device with several kinds of memory: then rows name them, else the caption does. */
static bool has_memories(const struct table *table)
{
    for (unsigned i = 1; i < table->rows; i++)
        for (unsigned k = 0; k < i; k++)
            if (strcmp(table->row[i].field[COLUMN_PART], table->row[k].field[COLUMN_PART]) == 0 &&
                *table->row[i].field[COLUMN_MEMORY] && *table->row[k].field[COLUMN_MEMORY] &&
                strcmp(table->row[i].field[COLUMN_MEMORY], table->row[k].field[COLUMN_MEMORY]) != 0)
                return true;
    return false;
}

/* "mapped memory", "iGPU mapped, dGPU pinned memory" */
static const char *memory_words(struct pool *pool, const struct table *table, bool has_parts)
{
    struct string_builder to = { .pool = pool };
    for (unsigned i = 0; i < table->rows; i++) {
        const char *const *field = table->row[i].field;
        bool is_new = *field[COLUMN_MEMORY] != '\0';
        for (unsigned k = 0; k < i && is_new; k++)
            is_new = strcmp(table->row[k].field[COLUMN_PART], field[COLUMN_PART]) != 0 ||
                     !*table->row[k].field[COLUMN_MEMORY];
        if (is_new)
            string_append(&to, "%s%s%s%s", to.length > 0 ? ", " : "", has_parts ? field[COLUMN_PART] : "",
                          has_parts ? " " : "", field[COLUMN_MEMORY]);
    }
    return to.length > 0 ? pool_print(pool, "%s memory", string_text(&to)) : "";
}

/* "each row is the slower of 2 cards, which differ by at most 1.2 %"; "" where no cards are equal. */
static const char *cards_words(struct pool *pool, const struct answer *const shown[], unsigned rows)
{
    unsigned cards = 1;
    double apart = 0;
    for (unsigned i = 0; i < rows; i++)
        for (enum use use = 0; use < USES; use++) {
            const struct ratio_range *range = &shown[i]->use[use].cards;
            cards = shown[i]->part->cards > cards ? shown[i]->part->cards : cards;
            apart = fmax(apart, range->most / range->least - 1); /* fmax ignores NAN */
        }
    if (cards < 2)
        return "";
    return pool_print(pool, "each row is the %s of %u cards, which differ by at most %.2g %%",
                      cards > 2 ? "slowest" : "slower", cards, 100 * apart);
}

static void clear(struct table *table, unsigned column)
{
    for (unsigned i = 0; i < table->rows; i++)
        table->row[i].field[column] = "";
}

static void put_titles(struct brief *brief, const struct answer_set *set, bool has_parts)
{
    struct table *table = &brief->table;
    const struct answer_part *baseline = &set->part[0];
    table->column[COLUMN_BASELINE_METHOD].title = part_label(&brief->pool, set, baseline);
    table->column[COLUMN_METHOD].title = !has_parts     ? table->row[0].field[COLUMN_PART]
                                         : set->has_gpu ? "GPU"
                                                        : "device";
}

static void put_caption(struct brief *brief, const struct answer_set *set, const struct units *units,
                        const char *memory, const char *device)
{
    struct string_builder to = { .pool = &brief->pool };
    const char *dtype = set->has_types ? "" : set->answer[0].problem->dtype;
    string_append(&to, "%s%s%s%s", dtype, *dtype && *memory ? ", " : "", memory, *dtype || *memory ? "; " : "");
    string_append(&to, "speed-up = %s time / %s time %s", part_label(&brief->pool, set, &set->part[0]), device,
                  units->is_wide ? "[95 % interval]" : "+- (95 %)");
    brief->caption = string_text(&to);
    to = (struct string_builder){ .pool = &brief->pool };
    string_append(&to, "%s%s%s%s%s", units->has_flops ? ", G=GFLOP/s" : "", units->has_tera ? ", T=TFLOP/s" : "",
                  units->has_bytes ? ", B=GB/s" : "", units->has_whole ? ", of i8 OP/s" : "",
                  units->has_fast ? ", fast algorithms count the FLOP of the direct one" : "");
    brief->rates = to.length > 0 ? pool_print(&brief->pool, "%s; ", string_text(&to) + strlen(", ")) : "";
}

/* "; 40M: n = 40,000,000; native, portable: bench's own code": the names in the rows that say least by themselves. */
static const char *names_words(struct pool *pool, const struct table *table, const struct answer *const shown[])
{
    static const char *const own[] = { "native", "portable" };
    char size[ANSWER_SIZE], shape[3 * ANSWER_SIZE];
    bool has[] = { false, false };
    struct string_builder to = { .pool = pool };
    for (unsigned i = 0; i < table->rows; i++) {
        const char *const *field = table->row[i].field, *whole = shown[i]->problem->shape;
        for (unsigned k = 0; k < 2; k++)
            has[k] |= strcmp(field[COLUMN_BASELINE_METHOD], own[k]) == 0 || strcmp(field[COLUMN_METHOD], own[k]) == 0;
        bool is_named = !strchr(whole, ',') && strpbrk(answer_size(size, shown[i]->problem), "KM");
        if (is_named && to.length == 0)
            string_append(&to, "; %s: %s", size, text_shape(shape, sizeof shape, whole));
    }
    if (has[0] || has[1])
        string_append(&to, "; %s%s%s: bench's own code", has[0] ? own[0] : "", has[0] && has[1] ? ", " : "",
                      has[1] ? own[1] : "");
    return string_text(&to);
}

static void put_legend(struct brief *brief, const struct answer_set *set, const struct units *units, const char *cards)
{
    struct string_builder to = { .pool = &brief->pool };
    const char *separator = "; ";
    string_append(&to, "times in %s", units->unit->name);
    for (enum verdict verdict = VERDICT_COUNT; verdict-- > VERDICT_UNJUDGED;) {
        if (!units->has[verdict])
            continue;
        string_append(&to, "%s%s %s", separator, verdict_symbols[verdict],
                      verdict == VERDICT_EQUAL ? "within 5 %" : verdict_words[verdict]);
        separator = ", ";
    }
    if (units->both)
        string_append(&to, ", %s without/with transfers", units->both);
    if (units->has_repack)
        string_append(&to, "; * with transfers, %s also converts the data layout: it takes longer than shown",
                      part_label(&brief->pool, set, &set->part[0]));
    string_append(&to, "%s%s", *cards ? "; " : "", cards);
    brief->legend = string_text(&to);
}

/* The answers that are shown, those to one problem together. Returns how many; *left_out gets the number of others. */
static unsigned choose_rows(const struct answer_set *set, const struct answer *out[BRIEF_ROWS], unsigned *left_out)
{
    unsigned rows = 0;
    *left_out = 0;
    for (unsigned i = 0; i < set->answers; i++) {
        const struct answer *first = &set->answer[i];
        bool is_first = brief_shows(set, first->part);
        *left_out += is_first && rows == BRIEF_ROWS;
        for (unsigned k = 0; k < rows && is_first; k++)
            is_first = out[k]->block != first->block;
        for (unsigned k = i; is_first && k < set->answers; k++) {
            const struct answer *one = &set->answer[k];
            if (rows < BRIEF_ROWS && one->block == first->block && brief_shows(set, one->part))
                out[rows++] = one;
        }
    }
    return rows;
}

void brief_fill_table(struct brief *brief, const struct answer_set *set, unsigned width)
{
    struct table *table = &brief->table;
    struct units units = { .is_wide = width > INTERVALS_ABOVE || width == 0 };
    const struct answer *shown[BRIEF_ROWS];
    const unsigned rows = choose_rows(set, shown, &brief->more_rows);
    brief->caption = brief->rates = brief->legend = brief->names = "";
    if (rows == 0)
        return;
    table_open(&brief->pool, table, columns, COLUMNS, rows);
    if (table->columns == 0)
        return;
    units.unit = unit_of(set, shown, rows);
    for (unsigned i = 0; i < rows; i++) {
        enum verdict moves = shown[i]->use[USE_TRANSFERS].verdict;
        table->row[i].tone = moves != VERDICT_NONE ? moves : shown[i]->use[USE_COMPUTE].verdict;
        put_row(brief, &table->row[i], set, shown[i], &units);
    }
    const bool has_memory = has_memories(table), has_parts = differs(table, COLUMN_PART);
    put_titles(brief, set, has_parts);
    put_caption(brief, set, &units, has_memory ? "" : memory_words(&brief->pool, table, has_parts),
                has_parts ? set->has_gpu ? "GPU" : "device" : part_label(&brief->pool, set, shown[0]->part));
    put_legend(brief, set, &units, cards_words(&brief->pool, shown, rows));
    brief->names = names_words(&brief->pool, table, shown);
    if (!has_memory)
        clear(table, COLUMN_MEMORY);
    if (!has_parts)
        clear(table, COLUMN_PART);
    table_drop_empty(table);
}
