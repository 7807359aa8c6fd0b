#include "bench/schedule/runner.h"

#include "bench/backends/registry.h"
#include "bench/schedule/room.h"
#include "bench/worker/driver_log.h"
#include "harness/base/clock.h"
#include "harness/base/process.h"
#include "harness/base/text.h"
#include "harness/journal/plausible.h"

#include <math.h>
#include <string.h>

/* Longer runs need no warm-up of their own: the runs before have warmed up what there is. */
static const double warm_by_itself = 0.05;

/* A slice of a choice, unless one run is longer. */
static const double try_slice = 0.005;

/* Loading a library does not count as compiling. */
static const double loading = 3;

/* Energy is measured over so many seconds of runs: a step of a board's counter is a twelfth of them, or a sixth where a
 * series has a small budget, and on the host, whose counters move every millisecond. */
static const double metering = 1.2, least_metering = 0.6;

/* A worker's first run takes up to this many times as long as a steady one (drivers allocate lazily). */
enum { FIRST_OVER_STEADY = 10 };

/* A reading of the machine's state takes less, and so does a warm-up beside its runs: a tenth of the time that they may
 * take, so that a --timeout of 2 s is one. */
static const double short_step = 0.1;

struct runner runner_new(struct context *context, struct cell *cell, const struct rule *rule, double *spent)
{
    return (struct runner){ .context = context,
                            .cell = cell,
                            .rule = rule,
                            .spent = spent,
                            .opening = NAN,
                            .run = NAN,
                            .reading = NAN,
                            .watched = -INFINITY };
}

/* --- requests --- */

bool runner_ask(struct runner *runner, enum spent spent, const struct request *request, double expected,
                struct reply *reply, struct error *err)
{
    const double asked = clock_wall();
    const bool is_answered = client_ask(runner->client, request, expected, reply, err);
    runner->spent[spent] += clock_wall() - asked;
    text_copy(runner->words, sizeof runner->words, client_last_line(runner->client));
    if (err->status == STATUS_ABANDONED)
        runner->context->interrupted = true;
    /* One that exceeds a limit of its own is only slow. */
    runner->has_died |= client_counts_against_device(err) && !(err->status == STATUS_TIMEOUT && request->limit > 0);
    return is_answered;
}

/* Writes a line of its cell. */
static void write_line(const struct runner *runner, struct journal_line line)
{
    line.cell = runner->cell->key;
    run_log_write(&runner->context->run_log, &line);
}

static void show_step(const struct runner *runner, const char *step)
{
    progress_step(&runner->context->progress, true, runner->cell, "%s", step);
}

/* --- opening --- */

bool runner_end(struct runner *runner, struct error *err)
{
    if (!runner->client)
        return true;
    const double start = clock_wall();
    const bool ended = client_end(runner->client, err);
    runner->spent[SPENT_CLOSING] += clock_wall() - start;
    runner->client = NULL;
    if (runner->has_died)
        context_record_death(runner->context, runner->cell);
    runner->has_died = false;
    for (enum series series = 0; series < SERIES_COUNT; series++)
        runner->series[series].active = false;
    struct runner **at = &runner->context->open;
    while (*at != runner)
        at = &(*at)->next;
    *at = runner->next;
    return ended;
}

/* Opening the device and preparing the cell are two requests: a driver may take seconds for a context. A method that
 * compiles for longer than `limit` is not waited for. */
static bool first_run(struct runner *runner, double limit)
{
    const struct cell *cell = runner->cell;
    const struct context *context = runner->context;
    const double filling = cell_host_seconds(cell), most = limit + loading + filling;
    struct request request = cell_request(cell, ASK_START, context->options, context->setup.host->worker_threads);
    struct error *outcome = &runner->outcome;
    struct reply *opened = &runner->opened;
    if (!runner_ask(runner, SPENT_OPENING, &request, 0, opened, outcome)) {
        runner->lacks_device = outcome->status == STATUS_FAILED;
        return false;
    }
    request.kind = ASK_OPEN;
    request.limit = most < context->setup.timeout ? most : 0;
    runner_ask(runner, SPENT_OPENING, &request, filling, opened, outcome);
    const bool was_cut = outcome->status == STATUS_TIMEOUT && request.limit > 0;
    if (!was_cut && !(fmax(0, opened->first.alloc) + fmax(0, opened->first.compile) > limit))
        return outcome->status == STATUS_OK;
    *outcome = (struct error){ .status = STATUS_OK };
    return fail_in(outcome, "compile", STATUS_TOO_SLOW, "left out: its kernels were not compiled within %.0f s", limit);
}

bool runner_open(struct runner *runner, double limit)
{
    struct context *context = runner->context;
    struct cell *cell = runner->cell;
    const struct first *first = &runner->opened.first;
    runner->is_verified = runner->lacks_device = false;
    runner->outcome = (struct error){ .status = STATUS_OK };
    runner->words[0] = '\0';
    show_step(runner, "opening");
    runner->client = driver_log_client(context->run_log.path, &context->setup, cell->device, &runner->outcome);
    if (!runner->client)
        return false;
    runner->next = context->open;
    context->open = runner;
    reply_release(&runner->opened);
    if (!first_run(runner, limit)) {
        runner_end(runner, NULL);
        return false;
    }
    /* fmax(0, NAN) is 0 */
    runner->spent[SPENT_FILLING] += fmax(0, first->filling);
    runner->spent[SPENT_OPENING] -= fmax(0, first->filling);
    runner->opening = fmax(0, first->open) + fmax(0, first->alloc) + fmax(0, first->compile) + fmax(0, first->upload) +
                      fmax(0, first->repack) + fmax(0, first->run) + fmax(0, first->download);
    runner->run = first->run > 0 ? fmin(runner->run, first->run) : runner->run; /* fmin(NAN, x) is x */
    runner->repacks |= !isnan(first->repack);
    runner->has_copied = problem_moves(&cell->problem) || runner->repacks;
    room_remember(context, cell, first->memory_cost.context_host);
    runner->reading = first->reading;
    runner->series[SERIES_COPIED].run = fmax(0, first->upload) + fmax(0, first->repack) + fmax(0, first->download);
    text_copy(cell->kernel_shape, sizeof cell->kernel_shape, first->kernel_shape);
    return true;
}

bool runner_use(struct runner *runner, const char *kernel_shape, double *spent, struct error *err)
{
    if (strcmp(runner->cell->kernel_shape, kernel_shape) == 0)
        return true;
    struct first *first = &runner->opened.first;
    const struct request request = { .kind = ASK_KERNEL_SHAPE, .kernel_shape = kernel_shape };
    struct reply reply;
    if (!runner_ask(runner, SPENT_OPENING, &request, 0, &reply, err))
        return false;
    *spent += fmax(0, reply.shape.compile);
    text_copy(runner->cell->kernel_shape, sizeof runner->cell->kernel_shape, kernel_shape);
    first->kernel_shape = runner->cell->kernel_shape;
    first->detail = pool_copy(&runner->opened.pool, reply.shape.detail);
    reply_release(&reply);
    return true;
}

/* --- while a method is chosen --- */

/* The median of the possible times; NAN without one. One impossible time in a hundred is taken for an error of the
 * clock; more make it fail. */
static bool median_believed(struct runner *runner, const struct samples *wall, double *median, struct error *err)
{
    const struct cell *cell = runner->cell;
    struct error odd = { .status = STATUS_OK };
    unsigned kept = 0;
    /* A fast algorithm does fewer than are counted, and what only copies does none. */
    const bool is_counted = cell->method && !cell->method->is_fast;
    const double flops = is_counted ? cell->problem.workload->flops(&cell->problem) : 0;
    for (unsigned i = 0; i < wall->count; i++)
        if (plausible_time(cell->device, cell->problem.dtype, flops, wall->value[i], &odd))
            wall->value[kept++] = wall->value[i];
    runner->runs += wall->count;
    runner->stumbles += wall->count - kept;
    *median = stats_median(wall->value, kept);
    return runner->stumbles <= 1 + runner->runs / RUNS_FOR_ONE_FALSE ||
           fail_in(err, odd.where, odd.status, "%s", odd.message);
}

bool runner_try(struct runner *runner, enum series series, double *seconds, double *repack, double *spent,
                struct error *err)
{
    const double run = fmax(0, runner->run);
    const struct request request = {
        .kind = ASK_SLICE, .series = series, .seconds = fmax(try_slice, run), .phased = series == SERIES_COPIED
    };
    struct reply reply;
    const struct slice_line *slice = &reply.slice;
    if (!runner_ask(runner, SPENT_CHOOSING, &request, try_slice + 4 * (run + fmax(0, runner->opening)), &reply, err))
        return false;
    *spent += fmax(0, slice->elapsed);
    if (series == SERIES_COPIED) {
        const struct samples *repacking = &slice->phases.of[PHASE_REPACK];
        *repack = stats_median(repacking->value, repacking->count);
    }
    const bool is_believed = median_believed(
        runner, series == SERIES_COPIED ? &slice->phases.of[PHASE_COMPUTE] : &slice->wall, seconds, err);
    runner->run = fmin(runner->run, *seconds);
    reply_release(&reply);
    return is_believed;
}

bool runner_verify(struct runner *runner, struct error *err)
{
    const char *shape = runner->cell->kernel_shape;
    if (runner->is_verified && strcmp(runner->verified_shape, shape) == 0)
        return true;
    show_step(runner, "verifying");
    const struct request request = { .kind = ASK_VERIFY, .pass = WHEN_BEFORE };
    reply_release(&runner->verified);
    if (!runner_ask(runner, SPENT_VERIFYING, &request, cell_check_seconds(runner->cell, fmax(0, runner->run)),
                    &runner->verified, err))
        return false;
    const double checked = runner->verified.verify.run;
    runner->run = checked > 0 ? fmin(runner->run, checked) : runner->run;
    text_copy(runner->verified_shape, sizeof runner->verified_shape, shape);
    return runner->is_verified = true;
}

/* --- up to the visits --- */

double runners_cpu(const struct context *context)
{
    double seconds = process_family_cpu();
    for (const struct runner *open = context->open; open; open = open->next)
        seconds += client_cpu(open->client);
    return seconds;
}

/* Writes the state of the machine. Scripted devices have none. */
static bool write_state(struct runner *runner, enum when when)
{
    if (backend_is_scripted(runner->cell->device->backend))
        return true;
    const double start = clock_wall();
    struct reply reply;
    if (!runner_ask(runner, SPENT_CLOSING, &(struct request){ .kind = ASK_STATE }, short_step, &reply,
                    &runner->outcome))
        return false;
    struct state_line *state = &reply.state;
    state->when = when;
    state->host.own = runners_cpu(runner->context); /* what else kept the machine busy was other programs */
    state->probes = clock_wall() - start;
    write_line(runner, (struct journal_line){ .kind = LINE_STATE, .state = *state });
    reply_release(&reply);
    return true;
}

static bool warm(struct runner *runner, enum series series)
{
    struct series_state *state = &runner->series[series];
    state->active = true;
    if (state->run > warm_by_itself)
        return true;
    struct reply reply;
    if (!runner_ask(runner, SPENT_MEASURING, &(struct request){ .kind = ASK_WARMUP, .series = series },
                    short_step + 10 * state->run, &reply, &runner->outcome))
        return false;
    state->run = fmax(0, reply.warmup);
    reply_release(&reply);
    return true;
}

static bool meets_deadline(struct runner *runner, double run)
{
    const double deadline = runner->rule->deadline;
    return !(run > deadline) || fail(&runner->outcome, STATUS_TOO_SLOW,
                                     "one run takes %s, and the limit is %s (--budget and --timeout raise it)",
                                     text_seconds(run).text, text_seconds(deadline).text);
}

/* Whether its resident series is measured: for copied data only where that replaces a copied series. */
static bool measures_resident(const struct runner *runner)
{
    return runner->measures != MEASURES_COPIED || !runner->has_copied;
}

/* Copied runs of a method that computes may be left out where they take too long; the row has its resident figure. */
static bool warm_copied(struct runner *runner)
{
    struct series_state *copied = &runner->series[SERIES_COPIED];
    copied->run += runner->series[SERIES_RESIDENT].run; /* warm, since the first run may have compiled */
    if (!warm(runner, SERIES_COPIED))
        return false;
    if (!problem_computes(&runner->cell->problem) || runner->measures == MEASURES_COPIED)
        return meets_deadline(runner, copied->run);
    copied->active = !(copied->run > runner->rule->deadline);
    if (!copied->active)
        run_log_note(&runner->context->run_log, runner->cell->key, "copied runs not measured: one run takes too long");
    return true;
}

static bool warm_all(struct runner *runner)
{
    const struct cell *cell = runner->cell;
    struct series_state *resident = &runner->series[SERIES_RESIDENT], *queued = &runner->series[SERIES_QUEUED];
    const bool computes = problem_computes(&cell->problem);
    resident->run = fmax(0, runner->run);
    if (!meets_deadline(runner, resident->run) || (computes && !warm(runner, SERIES_RESIDENT)))
        return false;
    resident->active = computes && measures_resident(runner);
    queued->run = resident->run;
    /* One wait for many short runs makes a difference, but not on the host itself, not with cold caches (only the first
     * run would be cold), and not in a sweep (thresholds are of single uses). */
    if (resident->active && queued->run < queued_below && !cell->device->works_in_host_memory && cell->flush == 0 &&
        runner->context->options->verb != VERB_SWEEP && !warm(runner, SERIES_QUEUED))
        return false;
    if (runner->has_copied && runner->measures != MEASURES_RESIDENT && !warm_copied(runner))
        return false;
    runner->is_phased = resident->active && runner->series[SERIES_COPIED].active && resident->run > timed_once;
    return true;
}

bool runner_begin(struct runner *runner)
{
    struct journal_line line = { .kind = LINE_FIRST, .first = runner->opened.first };
    line.first.cache = "kept";
    write_line(runner, line);
    if (meets_deadline(runner, runner->run / FIRST_OVER_STEADY) && runner_verify(runner, &runner->outcome)) {
        write_line(runner, (struct journal_line){ .kind = LINE_VERIFY, .verify = runner->verified.verify });
        if (warm_all(runner) && write_state(runner, WHEN_BEFORE))
            return true;
    }
    runner_end(runner, NULL);
    return false;
}

bool runner_reopen(struct runner *runner, const struct error *why)
{
    if (runner->was_replaced || !status_is_death(why->status))
        return false;
    runner->was_replaced = true;
    run_log_note(&runner->context->run_log, runner->cell->key, "its worker died once (%s); a new one continued",
                 why->message);
    bool was_active[SERIES_COUNT];
    for (enum series series = 0; series < SERIES_COUNT; series++)
        was_active[series] = runner->series[series].active;
    runner_end(runner, NULL);
    bool is_open = runner_open(runner, INFINITY) && runner_begin(runner);
    for (enum series series = 0; series < SERIES_COUNT; series++)
        runner->series[series].active = was_active[series]; /* those that were stopped stay stopped */
    return is_open;
}

/* --- from the visits on --- */

enum series runner_series(const struct runner *runner)
{
    return problem_computes(&runner->cell->problem) && measures_resident(runner) ? SERIES_RESIDENT : SERIES_COPIED;
}

double runner_metering(const struct runner *runner)
{
    const struct cell *cell = runner->cell;
    const double run = runner->series[runner_series(runner)].run;
    const bool is_gpu = class_is_gpu(cell->device->class);
    if (!runner->opened.first.counts_energy || !cell->method || cell->problem.workload->roof || cell->flush > 0 ||
        runner->context->options->verb == VERB_SWEEP)
        return 0;
    return fmax(run, is_gpu ? fmin(metering, fmax(least_metering, runner->rule->budget)) : least_metering) +
           fmax(run, longest_energy_step);
}

/* Measures energy in runs without a pause: between slices the device rests, and its counter is slow. */
static bool meter(struct runner *runner)
{
    const enum series series = runner_series(runner);
    const double seconds = runner_metering(runner), before = fmax(runner->series[series].run, longest_energy_step);
    const struct request request = { .kind = ASK_METER, .series = series, .seconds = seconds - before };
    struct reply reply;
    if (seconds == 0)
        return true;
    show_step(runner, "measuring energy");
    if (!runner_ask(runner, SPENT_MEASURING, &request, 1 + 2 * seconds, &reply, &runner->outcome))
        return false;
    write_line(runner, (struct journal_line){ .kind = LINE_METER, .meter = reply.meter });
    reply_release(&reply);
    return true;
}

void runner_write_outcome(const struct runner *runner)
{
    const struct error *outcome = &runner->outcome;
    const char *log = status_is_bad(outcome->status) ? runner->words : "";
    write_line(runner, (struct journal_line){ .kind = LINE_OUTCOME, .outcome = { *outcome, log } });
    if (client_counts_against_device(outcome) || runner->lacks_device)
        runner->context->losses[runner->cell->device - runner->context->listing.device]++;
}

void runner_close(struct runner *runner)
{
    struct context *context = runner->context;
    struct error *outcome = &runner->outcome, why = { .status = STATUS_OK };
    const struct cell_record *cell = record_cell(context->run_log.record, runner->cell->key);
    const bool was_timed =
        cell && (cell->track[SERIES_RESIDENT].wall.count > 0 || cell->track[SERIES_COPIED].wall.count > 0);
    struct reply reply;
    if (runner->client && !context->interrupted && meter(runner) && write_state(runner, WHEN_AFTER)) {
        /* what timed runs left, and one more run on new data */
        show_step(runner, "checking");
        if (runner_ask(runner, SPENT_VERIFYING, &(struct request){ .kind = ASK_VERIFY, .pass = WHEN_AFTER },
                       cell_check_seconds(runner->cell, fmax(0, runner->run)), &reply, outcome))
            write_line(runner, (struct journal_line){ .kind = LINE_VERIFY, .verify = reply.verify });
        reply_release(&reply);
    }
    if (context->interrupted && (outcome->status == STATUS_OK || outcome->status == STATUS_ABANDONED)) {
        /* Figures measured before the interrupt count. */
        *outcome = (struct error){ .status = STATUS_OK };
        if (!was_timed)
            fail(outcome, STATUS_ABANDONED, "the run ended before anything was measured");
    }
    /* Its results were checked before: a driver that fails at this costs the row no more than a note. */
    if (!runner_end(runner, &why))
        run_log_note(&context->run_log, runner->cell->key, "its worker failed at the end: %s", why.message);
    /* Impossible figures are refused here, so that the journal has the outcome. */
    if (cell && outcome->status == STATUS_OK)
        plausible_cell(context->run_log.record, cell, outcome);
    runner_write_outcome(runner);
    runner->is_measured = false;
}

void runner_free(struct runner *runner)
{
    runner_end(runner, NULL);
    reply_release(&runner->opened);
    reply_release(&runner->verified);
    pool_release(&runner->pool);
}
