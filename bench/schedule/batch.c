#include "bench/schedule/batch.h"

#include "bench/schedule/block.h"
#include "bench/schedule/finished.h"
#include "bench/schedule/sustained.h"

/* A block that is planned for longer is spread over time enough by itself. */
static const double longest = 120; /* seconds */

/* A block of the batch; without `block` it is finished. */
struct turn {
    struct block *block;
    const char *name;
    bool is_whole; /* all its rows are open */
};

struct batch {
    struct context *context;
    struct turn turn[BATCH_BLOCKS];
    unsigned turns;
    struct batch_place *place;
    double seconds; /* planned */
};

static void finish(struct batch *batch, struct turn *turn)
{
    block_end(turn->block);
    turn->block = NULL;
    finished_print(batch->context, turn->name, ++batch->place->finished, batch->place->blocks);
}

/* One pass of each block from `first` to `end` that has rounds left. Returns whether any had. A block that is not whole
 * is measured when no other is open, and a sustained series, which heats a device, is between no passes. */
static bool take_passes(struct batch *batch, unsigned first, unsigned end)
{
    const bool has_sustained = sustained_seconds(batch->context->options) > 0;
    bool any = false;
    for (struct turn *turn = &batch->turn[first]; turn < &batch->turn[end]; turn++) {
        bool is_open = turn->block && turn->is_whole, goes_on = is_open && block_pass(turn->block);
        any |= goes_on;
        if (is_open && !goes_on && !has_sustained)
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

/* Races the next block, unless a resumed journal has it. False if it must wait for another batch, or with err if memory
 * is short without any other block. */
static bool open_next(struct batch *batch, struct cell cell[], unsigned cells, struct error *err)
{
    const double seconds = block_seconds(batch->context, cell, cells);
    if (batch->turns == BATCH_BLOCKS || (batch->turns > 0 && batch->seconds + seconds > longest))
        return false;
    struct turn *turn = &batch->turn[batch->turns];
    *turn = (struct turn){ .name = cell[0].block };
    if (run_log_has(&batch->context->run_log, turn->name)) {
        finished_print(batch->context, turn->name, ++batch->place->finished, batch->place->blocks);
        return true;
    }
    turn->block = block_open(batch->context, cell, cells, batch->turns > 0 ? NULL : err);
    batch->turns += turn->block != NULL;
    batch->seconds += turn->block ? seconds : 0;
    return turn->block != NULL;
}

bool batch_measure(struct context *context, const struct plan *plan, struct batch_place *place, struct error *err)
{
    struct batch batch = { .context = context, .place = place };
    const double done = context->progress.done;
    bool goes_on = true;
    while (goes_on && place->first < plan->cells && !context->interrupted) {
        const unsigned first = place->first, next = plan_block_end(plan, first);
        goes_on = open_next(&batch, &plan->cell[first], next - first, err);
        place->first = goes_on ? next : first;
    }
    for (unsigned turn = 0; turn < batch.turns;)
        turn = measure_together(&batch, turn);
    context->progress.done = done + batch.seconds;
    return goes_on || batch.turns > 0;
}
