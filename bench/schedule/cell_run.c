#include "bench/schedule/cell_run.h"

#include "bench/backends/registry.h"
#include "bench/schedule/driver_log.h"
#include "bench/worker/answers.h"
#include "bench/worker/check.h"
#include "harness/analysis/plausible.h"
#include "harness/base/clock.h"
#include "harness/base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Multiply-adds that a slow machine does in a second to check a result. */
static const double slow_check = 1e8;
/* A run shorter than this is also measured many at a time, with one wait for all. */
static const double short_run = 0.001;
/* Seconds of runs without a pause that a device's energy is told by: some steps of its counter. And the runs that are
 * so long that a slice of them holds as many. */
static const double metering = 0.5, least_metering = 0.2, long_run = 1;
/* Seconds until a counter that follows the runs is seen to move. */
static const double settling = 0.15;
/* Seconds after which somebody who waits asks what for. */
static const double noticeable = 1;

/* Takes over what came of a request: the reply, or NULL with the reason as the contender's outcome. */
static json_t *take(struct contender *contender, struct rounds *rounds, json_t *reply, const struct error *err)
{
    if (reply)
        return reply;
    if (err->status == STATUS_ABANDONED)
        rounds->interrupted = true;
    contender->outcome = *err;
    return NULL;
}

static json_t *ask(struct contender *contender, struct rounds *rounds, json_t *request, double expected)
{
    struct error err = { .status = STATUS_OK };
    json_t *reply = remote_ask(contender->remote, request, expected, &err);
    return take(contender, rounds, reply, &err);
}

/* The worker's reply, as a journal line of this cell. */
static void write_reply(struct contender *contender, struct rounds *rounds, const char *line, json_t *reply)
{
    json_object_del(reply, "ok");
    json_object_set_new(reply, "line", json_string(line));
    json_object_set_new(reply, "cell", json_string(contender->cell->key));
    ledger_write(rounds->ledger, reply);
}

/* Processor seconds that this run has burnt so far: what the machine was busy with beyond them, others were. */
static double own_seconds(const struct rounds *rounds)
{
    double seconds = clock_cpu_family();
    for (unsigned i = 0; i < rounds->contenders; i++)
        seconds += remote_cpu(rounds->contender[i].remote);
    return seconds;
}

/* The machine as the worker meets it. Scripted time has nothing to do with this machine. */
static bool write_state(struct contender *contender, struct rounds *rounds, const char *when)
{
    if (backend_find(contender->cell->device->backend)->now)
        return true;
    double start = clock_wall();
    json_t *reply = ask(contender, rounds, json_pack("{s:s}", "do", "state"), 1);
    if (!reply)
        return false;
    json_object_set_new(reply, "when", json_string(when));
    json_object_set_new(reply, "own", json_real(own_seconds(rounds)));
    json_object_set_new(reply, "probes_ns", journal_ns(clock_wall() - start));
    write_reply(contender, rounds, "state", reply);
    return true;
}

static bool first_run(struct contender *contender, struct rounds *rounds)
{
    const struct remote_setup *setup = rounds->setup;
    const struct cell *cell = contender->cell;
    struct error err = { .status = STATUS_OK };
    json_t *request = cell_to_request(cell, rounds->options, setup->host->worker_threads);
    json_t *reply = remote_open(contender->remote, request, cell_host_seconds(cell), &err);
    if (!take(contender, rounds, reply, &err))
        return false;
    contender->course[SERIES_RESIDENT].run = remote_seconds(reply, "run_ns");
    contender->course[SERIES_OFFLOAD].run =
        remote_seconds(reply, "upload_ns") + remote_seconds(reply, "repack_ns") + remote_seconds(reply, "download_ns");
    bool moves = !cell->device->works_in_host_memory && problem_moves(&cell->problem);
    contender->counts_energy = json_is_true(json_object_get(reply, "counts_energy"));
    contender->offloads = moves || json_is_integer(json_object_get(reply, "repack_ns"));
    json_object_set_new(reply, "cache", json_string("kept"));
    json_object_set_new(reply, "environment", remote_environment(setup, cell->device->works_in_host_memory));
    write_reply(contender, rounds, "first", reply);
    return true;
}

/* Any single run may have been disturbed, and the first found pages that nobody had touched. 0 is unknown. */
static double faster_of(double one, double other)
{
    return one > 0 && other > 0 ? fmin(one, other) : fmax(one, other);
}

static bool verify(struct contender *contender, struct rounds *rounds, const char *pass)
{
    struct course *resident = &contender->course[SERIES_RESIDENT];
    const struct cell *cell = contender->cell;
    double checking = cell_host_seconds(cell) + answers_work(&cell->problem) / slow_check;
    double running = CHECKS_MAX * resident->run;
    json_t *request = json_pack("{s:s, s:s}", "do", "verify", "pass", pass);
    json_t *reply = ask(contender, rounds, request, checking + running);
    if (!reply)
        return false;
    resident->run = faster_of(resident->run, remote_seconds(reply, "run_ns"));
    json_object_set_new(reply, "pass", json_string(pass));
    write_reply(contender, rounds, "verify", reply);
    return true;
}

static bool warm(struct contender *contender, struct rounds *rounds, enum series series)
{
    struct course *course = &contender->course[series];
    json_t *request = json_pack("{s:s, s:s}", "do", "warmup", "series", series_name(series));
    json_t *reply = ask(contender, rounds, request, 1 + 10 * course->run);
    if (!reply)
        return false;
    course->run = remote_seconds(reply, "wall_ns");
    course->active = true;
    json_object_set_new(reply, "series", json_string(series_name(series)));
    write_reply(contender, rounds, "warmup", reply);
    return true;
}

static bool fits_budget(struct contender *contender, const struct rounds *rounds, double run)
{
    char takes[TEXT_NUMBER], has[TEXT_NUMBER];
    if (sampler_rounds_that_fit(&rounds->rule, run) > 0)
        return true;
    return fail(&contender->outcome, STATUS_TOO_SLOW, "one run takes %s, the budget is %s (--budget gives more)",
                text_seconds(takes, run), text_seconds(has, rounds->rule.budget));
}

/* Throughput, where a run is so short that one wait for many makes a difference. On the host's own cores nobody waits
 * for a device, of runs that wait for none only the first would be cold, and thresholds are those of single uses. */
static bool warm_queued(struct contender *contender, struct rounds *rounds)
{
    double run = contender->course[SERIES_RESIDENT].run;
    bool is_sweep = rounds->options->verb == VERB_SWEEP;
    if (contender->cell->device->works_in_host_memory || contender->cell->flush > 0 || is_sweep || !(run < short_run))
        return true;
    contender->course[SERIES_QUEUED].run = run;
    return warm(contender, rounds, SERIES_QUEUED);
}

static bool warm_offload(struct contender *contender, struct rounds *rounds)
{
    struct course *offload = &contender->course[SERIES_OFFLOAD];
    offload->run += contender->course[SERIES_RESIDENT].run; /* warm: the first one may have compiled, or been stalled */
    if (offload->run < FIRST_OVER_STEADY * rounds->rule.budget && !warm(contender, rounds, SERIES_OFFLOAD))
        return false;
    if (!problem_computes(&contender->cell->problem))
        return fits_budget(contender, rounds, offload->run);
    if (sampler_rounds_that_fit(&rounds->rule, offload->run) > 0)
        return true;
    offload->active = false;
    ledger_note(rounds->ledger, contender->cell->key, "offload not measured: one run exceeds the budget");
    return true;
}

/* What is measured of a cell. */
static bool warm_all(struct contender *contender, struct rounds *rounds)
{
    bool computes = problem_computes(&contender->cell->problem);
    if (computes && !(warm(contender, rounds, SERIES_RESIDENT) && warm_queued(contender, rounds)))
        return false;
    return !contender->offloads || warm_offload(contender, rounds);
}

/* What goes on with the cell before its rounds, or after them, and with how many bytes where that takes long. */
static void announce(const struct contender *contender, struct rounds *rounds, double seconds, const char *at_length,
                     const char *shortly)
{
    const struct cell *cell = contender->cell;
    char label[CELL_TEXT], doing[CELL_TEXT], bytes[TEXT_NUMBER];
    bool is_long = seconds > noticeable;
    snprintf(doing, sizeof doing, "%s  %s%s%s", cell->device->id, is_long ? at_length : shortly, is_long ? " " : "",
             is_long ? text_bytes(bytes, cell_host_bytes(cell)) : "");
    progress_announce(rounds->progress, cell_label(cell, label), doing);
}

void contender_open(struct contender *contender, struct rounds *rounds)
{
    const char *id = contender->cell->device->id;
    int log = chatter_open(rounds->ledger->path, id);
    contender->chatter = chatter_length(rounds->ledger->path, id);
    announce(contender, rounds, cell_opening_seconds(contender->cell), "preparing", "opening");
    contender->remote =
        remote_start(rounds->setup, contender->cell->device->works_in_host_memory, log, &contender->outcome);
    if (log >= 0)
        close(log);
    bool ready = contender->remote && first_run(contender, rounds) && verify(contender, rounds, "before") &&
                 fits_budget(contender, rounds, contender->course[SERIES_RESIDENT].run) &&
                 warm_all(contender, rounds) && write_state(contender, rounds, "before");
    rounds->progress->done += cell_opening_seconds(contender->cell);
    if (ready)
        return;
    contender->lacks_device = contender->outcome.status == STATUS_FAILED && remote_lacks_device(contender->remote);
    remote_end(contender->remote);
    contender->remote = NULL;
    for (enum series series = 0; series < SERIES_COUNT; series++)
        contender->course[series].active = false;
}

bool contender_reopen(struct contender *contender, struct rounds *rounds, const struct error *why)
{
    char note[sizeof why->message + 64];
    bool died = why->status == STATUS_CRASHED || why->status == STATUS_TIMEOUT;
    if (contender->was_replaced || !died)
        return false;
    contender->was_replaced = true;
    remote_end(contender->remote);
    contender->remote = NULL;
    snprintf(note, sizeof note, "its worker died once (%s); a fresh one went on", why->message);
    ledger_note(rounds->ledger, contender->cell->key, note);
    struct course before[SERIES_COUNT];
    memcpy(before, contender->course, sizeof before);
    contender_open(contender, rounds);
    /* What was over stays over, and what was spent is spent. */
    for (enum series series = 0; series < SERIES_COUNT; series++) {
        contender->course[series].active = before[series].active;
        contender->course[series].spent = before[series].spent;
    }
    return contender->remote != NULL;
}

/* Whether runs of it may be metered, wherever the device counts its energy. */
static bool suits_metering(const struct cell *cell, const struct options *options)
{
    const struct workload *workload = cell->problem.workload;
    return problem_computes(&cell->problem) && workload->variants && !workload->roof && cell->flush == 0 &&
           options->verb != VERB_SWEEP;
}

static bool is_metered(const struct contender *contender, const struct rounds *rounds)
{
    double run = contender->course[SERIES_RESIDENT].run;
    return contender->counts_energy && suits_metering(contender->cell, rounds->options) && run > 0 && run < long_run;
}

static double metering_seconds(double budget)
{
    return fmax(least_metering, fmin(metering, budget / 4));
}

/* Who tells a limit of its power mostly counts its energy, which only the open device says. */
double contender_closing_seconds(const struct cell *cell, const struct options *options, double budget)
{
    bool may_count = cell->device->power_limit > 0 && suits_metering(cell, options);
    return cell_closing_seconds(cell) + (may_count ? settling + metering_seconds(budget) : 0);
}

/* What a run takes of energy: by itself, since the device rests between its slices and its counter is slow. */
static bool meter(struct contender *contender, struct rounds *rounds)
{
    double start = clock_wall(), seconds = metering_seconds(rounds->rule.budget);
    json_t *request = json_pack("{s:s, s:o}", "do", "meter", "ns", journal_ns(seconds));
    json_t *reply = ask(contender, rounds, request, 1 + seconds + 4 * contender->course[SERIES_RESIDENT].run);
    if (!reply)
        return false;
    json_object_set_new(reply, "probes_ns", journal_ns(clock_wall() - start));
    write_reply(contender, rounds, "meter", reply);
    return true;
}

/* What is done once all has its times. */
static bool finish(struct contender *contender, struct rounds *rounds)
{
    return (!is_metered(contender, rounds) || meter(contender, rounds)) && write_state(contender, rounds, "after") &&
           verify(contender, rounds, "after");
}

/* chatter: how much the device had printed before this cell. */
static void write_outcome(const struct cell *cell, struct ledger *ledger, const struct error *outcome, long chatter)
{
    char words[CHATTER_WORDS] = "";
    if (status_is_bad(outcome->status))
        chatter_last_words(words, sizeof words, ledger->path, cell->device->id, chatter);
    ledger_write(ledger, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "line", "outcome", "cell", cell->key, "status",
                                   status_name(outcome->status), "where", outcome->where, "reason", outcome->message,
                                   "log", words));
}

void contender_refuse(const struct cell *cell, struct ledger *ledger, const struct error *why, long chatter)
{
    write_outcome(cell, ledger, why, chatter);
}

/* What cannot be is refused here, so that the journal says so and not only a report. */
static void check_physics(struct contender *contender, const struct rounds *rounds)
{
    const struct record *record = rounds->ledger->record;
    const struct cell_record *cell = record_cell(record, contender->cell->key);
    if (cell && contender->outcome.status == STATUS_OK)
        plausible_cell(record, cell, &contender->outcome);
}

static bool was_measured(const struct contender *contender, const struct rounds *rounds)
{
    const struct cell_record *cell = record_cell(rounds->ledger->record, contender->cell->key);
    return cell && cell->track[cell_headline(cell)].wall.count > 0;
}

/* What was measured before the user interrupted stands, and says that it was not verified again. */
static void settle_interrupted(struct contender *contender, struct rounds *rounds)
{
    contender->outcome = (struct error){ .status = STATUS_OK };
    if (was_measured(contender, rounds))
        ledger_note(rounds->ledger, contender->cell->key, "interrupted: not verified again after timing");
    else
        fail(&contender->outcome, STATUS_ABANDONED, "interrupted before anything was measured");
}

void contender_close(struct contender *contender, struct rounds *rounds)
{
    double seconds = contender_closing_seconds(contender->cell, rounds->options, rounds->rule.budget);
    announce(contender, rounds, cell_closing_seconds(contender->cell), "checking", "closing");
    if (contender->remote && !rounds->interrupted)
        finish(contender, rounds);
    if (rounds->interrupted &&
        (contender->outcome.status == STATUS_OK || contender->outcome.status == STATUS_ABANDONED))
        settle_interrupted(contender, rounds);
    remote_end(contender->remote);
    contender->remote = NULL;
    rounds->progress->done += seconds;
    check_physics(contender, rounds);
    write_outcome(contender->cell, rounds->ledger, &contender->outcome, contender->chatter);
}
