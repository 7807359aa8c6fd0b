/* Machines side by side: the times of the same problems in several runs. */

#include "harness/report/makers/makers.h"

#include <math.h>

enum { KINDS = 2 }; /* the CPU, then the fastest GPU */

/* Seconds of a use with data that stay. NAN: the run has none. */
static double seconds_of(const struct answer_set *set, const char *block_name, unsigned kind)
{
    const struct block_record *block = record_find_block(set->record, block_name);
    const struct figures *figures = block ? set->figures[block - set->record->block] : NULL;
    const struct figures *baseline = figures ? figures_baseline(figures, block->cells) : NULL;
    double seconds = NAN;
    if (kind == 0)
        return baseline && figures_are_sound(baseline) ? baseline->time.value : NAN;
    for (const struct answer *answer = set->answer; answer < set->answer + set->answers; answer++)
        if (answer->block == block && answer->part->is_gpu && verdict_is_judged(answer->use[USE_RESIDENT].verdict))
            seconds = fmin(seconds, answer->use[USE_RESIDENT].time.value); /* ignores NAN */
    return seconds;
}

/* The times of each run, and of two runs how many times as fast the second is. */
static void fill_row(struct pool *pool, struct row *row, const struct answer_set set[], unsigned runs,
                     const char *block)
{
    unsigned at = 1;
    for (unsigned kind = 0; kind < KINDS; kind++, at++) {
        const double first = seconds_of(&set[0], block, kind), second = seconds_of(&set[1], block, kind);
        for (unsigned i = 0; i < runs; i++, at++) {
            const double seconds = seconds_of(&set[i], block, kind);
            row->field[at] = isnan(seconds) ? "" : pool_copy(pool, text_seconds(seconds).text);
        }
        row->field[at] =
            runs == 2 && first / second > 0 ? pool_print(pool, "%sx", speedup_ratio(pool, first / second)) : "";
    }
}

void beside_add(struct document *out, const struct answer_set set[], unsigned runs)
{
    struct pool *pool = &out->pool;
    const unsigned columns = 1 + KINDS * (runs + 1);
    struct column *column = pool_take(pool, columns * sizeof *column);
    const struct record *record = runs > 0 ? set[0].record : NULL;
    unsigned rows = 0;
    if (runs < 2 || !column)
        return;
    column[0] = (struct column){ "Side by side", "", ALIGN_LEFT, GROUP_NAME, "" };
    for (unsigned i = 1; i < columns; i++) {
        const unsigned run = (i - 1) % (runs + 1);
        const char *chip = i <= runs + 1 ? "CPU" : "GPU";
        const char *title = run < runs ? pool_print(pool, "%s %s", chip, results_letter(run)) : "B against A";
        column[i] = (struct column){ title, "", ALIGN_RIGHT, GROUP_TIME, "compute" };
    }
    struct table *table = table_open(pool, column, columns, record->blocks);
    for (unsigned i = 0; i < record->blocks && table; i++) {
        const struct block_record *block = &record->block[i];
        unsigned common = 0;
        for (unsigned k = 1; k < runs && answer_is_question(set[0].figures[i], block->cells); k++)
            common += record_find_block(set[k].record, block->name) != NULL;
        if (common == 0)
            continue;
        table->row[rows].field[0] = pool_print(pool, "  %s", cell_words(pool, block->cell[0]));
        fill_row(pool, &table->row[rows++], set, runs, block->name);
    }
    if (rows == 0) {
        document_line(out, ABOUT_NOTE, "", "No problem of run A is in another run: nothing is side by side.");
        return;
    }
    table->rows = rows;
    table_drop_empty(table);
    if (out->medium == MEDIUM_MARKDOWN)
        document_heading(out, out->level == LEVEL_SCREEN ? 1 : 2, "Side by side");
    document_table(out, table);
}
