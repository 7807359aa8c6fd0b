#include "bench/schedule/cell_run.h"

#include "bench/backends/registry.h"
#include "bench/schedule/driver_log.h"
#include "harness/analysis/plausible.h"
#include "harness/base/clock.h"
#include "harness/base/text.h"

#include <math.h>

/* Runs shorter than this also get the queued series. */
static const double short_run = 0.001;
/* Energy is measured over this many seconds of runs: some steps of the counter. It is not measured where a run takes
 * too_long_to_meter or more, since a slice then holds enough steps. */
static const double metering = 0.5, least_metering = 0.2, too_long_to_meter = 1;
/* Seconds until an energy counter is seen to move. */
static const double counter_delay = 0.15;
/* A reading of the machine's state takes less, and so does a warm-up beside its runs: a tenth of the time that they may
 * take, so that a --timeout of 2 s is one. */
static const double short_step = 0.1;
/* Steps longer than this show their size in the progress line. */
static const double long_step = 1;

/* Returns the reply, or NULL with the reason as the outcome of the cell. */
static json_t *accept(struct cell_run *cell_run, struct context *context, json_t *reply, const struct error *err)
{
    if (reply)
        return reply;
    if (err->status == STATUS_ABANDONED)
        context->interrupted = true;
    cell_run->outcome = *err;
    return NULL;
}

static json_t *ask(struct cell_run *cell_run, struct context *context, json_t *request, double expected)
{
    struct error err = { .status = STATUS_OK };
    json_t *reply = client_ask(cell_run->client, request, expected, &err);
    return accept(cell_run, context, reply, &err);
}

/* Writes the worker's reply as a journal line of this cell. */
static void write_reply(struct cell_run *cell_run, struct context *context, const char *line, json_t *reply)
{
    json_object_del(reply, "ok");
    json_object_set_new(reply, "line", json_string(line));
    json_object_set_new(reply, "cell", json_string(cell_run->cell->key));
    run_log_write(&context->run_log, reply);
}

/* CPU seconds of this process and its workers. What the machine was busy with beyond them was other programs. */
static double own_seconds(const struct context *context)
{
    double seconds = clock_cpu_family();
    for (const struct cell_group *group = context->groups; group; group = group->next)
        for (unsigned i = 0; i < group->count; i++)
            seconds += client_cpu(group->cell_run[i].client);
    return seconds;
}

/* Writes the state of the machine. Scripted devices have none. */
static bool write_state(struct cell_run *cell_run, struct context *context, const char *when)
{
    if (backend_find(cell_run->cell->device->backend)->now)
        return true;
    double start = clock_wall();
    json_t *reply = ask(cell_run, context, json_pack("{s:s}", "do", "state"), short_step);
    if (!reply)
        return false;
    json_object_set_new(reply, "when", json_string(when));
    json_object_set_new(reply, "own", json_real(own_seconds(context)));
    json_object_set_new(reply, "probes_ns", journal_ns(clock_wall() - start));
    write_reply(cell_run, context, "state", reply);
    return true;
}

static bool first_run(struct cell_run *cell_run, struct context *context)
{
    const struct worker_setup *setup = &context->setup;
    const struct cell *cell = cell_run->cell;
    struct error err = { .status = STATUS_OK };
    json_t *request = cell_to_request(cell, context->options, setup->host->worker_threads);
    json_t *reply = client_open(cell_run->client, request, cell_host_seconds(cell), &err);
    if (!accept(cell_run, context, reply, &err))
        return false;
    cell_run->series[SERIES_RESIDENT].run = client_seconds(reply, "run_ns");
    cell_run->series[SERIES_OFFLOAD].run =
        client_seconds(reply, "upload_ns") + client_seconds(reply, "repack_ns") + client_seconds(reply, "download_ns");
    cell_run->counts_energy = json_is_true(json_object_get(reply, "counts_energy"));
    cell_run->offloads = problem_moves(&cell->problem) || json_is_integer(json_object_get(reply, "repack_ns"));
    json_object_set_new(reply, "cache", json_string("kept"));
    json_object_set_new(reply, "environment", client_environment(setup, cell->device->works_in_host_memory));
    write_reply(cell_run, context, "first", reply);
    return true;
}

/* The faster of two runs: either may have been disturbed, and the first touches new pages. 0 is unknown. */
static double faster_of(double one, double other)
{
    return one > 0 && other > 0 ? fmin(one, other) : fmax(one, other);
}

static bool verify(struct cell_run *cell_run, struct context *context, const char *pass)
{
    struct series_state *resident = &cell_run->series[SERIES_RESIDENT];
    json_t *request = json_pack("{s:s, s:s}", "do", "verify", "pass", pass);
    json_t *reply = ask(cell_run, context, request, cell_check_seconds(cell_run->cell, resident->run));
    if (!reply)
        return false;
    resident->run = faster_of(resident->run, client_seconds(reply, "run_ns"));
    json_object_set_new(reply, "pass", json_string(pass));
    write_reply(cell_run, context, "verify", reply);
    return true;
}

bool cell_run_check(struct cell_run *cell_run, enum series series, json_t *slice, struct error *err)
{
    const bool is_due = json_is_true(json_object_get(slice, "check_due"));
    json_object_del(slice, "check_due");
    if (!is_due)
        return true;
    json_t *request = json_pack("{s:s, s:s}", "do", "check", "series", series_name(series));
    json_t *reply = client_ask(cell_run->client, request, cell_check_seconds(cell_run->cell, 0), err);
    if (!reply)
        return false;
    json_object_del(reply, "ok");
    json_object_update(slice, reply);
    json_decref(reply);
    return true;
}

static bool warm(struct cell_run *cell_run, struct context *context, enum series series)
{
    struct series_state *state = &cell_run->series[series];
    json_t *request = json_pack("{s:s, s:s}", "do", "warmup", "series", series_name(series));
    json_t *reply = ask(cell_run, context, request, short_step + 10 * state->run);
    if (!reply)
        return false;
    state->run = client_seconds(reply, "wall_ns");
    state->active = true;
    json_object_set_new(reply, "series", json_string(series_name(series)));
    write_reply(cell_run, context, "warmup", reply);
    return true;
}

static bool meets_deadline(struct cell_run *cell_run, const struct context *context, double run)
{
    char takes[TEXT_NUMBER], has[TEXT_NUMBER];
    if (run <= context->terms->rule.deadline)
        return true;
    return fail(&cell_run->outcome, STATUS_TOO_SLOW,
                "one run takes %s, more than the %s that it may (--budget and --timeout allow more)",
                text_seconds(takes, run), text_seconds(has, context->terms->rule.deadline));
}

/* Whether its resident series is measured: for data that move only where that stands in for an offload series. */
static bool measures_resident(const struct cell_run *cell_run)
{
    return cell_run->measures != MEASURES_TRANSFERS || !cell_run->offloads;
}

/* Warms up the queued series if one wait for many short runs makes a difference: not on the host itself, not with cold
 * caches (only the first run would be cold), and not in a sweep (thresholds are of single uses). */
static bool warm_queued(struct cell_run *cell_run, struct context *context)
{
    double run = cell_run->series[SERIES_RESIDENT].run;
    bool is_sweep = context->options->verb == VERB_SWEEP;
    if (!measures_resident(cell_run) || cell_run->cell->device->works_in_host_memory || cell_run->cell->flush > 0 ||
        is_sweep || !(run < short_run))
        return true;
    cell_run->series[SERIES_QUEUED].run = run;
    return warm(cell_run, context, SERIES_QUEUED);
}

static bool warm_offload(struct cell_run *cell_run, struct context *context)
{
    struct series_state *offload = &cell_run->series[SERIES_OFFLOAD];
    offload->run += cell_run->series[SERIES_RESIDENT].run; /* warm, since the first run may have compiled */
    if (offload->run < FIRST_OVER_STEADY * context->terms->rule.budget && !warm(cell_run, context, SERIES_OFFLOAD))
        return false;
    if (!problem_computes(&cell_run->cell->problem) || cell_run->measures == MEASURES_TRANSFERS)
        return meets_deadline(cell_run, context, offload->run);
    if (offload->run <= context->terms->rule.deadline)
        return true;
    offload->active = false;
    run_log_note(&context->run_log, cell_run->cell->key, "transfers not measured: one run takes too long");
    return true;
}

/* Warms up all series of the cell. */
static bool warm_all(struct cell_run *cell_run, struct context *context)
{
    bool computes = problem_computes(&cell_run->cell->problem);
    if (computes && !(warm(cell_run, context, SERIES_RESIDENT) && warm_queued(cell_run, context)))
        return false;
    cell_run->series[SERIES_RESIDENT].active = computes && measures_resident(cell_run);
    return !cell_run->offloads || cell_run->measures == MEASURES_COMPUTE || warm_offload(cell_run, context);
}

/* Shows a step in the progress line, with the bytes of a long one. */
static void show_step(const struct cell_run *cell_run, struct context *context, double seconds, const char *at_length,
                      const char *shortly)
{
    const struct cell *cell = cell_run->cell;
    char bytes[TEXT_NUMBER];
    bool is_long = seconds > long_step;
    progress_step(&context->progress, true, cell, "%s%s%s", is_long ? at_length : shortly, is_long ? " " : "",
                  is_long ? text_bytes(bytes, cell_host_bytes(cell)) : "");
}

static void give_up(struct cell_run *cell_run)
{
    cell_run->lacks_device = cell_run->outcome.status == STATUS_FAILED && client_lacks_device(cell_run->client);
    client_end(cell_run->client, NULL);
    cell_run->client = NULL;
    for (enum series series = 0; series < SERIES_COUNT; series++)
        cell_run->series[series].active = false;
}

void cell_run_open(struct cell_run *cell_run, struct context *context)
{
    const struct device *device = cell_run->cell->device;
    cell_run->driver_log = driver_log_written(context->run_log.path, device->id);
    show_step(cell_run, context, cell_opening_seconds(cell_run->cell), "preparing", "opening");
    cell_run->client = driver_log_client(context->run_log.path, &context->setup, device, &cell_run->outcome);
    bool ready = cell_run->client && first_run(cell_run, context) && verify(cell_run, context, "before") &&
                 meets_deadline(cell_run, context, cell_run->series[SERIES_RESIDENT].run) &&
                 warm_all(cell_run, context) && write_state(cell_run, context, "before");
    context->progress.done += cell_opening_seconds(cell_run->cell);
    if (!ready)
        give_up(cell_run);
}

void cell_run_widen(struct cell_run *cell_run, struct context *context)
{
    bool is_open = cell_run->client && cell_run->measures == MEASURES_COMPUTE && cell_run->offloads;
    cell_run->measures = MEASURES_BOTH;
    if (is_open && !warm_offload(cell_run, context))
        give_up(cell_run);
}

bool cell_run_reopen(struct cell_run *cell_run, struct context *context, const struct error *why)
{
    if (cell_run->was_replaced || !status_is_death(why->status))
        return false;
    cell_run->was_replaced = true;
    cell_run->lost_worker = client_counts_against_device(why);
    client_end(cell_run->client, NULL);
    cell_run->client = NULL;
    run_log_note(&context->run_log, cell_run->cell->key, "its worker died once (%s); a fresh one went on",
                 why->message);
    bool was_active[SERIES_COUNT];
    for (enum series series = 0; series < SERIES_COUNT; series++)
        was_active[series] = cell_run->series[series].active;
    cell_run_open(cell_run, context);
    for (enum series series = 0; series < SERIES_COUNT; series++)
        cell_run->series[series].active = was_active[series]; /* those that were stopped stay stopped */
    return cell_run->client != NULL;
}

/* Whether energy of the cell is measured on a device that counts it. */
static bool suits_metering(const struct cell *cell, const struct options *options)
{
    const struct workload *workload = cell->problem.workload;
    return problem_computes(&cell->problem) && workload->methods && !workload->roof && cell->flush == 0 &&
           options->verb != VERB_SWEEP;
}

static bool is_to_be_metered(const struct cell_run *cell_run, const struct context *context)
{
    double run = cell_run->series[SERIES_RESIDENT].run;
    return cell_run->counts_energy && measures_resident(cell_run) && suits_metering(cell_run->cell, context->options) &&
           run > 0 && run < too_long_to_meter;
}

static double metering_seconds(const struct context *context)
{
    return fmax(least_metering, fmin(metering, context->terms->rule.budget / 4));
}

/* Devices with a power limit usually have an energy counter; we know only once the device is open. */
double cell_run_closing_seconds(const struct context *context, const struct cell *cell)
{
    bool may_count = cell->device->power_limit > 0 && suits_metering(cell, context->options);
    return cell_closing_seconds(cell) + (may_count ? counter_delay + metering_seconds(context) : 0);
}

/* Measures energy in a series of its own: between slices the device rests, and its counter is slow. */
static bool meter(struct cell_run *cell_run, struct context *context)
{
    double start = clock_wall(), seconds = metering_seconds(context);
    json_t *request = json_pack("{s:s, s:o}", "do", "meter", "ns", journal_ns(seconds));
    json_t *reply = ask(cell_run, context, request, 1 + seconds + 4 * cell_run->series[SERIES_RESIDENT].run);
    if (!reply)
        return false;
    json_object_set_new(reply, "probes_ns", journal_ns(clock_wall() - start));
    write_reply(cell_run, context, "meter", reply);
    return true;
}

/* Everything after the rounds. */
static bool finish(struct cell_run *cell_run, struct context *context)
{
    return (!is_to_be_metered(cell_run, context) || meter(cell_run, context)) &&
           write_state(cell_run, context, "after") && verify(cell_run, context, "after");
}

void cell_run_write_outcome(const struct cell *cell, struct run_log *run_log, const struct error *outcome,
                            long driver_log)
{
    char words[DRIVER_LOG_TAIL] = "";
    if (status_is_bad(outcome->status))
        driver_log_tail(words, sizeof words, run_log->path, cell->device->id, driver_log);
    run_log_write(run_log, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "line", "outcome", "cell", cell->key, "status",
                                     status_name(outcome->status), "where", outcome->where, "reason", outcome->message,
                                     "log", words));
}

/* Ends the worker. Its results were checked before: a driver that fails at this costs the row no more than a note. */
static void end_worker(struct cell_run *cell_run, struct context *context)
{
    struct error why = { .status = STATUS_OK };
    if (!client_end(cell_run->client, &why))
        run_log_note(&context->run_log, cell_run->cell->key, "its worker failed while it closed the device: %s",
                     why.message);
    cell_run->client = NULL;
}

/* Refuses impossible figures here, so that the journal has the outcome. */
static void check_physics(struct cell_run *cell_run, const struct context *context)
{
    const struct record *record = context->run_log.record;
    const struct cell_record *cell = record_cell(record, cell_run->cell->key);
    if (cell && cell_run->outcome.status == STATUS_OK)
        plausible_cell(record, cell, &cell_run->outcome);
}

static bool was_measured(const struct cell_run *cell_run, const struct context *context)
{
    const struct cell_record *cell = record_cell(context->run_log.record, cell_run->cell->key);
    return cell && (cell->track[SERIES_RESIDENT].wall.count > 0 || cell->track[SERIES_OFFLOAD].wall.count > 0);
}

/* Figures measured before the interrupt count; a note says that they were not verified again. */
static void set_interrupted(struct cell_run *cell_run, struct context *context)
{
    cell_run->outcome = (struct error){ .status = STATUS_OK };
    if (was_measured(cell_run, context))
        run_log_note(&context->run_log, cell_run->cell->key, "interrupted: not verified again after timing");
    else
        fail(&cell_run->outcome, STATUS_ABANDONED, "interrupted before anything was measured");
}

void cell_run_close(struct cell_run *cell_run, struct context *context)
{
    show_step(cell_run, context, cell_closing_seconds(cell_run->cell), "checking", "closing");
    if (cell_run->client && !context->interrupted)
        finish(cell_run, context);
    if (context->interrupted && (cell_run->outcome.status == STATUS_OK || cell_run->outcome.status == STATUS_ABANDONED))
        set_interrupted(cell_run, context);
    end_worker(cell_run, context);
    context->progress.done += cell_run_closing_seconds(context, cell_run->cell);
    check_physics(cell_run, context);
    cell_run_write_outcome(cell_run->cell, &context->run_log, &cell_run->outcome, cell_run->driver_log);
}
