#include "bench/stand.h"

#include "bench/chatter.h"
#include "bench/terminal.h"
#include "config.h"
#include "harness/clock.h"
#include "harness/host.h"
#include "harness/parallel.h"
#include "harness/report.h"
#include "harness/text.h"

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
    stand->gate = (struct gate){ .options = options, .listing = &stand->listing };
    if (!host_read(&stand->host, "", options->threads, err))
        return EXIT_USAGE;
    stand->setup.host = &stand->host;
    stand->setup.patience = options->timeout;
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
    ledger_free(&stand->ledger);
    gate_free(&stand->gate);
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
        .gate = &stand->gate,
        .ledger = &stand->ledger,
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

static void write_head(struct stand *stand, int argc, char *const argv[])
{
    char date[21], seed[24];
    snprintf(seed, sizeof seed, "%" PRIu64, stand->options->seed);
    clock_date(date);
    ledger_write(&stand->ledger,
                 json_pack("{s:s, s:s, s:s, s:s, s:o, s:s, s:o, s:o, s:o}", "line", "journal", "schema", JOURNAL_SCHEMA,
                           "version", BENCH_VERSION, "started", date, "command", command_to_json(argc, argv), "seed",
                           seed, "options", options_to_json(stand->options), "host", host_to_json(&stand->host),
                           "libraries", libraries_to_json()));
    json_t *absent;
    size_t i;
    json_array_foreach (stand->listing.absent, i, absent)
        ledger_write(&stand->ledger, json_incref(absent));
}

static void write_devices(struct stand *stand, const bool takes_part[DEVICES_MAX])
{
    for (unsigned i = 0; i < stand->listing.devices; i++) {
        if (!takes_part[i])
            continue;
        json_t *line = device_to_json(&stand->listing.device[i]);
        json_object_set_new(line, "line", json_string("device"));
        ledger_write(&stand->ledger, line);
    }
}

void stand_begin(struct stand *stand, int argc, char *const argv[], const bool takes_part[DEVICES_MAX], double seconds)
{
    stand->host.clock = host_measure_clock(0.05);
    write_head(stand, argc, argv);
    write_devices(stand, takes_part);
    progress_start(&stand->progress, stand->options->quiet, seconds);
    progress_note(&stand->progress, "journal: %s", stand->ledger.path);
}

void stand_end(struct stand *stand)
{
    progress_wipe(&stand->progress);
    for (unsigned i = 0; i < stand->listing.devices; i++)
        chatter_tidy(stand->ledger.path, stand->listing.device[i].id);
    ledger_write(&stand->ledger, json_pack("{s:s, s:s, s:o, s:o}", "line", "end", "status",
                                           stand->gate.interrupted ? "interrupted" : "complete", "elapsed_ns",
                                           journal_ns(clock_wall() - stand->ledger.started), "probes_ns",
                                           journal_ns(stand->ledger.probing)));
    ledger_close(&stand->ledger);
}

bool stand_tell(struct stand *stand, struct error *err)
{
    const struct error *fault = &stand->ledger.fault;
    const struct layout layout = { .width = terminal_width(stand->options) };
    if (!report_write_run(report_find(stand->options->format), stand->ledger.record, &layout, stdout, err))
        return false;
    return fault->status == STATUS_OK || fail_in(err, fault->where, fault->status, "%s", fault->message);
}

int stand_status(const struct stand *stand, bool complete)
{
    const struct record *record = stand->ledger.record;
    bool bad = !complete;
    for (unsigned i = 0; i < record->cells; i++)
        bad = bad || status_is_bad(record->cell[i]->outcome.status);
    if (stand->gate.interrupted)
        return EXIT_INTERRUPTED;
    return bad ? EXIT_BAD_CELL : EXIT_OK;
}
