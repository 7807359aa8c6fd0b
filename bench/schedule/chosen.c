/* The runners of a block that were chosen: their rounds, and their end. */

#include "bench/schedule/block_state.h"
#include "bench/schedule/sustained.h"

void block_measure_chosen(struct block *block, bool keeps_baseline)
{
    struct rounds *rounds = &block->rounds;
    unsigned kept = 0;
    bool is_wanted = false;
    for (unsigned i = 0; i < rounds->runners; i++) {
        const struct runner *runner = rounds->runner[i];
        const double spent = runner->series[SERIES_RESIDENT].spent + runner->series[SERIES_COPIED].spent;
        is_wanted |= !rounds_is_baseline(rounds, runner) || (!keeps_baseline && spent == 0);
    }
    if (is_wanted && !block->context->interrupted)
        rounds_run(rounds);
    if (is_wanted)
        sustained_run(rounds);
    for (unsigned i = 0; i < rounds->runners; i++) {
        struct runner *runner = rounds->runner[i];
        if (keeps_baseline && rounds_is_baseline(rounds, runner)) {
            rounds->runner[kept++] = runner;
            continue;
        }
        rounds_leave(rounds, runner);
        runner_close(runner);
        runner_count_losses(runner);
    }
    rounds->runners = kept;
}
