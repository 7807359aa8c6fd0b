#include "bench/schedule/context.h"

#include "bench/schedule/driver_log.h"
#include "bench/schedule/resume.h"
#include "config.h"
#include "harness/base/clock.h"
#include "harness/base/parallel.h"
#include "harness/base/text.h"
#include "harness/machine/host.h"
#include "harness/report/report.h"

#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

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
static bool find_baseline(struct stand *stand, const char *name, struct error *err)
{
    bool chosen[DEVICES_MAX], automatic = strcmp(name, "auto") == 0;
    const char *const words[] = { automatic ? "cpu" : name, NULL };
    if (strcmp(name, "none") == 0)
        return true;
    const char *option = stand->options->verb == VERB_SWEEP ? "--device" : "--baseline";
    if (!listing_select(&stand->listing, option, words, chosen, automatic ? NULL : err))
        return automatic;
    for (unsigned i = 0; i < stand->listing.devices && !stand->baseline; i++)
        if (chosen[i])
            stand->baseline = &stand->listing.device[i];
    return true;
}

static bool was_interrupted(const struct stand *stand)
{
    struct pollfd signals = { .fd = stand->setup.wake_fd, .events = POLLIN };
    return poll(&signals, 1, 0) > 0;
}

int stand_open(struct stand *stand, const struct options *options, const char *const devices[], const char *baseline,
               struct error *err)
{
    *stand = (struct stand){ .options = options, .setup = { .wake_fd = signals_open() } };
    stand->admission = (struct admission){ .options = options, .listing = &stand->listing };
    if (!host_read(&stand->host, "", options->threads, err))
        return EXIT_USAGE;
    stand->setup.host = &stand->host;
    stand->setup.timeout = options->timeout;
    listing_read(&stand->listing, &stand->setup);
    if (was_interrupted(stand)) {
        fail(err, STATUS_ABANDONED, "interrupted while listing devices");
        return EXIT_INTERRUPTED;
    }
    if (!listing_select(&stand->listing, "--device", devices, stand->chosen, err))
        return EXIT_NO_DEVICE;
    return find_baseline(stand, baseline, err) ? EXIT_OK : EXIT_NO_DEVICE;
}

void stand_close(struct stand *stand)
{
    run_log_free(&stand->run_log);
    admission_free(&stand->admission);
    listing_free(&stand->listing);
    if (stand->setup.wake_fd >= 0)
        close(stand->setup.wake_fd);
}

struct bench stand_bench(struct stand *stand)
{
    return (struct bench){
        .options = stand->options,
        .setup = &stand->setup,
        .baseline = stand->baseline,
        .rule = { .target = stand->options->precision, .budget = plan_budget(stand->options) },
        .admission = &stand->admission,
        .run_log = &stand->run_log,
        .progress = &stand->progress,
    };
}

/* Anything may stand on a command line; JSON holds text only. */
static json_t *command_to_json(int argc, char *const argv[])
{
    char word[4096];
    json_t *command = json_array();
    for (int i = 0; i < argc; i++) {
        text_clean(word, sizeof word, argv[i]);
        json_array_append_new(command, json_string(word));
    }
    return command;
}

/* What is linked into the program, by version; "" where the build did without. Drivers stand with their devices. */
static json_t *libraries_to_json(void)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s}", "jansson", jansson_version_str(), "hwloc", HWLOC_FOUND, "openmp",
                     parallel_runtime(), "opencl_loader", OPENCL_FOUND, "compiler", __VERSION__);
}

/* Whether it has devices of that backend, and nobody asked for them: then what else it lacks is nobody's concern. */
static bool is_left_out(const struct listing *listing, const bool takes_part[DEVICES_MAX], const char *backend)
{
    unsigned devices = 0, taken = 0;
    for (unsigned i = 0; i < listing->devices; i++) {
        bool is_of_it = strcmp(listing->device[i].backend, backend) == 0;
        devices += is_of_it;
        taken += is_of_it && takes_part[i];
    }
    return devices > 0 && taken == 0;
}

static void write_head(struct stand *stand, int argc, char *const argv[], const bool takes_part[DEVICES_MAX])
{
    char date[21], seed[24];
    snprintf(seed, sizeof seed, "%" PRIu64, stand->options->seed);
    clock_date(date);
    run_log_write(&stand->run_log,
                  json_pack("{s:s, s:s, s:s, s:s, s:o, s:s, s:o, s:o, s:o}", "line", "journal", "schema",
                            JOURNAL_SCHEMA, "version", BENCH_VERSION, "started", date, "command",
                            command_to_json(argc, argv), "seed", seed, "options", options_to_json(stand->options),
                            "host", host_to_json(&stand->host), "libraries", libraries_to_json()));
    json_t *absent;
    size_t i;
    json_array_foreach (stand->listing.absent, i, absent)
        if (!is_left_out(&stand->listing, takes_part, json_string_value(json_object_get(absent, "backend"))))
            run_log_write(&stand->run_log, json_incref(absent));
}

bool stand_journal(struct stand *stand, struct resume *resume, const bool takes_part[DEVICES_MAX], struct error *err)
{
    if (!resume)
        return run_log_open(&stand->run_log, stand->options->output, err);
    json_t *libraries = libraries_to_json();
    bool taken = resume_check(resume, &stand->host, libraries, &stand->listing, takes_part, err) &&
                 resume_take(resume, &stand->run_log, err);
    json_decref(libraries);
    return taken;
}

/* What is not done is forgotten, by name: so that who reads the journal need not find out. */
static void write_resume(struct stand *stand, int argc, char *const argv[])
{
    const struct record *record = stand->run_log.record;
    char date[21];
    json_t *forgets = json_array();
    for (unsigned i = 0; i < record->blocks; i++)
        if (!record->block[i].is_done)
            json_array_append_new(forgets, json_string(record->block[i].name));
    clock_date(date);
    run_log_write(&stand->run_log, json_pack("{s:s, s:s, s:o, s:o}", "line", "resume", "started", date, "command",
                                             command_to_json(argc, argv), "forgets", forgets));
}

static void write_devices(struct stand *stand, const bool takes_part[DEVICES_MAX])
{
    for (unsigned i = 0; i < stand->listing.devices; i++) {
        if (!takes_part[i])
            continue;
        json_t *line = device_to_json(&stand->listing.device[i]);
        json_object_set_new(line, "line", json_string("device"));
        run_log_write(&stand->run_log, line);
    }
}

void stand_begin(struct stand *stand, int argc, char *const argv[], const bool takes_part[DEVICES_MAX], double seconds)
{
    const bool is_resumed = stand->run_log.record->head != NULL;
    stand->host.clock = host_measure_clock(0.05);
    if (is_resumed) {
        write_resume(stand, argc, argv);
    } else {
        write_head(stand, argc, argv, takes_part);
        write_devices(stand, takes_part);
    }
    progress_start(&stand->progress, stand->options->quiet, seconds);
    if (!is_resumed)
        progress_note(&stand->progress, "journal: %s", stand->run_log.path);
}

void stand_end(struct stand *stand)
{
    progress_wipe(&stand->progress);
    for (unsigned i = 0; i < stand->listing.devices; i++)
        driver_log_tidy(stand->run_log.path, stand->listing.device[i].id);
    run_log_write(&stand->run_log, json_pack("{s:s, s:s, s:o, s:o}", "line", "end", "status",
                                             stand->admission.interrupted ? "interrupted" : "complete", "elapsed_ns",
                                             journal_ns(clock_wall() - stand->run_log.started), "probes_ns",
                                             journal_ns(stand->run_log.probing)));
    run_log_close(&stand->run_log);
    if (stand->admission.interrupted)
        progress_note(&stand->progress, "interrupted: 'bench %s --resume %s' completes it",
                      stand->options->verb == VERB_SWEEP ? "sweep" : "run", stand->run_log.path);
}

bool stand_print(const struct options *options, struct record *record, struct error *err)
{
    const struct layout layout = { .width = terminal_width(options) };
    return report_write_run(report_find(options->format), record, &layout, stdout, err);
}

bool stand_tell(struct stand *stand, struct error *err)
{
    const struct error *fault = &stand->run_log.fault;
    if (!stand_print(stand->options, stand->run_log.record, err))
        return false;
    return fault->status == STATUS_OK || fail_in(err, fault->where, fault->status, "%s", fault->message);
}

int stand_status_of(const struct record *record)
{
    for (unsigned i = 0; i < record->cells; i++)
        if (status_is_bad(record->cell[i]->outcome.status))
            return EXIT_BAD_CELL;
    return EXIT_OK;
}

int stand_status(const struct stand *stand, bool complete)
{
    if (stand->admission.interrupted)
        return EXIT_INTERRUPTED;
    return complete ? stand_status_of(stand->run_log.record) : EXIT_BAD_CELL;
}
