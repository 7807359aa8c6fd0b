#include "bench/schedule/batch.h"

#include "bench/schedule/block.h"
#include "bench/schedule/finished.h"

/* A block of the batch; without `block` it is finished. */
struct turn {
    struct block *block;
    const char *name;
    bool is_whole; /* all its rows are open */
};

struct batch {
    struct context *context;
    struct turn turn[BATCH_BLOCKS];
    unsigned turns, *finished, blocks;
};

unsigned batch_end(const struct plan *plan, unsigned first)
{
    for (unsigned blocks = 0; blocks < BATCH_BLOCKS && first < plan->cells; blocks++)
        first = plan_block_end(plan, first);
    return first;
}

static void finish(struct batch *batch, struct turn *turn)
{
    block_end(turn->block);
    turn->block = NULL;
    finished_print(batch->context, turn->name, ++*batch->finished, batch->blocks);
}

/* One pass of each block from `first` to `end` that has rounds left. Returns whether any had. A block that is not whole
 * is finished when no other is open. */
static bool take_passes(struct batch *batch, unsigned first, unsigned end)
{
    bool any = false;
    for (struct turn *turn = &batch->turn[first]; turn < &batch->turn[end]; turn++) {
        bool goes_on = turn->block && block_pass(turn->block);
        any |= goes_on;
        if (turn->block && !goes_on && turn->is_whole)
            finish(batch, turn);
    }
    return any;
}

/* Opens the blocks from `first` on that have room together, and measures them. Returns the first that had none. After
 * an interrupt this is only to write why the others were not measured. */
static unsigned measure_together(struct batch *batch, unsigned first)
{
    unsigned end = first;
    bool is_whole;
    do {
        is_whole = batch->turn[end].is_whole = block_begin(batch->turn[end].block);
        end++;
    } while (end < batch->turns && is_whole && !batch->context->interrupted && block_has_room(batch->turn[end].block));
    while (end > first + 1 && take_passes(batch, first, end))
        continue;
    for (struct turn *turn = &batch->turn[first]; turn < &batch->turn[end]; turn++)
        if (turn->block)
            finish(batch, turn);
    return end;
}

/* Races the next block, unless a resumed journal has it. False only when memory is short. */
static bool open_next(struct batch *batch, struct cell cell[], unsigned cells, struct error *err)
{
    struct turn *turn = &batch->turn[batch->turns];
    *turn = (struct turn){ .name = cell[0].block };
    if (run_log_has(&batch->context->run_log, turn->name)) {
        finished_print(batch->context, turn->name, ++*batch->finished, batch->blocks);
        return true;
    }
    turn->block = block_open(batch->context, cell, cells, err);
    batch->turns += turn->block != NULL;
    return turn->block != NULL;
}

bool batch_measure(struct context *context, const struct plan *plan, unsigned *first, unsigned *finished,
                   unsigned blocks, struct error *err)
{
    struct batch batch = { .context = context, .finished = finished, .blocks = blocks };
    const unsigned end = batch_end(plan, *first);
    bool has_memory = true;
    for (unsigned next; *first < end && has_memory && !context->interrupted; *first = next) {
        next = plan_block_end(plan, *first);
        has_memory = open_next(&batch, &plan->cell[*first], next - *first, err);
    }
    for (unsigned turn = 0; turn < batch.turns;)
        turn = measure_together(&batch, turn);
    return has_memory;
}
