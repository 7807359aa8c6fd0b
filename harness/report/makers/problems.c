/* All figures of runs: a section for each problem, with the same problem of several runs side by side; and where the
 * time went. */

#include "harness/report/makers/makers.h"

#include "harness/report/content/columns.h"
#include "harness/report/content/heading.h"

#include <math.h>
#include <string.h>

/* The block of a run on a problem. */
struct part {
    const struct block_record *block;
    unsigned run;
};

/* The sections while they are made. */
struct problems {
    struct document *document;
    const struct results *results;
    const struct answer_set *set; /* of each run */
    struct cell_columns columns;  /* of the tables */
    struct part *part;            /* of the problem in work */
    unsigned parts;
    struct notes *common; /* of each run, the notes that all of its rows have */
};

/* "raced on cpu, 12 rounds: onednn 8.1 ms; tied: onednn-gemm 8.1 ms; slower: native 20 ms; portable 64x64x16 4x4 0.48x;
 * without a time: openblas unsupported: ...": the speed over the leader's of what has no time of this size. */
static void add_race(struct document *out, const struct race_record *race)
{
    static const char *const headings[] = { [RACE_MEASURED] = "",
                                            [RACE_TIED] = "tied: ",
                                            [RACE_SLOWER] = "slower: ",
                                            [RACE_PASSED_OVER] = "without a time: ",
                                            [RACE_FAILED] = "" };
    struct pool *pool = &out->pool;
    struct string_builder line = { .pool = pool };
    for (enum race_end end = RACE_MEASURED; end <= RACE_FAILED; end++) {
        const char *heading = headings[end];
        for (unsigned i = 0; i < race->contenders; i++) {
            const struct contender_record *one = &race->contender[i];
            const struct error *outcome = &one->outcome;
            if (one->end != end)
                continue;
            string_append(&line, "%s%s%s%s%s", line.length > 0 ? "; " : "", heading, one->method,
                          *one->kernel_shape ? " " : "", one->kernel_shape);
            if (outcome->status != STATUS_OK)
                string_append(&line, " %s%s%s", status_names[outcome->status], *outcome->message ? ": " : "",
                              outcome->message);
            else if (!isnan(one->run))
                string_append(&line, " %s", text_seconds(one->run).text);
            else if (one->ratio > 0 && end != RACE_MEASURED)
                string_append(&line, " %.2fx", one->ratio);
            heading = "";
        }
    }
    const char *rounds = pool_print(pool, ", %u round%s", race->rounds, race->rounds == 1 ? "" : "s");
    const char *label = pool_print(pool, "raced on %s%s%s", race->device_id, race->rounds > 0 ? rounds : "",
                                   race->purpose == MEASURES_COPIED ? ", with layout conversion" : "");
    document_line(out, ABOUT_BASIS, label, "%s", string_text(&line));
}

static void add_answer(struct document *out, const struct answer_set *set, const struct answer *answer)
{
    struct pool *pool = &out->pool;
    const struct figure *stays = &answer->use[USE_RESIDENT], *moves = &answer->use[USE_COPIED];
    const struct figures *row = answer->row[USE_RESIDENT] ? answer->row[USE_RESIDENT] : answer->row[USE_COPIED];
    const char *method = row ? row->cell->method : "", *memory = row ? row->cell->memory : "";
    /* "opencl:0 portable, mapped" */
    const char *title =
        pool_print(pool, "%s%s%s%s%s", answer->device->id, *method ? " " : "", method, *memory ? ", " : "", memory);
    const char *uses = breakeven_words(pool, answer);
    document_line(out, ABOUT_VERDICT, title, "resident %s%s%s", verdict_size(pool, &stays->speedup),
                  moves->verdict == VERDICT_NONE ? "" : "; copied ",
                  moves->verdict == VERDICT_NONE ? "" : verdict_size(pool, &moves->speedup));
    for (enum use use = 0; use < USES; use++) {
        const char *why = why_words(pool, set, answer, use);
        if (*why)
            document_line(out, ABOUT_VERDICT, "why", "%s", why);
    }
    if (*uses)
        document_line(out, ABOUT_VERDICT, "break-even", "%s", uses);
}

/* The answers to a block of the set's record, at least one line: both speed-ups with their verdicts, why, break-even,
 * and what supports no claim. */
static void add_verdict(struct document *out, const struct answer_set *set, const struct block_record *block)
{
    const struct figures *figures = set->figures[block - set->record->block];
    const unsigned before = out->items;
    for (unsigned i = 0; i < set->parts; i++) {
        const struct answer *answer = answer_find(set, block, &set->part[i]);
        if (answer)
            add_answer(out, set, answer);
    }
    if (out->items > before || !answer_is_question(figures, figures ? block->cells : 0))
        return;
    const struct figures *baseline = figures_baseline(figures, block->cells);
    document_line(out, ABOUT_VERDICT, "not compared", "%s",
                  !baseline            ? "there is no baseline"
                  : baseline->measured ? "only the baseline was measured"
                                       : "the baseline was not measured");
}

/* Finds the blocks of all runs on the problem of a block, or all that measure peaks, which share a section. Without
 * cells (interrupted during races) a block has none. */
static void find_parts(struct problems *of, const struct block_record *block)
{
    const bool are_peaks = heading_is_peaks(block);
    of->parts = 0;
    for (unsigned run = 0; run < of->results->runs; run++) {
        const struct record *record = of->results->run[run].record;
        const struct block_record *same = record_find_block(record, block->name);
        for (unsigned i = 0; i < record->blocks && are_peaks; i++)
            if (heading_is_peaks(&record->block[i]))
                of->part[of->parts++] = (struct part){ &record->block[i], run };
        if (same && same->cells > 0 && !are_peaks && !record->sweep)
            of->part[of->parts++] = (struct part){ same, run };
    }
}

static const struct figures *figures_of(const struct problems *of, const struct part *part)
{
    const struct answer_set *set = &of->set[part->run];
    return set->figures[part->block - set->record->block];
}

/* The lines of all runs, each with its letter: what the rows are based on, or what they say. */
static void add_lines(const struct problems *of, enum about about)
{
    struct document *out = of->document;
    for (const struct part *part = of->part; part < of->part + of->parts; part++) {
        const struct figures *figures = figures_of(of, part);
        out->letter = results_letter_if_several(of->results, part->run);
        if (about == ABOUT_VERDICT) {
            add_verdict(out, &of->set[part->run], part->block);
            naive_add(out, figures, part->block->cells);
            continue;
        }
        heading_baselines(out, figures, part->block->cells);
        for (unsigned i = 0; i < part->block->races; i++)
            add_race(out, &part->block->race[i]);
    }
    out->letter = "";
}

/* The verdict is the end of a section, where a reader looks last. */
static void add_problem(struct problems *of)
{
    struct document *out = of->document;
    struct notes footnotes = { .pool = &out->pool };
    unsigned cells = 0, at = 0;
    for (unsigned i = 0; i < of->parts; i++)
        cells += of->part[i].block->cells;
    struct table *table = rows_open(&out->pool, &of->columns, cells);
    if (!table)
        return;
    for (const struct part *part = of->part; part < of->part + of->parts; at += part++->block->cells)
        rows_fill(table, &of->columns, at, figures_of(of, part), part->block->cells,
                  results_letter_if_several(of->results, part->run), &of->common[part->run], &footnotes);
    table_drop_empty(table);
    document_heading(out, 2, heading_problem(&out->pool, of->part->block));
    add_lines(of, ABOUT_BASIS);
    document_table(out, table);
    add_lines(of, ABOUT_VERDICT);
    document_footnotes(out, &footnotes);
    for (const struct part *part = of->part; part < of->part + of->parts && out->medium == MEDIUM_PAGE; part++)
        for (unsigned i = 0; i < part->block->cells; i++)
            if (*part->block->cell[i]->repro)
                document_line(out, ABOUT_COMMAND, "", "%s", part->block->cell[i]->repro);
}

/* Where the time of a run went: a row for each problem and one for all, in seconds. */
static void add_spent(struct document *out, const struct record *record)
{
    struct column column[SPENT_COUNT + 1] = { { "problem", "", ALIGN_LEFT, GROUP_NAME, "" } };
    double all[SPENT_COUNT] = { 0 };
    unsigned rows = 0;
    for (enum spent i = 0; i < SPENT_COUNT; i++)
        column[i + 1] = (struct column){ spent_names[i], "", ALIGN_NUMBER, GROUP_TIME, "" };
    struct table *table = table_open(&out->pool, column, SPENT_COUNT + 1, record->blocks + 1);
    for (unsigned at = 0; at <= record->blocks && table; at++) {
        const struct block_record *block = at < record->blocks ? &record->block[at] : NULL;
        const double *spent = block ? block->spent : all;
        if ((block && block->cells == 0) || !(spent[SPENT_MEASURING] > 0))
            continue;
        const char **field = table->row[rows++].field;
        field[0] = block ? cell_words(&out->pool, block->cell[0]) : "all";
        for (enum spent i = 0; i < SPENT_COUNT; i++) {
            field[i + 1] = pool_print(&out->pool, "%.1f", spent[i]);
            all[i] += block ? spent[i] : 0;
        }
    }
    if (rows == 0)
        return;
    table->rows = rows;
    document_heading(out, 2, "where the time went, in seconds");
    document_table(out, table);
}

void figures_add(struct document *out, const struct results *results, const struct answer_set set[])
{
    struct problems of = { .document = out, .results = results, .set = set };
    unsigned blocks = 1;
    of.columns = columns_read(&out->pool, FORMAT_TABLE);
    of.common = pool_take(&out->pool, (results->runs + 1) * sizeof *of.common);
    for (unsigned i = 0; i < results->runs && of.common; i++) {
        blocks += results->run[i].record->blocks;
        if (!results->run[i].record->sweep)
            of.common[i] = common_notes(&out->pool, &set[i]);
    }
    of.part = pool_take(&out->pool, blocks * sizeof *of.part);
    for (unsigned i = 0; i < results->runs && !out->pool.is_short; i++) {
        const struct record *record = results->run[i].record;
        if (record->sweep)
            sweep_add(out, &set[i], results_letter_if_several(results, i));
        for (unsigned k = 0; k < record->blocks && !record->sweep; k++) {
            const struct block_record *block = &record->block[k];
            if (block->cells > 0)
                find_parts(&of, block);
            if (block->cells > 0 && of.part->block == block) /* a problem comes where its first block is */
                add_problem(&of);
        }
    }
    for (unsigned i = 0; i < results->runs && !out->pool.is_short; i++)
        add_spent(out, results->run[i].record);
}
