#include "bench/schedule/replay.h"

#include "harness/analysis/figures.h"

#include <string.h>

/* What the cell's method did in its race: its first kernel shape, or NULL. */
static const struct contender_record *contender_of(const struct block_record *block, const struct cell *cell)
{
    const struct race_record *race = block && cell->method ? record_race_of(block, cell->device->id, cell->method->name,
                                                                            memory_name(cell->memory), MEASURES_COMPUTE)
                                                           : NULL;
    for (unsigned i = 0; race && i < race->contenders; i++)
        if (strcmp(race->contender[i].method, cell->method->name) == 0)
            return &race->contender[i];
    return NULL;
}

static void replay_race(struct admission *admission, const struct cell *cell, const struct contender_record *contender)
{
    if (status_is_death(contender->outcome.status))
        admission_record_death(admission, cell);
    admission_record_run(admission, cell, contender->run);
}

static void replay_cell(struct admission *admission, const struct cell *cell, const struct cell_record *seen)
{
    enum status status = seen->outcome.status;
    if (status_is_death(status))
        admission_record_death(admission, cell);
    if (status == STATUS_OK || status == STATUS_TOO_SLOW)
        admission_record_run(admission, cell, record_time(seen, SERIES_RESIDENT).value);
}

/* Whether the row that begins here ended with dead workers alone. */
static bool is_loss(const struct record *record, const struct cell cell[], unsigned cells)
{
    bool died = false;
    for (unsigned i = 0; i < cells && cell[i].row == cell->row; i++) {
        const struct cell_record *seen = record_cell(record, cell[i].key);
        if (seen && seen->outcome.status == STATUS_OK)
            return false;
        died = died || (seen && status_is_death(seen->outcome.status));
    }
    return died;
}

void replay_block(struct context *context, const struct cell cell[], unsigned cells)
{
    const struct record *record = context->run_log.record;
    const struct block_record *block = record_find_block(record, cell->block);
    for (unsigned i = 0; i < cells; i++) {
        const struct contender_record *contender = contender_of(block, &cell[i]);
        const struct cell_record *seen = record_cell(record, cell[i].key);
        if (contender)
            replay_race(&context->admission, &cell[i], contender);
        if (seen)
            replay_cell(&context->admission, &cell[i], seen);
        if ((i == 0 || cell[i].row != cell[i - 1].row) && is_loss(record, &cell[i], cells - i))
            admission_record_loss(&context->admission, cell[i].device);
    }
}
