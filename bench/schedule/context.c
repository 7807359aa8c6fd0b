#include "bench/schedule/context.h"

#include "bench/backends/registry.h"
#include "bench/plan/resume.h"
#include "bench/worker/driver_log.h"
#include "config.h"
#include "harness/analysis/figures.h"
#include "harness/base/clock.h"
#include "harness/base/parallel.h"
#include "harness/base/text.h"
#include "harness/machine/host.h"
#include "harness/machine/topology.h"

#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* The relative half width to stop at where a suite has no number of visits. */
static const double usual_precision = 0.02;

static int signals_open(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* False, naming what was asked for, when there is no such device. */
static bool find_baseline(struct context *context, const char *name, struct error *err)
{
    bool chosen[DEVICES_MAX], automatic = strcmp(name, "auto") == 0;
    const char *const words[] = { automatic ? "cpu" : name, NULL };
    if (strcmp(name, "none") == 0)
        return true;
    const char *option = context->options->verb == VERB_SWEEP ? "--device" : "--baseline";
    if (!listing_select(&context->listing, option, words, chosen, automatic ? NULL : err))
        return automatic;
    for (unsigned i = 0; i < context->listing.devices && !context->baseline; i++)
        if (chosen[i])
            context->baseline = &context->listing.device[i];
    return true;
}

int context_open(struct context *context, const struct options *options, struct resume *resume,
                 const char *const devices[], const char *baseline, struct error *err)
{
    *context = (struct context){
        .options = options,
        .resume = resume,
        .started = clock_wall(),
        .setup = { .wake_fd = signals_open(), .timeout = options->timeout, .host = &context->host },
        .rule = { .visits = plan_visits(options),
                  .target = isnan(options->precision) ? usual_precision : options->precision,
                  .budget = plan_budget(options),
                  .deadline = admission_deadline(options) },
        .admission = { .listing = &context->listing },
    };
    tuning_cache_open(&context->tuning_cache, options->retune);
    context->neighbours = neighbours_find();
    if (!host_read(&context->host, "", options->threads, err))
        return EXIT_USAGE;
    listing_read(&context->listing, &context->setup);
    struct pollfd signals = { .fd = context->setup.wake_fd, .events = POLLIN };
    if (poll(&signals, 1, 0) > 0) {
        fail(err, STATUS_ABANDONED, "interrupted while listing devices");
        return EXIT_INTERRUPTED;
    }
    if (!listing_select(&context->listing, "--device", devices, context->selected, err))
        return EXIT_NOTHING;
    return find_baseline(context, baseline, err) ? EXIT_OK : EXIT_NOTHING;
}

void context_close(struct context *context)
{
    output_close(&context->output, false, NULL);
    tuning_cache_close(&context->tuning_cache);
    run_log_free(&context->run_log);
    admission_free(&context->admission);
    listing_free(&context->listing);
    if (context->setup.wake_fd >= 0)
        close(context->setup.wake_fd);
}

bool context_admits(const struct context *context, const struct cell *cell, struct error *why)
{
    if (context->interrupted && cell->refused.status == STATUS_OK)
        return fail(why, STATUS_ABANDONED, "interrupted before this cell was measured");
    return admission_allows(&context->admission, cell, why);
}

double context_time_left(const struct context *context)
{
    return isnan(context->options->time) ? INFINITY : context->options->time - (clock_wall() - context->started);
}

const char *context_recall(const struct context *context, const struct cell *cell, const char *what, const char *more)
{
    char key[TUNING_KEY_MAX];
    return tuning_cache_find(&context->tuning_cache,
                             tuning_key(key, what, cell, context->setup.host->worker_threads, more));
}

void context_remember(struct context *context, const struct cell *cell, const char *what, const char *more,
                      const char *value, bool is_lasting)
{
    char key[TUNING_KEY_MAX];
    tuning_cache_set(&context->tuning_cache, tuning_key(key, what, cell, context->setup.host->worker_threads, more),
                     value, is_lasting && !backend_is_scripted(cell->device->backend));
}

/* By the file, since the name of a journal may have placeholders. */
static bool open_new(struct context *context, struct error *err)
{
    const char *output = context->options->output, *const own[] = { context->run_log.path, NULL };
    return run_log_open(&context->run_log, context->options->journal, &context->interrupted, err) &&
           (!output || !path_same(own, 1, output) ||
            fail(err, STATUS_USAGE, "--output %.80s: is one of the journals; give another name", output));
}

bool context_open_journal(struct context *context, struct error *err)
{
    if (!output_open(&context->output, context->options, err))
        return false;
    if (!context->resume)
        return open_new(context, err);
    json_t *libraries = context_libraries();
    bool taken =
        resume_check(context->resume, &context->host, libraries, &context->listing, context->takes_part, err) &&
        resume_take(context->resume, &context->run_log, &context->interrupted, err);
    json_decref(libraries);
    return taken;
}

/* --- the first and the last lines of a journal --- */

/* A command line may hold any bytes; JSON holds text only. */
static json_t *command_to_json(const struct options *options)
{
    char word[4096];
    json_t *command = json_array();
    for (int i = 0; i < options->argc; i++) {
        text_clean(word, sizeof word, options->argv[i]);
        json_array_append_new(command, json_string(word));
    }
    return command;
}

json_t *context_libraries(void)
{
    char hwloc[TOPOLOGY_VERSION];
    return json_pack("{s:s, s:s, s:s, s:s, s:s}", "jansson", jansson_version_str(), "hwloc", topology_version(hwloc),
                     "openmp", parallel_runtime(), "opencl_loader", OPENCL_FOUND, "compiler", __VERSION__);
}

/* Whether the backend has devices and none of them takes part: then the reason why it lacks others is left out. */
static bool is_left_out(const struct context *context, const char *backend)
{
    unsigned devices = 0, taken = 0;
    for (unsigned i = 0; i < context->listing.devices; i++) {
        bool is_of_it = strcmp(context->listing.device[i].backend, backend) == 0;
        devices += is_of_it;
        taken += is_of_it && context->takes_part[i];
    }
    return devices > 0 && taken == 0;
}

static void write_head(struct context *context, const char *date)
{
    const char *seed = PRINTED(24, "%" PRIu64, context->options->seed);
    run_log_write(&context->run_log, json_pack("{s:s, s:s, s:s, s:s, s:o, s:s, s:o, s:o, s:o}", "line", "journal",
                                               "schema", JOURNAL_SCHEMA, "version", BENCH_VERSION, "started", date,
                                               "command", command_to_json(context->options), "seed", seed, "options",
                                               options_to_json(context->options), "host", host_to_json(&context->host),
                                               "libraries", context_libraries()));
    json_t *absent;
    size_t i;
    json_array_foreach (context->listing.absent, i, absent)
        if (!is_left_out(context, journal_text(absent, "backend")))
            run_log_write(&context->run_log, json_incref(absent));
    for (unsigned d = 0; d < context->listing.devices; d++) {
        if (!context->takes_part[d])
            continue;
        json_t *line = device_to_json(&context->listing.device[d]);
        json_object_set_new(line, "line", json_string("device"));
        run_log_write(&context->run_log, line);
    }
}

/* Whatever disturbs a look at the processor's clock makes it slower, so the highest one counts: that of the listing, or
 * that of now. */
static void measure_clock(struct context *context)
{
    struct host *host = &context->host;
    host->clock = host_measure_clock(0.05);
    for (unsigned i = 0; i < context->listing.devices; i++) {
        struct device *device = &context->listing.device[i];
        if (device->class == CLASS_CPU && strcmp(device->clock_origin, "measured") == 0)
            host->clock = device->clock = fmax(host->clock, device->clock); /* ignores NAN */
    }
}

void context_begin(struct context *context, double seconds)
{
    char date[21];
    measure_clock(context);
    clock_date(date);
    if (context->resume)
        run_log_write(&context->run_log, json_pack("{s:s, s:s, s:o}", "line", "resume", "started", date, "command",
                                                   command_to_json(context->options)));
    else
        write_head(context, date);
    progress_start(&context->progress, context->options->quiet, seconds, context->options->time);
    if (!context->resume)
        progress_note(&context->progress, "journal: %s", context->run_log.path);
    if (*context->tuning_cache.trouble)
        progress_note(&context->progress, "%s", context->tuning_cache.trouble);
}

void context_end(struct context *context, bool is_whole)
{
    const bool is_complete = is_whole && !context->interrupted, is_full = context->run_log.fault.status != STATUS_OK;
    char after[64] = "";
    if (context->blocks > 0)
        snprintf(after, sizeof after, " after %u of %u rows", context->finished, context->blocks);
    struct error err = { .status = STATUS_OK };
    progress_wipe(&context->progress);
    /* What was tuned only saves time: where it cannot be written the run has not failed. */
    if (!tuning_cache_write(&context->tuning_cache, &err))
        progress_note(&context->progress, "what was tuned is not remembered: %s", err.message);
    for (unsigned i = 0; i < context->listing.devices; i++)
        driver_log_tidy(context->run_log.path, context->listing.device[i].id);
    for (unsigned i = 0; i < context->run_log.record->cells; i++)
        if (context->run_log.record->cell[i]->ended)
            run_log_write(&context->run_log,
                          record_headline_line(context->run_log.record, context->run_log.record->cell[i]));
    run_log_write(&context->run_log,
                  json_pack("{s:s, s:s, s:o, s:o}", "line", "end", "status", is_complete ? "complete" : "interrupted",
                            "elapsed_ns", journal_ns(clock_wall() - context->run_log.started), "probes_ns",
                            journal_ns(context->run_log.record->probing)));
    run_log_close(&context->run_log);
    if (!is_complete)
        progress_note(&context->progress, "%s%s: '%s %s --resume %s' completes it%s",
                      is_full                ? "ended"
                      : context->interrupted ? "interrupted"
                                             : "not complete",
                      after, context->options->argv[0], context->options->verb == VERB_SWEEP ? "sweep" : "run",
                      context->run_log.path, is_full ? " once the journal can be written" : "");
}
