#include "bench/schedule/timetable.h"

#include "bench/schedule/apart.h"
#include "harness/base/pool.h"
#include "harness/report/content/answer_words.h"

#include <math.h>

/* The visits that a problem gets when it is opened. */
enum { FIRST_VISITS = 2 };

/* The row of a problem with its first figures. */
static void print_row(struct context *context, const char *name, unsigned number)
{
    const struct record *record = context->run_log.record;
    const struct block_record *block = record_find_block(record, name);
    struct answer_set set;
    struct pool pool = { 0 };
    if (!block || context->progress.is_quiet)
        return;
    if (answer_set_read_block(&set, record, block))
        for (unsigned i = 0; *finished_words(&pool, &set, block, i); i++)
            progress_note(&context->progress, "[%u/%u] %s", number, context->blocks,
                          finished_words(&pool, &set, block, i));
    answer_set_release(&set);
    pool_release(&pool);
}

static void visit(struct timetable *timetable, struct block *block)
{
    if (!block_is_active(block) || timetable->context->interrupted)
        return;
    progress_enter(&timetable->context->progress, block->entry.forecast.visit);
    block_visit(block);
    progress_leave(&timetable->context->progress);
}

bool rotation_add(struct timetable *timetable, const struct entry *entry, unsigned number, struct error *err)
{
    struct context *context = timetable->context;
    if (!grow(&timetable->block, timetable->blocks, sizeof *timetable->block))
        return fail(err, STATUS_NO_MEMORY, "no memory for %u problems", timetable->blocks + 1);
    progress_enter(&context->progress, entry->forecast.fixed);
    struct block *block = block_open(context, timetable->rule, timetable->compared, entry, err);
    progress_leave(&context->progress);
    if (!block)
        return false;
    timetable->block[timetable->blocks++] = block;
    for (; block->turns < FIRST_VISITS; block->turns++)
        visit(timetable, block);
    if (number > 0 && !context->interrupted) {
        print_row(context, entry->cell->block, number);
        context->begun++;
    }
    return true;
}

/* Seconds of closing a block, which measures energy and verifies once more. */
static double closing_seconds(const struct block *block)
{
    double seconds = 0;
    for (unsigned i = 0; i < block->runners; i++) {
        const struct runner *runner = &block->runner[i];
        if (runner->is_measured)
            seconds += cell_closing_seconds(runner->cell) + runner_metering(runner) +
                       naive_seconds(block->context->options, runner->cell);
    }
    return seconds + sustained_left(block);
}

bool rotation_has_time(const struct timetable *timetable, const struct forecast *added)
{
    double seconds = progress_predict(&timetable->context->progress, forecast_least(added));
    for (unsigned i = 0; i < timetable->blocks; i++) {
        const struct block *block = timetable->block[i];
        const unsigned visits = block->visits; /* those that decide between methods enter no figure */
        const unsigned least = ESTIMATE_VALUES_MIN + (block->rivals > 0 ? DECIDING_VISITS : 0);
        seconds += closing_seconds(block) + (visits < least ? least - visits : 0) * block_visit_seconds(block);
    }
    return seconds <= context_time_left(timetable->context);
}

/* Whether another turn, and closing all, would take longer than there is time. */
static bool is_over(const struct timetable *timetable)
{
    double seconds = 0;
    for (unsigned i = 0; i < timetable->blocks; i++) {
        const struct block *block = timetable->block[i];
        seconds += closing_seconds(block);
        if (block_is_due(block))
            seconds += block_visit_seconds(block);
    }
    return context_time_left(timetable->context) < seconds;
}

static void close_block(struct timetable *timetable, unsigned i, enum stop why)
{
    struct block *block = timetable->block[i];
    struct progress *progress = &timetable->context->progress;
    const struct forecast *forecast = &block->entry.forecast;
    progress->planned -= fmax(0, (double)forecast->visits - block->visits) * forecast->visit;
    block_close(block, why);
    for (timetable->blocks--; i < timetable->blocks; i++)
        timetable->block[i] = timetable->block[i + 1];
}

void rotation_turn(struct timetable *timetable)
{
    const bool is_last = is_over(timetable) || timetable->context->interrupted;
    for (unsigned i = 0; i < timetable->blocks && !is_last; i++) {
        struct block *block = timetable->block[i];
        if (block_is_due(block))
            visit(timetable, block);
        block->turns++;
    }
    for (unsigned i = 0; i < timetable->blocks;)
        if (is_last || timetable->context->interrupted || !block_is_active(timetable->block[i]))
            close_block(timetable, i, is_last ? STOP_TIME : STOP_VISITS);
        else
            i++;
}
