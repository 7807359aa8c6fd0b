#include "bench/schedule/block.h"

#include "bench/schedule/calibrate.h"
#include "bench/schedule/cell_run.h"
#include "bench/schedule/driver_log.h"
#include "bench/schedule/naive.h"
#include "bench/schedule/replay.h"
#include "bench/schedule/sustained.h"
#include "harness/machine/host.h"

#include <stdlib.h>

/* Rows are measured together as long as they need less than this share of the available memory. */
static const double memory_share = 0.7;

/* A row of the report: its candidates, best first, and the one that is measured now. */
struct row {
    const struct candidate *candidate;
    unsigned candidates, choice;
};

struct block {
    struct context *context;
    struct candidate *candidate;
    struct row *row; /* with a candidate that can be measured */
    struct cell_run *cell_run;
    double *bytes; /* that each row needs */
    unsigned candidates, rows;
    const struct cell *baseline; /* what the others are compared with; NULL: none */
    bool baseline_opened;
    unsigned slice_number; /* slices taken so far */
};

static bool block_alloc(struct block *block, const struct cell cell[], unsigned cells, struct error *err)
{
    block->candidate = calloc(cells, sizeof *block->candidate);
    block->row = calloc(cells, sizeof *block->row);
    block->cell_run = calloc(cells, sizeof *block->cell_run);
    block->bytes = calloc(cells, sizeof *block->bytes);
    if (!block->candidate || !block->row || !block->cell_run || !block->bytes)
        return fail(err, STATUS_NO_MEMORY, "no memory for a block of %u cells", cells);
    for (unsigned i = 0; i < cells; i++)
        block->candidate[i].cell = &cell[i];
    block->candidates = cells;
    return true;
}

static void block_free(struct block *block)
{
    free(block->candidate);
    free(block->row);
    free(block->cell_run);
    free(block->bytes);
}

static const struct cell *cell_of(const struct row *row)
{
    return row->candidate[row->choice].cell;
}

/* The best method of the baseline's device. If none works, the first that was tried, so that reports can give the
 * reason. */
static void choose_baseline(struct block *block)
{
    const struct cell *choice = NULL;
    for (unsigned i = 0; i < block->candidates; i++) {
        const struct candidate *candidate = &block->candidate[i];
        bool moves_only = !candidate->cell->method, is_refused = candidate->cell->refused.status != STATUS_OK;
        if (candidate->cell->device != block->context->baseline || moves_only || is_refused)
            continue;
        if (candidate->outcome.status == STATUS_OK) {
            block->baseline = candidate->cell;
            return;
        }
        choice = choice ? choice : candidate->cell;
    }
    block->baseline = choice;
}

static void write_cell(const struct block *block, const struct cell *cell)
{
    run_log_write(&block->context->run_log, cell_to_json(cell, block->baseline ? block->baseline->key : ""));
}

/* Writes a cell that is not measured, with the reason. */
static void write_unmeasured(const struct block *block, const struct candidate *candidate)
{
    write_cell(block, candidate->cell);
    cell_run_write_unmeasured(candidate->cell, &block->context->run_log, &candidate->outcome, candidate->driver_log);
}

/* A method that failed is reported beside the measured one; one that is merely unavailable is not. */
static bool is_reported(const struct candidate *candidate)
{
    return status_is_bad(candidate->outcome.status) && candidate->outcome.status != STATUS_ABANDONED;
}

/* Writes the cell that calibration chose, and the candidates that failed. */
static void write_row(struct block *block, const struct row *row)
{
    if (row->candidate->outcome.status == STATUS_OK) {
        write_cell(block, row->candidate->cell);
        block->row[block->rows++] = *row;
    } else {
        write_unmeasured(block, row->candidate);
    }
    for (unsigned i = 1; i < row->candidates; i++)
        if (is_reported(&row->candidate[i]))
            write_unmeasured(block, &row->candidate[i]);
}

static void write_rows(struct block *block)
{
    for (unsigned first = 0, end; first < block->candidates; first = end) {
        end = calibrate_row_end(block->candidate, block->candidates, first);
        write_row(block, &(struct row){ .candidate = &block->candidate[first], .candidates = end - first });
    }
}

/* Moves to the next candidate that can be measured; false if there is none. */
static bool row_advance(const struct block *block, struct row *row)
{
    while (++row->choice < row->candidates) {
        struct error why = row->candidate[row->choice].outcome;
        if (why.status == STATUS_OK && context_admits(block->context, cell_of(row), &why))
            return true;
    }
    return false;
}

static void close_cell_run(const struct block *block, struct cell_run *cell_run, struct rounds *rounds)
{
    struct admission *admission = &block->context->admission;
    cell_run_close(cell_run, &rounds->group);
    enum status status = cell_run->outcome.status;
    if (status_is_death(status) || cell_run->was_replaced)
        admission_record_death(admission, cell_run->cell);
    if (status == STATUS_OK || status == STATUS_TOO_SLOW)
        admission_record_run(admission, cell_run->cell, cell_run->series[SERIES_RESIDENT].run);
}

/* Opens the row's cell. If that fails, its outcome is written and the next candidate is opened, unless a run was too
 * slow: then the next would be slower. */
static void open_row(const struct block *block, struct row *row, struct cell_run *cell_run, struct rounds *rounds)
{
    cell_run_open(cell_run, &rounds->group);
    while (!cell_run->client && !block->context->interrupted && cell_run->outcome.status != STATUS_TOO_SLOW &&
           row_advance(block, row)) {
        close_cell_run(block, cell_run, rounds);
        *cell_run = (struct cell_run){ .cell = cell_of(row) };
        write_cell(block, cell_run->cell);
        cell_run_open(cell_run, &rounds->group);
    }
}

/* A device loses a row if no candidate could be opened, or a worker died and was replaced. Admission gives up a device
 * after some losses. */
static void count_losses(struct admission *admission, const struct cell_run cell_run[], unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (cell_run[i].was_replaced)
            admission_record_loss(admission, cell_run[i].cell->device);
        if (status_is_death(cell_run[i].outcome.status) || cell_run[i].lacks_device)
            admission_record_loss(admission, cell_run[i].cell->device);
    }
}

/* The first cell of the baseline's device that opens is the baseline. */
static void replace_baseline(struct block *block, struct cell_run *cell_run, struct rounds *rounds)
{
    const struct cell *cell = cell_run->cell;
    if (!block->baseline || block->baseline_opened || cell->device != block->baseline->device || !cell_run->client)
        return;
    rounds->baseline = cell_run;
    block->baseline_opened = true;
    if (block->baseline != cell)
        run_log_write(&block->context->run_log, json_pack("{s:s, s:s}", "line", "baseline", "cell", cell->key));
    block->baseline = cell;
}

/* Opens the cells, measures them in rounds, and closes them. */
static void measure_together(struct block *block, struct row row[], unsigned count)
{
    struct context *context = block->context;
    struct cell_run *cell_run = block->cell_run;
    struct rounds rounds = { .group = { context, cell_run, count }, .slice_number = block->slice_number };
    for (unsigned i = 0; i < count; i++)
        cell_run[i] = (struct cell_run){ .cell = cell_of(&row[i]) };
    for (unsigned i = 0; i < count && !context->interrupted; i++) {
        open_row(block, &row[i], &cell_run[i], &rounds);
        replace_baseline(block, &cell_run[i], &rounds);
    }
    if (!context->interrupted)
        rounds_run(&rounds);
    sustained_run(&rounds);
    for (unsigned i = 0; i < count; i++)
        close_cell_run(block, &cell_run[i], &rounds);
    count_losses(&context->admission, cell_run, count);
    block->slice_number = rounds.slice_number;
}

/* Whether admission refuses the row by now. Then its outcome is written. */
static bool is_refused_now(const struct block *block, const struct row *row)
{
    struct context *context = block->context;
    const struct cell *cell = cell_of(row);
    struct error why = { .status = STATUS_OK };
    if (context_admits(context, cell, &why))
        return false;
    cell_run_write_unmeasured(cell, &context->run_log, &why,
                              driver_log_length(context->run_log.path, cell->device->id));
    return true;
}

static void drop_refused_rows(struct block *block, unsigned first)
{
    unsigned kept = first;
    for (unsigned i = first; i < block->rows; i++)
        if (!is_refused_now(block, &block->row[i]))
            block->row[kept++] = block->row[i];
    block->rows = kept;
}

unsigned block_group_size(const double bytes[], unsigned rows, double available)
{
    double taken = 0;
    unsigned size = 0;
    while (size < rows && (size == 0 || taken + bytes[size] <= memory_share * available))
        taken += bytes[size++];
    return size;
}

static unsigned group_size(struct block *block, unsigned first)
{
    if (block->context->options->order == ORDER_SEQUENTIAL)
        return 1;
    for (unsigned i = first; i < block->rows; i++)
        block->bytes[i] = cell_host_bytes(cell_of(&block->row[i]));
    return block_group_size(&block->bytes[first], block->rows - first, host_memory_available(""));
}

/* Measures all rows, in as few groups as memory allows. */
static void measure_rows(struct block *block)
{
    struct context *context = block->context;
    drop_refused_rows(block, 0);
    for (unsigned first = 0, size; first < block->rows; drop_refused_rows(block, first)) {
        size = group_size(block, first);
        for (unsigned i = first; i < first + size && first > 0 && context->options->order == ORDER_INTERLEAVED; i++)
            run_log_note(&context->run_log, cell_of(&block->row[i])->key,
                         "measured after the others, not in rounds with them: memory is too small for all at once");
        measure_together(block, &block->row[first], size);
        first += size;
    }
}

/* Before the rows are opened, so that their workers do not hold memory yet. */
static void measure_naively(const struct block *block)
{
    for (unsigned i = 0; i < block->rows; i++) {
        struct error why = { .status = STATUS_OK };
        if (context_admits(block->context, cell_of(&block->row[i]), &why))
            naive_measure(block->context, cell_of(&block->row[i]));
    }
}

bool block_measure(struct context *context, const struct cell cell[], unsigned cells, struct error *err)
{
    struct block block = { .context = context };
    if (run_log_has(&context->run_log, cell[0].block)) {
        replay_block(context, cell, cells);
        return true;
    }
    bool ready = block_alloc(&block, cell, cells, err);
    if (ready) {
        calibrate(context, block.candidate, block.candidates);
        choose_baseline(&block);
        write_rows(&block);
        measure_naively(&block);
        measure_rows(&block);
    }
    if (ready && !context->interrupted)
        run_log_write(&context->run_log, json_pack("{s:s, s:s}", "line", "done", "block", cell[0].block));
    block_free(&block);
    return ready;
}

/* Budgets that a row spends, with the baseline's slices around its own if it is compared. */
static unsigned budgets_of(const struct cell *cell, bool is_compared)
{
    bool moves = problem_moves(&cell->problem) && !cell->device->works_in_host_memory;
    bool has_offload = problem_computes(&cell->problem) && moves;
    return 1 + has_offload + is_compared;
}

/* Seconds of the sustained series: one for each device. */
static double alone_seconds(struct context *context, const struct cell cell[], unsigned cells)
{
    unsigned devices = 0;
    for (unsigned i = 0; i < cells; i++) {
        bool is_first = cell[i].refused.status == STATUS_OK && sustained_takes(context->options, &cell[i]);
        for (unsigned k = 0; k < i; k++)
            is_first = is_first && (cell[k].device != cell[i].device || cell[k].refused.status != STATUS_OK);
        devices += is_first;
    }
    return devices * sustained_seconds(context->options);
}

double block_seconds(struct context *context, const struct cell cell[], unsigned cells)
{
    unsigned rows = 0, budgets = 0, of_baseline = 0;
    double around = 0; /* opening and closing */
    bool in_turn = context->options->order == ORDER_INTERLEAVED && context->baseline;
    if (run_log_has(&context->run_log, cell[0].block))
        return 0;
    const struct cell *latest = NULL; /* row that was counted */
    for (unsigned i = 0; i < cells; i++) {
        if (cell[i].refused.status != STATUS_OK || (latest && latest->row == cell[i].row))
            continue;
        bool is_baseline = cell[i].device == context->baseline && cell[i].method && of_baseline == 0;
        latest = &cell[i];
        rows++;
        around += cell_opening_seconds(latest) + naive_seconds(context, latest) +
                  cell_run_closing_seconds(latest, context->options, context->rule.budget);
        if (is_baseline)
            of_baseline = budgets_of(latest, false);
        else
            budgets += budgets_of(latest, in_turn && latest->method);
    }
    /* If other rows are measured, the baseline's slices are counted with them. */
    if (rows == 1 || !in_turn)
        budgets += of_baseline;
    return calibrate_seconds(context, cell, cells) + around + budgets * context->rule.budget +
           alone_seconds(context, cell, cells);
}
