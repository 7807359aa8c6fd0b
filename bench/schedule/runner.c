#include "bench/schedule/runner.h"

#include "bench/backends/registry.h"
#include "bench/schedule/room.h"
#include "bench/worker/driver_log.h"
#include "harness/base/clock.h"
#include "harness/base/fields.h"
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

/* Energy is measured over this many seconds of runs: some steps of the counter. It is not measured where a run takes
 * too_long_to_meter or more, since a slice then holds enough steps. */
static const double metering = 0.5, least_metering = 0.2, too_long_to_meter = 1;

/* A reading of the machine's state takes less, and so does a warm-up beside its runs: a tenth of the time that they may
 * take, so that a --timeout of 2 s is one. */
static const double short_step = 0.1;

enum measures use_measures(bool resident, bool copied)
{
    return resident && copied ? MEASURES_BOTH : resident ? MEASURES_RESIDENT : MEASURES_COPIED;
}

struct runner runner_new(struct context *context, struct cell *cell, const struct rule *rule, double *spent)
{
    return (struct runner){
        .context = context, .cell = cell, .rule = rule, .spent = spent, .opening = NAN, .run = INFINITY
    };
}

/* --- requests --- */

json_t *runner_ask(struct runner *runner, enum spent spent, json_t *request, double expected, struct error *err)
{
    const double asked = clock_wall();
    const bool was_fine = err->status == STATUS_OK; /* an older error is kept */
    json_t *reply = client_ask(runner->client, request, expected, err);
    runner->spent[spent] += clock_wall() - asked;
    text_copy(runner->words, sizeof runner->words, client_last_line(runner->client));
    if (was_fine && err->status == STATUS_ABANDONED)
        runner->context->interrupted = true;
    return reply;
}

/* Writes the worker's reply as a journal line of this cell. Takes the reply. */
static void write_reply(const struct runner *runner, const char *line, json_t *reply)
{
    json_object_del(reply, "ok");
    json_object_set_new(reply, "line", json_string(line));
    json_object_set_new(reply, "cell", json_string(runner->cell->key));
    run_log_write(&runner->context->run_log, reply);
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
    struct runner **at = &runner->context->open;
    while (*at != runner)
        at = &(*at)->next;
    *at = runner->next;
    return ended;
}

/* Opening the device and preparing the cell are two requests where the second is in a hurry: a driver may take seconds
 * for a context. A method that compiles for longer than `limit` is not waited for. */
static json_t *first_run(struct runner *runner, double limit)
{
    const struct cell *cell = runner->cell;
    const struct context *context = runner->context;
    const double filling = cell_host_seconds(cell);
    struct error *outcome = &runner->outcome;
    json_t *request = cell_to_request(cell, context->options, context->setup.host->worker_threads), *reply;
    if (!isfinite(limit))
        return client_open(runner->client, request, filling, outcome);
    json_t *start = json_copy(request);
    json_object_set_new(start, "do", json_string("start"));
    reply = client_open(runner->client, start, 0, outcome);
    if (!reply) {
        json_decref(request);
        return NULL;
    }
    json_decref(reply);
    runner->setup.timeout = fmin(context->setup.timeout, limit + loading + filling);
    reply = client_ask(runner->client, request, 0, outcome);
    bool was_cut = outcome->status == STATUS_TIMEOUT && runner->setup.timeout < context->setup.timeout;
    runner->setup.timeout = context->setup.timeout;
    if (was_cut || client_seconds(reply, "alloc_ns") + client_seconds(reply, "compile_ns") > limit) {
        json_decref(reply);
        *outcome = (struct error){ .status = STATUS_OK };
        fail_in(outcome, "compile", STATUS_TOO_SLOW, "left out: its kernels were not compiled within %.0f s", limit);
        return NULL;
    }
    return reply;
}

/* What the first run tells. A first run of no time tells nothing of its speed. */
static void read_first(struct runner *runner)
{
    static const char *const parts[] = { "open_ns",   "alloc_ns", "compile_ns", "upload_ns",
                                         "repack_ns", "run_ns",   "download_ns" };
    const json_t *reply = runner->first;
    const char *shape = json_string_value(json_object_get(reply, "kernel_shape"));
    const double run = client_seconds(reply, "run_ns");
    runner->opening = 0;
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
        runner->opening += client_seconds(reply, parts[i]);
    runner->run = run > 0 ? fmin(runner->run, run) : runner->run;
    runner->repacks |= json_is_integer(json_object_get(reply, "repack_ns"));
    runner->has_copied = problem_moves(&runner->cell->problem) || runner->repacks;
    room_remember(runner->context, runner->cell,
                  json_number_value(json_object_get(json_object_get(reply, "memory_cost"), "context_host")));
    runner->counts_energy = json_is_true(json_object_get(reply, "counts_energy"));
    runner->series[SERIES_COPIED].run =
        client_seconds(reply, "upload_ns") + client_seconds(reply, "repack_ns") + client_seconds(reply, "download_ns");
    if (shape)
        text_copy(runner->cell->kernel_shape, sizeof runner->cell->kernel_shape, shape);
    if (!runner->kernel_shapes)
        runner->kernel_shapes = json_incref(json_object_get(reply, "kernel_shapes"));
}

/* Ends a worker that failed. */
static bool give_up(struct runner *runner)
{
    runner->lacks_device = runner->outcome.status == STATUS_FAILED && client_lacks_device(runner->client);
    runner_end(runner, NULL);
    for (enum series series = 0; series < SERIES_COUNT; series++)
        runner->series[series].active = false;
    return false;
}

bool runner_open(struct runner *runner, double limit)
{
    struct context *context = runner->context;
    const struct device *device = runner->cell->device;
    const double start = clock_wall();
    runner->setup = context->setup;
    runner->is_verified = runner->lacks_device = false;
    runner->outcome = (struct error){ .status = STATUS_OK };
    runner->words[0] = '\0';
    show_step(runner, "opening");
    runner->client = driver_log_client(context->run_log.path, &runner->setup, device, &runner->outcome);
    if (!runner->client)
        return false;
    runner->next = context->open;
    context->open = runner;
    json_decref(runner->first);
    runner->first = first_run(runner, limit);
    const double filling = client_seconds(runner->first, "filling_ns");
    json_object_del(runner->first, "filling_ns"); /* the journal has it in the line `spent` */
    runner->spent[SPENT_FILLING] += filling;
    runner->spent[SPENT_OPENING] += clock_wall() - start - filling;
    if (runner->outcome.status == STATUS_ABANDONED)
        context->interrupted = true;
    text_copy(runner->words, sizeof runner->words, client_last_line(runner->client));
    if (!runner->first)
        return give_up(runner);
    read_first(runner);
    return true;
}

bool runner_use(struct runner *runner, const char *kernel_shape, double *spent, struct error *err)
{
    if (strcmp(runner->cell->kernel_shape, kernel_shape) == 0)
        return true;
    json_t *request = json_pack("{s:s, s:s}", "do", "kernel_shape", "name", kernel_shape);
    json_t *reply = runner_ask(runner, SPENT_OPENING, request, 0, err);
    if (!reply)
        return false;
    *spent += client_seconds(reply, "compile_ns");
    text_copy(runner->cell->kernel_shape, sizeof runner->cell->kernel_shape, kernel_shape);
    json_object_set_new(runner->first, "kernel_shape", json_string(kernel_shape));
    json_object_set(runner->first, "detail", json_object_get(reply, "detail"));
    json_decref(reply);
    return true;
}

/* --- while a method is chosen --- */

/* The first times of an array of a reply, in seconds. Returns how many. */
unsigned runner_times(const json_t *array, double to[SLICE_TIMES])
{
    unsigned count = 0;
    for (; count < SLICE_TIMES && count < json_array_size(array); count++)
        to[count] = seconds_from_json(json_array_get(array, count));
    return count;
}

/* The median of the possible times; NAN without one. One impossible time in a hundred is taken for an error of the
 * clock; more make it fail. */
static bool median_believed(struct runner *runner, const json_t *wall, double *median, struct error *err)
{
    const struct cell *cell = runner->cell;
    struct error odd = { .status = STATUS_OK };
    double seconds[SLICE_TIMES];
    unsigned count = runner_times(wall, seconds), kept = 0;
    /* A fast algorithm does fewer than are counted, and what only copies does none. */
    const bool is_counted = cell->method && !cell->method->is_fast;
    const double flops = is_counted ? cell->problem.workload->flops(&cell->problem) : 0;
    for (unsigned i = 0; i < count; i++)
        if (plausible_time(cell->device, cell->problem.dtype, flops, seconds[i], &odd))
            seconds[kept++] = seconds[i];
    runner->runs += count;
    runner->stumbles += count - kept;
    *median = stats_median(seconds, kept);
    return runner->stumbles <= 1 + runner->runs / RUNS_FOR_ONE_FALSE ||
           fail_in(err, odd.where, odd.status, "%s", odd.message);
}

bool runner_try(struct runner *runner, enum series series, double *seconds, double *repack, double *spent,
                struct error *err)
{
    const double run = isfinite(runner->run) ? runner->run : 0;
    json_t *request = json_pack("{s:s, s:s, s:o, s:b}", "do", "slice", "series", series_names[series], "ns",
                                seconds_to_json(fmax(try_slice, run)), "phased", series == SERIES_COPIED);
    json_t *reply = runner_ask(runner, SPENT_CHOOSING, request, try_slice + 4 * (run + fmax(0, runner->opening)), err);
    if (!reply)
        return false;
    *spent += fmax(0, seconds_from_json(json_object_get(reply, "elapsed_ns")));
    const json_t *phases = json_object_get(reply, "phases"), *times = json_object_get(reply, "wall_ns");
    if (series == SERIES_COPIED) {
        double seconds_of[SLICE_TIMES];
        *repack = stats_median(seconds_of, runner_times(json_object_get(phases, "repack_ns"), seconds_of));
        times = json_object_get(phases, "compute_ns");
    }
    const bool is_believed = median_believed(runner, times, seconds, err);
    runner->run = fmin(runner->run, *seconds); /* fmin(x, NAN) is x */
    json_decref(reply);
    return is_believed;
}

bool runner_verify(struct runner *runner, struct error *err)
{
    const char *shape = runner->cell->kernel_shape;
    if (runner->is_verified && strcmp(runner->verified, shape) == 0)
        return true;
    show_step(runner, "verifying");
    double run = isfinite(runner->run) ? runner->run : 0;
    json_t *request = json_pack("{s:s, s:s}", "do", "verify", "pass", "before");
    json_t *reply = runner_ask(runner, SPENT_VERIFYING, request, cell_check_seconds(runner->cell, run), err);
    if (!reply)
        return false;
    double checked = client_seconds(reply, "run_ns");
    runner->run = checked > 0 ? fmin(runner->run, checked) : runner->run;
    json_object_set_new(reply, "pass", json_string("before"));
    json_decref(runner->checks);
    runner->checks = reply;
    text_copy(runner->verified, sizeof runner->verified, shape);
    return runner->is_verified = true;
}

/* --- up to the rounds --- */

/* Writes the state of the machine. Scripted devices have none. */
static bool write_state(struct runner *runner, const char *when)
{
    if (backend_is_scripted(runner->cell->device->backend))
        return true;
    double start = clock_wall();
    json_t *reply = runner_ask(runner, SPENT_CLOSING, json_pack("{s:s}", "do", "state"), short_step, &runner->outcome);
    if (!reply)
        return false;
    double own = clock_cpu_family(); /* with the workers; what else kept the machine busy was other programs */
    for (const struct runner *open = runner->context->open; open; open = open->next)
        own += client_cpu(open->client);
    json_object_set_new(reply, "when", json_string(when));
    json_object_set_new(reply, "own", json_real(own));
    json_object_set_new(reply, "probes_ns", seconds_to_json(clock_wall() - start));
    write_reply(runner, "state", reply);
    return true;
}

static bool warm(struct runner *runner, enum series series)
{
    struct series_state *state = &runner->series[series];
    state->active = true;
    if (state->run > warm_by_itself)
        return true;
    json_t *request = json_pack("{s:s, s:s}", "do", "warmup", "series", series_names[series]);
    json_t *reply = runner_ask(runner, SPENT_MEASURING, request, short_step + 10 * state->run, &runner->outcome);
    if (!reply)
        return false;
    state->run = client_seconds(reply, "wall_ns");
    json_object_set_new(reply, "series", json_string(series_names[series]));
    write_reply(runner, "warmup", reply);
    return true;
}

static bool meets_deadline(struct runner *runner, double run)
{
    const double deadline = runner->rule->deadline;
    return run <= deadline || fail(&runner->outcome, STATUS_TOO_SLOW,
                                   "one run takes %s, and the limit is %s (--budget and --timeout raise it)",
                                   text_seconds(TEXT_HERE, run), text_seconds(TEXT_HERE, deadline));
}

/* Whether its resident series is measured: for copied data only where that replaces a copied series. */
static bool measures_resident(const struct runner *runner)
{
    return runner->measures != MEASURES_COPIED || !runner->has_copied;
}

/* Warms up the queued series if one wait for many short runs makes a difference: not on the host itself, not with cold
 * caches (only the first run would be cold), and not in a sweep (thresholds are of single uses). */
static bool warm_queued(struct runner *runner)
{
    double run = runner->series[SERIES_RESIDENT].run;
    if (!measures_resident(runner) || runner->cell->device->works_in_host_memory || runner->cell->flush > 0 ||
        runner->context->options->verb == VERB_SWEEP || !(run < queued_below))
        return true;
    runner->series[SERIES_QUEUED].run = run;
    return warm(runner, SERIES_QUEUED);
}

static bool warm_copied(struct runner *runner)
{
    struct series_state *copied = &runner->series[SERIES_COPIED];
    copied->run += runner->series[SERIES_RESIDENT].run; /* warm, since the first run may have compiled */
    if (!warm(runner, SERIES_COPIED))
        return false;
    if (!problem_computes(&runner->cell->problem) || runner->measures == MEASURES_COPIED)
        return meets_deadline(runner, copied->run);
    if (copied->run <= runner->rule->deadline)
        return true;
    copied->active = false;
    run_log_note(&runner->context->run_log, runner->cell->key, "copied runs not measured: one run takes too long");
    return true;
}

static bool warm_all(struct runner *runner)
{
    struct series_state *resident = &runner->series[SERIES_RESIDENT], *copied = &runner->series[SERIES_COPIED];
    bool computes = problem_computes(&runner->cell->problem);
    resident->run = isfinite(runner->run) ? runner->run : 0;
    if (!meets_deadline(runner, resident->run) || (computes && !(warm(runner, SERIES_RESIDENT) && warm_queued(runner))))
        return false;
    resident->active = computes && measures_resident(runner);
    if (runner->has_copied && runner->measures != MEASURES_RESIDENT && !warm_copied(runner))
        return false;
    runner->is_phased = resident->active && copied->active && resident->run > timed_once;
    return true;
}

bool runner_begin(struct runner *runner)
{
    const bool in_host_memory = runner->cell->device->works_in_host_memory;
    json_object_set_new(runner->first, "cache", json_string("kept"));
    json_object_set_new(runner->first, "environment", client_environment(&runner->context->setup, in_host_memory));
    write_reply(runner, "first", runner->first);
    runner->first = NULL;
    if (isfinite(runner->run) && !meets_deadline(runner, runner->run / FIRST_OVER_STEADY))
        return give_up(runner);
    if (!runner_verify(runner, &runner->outcome))
        return give_up(runner);
    write_reply(runner, "verify", runner->checks);
    runner->checks = NULL;
    return (warm_all(runner) && write_state(runner, "before")) || give_up(runner);
}

bool runner_reopen(struct runner *runner, const struct error *why)
{
    if (runner->was_replaced || !status_is_death(why->status))
        return false;
    runner->was_replaced = true;
    runner->lost_worker = client_counts_against_device(why);
    runner_end(runner, NULL);
    run_log_note(&runner->context->run_log, runner->cell->key, "its worker died once (%s); a new one continued",
                 why->message);
    bool was_active[SERIES_COUNT];
    for (enum series series = 0; series < SERIES_COUNT; series++)
        was_active[series] = runner->series[series].active;
    bool is_open = runner_open(runner, INFINITY) && runner_begin(runner);
    for (enum series series = 0; series < SERIES_COUNT; series++)
        runner->series[series].active = was_active[series]; /* those that were stopped stay stopped */
    return is_open;
}

/* --- from the rounds on --- */

bool runner_check(struct runner *runner, enum series series, json_t *slice, struct error *err)
{
    json_t *request = json_pack("{s:s, s:s}", "do", "check", "series", series_names[series]);
    json_t *reply = runner_ask(runner, SPENT_VERIFYING, request, cell_check_seconds(runner->cell, 0), err);
    if (!reply)
        return false;
    json_object_del(reply, "ok");
    json_object_update(slice, reply);
    json_decref(reply);
    return true;
}

static bool is_to_be_metered(const struct runner *runner)
{
    const struct cell *cell = runner->cell;
    const double run = runner->series[SERIES_RESIDENT].run;
    return runner->counts_energy && measures_resident(runner) && problem_computes(&cell->problem) && cell->method &&
           !cell->problem.workload->roof && cell->flush == 0 && runner->context->options->verb != VERB_SWEEP &&
           run > 0 && run < too_long_to_meter;
}

/* Measures energy in a series of its own: between slices the device rests, and its counter is slow. */
static bool meter(struct runner *runner)
{
    double start = clock_wall(), seconds = fmax(least_metering, fmin(metering, runner->rule->budget / 4));
    json_t *request = json_pack("{s:s, s:o}", "do", "meter", "ns", seconds_to_json(seconds));
    json_t *reply = runner_ask(runner, SPENT_MEASURING, request, 1 + seconds + 4 * runner->series[SERIES_RESIDENT].run,
                               &runner->outcome);
    if (!reply)
        return false;
    json_object_set_new(reply, "probes_ns", seconds_to_json(clock_wall() - start));
    write_reply(runner, "meter", reply);
    return true;
}

/* Checks what timed runs left, and one more run on new data. */
static bool verify_after(struct runner *runner)
{
    json_t *request = json_pack("{s:s, s:s}", "do", "verify", "pass", "after");
    show_step(runner, "checking");
    json_t *reply =
        runner_ask(runner, SPENT_VERIFYING, request, cell_check_seconds(runner->cell, runner->run), &runner->outcome);
    if (!reply)
        return false;
    json_object_set_new(reply, "pass", json_string("after"));
    write_reply(runner, "verify", reply);
    return true;
}

void runner_write_outcome(const struct runner *runner)
{
    const struct error *outcome = &runner->outcome;
    run_log_write(&runner->context->run_log,
                  json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "line", "outcome", "cell", runner->cell->key, "status",
                            status_names[outcome->status], "where", outcome->where, "reason", outcome->message, "log",
                            status_is_bad(outcome->status) ? runner->words : ""));
}

/* Figures measured before the interrupt count; a note says that they were not verified again. */
static void set_interrupted(struct runner *runner)
{
    const struct cell_record *cell = record_cell(runner->context->run_log.record, runner->cell->key);
    runner->outcome = (struct error){ .status = STATUS_OK };
    if (cell && (cell->track[SERIES_RESIDENT].wall.count > 0 || cell->track[SERIES_COPIED].wall.count > 0))
        run_log_note(&runner->context->run_log, runner->cell->key, "interrupted: not verified again after timing");
    else
        fail(&runner->outcome, STATUS_ABANDONED, "interrupted before anything was measured");
}

void runner_close(struct runner *runner)
{
    struct context *context = runner->context;
    struct error *outcome = &runner->outcome, why = { .status = STATUS_OK };
    if (runner->client && !context->interrupted && (!is_to_be_metered(runner) || meter(runner)) &&
        write_state(runner, "after"))
        verify_after(runner);
    if (context->interrupted && (outcome->status == STATUS_OK || outcome->status == STATUS_ABANDONED))
        set_interrupted(runner);
    /* Its results were checked before: a driver that fails at this costs the row no more than a note. */
    if (!runner_end(runner, &why))
        run_log_note(&context->run_log, runner->cell->key, "its worker failed while it closed the device: %s",
                     why.message);
    /* Impossible figures are refused here, so that the journal has the outcome. */
    const struct cell_record *cell = record_cell(context->run_log.record, runner->cell->key);
    if (cell && outcome->status == STATUS_OK)
        plausible_cell(context->run_log.record, cell, outcome);
    runner_write_outcome(runner);
}

void runner_count_losses(const struct runner *runner)
{
    struct admission *admission = &runner->context->admission;
    const bool is_death = client_counts_against_device(&runner->outcome);
    if (is_death || runner->lost_worker)
        admission_record_death(admission, runner->cell);
    if (runner->lost_worker)
        admission_record_loss(admission, runner->cell->device);
    if (is_death || runner->lacks_device)
        admission_record_loss(admission, runner->cell->device);
}

void runner_free(struct runner *runner)
{
    runner_end(runner, NULL);
    json_decref(runner->first);
    json_decref(runner->checks);
    json_decref(runner->kernel_shapes);
    json_decref(runner->shapes);
    runner->first = runner->checks = runner->kernel_shapes = runner->shapes = NULL;
}
