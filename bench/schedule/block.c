#include "bench/schedule/block.h"

#include "bench/schedule/cell_run.h"
#include "bench/schedule/driver_log.h"
#include "bench/schedule/naive.h"
#include "bench/schedule/race.h"
#include "bench/schedule/sustained.h"
#include "harness/base/text.h"
#include "harness/machine/host.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a cell is measured for: its candidates, best first, and the one that is measured now. If the winners of the two
 * races differ, a row of the report has two of these. One that was refused beside others of its device comes again as
 * another, without them. */
struct row {
    const struct candidate *candidate;
    unsigned candidates, choice;
    enum measures measures;
    enum {
        ROW_WAITS, /* or is measured */
        ROW_ENDED, /* none of its candidates can be opened any more, or its rounds are over */
        ROW_OVER   /* its outcome is written, or it comes again */
    } state;
    enum { REFUSED_NOTHING, REFUSED_MEMORY, REFUSED_DEVICE } refusal; /* beside others, at its first turn */
};

struct block {
    struct context *context;
    struct candidate *candidate[RACE_KINDS]; /* in the order of each race */
    struct row *row;                         /* with a candidate that can be measured */
    struct rounds rounds;                    /* with a cell_run for each row so far */
    unsigned candidates, rows;
    unsigned first, end;                     /* the rows of the group that is open */
    const struct cell *baseline[RACE_KINDS]; /* what the others are compared with; NULL: none */
};

static void block_free(struct block *block)
{
    for (enum race_kind kind = 0; kind < RACE_KINDS; kind++)
        free(block->candidate[kind]);
    free(block->row);
    free(block->rounds.group.cell_run);
    free(block);
}

static struct block *block_alloc(struct context *context, struct cell cell[], unsigned cells, struct error *err)
{
    const unsigned rows = 2 * RACE_KINDS * cells; /* one that was refused is there twice */
    struct block *block = calloc(1, sizeof *block);
    if (!block)
        return fail_null(err, STATUS_NO_MEMORY, "no memory for a block of %u cells", cells);
    *block = (struct block){ .context = context, .rounds.context = context, .candidates = cells };
    block->row = calloc(rows, sizeof *block->row);
    block->rounds.group.cell_run = calloc(rows, sizeof *block->rounds.group.cell_run);
    bool has_memory = block->row && block->rounds.group.cell_run;
    for (enum race_kind kind = 0; kind < RACE_KINDS; kind++) {
        block->candidate[kind] = calloc(cells, sizeof *block->candidate[kind]);
        has_memory = has_memory && block->candidate[kind];
    }
    for (unsigned i = 0; has_memory && i < cells; i++)
        block->candidate[RACE_COMPUTE][i].cell = &cell[i];
    if (has_memory)
        return block;
    block_free(block);
    return fail_null(err, STATUS_NO_MEMORY, "no memory for a block of %u cells", cells);
}

/* Two orders of the same candidates. */
static void race(struct block *block)
{
    struct candidate *const stay = block->candidate[RACE_COMPUTE], *const move = block->candidate[RACE_TRANSFERS];
    race_rows(block->context, stay, block->candidates);
    memcpy(move, stay, block->candidates * sizeof *move);
    race_order(block->context->terms->baseline, move, block->candidates, RACE_TRANSFERS);
}

static struct cell *cell_of(const struct row *row)
{
    return row->candidate[row->choice].cell;
}

static enum race_kind kind_of(enum measures measures)
{
    return measures == MEASURES_TRANSFERS ? RACE_TRANSFERS : RACE_COMPUTE;
}

/* The best method of the baseline's device. If none works, the first that was tried, so that reports can give the
 * reason. */
static const struct cell *best_of_baseline(const struct block *block, enum race_kind kind)
{
    const struct cell *choice = NULL;
    for (unsigned i = 0; i < block->candidates; i++) {
        const struct candidate *candidate = &block->candidate[kind][i];
        bool moves_only = !candidate->cell->method, is_refused = candidate->cell->refused.status != STATUS_OK;
        if (candidate->cell->device != block->context->terms->baseline || moves_only || is_refused)
            continue;
        if (candidate->outcome.status == STATUS_OK)
            return candidate->cell;
        choice = choice ? choice : candidate->cell;
    }
    return choice;
}

/* The contenders that tied with the cell in its race, as the journal has them; NULL: none. */
static json_t *ties_of(const struct block *block, const struct cell *cell, enum measures measures)
{
    const struct block_record *record = record_find_block(block->context->run_log.record, cell->block);
    enum measures purpose = race_measures(kind_of(measures));
    const struct race_record *race =
        record && cell->method
            ? record_race_of(record, cell->device->id, cell->method->name, memory_name(cell->memory), purpose)
            : NULL;
    json_t *ties = json_array();
    bool is_winner = false;
    for (unsigned i = 0; race && i < race->contenders; i++) {
        const struct contender_record *contender = &race->contender[i];
        const char *shape = contender->kernel_shape;
        is_winner |= contender->end == RACE_MEASURED && strcmp(contender->method, cell->method->name) == 0;
        if (contender->end == RACE_TIED)
            json_array_append_new(ties, json_sprintf("%s%s%s", contender->method, *shape ? " " : "", shape));
    }
    if (is_winner && json_array_size(ties) > 0)
        return ties;
    json_decref(ties);
    return NULL;
}

static const char *key_of(const struct cell *cell)
{
    return cell ? cell->key : "";
}

static void write_cell(const struct block *block, const struct cell *cell, enum measures measures)
{
    json_t *line = cell_to_json(cell, key_of(block->baseline[RACE_COMPUTE]));
    json_t *ties = ties_of(block, cell, measures);
    if (block->baseline[RACE_TRANSFERS] != block->baseline[RACE_COMPUTE])
        json_object_set_new(line, "baseline_offload", json_string(key_of(block->baseline[RACE_TRANSFERS])));
    if (measures != MEASURES_BOTH)
        json_object_set_new(line, "measures", json_string(measures_name(measures)));
    if (ties)
        json_object_set_new(line, "tied_with", ties);
    run_log_write(&block->context->run_log, line);
}

/* The cell gets the kernel shape that its race chose. */
static void write_choice(const struct block *block, const struct row *row)
{
    struct cell *cell = cell_of(row);
    const struct candidate *candidate = &row->candidate[row->choice];
    text_copy(cell->kernel_shape, sizeof cell->kernel_shape, candidate->kernel_shape[kind_of(row->measures)]);
    write_cell(block, cell, row->measures);
}

/* Writes the cells that the races chose for a row: one, or one for each race; or one that is not measured, with the
 * reason. */
static void write_row(struct block *block, unsigned first, unsigned end)
{
    const struct candidate *stay = &block->candidate[RACE_COMPUTE][first],
                           *move = &block->candidate[RACE_TRANSFERS][first];
    bool are_two = stay->outcome.status == STATUS_OK && stay->cell != move->cell;
    if (stay->outcome.status != STATUS_OK) {
        write_cell(block, stay->cell, MEASURES_BOTH);
        cell_run_write_outcome(stay->cell, &block->context->run_log, &stay->outcome, stay->driver_log);
        return;
    }
    struct row *row = &block->row[block->rows];
    row[0] = (struct row){ .candidate = stay,
                           .candidates = end - first,
                           .measures = are_two ? MEASURES_COMPUTE : MEASURES_BOTH };
    row[1] = (struct row){ .candidate = move, .candidates = end - first, .measures = MEASURES_TRANSFERS };
    block->rows += 1 + are_two;
    write_choice(block, &row[0]);
    if (are_two)
        write_choice(block, &row[1]);
}

static void write_rows(struct block *block)
{
    const struct candidate *candidate = block->candidate[RACE_COMPUTE];
    for (unsigned first = 0, end; first < block->candidates; first = end) {
        end = race_row_end(candidate, block->candidates, first);
        write_row(block, first, end);
    }
}

/* The other half of a row of the report that has two, unless that has ended; NULL: there is none. */
static struct row *partner_of(const struct block *block, const struct row *row)
{
    for (struct row *other = block->row; other < block->row + block->rows; other++)
        if (other != row && other->state == ROW_WAITS && other->candidate->cell->row == row->candidate->cell->row)
            return other;
    return NULL;
}

/* Ends one half of a row. The other half, if it has not ended, is measured for both. Returns that. */
static struct row *end_row(const struct block *block, struct row *row)
{
    struct row *partner = partner_of(block, row);
    row->state = ROW_ENDED;
    if (!partner)
        return NULL;
    partner->measures = MEASURES_BOTH;
    run_log_write(&block->context->run_log, json_pack("{s:s, s:s, s:s}", "line", "measures", "cell",
                                                      cell_of(partner)->key, "for", measures_name(MEASURES_BOTH)));
    return partner;
}

/* Moves to the next candidate that can be measured and has no cell yet; false if there is none, or if it is that of the
 * row's other half. */
static bool row_advance(const struct block *block, struct row *row)
{
    const struct row *partner = partner_of(block, row);
    while (++row->choice < row->candidates) {
        if (partner && row->candidate[row->choice].cell == cell_of(partner))
            return false;
        struct error why = row->candidate[row->choice].outcome;
        if (why.status == STATUS_OK && !record_cell(block->context->run_log.record, cell_of(row)->key) &&
            context_admits(block->context, cell_of(row), 0, &why))
            return true;
    }
    return false;
}

static void close_cell_run(struct block *block, struct cell_run *cell_run)
{
    struct admission *admission = &block->context->terms->admission;
    rounds_leave(&block->rounds, cell_run);
    cell_run_close(cell_run, block->context);
    if (client_counts_against_device(&cell_run->outcome) || cell_run->lost_worker)
        admission_record_death(admission, cell_run->cell);
}

/* What the open workers, of other blocks too, hold beside a cell. How much memory of its device a worker holds is known
 * once it is open, where the driver tells. */
static struct held held_beside(const struct context *context, const struct cell *cell)
{
    struct held held = { 0 };
    for (const struct cell_group *group = context->groups; group; group = group->next)
        for (const struct cell_run *one = group->cell_run; one < group->cell_run + group->count; one++) {
            const struct cell_record *seen = record_cell(context->run_log.record, one->cell->key);
            if (one->client)
                admission_hold(&held, cell, one->cell, seen ? seen->memory_cost.held_device : NAN);
        }
    return held;
}

/* Whether there was no memory for the cell's worker while others of its device are open, be it the device's or the
 * host's, or the device did not open for it. */
static bool was_refused_beside(const struct block *block, const struct cell_run *cell_run)
{
    bool is_refusal = cell_run->outcome.status == STATUS_NO_MEMORY || cell_run->lacks_device;
    if (cell_run->client || !is_refusal || held_beside(block->context, cell_run->cell).on_chip == 0)
        return false;
    if (!cell_run->lacks_device)
        run_log_note(&block->context->run_log, cell_run->cell->key,
                     "there was no memory for it beside others: measured without them");
    return true;
}

/* Records the run at once: other blocks may be opened before this one is closed, and are predicted by it. */
static void open_cell_run(struct block *block, const struct row *row, struct cell_run *cell_run)
{
    *cell_run = (struct cell_run){ .cell = cell_of(row), .measures = row->measures };
    cell_run_open(cell_run, block->context);
    if (cell_run->outcome.status == STATUS_OK || cell_run->outcome.status == STATUS_TOO_SLOW)
        admission_record_run(&block->context->terms->admission, cell_run->cell, cell_run->series[SERIES_RESIDENT].run);
}

/* Opens the row's cell. If that fails, its outcome is written and the next candidate is opened, unless a run was too
 * slow: then the next would be slower. For data that move it may be faster. A row that was refused beside others comes
 * again after them. */
static void open_row(struct block *block, struct row *row, struct cell_run *cell_run)
{
    open_cell_run(block, row, cell_run);
    if (was_refused_beside(block, cell_run)) {
        struct row *again = &block->row[block->rows++];
        *again = *row;
        again->refusal = cell_run->lacks_device ? REFUSED_DEVICE : REFUSED_MEMORY;
        row->state = ROW_OVER;
        return;
    }
    if (row->refusal == REFUSED_DEVICE && cell_run->client)
        context_record_refusal(block->context, cell_run->cell->device);
    while (!cell_run->client && !block->context->interrupted &&
           (cell_run->outcome.status != STATUS_TOO_SLOW || row->measures == MEASURES_TRANSFERS) &&
           row_advance(block, row)) {
        close_cell_run(block, cell_run);
        write_choice(block, row);
        open_cell_run(block, row, cell_run);
    }
}

/* A device loses a row if no candidate could be opened, or a worker died and was replaced. Admission gives up a device
 * after some losses. */
static void count_losses(struct admission *admission, const struct cell_run *cell_run)
{
    if (cell_run->lost_worker)
        admission_record_loss(admission, cell_run->cell->device);
    if (client_counts_against_device(&cell_run->outcome) || cell_run->lacks_device)
        admission_record_loss(admission, cell_run->cell->device);
}

/* The first cell of the baseline's device that opens is the baseline of what it measures. */
static void replace_baseline(struct block *block, struct cell_run *cell_run)
{
    struct rounds *rounds = &block->rounds;
    const struct cell *cell = cell_run->cell;
    bool is_new[RACE_KINDS] = { false };
    for (enum race_kind kind = 0; kind < RACE_KINDS; kind++) {
        struct cell_run **opened = kind == RACE_COMPUTE ? &rounds->baseline : &rounds->baseline_offload;
        if (!block->baseline[kind] || *opened || cell->device != block->baseline[kind]->device || !cell_run->client ||
            (cell_run->measures != MEASURES_BOTH && cell_run->measures != race_measures(kind)))
            continue;
        *opened = cell_run;
        is_new[kind] = block->baseline[kind] != cell;
        block->baseline[kind] = cell;
    }
    bool are_both = is_new[RACE_COMPUTE] && is_new[RACE_TRANSFERS];
    if (are_both)
        run_log_write(&block->context->run_log, json_pack("{s:s, s:s}", "line", "baseline", "cell", cell->key));
    for (enum race_kind kind = 0; kind < RACE_KINDS && !are_both; kind++)
        if (is_new[kind])
            run_log_write(&block->context->run_log, json_pack("{s:s, s:s, s:s}", "line", "baseline", "cell", cell->key,
                                                              "measures", measures_name(race_measures(kind))));
}

/* A row that could not be opened leaves what it was for to its other half: before that is opened, or after. */
static void leave_to_partner(struct block *block, struct row *row)
{
    const struct row *partner = end_row(block, row);
    if (!partner || partner >= block->row + block->rounds.group.count)
        return;
    struct cell_run *cell_run = &block->rounds.group.cell_run[partner - block->row];
    cell_run_widen(cell_run, block->context);
    replace_baseline(block, cell_run);
}

/* Whether a row may be opened beside the workers that are open, and those of the block's first `others` rows. */
static bool has_room(const struct block *block, const struct row *row, unsigned others)
{
    const struct context *context = block->context;
    const struct cell *cell = cell_of(row);
    struct held held = held_beside(context, cell);
    for (unsigned i = 0; i < others; i++)
        admission_hold(&held, cell, cell_of(&block->row[i]), NAN);
    bool is_refused = row->refusal != REFUSED_NOTHING && held.on_chip > 0;
    return held.workers == 0 ||
           (!is_refused && context->options->order != ORDER_SEQUENTIAL &&
            admission_has_room(&context->terms->admission, &held, cell, host_memory_available("")));
}

/* Closes the rows from `first` to `end` that are still open or have failed. */
static void close_rows(struct block *block, unsigned first, unsigned end)
{
    for (unsigned number = first; number < end; number++) {
        struct cell_run *cell_run = &block->rounds.group.cell_run[number];
        if (block->row[number].state == ROW_OVER)
            continue;
        block->row[number].state = ROW_ENDED;
        if (block->rounds.keeps_baseline && rounds_has_baseline(&block->rounds, cell_run))
            continue;
        close_cell_run(block, cell_run);
        count_losses(&block->context->terms->admission, cell_run);
        block->row[number].state = ROW_OVER;
    }
}

/* Opens the cells of the rows from `first` on, as long as there is room. Returns the row after them. */
static unsigned open_rows(struct block *block, unsigned first)
{
    struct cell_group *group = &block->rounds.group;
    unsigned number = first;
    for (; number < block->rows && !block->context->interrupted; number++) {
        struct row *row = &block->row[number];
        if (number > first && !has_room(block, row, 0))
            break;
        struct cell_run *cell_run = &group->cell_run[number];
        group->count = number + 1;
        open_row(block, row, cell_run);
        replace_baseline(block, cell_run);
        if (!cell_run->client && !block->context->interrupted && row->state != ROW_OVER) {
            leave_to_partner(block, row);
            close_rows(block, number, number + 1); /* counts before other blocks are opened */
        }
    }
    return number;
}

/* Ends the baselines that were kept for rows from `first` on. One that was beside no other is measured by itself. */
static void release_baselines(struct block *block, unsigned first)
{
    block->rounds.keeps_baseline = false;
    for (unsigned number = 0; number < first; number++) {
        const struct cell_run *cell_run = &block->rounds.group.cell_run[number];
        double spent = cell_run->series[SERIES_RESIDENT].spent + cell_run->series[SERIES_OFFLOAD].spent;
        if (block->row[number].state != ROW_OVER && spent == 0 && !block->context->interrupted)
            rounds_run(&block->rounds);
    }
    close_rows(block, 0, first);
}

/* Whether admission refuses the row by now, also with the memory of the baselines that are open: they can be ended for
 * it. Then its outcome is written. */
static bool is_refused_now(const struct block *block, const struct row *row)
{
    struct context *context = block->context;
    const struct cell *cell = cell_of(row);
    struct error why = { .status = STATUS_OK };
    if (context_admits(context, cell, held_beside(context, cell).host_bytes, &why))
        return false;
    cell_run_write_outcome(cell, &context->run_log, &why, driver_log_written(context->run_log.path, cell->device->id));
    return true;
}

static void drop_refused_rows(struct block *block, unsigned first)
{
    unsigned kept = first;
    for (unsigned i = first; i < block->rows; i++)
        if (is_refused_now(block, &block->row[i]))
            leave_to_partner(block, &block->row[i]);
    for (unsigned i = first; i < block->rows; i++)
        if (block->row[i].state == ROW_WAITS)
            block->row[kept++] = block->row[i];
    block->rows = kept;
}

/* Drops the rows from `first` on that are refused, and ends the baselines if the next row has no room beside them. What
 * they held was an estimate: rows may be refused after that. Returns whether a row is left. */
static bool make_room(struct block *block, unsigned first)
{
    drop_refused_rows(block, first);
    if (first < block->rows && !has_room(block, &block->row[first], 0)) {
        release_baselines(block, first);
        drop_refused_rows(block, first);
    }
    return first < block->rows;
}

/* Adds the rows that come next to the group: as many as memory allows. */
static void extend_group(struct block *block)
{
    struct context *context = block->context;
    struct rounds *rounds = &block->rounds;
    bool has_baseline = rounds->baseline && rounds->baseline->client;
    bool is_late = block->first > 0 && !has_baseline && context->options->order == ORDER_INTERLEAVED;
    block->end = open_rows(block, block->end);
    for (unsigned i = block->first; i < block->end && is_late; i++)
        if (block->row[i].state != ROW_OVER)
            run_log_note(&context->run_log, rounds->group.cell_run[i].cell->key,
                         "measured after the others, not in rounds with them: they do not all fit at once");
    rounds->keeps_baseline = block->end < block->rows && context->options->order == ORDER_INTERLEAVED;
}

/* The next group. The baselines stay open, so that each group is measured in rounds with them, unless the host has no
 * memory for that. */
static void open_group(struct block *block)
{
    block->first = block->end;
    if (make_room(block, block->first))
        extend_group(block);
}

/* Adds the rows that had no room beside other problems, which have ended. */
static void open_late_rows(struct block *block)
{
    if (block->context->interrupted)
        return;
    drop_refused_rows(block, block->end);
    if (block->end < block->rows && has_room(block, &block->row[block->end], 0))
        extend_group(block);
}

/* Before the rows are opened, so that their workers do not hold memory yet. */
static void measure_naively(const struct block *block)
{
    for (unsigned i = 0; i < block->rows; i++) {
        struct error why = { .status = STATUS_OK };
        if (context_admits(block->context, cell_of(&block->row[i]), 0, &why))
            naive_measure(block->context, cell_of(&block->row[i]));
    }
}

struct block *block_open(struct context *context, struct cell cell[], unsigned cells, struct error *err)
{
    struct block *block = block_alloc(context, cell, cells, err);
    if (!block)
        return NULL;
    race(block);
    for (enum race_kind kind = 0; kind < RACE_KINDS; kind++)
        block->baseline[kind] = best_of_baseline(block, kind);
    write_rows(block);
    measure_naively(block);
    return block;
}

bool block_has_room(const struct block *block)
{
    for (unsigned number = 0; number < block->rows; number++)
        if (!has_room(block, &block->row[number], number))
            return false;
    return true;
}

bool block_begin(struct block *block)
{
    block->rounds.group.next = block->context->groups;
    block->context->groups = &block->rounds.group;
    open_group(block);
    return block->end == block->rows;
}

bool block_pass(struct block *block)
{
    return !block->context->interrupted && rounds_pass(&block->rounds);
}

static void leave_groups(struct context *context, const struct cell_group *group)
{
    struct cell_group **at = &context->groups;
    while (*at != group)
        at = &(*at)->next;
    *at = group->next;
}

void block_end(struct block *block)
{
    struct context *context = block->context;
    open_late_rows(block);
    while (block->end > block->first) {
        if (!context->interrupted)
            rounds_run(&block->rounds);
        sustained_run(&block->rounds);
        close_rows(block, block->first, block->end);
        open_group(block);
    }
    release_baselines(block, block->rounds.group.count);
    leave_groups(context, &block->rounds.group);
    if (!context->interrupted)
        run_log_write(&context->run_log,
                      json_pack("{s:s, s:s}", "line", "done", "block", block->candidate[0]->cell->block));
    block_free(block);
}

bool block_measure(struct context *context, struct cell cell[], unsigned cells, struct error *err)
{
    if (run_log_has(&context->run_log, cell[0].block))
        return true;
    struct block *block = block_open(context, cell, cells, err);
    if (!block)
        return false;
    block_begin(block);
    block_end(block);
    return true;
}

/* Budgets that a row spends, with the baseline's slices around its own if it is compared. */
static unsigned budgets_of(const struct cell *cell, bool is_compared)
{
    bool has_offload = problem_computes(&cell->problem) && problem_moves(&cell->problem);
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
    bool in_turn = context->options->order == ORDER_INTERLEAVED && context->terms->baseline;
    if (run_log_has(&context->run_log, cell[0].block))
        return 0;
    const struct cell *latest = NULL; /* row that was counted */
    for (unsigned i = 0; i < cells; i++) {
        if (cell[i].refused.status != STATUS_OK || (latest && latest->row == cell[i].row))
            continue;
        bool is_baseline = cell[i].device == context->terms->baseline && cell[i].method && of_baseline == 0;
        latest = &cell[i];
        rows++;
        around +=
            cell_opening_seconds(latest) + naive_seconds(context, latest) + cell_run_closing_seconds(context, latest);
        if (is_baseline)
            of_baseline = budgets_of(latest, false);
        else
            budgets += budgets_of(latest, in_turn && latest->method);
    }
    /* If other rows are measured, the baseline's slices are counted with them. */
    if (rows == 1 || !in_turn)
        budgets += of_baseline;
    return race_seconds(context, cell, cells) + around + budgets * context->terms->rule.budget +
           alone_seconds(context, cell, cells);
}

double block_plan(struct context *context, const struct cell cell[], unsigned cells)
{
    if (!run_log_has(&context->run_log, cell[0].block))
        context->tuning_planned += race_seconds(context, cell, cells);
    return block_seconds(context, cell, cells);
}
