#include "bench/schedule/apart.h"

#include "bench/worker/driver_log.h"
#include "harness/base/clock.h"
#include "harness/base/text.h"

#include <math.h>

/* --- sustained --- */

static const double in_full = 10; /* seconds, where nothing is asked for */

/* Slices of a series: enough to see a drift, and few enough that requests are no pause. */
static const double slices_of_run = 40;

/* It computes, is no peak, and its caches stay warm. */
static bool is_ordinary(const struct cell *cell)
{
    return cell->method && !cell->problem.workload->roof && cell->flush == 0;
}

double sustained_seconds(const struct options *options, const struct cell *cell)
{
    const bool is_asked = isnan(options->sustained) ? options->suite == SUITE_FULL : options->sustained > 0;
    if (!is_asked || !is_ordinary(cell) || cell->problem.workload->is_untyped)
        return 0;
    return isnan(options->sustained) ? in_full : options->sustained;
}

/* Seconds of the sustained series of a runner: one row of each device has it, the fastest whose worker is alive. */
static double seconds_of(const struct block *block, const struct runner *runner)
{
    if (!runner->is_measured || !runner->client || runner->measures == MEASURES_COPIED)
        return 0;
    for (unsigned i = 0; i < block->runners; i++) {
        const struct runner *other = &block->runner[i];
        if (!other->is_measured || other->cell->device != runner->cell->device)
            continue;
        const double slower = runner->series[SERIES_RESIDENT].run - other->series[SERIES_RESIDENT].run;
        if (other->series[SERIES_SUSTAINED].spent > 0 ||
            (other->client && other->measures != MEASURES_COPIED && (slower > 0 || (slower == 0 && other < runner))))
            return 0;
    }
    return sustained_seconds(block->context->options, runner->cell);
}

static void run_sustained(struct block *block, struct runner *runner, double seconds)
{
    struct series_state *state = &runner->series[SERIES_SUSTAINED];
    state->run = runner->series[SERIES_RESIDENT].run;
    state->active = true;
    double length = fmax(sampler_slice(&block->rule, false), seconds / slices_of_run);
    while (state->active && state->spent < seconds && !block->context->interrupted) {
        progress_step(&block->context->progress, false, runner->cell, "without pauses for another %s",
                      text_seconds(seconds - state->spent).text);
        visit_slice(block, runner, SERIES_SUSTAINED, length, seconds);
    }
    visit_stop(block, runner, STOP_BUDGET);
}

double sustained_left(const struct block *block)
{
    double seconds = 0;
    for (unsigned i = 0; i < block->runners; i++)
        seconds += seconds_of(block, &block->runner[i]);
    return seconds;
}

void sustained_run(struct block *block)
{
    for (unsigned i = 0; i < block->runners && !block->context->interrupted; i++) {
        const double seconds = seconds_of(block, &block->runner[i]);
        if (seconds > 0 && seconds <= context_time_left(block->context))
            run_sustained(block, &block->runner[i], seconds);
    }
}

/* --- naive --- */

/* Enough to show that they differ. */
enum { PROCESSES = 3 };

/* One run needs this share of the time to open a cell. */
static const double part_of_opening = 0.5;

static bool is_timed_naively(const struct options *options, const struct cell *cell)
{
    return options->suite == SUITE_UHD620 && !cell->is_peak && is_ordinary(cell);
}

double naive_seconds(const struct options *options, const struct cell *cell)
{
    return is_timed_naively(options, cell) ? PROCESSES * part_of_opening * cell_opening_seconds(cell) : 0;
}

/* Stops at the first failure: the next process would fail too. */
void naive_measure(struct block *block, const struct cell *cell)
{
    struct context *context = block->context;
    const struct request request = cell_request(cell, ASK_NAIVE, context->options, context->setup.host->worker_threads);
    struct worker_setup setup = context->setup;
    setup.is_plain = true;
    bool goes_on = is_timed_naively(context->options, cell);
    for (unsigned process = 0; goes_on && process < PROCESSES && !context->interrupted; process++) {
        struct error err = { .status = STATUS_OK };
        struct reply reply = reply_unknown(ASK_NAIVE);
        progress_step(&context->progress, true, cell, "first run in a fresh process, %u of %d", process + 1, PROCESSES);
        struct client *client = driver_log_client(context->run_log.path, &setup, cell->device, &err);
        const double asked = clock_wall();
        goes_on = client && client_ask(client, &request, cell_host_seconds(cell), &reply, &err);
        block->spent[SPENT_MEASURING] += clock_wall() - asked;
        client_end(client, NULL);
        context->interrupted |= err.status == STATUS_ABANDONED;
        reply.naive.process = process;
        reply.naive.outcome = err;
        if (!context->interrupted)
            run_log_write(&context->run_log,
                          &(struct journal_line){ .kind = LINE_NAIVE, .cell = cell->key, .naive = reply.naive });
        reply_release(&reply);
    }
}
