#include "bench/schedule/replay.h"

#include "harness/analysis/figures.h"

#include <string.h>

/* The trial of the cell's method, or NULL. */
static const struct trial_record *trial_of(const struct block_record *block, const struct cell *cell)
{
    for (unsigned i = 0; block && cell->method && i < block->trials; i++) {
        const struct trial_record *trial = &block->trial[i];
        if (strcmp(trial->device_id, cell->device->id) == 0 && strcmp(trial->method, cell->method->name) == 0 &&
            strcmp(trial->memory, memory_name(cell->memory)) == 0)
            return trial;
    }
    return NULL;
}

static const struct block_record *block_of(const struct record *record, const char *name)
{
    for (unsigned i = 0; i < record->blocks; i++)
        if (strcmp(record->block[i].name, name) == 0)
            return &record->block[i];
    return NULL;
}

static void replay_trial(struct admission *admission, const struct cell *cell, const struct trial_record *trial)
{
    if (status_is_death(trial->outcome.status))
        admission_record_death(admission, cell);
    admission_record_run(admission, cell, trial->run);
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
    const struct block_record *block = block_of(record, cell->block);
    for (unsigned i = 0; i < cells; i++) {
        const struct trial_record *trial = trial_of(block, &cell[i]);
        const struct cell_record *seen = record_cell(record, cell[i].key);
        if (trial)
            replay_trial(&context->admission, &cell[i], trial);
        if (seen)
            replay_cell(&context->admission, &cell[i], seen);
        if ((i == 0 || cell[i].row != cell[i - 1].row) && is_loss(record, &cell[i], cells - i))
            admission_record_loss(&context->admission, cell[i].device);
    }
}
