#include "bench/schedule/block_state.h"
#include "bench/schedule/sustained.h"

void block_count_losses(struct block *block, const struct runner *runner)
{
    struct admission *admission = &block->context->terms->admission;
    const bool is_death = client_counts_against_device(&runner->outcome);
    if (is_death || runner->lost_worker)
        admission_record_death(admission, runner->cell);
    if (runner->lost_worker)
        admission_record_loss(admission, runner->cell->device);
    if (is_death || runner->lacks_device)
        admission_record_loss(admission, runner->cell->device);
}

static void close_member(struct block *block, struct runner *runner)
{
    rounds_leave(&block->rounds, runner);
    runner_close(runner);
    block_count_losses(block, runner);
}

void block_measure_members(struct block *block, bool keeps_baseline)
{
    struct rounds *rounds = &block->rounds;
    unsigned kept = 0;
    bool is_wanted = false;
    for (unsigned i = 0; i < rounds->members; i++) {
        const struct runner *member = rounds->member[i];
        const double spent = member->series[SERIES_RESIDENT].spent + member->series[SERIES_COPIED].spent;
        is_wanted |= !rounds_is_baseline(rounds, member) || (!keeps_baseline && spent == 0);
    }
    if (is_wanted && !block->context->interrupted)
        rounds_run(rounds);
    if (is_wanted)
        sustained_run(rounds);
    for (unsigned i = 0; i < rounds->members; i++) {
        struct runner *member = rounds->member[i];
        if (keeps_baseline && rounds_is_baseline(rounds, member))
            rounds->member[kept++] = member;
        else
            close_member(block, member);
    }
    rounds->members = kept;
}
