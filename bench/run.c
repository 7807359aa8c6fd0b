#include "bench/run.h"

#include "bench/block.h"
#include "bench/chatter.h"
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

/* A run plans cells: a problem, a device, a method and a kind of memory each. The cells of one problem are a block. In
 * it those that differ in nothing but the method are candidates for one row of the report: calibration tries each of
 * them and leaves the fastest, and only that is verified and measured, in turn with the other rows. */
struct run {
    const struct options *options;
    struct host host;
    struct remote_setup setup;     /* what all workers have in common */
    struct listing listing;        /* the devices found */
    const struct device *baseline; /* that all others are compared with; NULL when there is to be none */
    struct plan plan;              /* the cells, block by block */
    struct gate gate;              /* which of them are opened at all, by what the run has seen so far */
    struct ledger ledger;          /* what was found: journal and record */
    struct progress progress;
};

/* From here on an interrupt is something to read, not something that ends the program. */
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

/* The lines that a journal begins with. */
static void write_head(struct run *run, int argc, char *const argv[])
{
    char date[21], seed[24];
    snprintf(seed, sizeof seed, "%" PRIu64, run->options->seed);
    clock_date(date);
    ledger_write(&run->ledger,
                 json_pack("{s:s, s:s, s:s, s:s, s:o, s:s, s:o, s:o, s:o}", "line", "journal", "schema", JOURNAL_SCHEMA,
                           "version", BENCH_VERSION, "started", date, "command", command_to_json(argc, argv), "seed",
                           seed, "options", options_to_json(run->options), "host", host_to_json(&run->host),
                           "libraries", libraries_to_json()));
    json_t *absent;
    size_t i;
    json_array_foreach (run->listing.absent, i, absent)
        ledger_write(&run->ledger, json_incref(absent));
}

/* Devices that take part. */
static void write_devices(struct run *run)
{
    for (unsigned i = 0; i < run->listing.devices; i++) {
        bool takes_part = false;
        for (unsigned j = 0; j < run->plan.cells; j++)
            takes_part = takes_part || run->plan.cell[j].device == &run->listing.device[i];
        if (!takes_part)
            continue;
        json_t *line = device_to_json(&run->listing.device[i]);
        json_object_set_new(line, "line", json_string("device"));
        ledger_write(&run->ledger, line);
    }
}

/* The end of the block that begins at `first`: the cells of one problem stand together. */
static unsigned block_end(const struct plan *plan, unsigned first)
{
    unsigned end = first + 1;
    while (end < plan->cells && strcmp(plan->cell[end].block, plan->cell[first].block) == 0)
        end++;
    return end;
}

static double planned_seconds(const struct bench *bench, const struct plan *plan)
{
    double seconds = 0;
    for (unsigned first = 0, end; first < plan->cells; first = end) {
        end = block_end(plan, first);
        seconds += block_seconds(bench, &plan->cell[first], end - first);
    }
    return seconds;
}

/* One line for all problems that an interrupt left alone. */
static void note_not_begun(const struct bench *bench, const struct plan *plan, unsigned first)
{
    char text[900] = "not begun: ";
    size_t used = strlen(text);
    for (unsigned end; first < plan->cells; first = end) {
        end = block_end(plan, first);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", plan->cell[first].block,
                                 end < plan->cells ? ", " : "");
        used = used < sizeof text ? used : sizeof text - 1;
    }
    ledger_note(bench->ledger, "", text);
}

/* Block by block. What a block did not need of the time planned for it is over with it. */
static bool measure_all(const struct bench *bench, const struct plan *plan, struct error *err)
{
    double planned = 0;
    for (unsigned first = 0, end; first < plan->cells; first = end) {
        end = block_end(plan, first);
        if (bench->gate->interrupted) {
            note_not_begun(bench, plan, first);
            break;
        }
        if (!block_measure(bench, &plan->cell[first], end - first, err))
            return false;
        planned += block_seconds(bench, &plan->cell[first], end - first);
        bench->progress->done = planned;
    }
    return true;
}

static void write_end(struct run *run)
{
    for (unsigned i = 0; i < run->listing.devices; i++)
        chatter_tidy(run->ledger.path, run->listing.device[i].id);
    ledger_write(&run->ledger, json_pack("{s:s, s:s, s:o}", "line", "end", "status",
                                         run->gate.interrupted ? "interrupted" : "complete", "elapsed_ns",
                                         journal_ns(clock_wall() - run->ledger.started)));
    ledger_close(&run->ledger);
}

static int exit_status_of(const struct run *run)
{
    const struct record *record = run->ledger.record;
    bool bad = false;
    for (unsigned i = 0; i < record->cells; i++)
        bad = bad || status_is_bad(record->cell[i]->outcome.status);
    if (run->gate.interrupted)
        return EXIT_INTERRUPTED;
    return bad ? EXIT_BAD_CELL : EXIT_OK;
}

/* False, naming what was asked for, when there is no such device. */
static bool find_baseline(struct run *run, struct error *err)
{
    const char *name = run->options->baseline;
    bool chosen[DEVICES_MAX], automatic = strcmp(name, "auto") == 0;
    const char *const words[] = { automatic ? "cpu" : name, NULL };
    if (strcmp(name, "none") == 0)
        return true;
    if (!listing_select(&run->listing, "--baseline", words, chosen, automatic ? NULL : err))
        return automatic;
    for (unsigned i = 0; i < run->listing.devices && !run->baseline; i++)
        if (chosen[i])
            run->baseline = &run->listing.device[i];
    return true;
}

static bool was_interrupted(const struct run *run)
{
    struct pollfd signals = { .fd = run->setup.wake_fd, .events = POLLIN };
    return poll(&signals, 1, 0) > 0;
}

/* Everything up to the first measurement. Returns EXIT_OK, or with err filled the status to leave with. */
static int prepare(struct run *run, struct error *err)
{
    bool chosen[DEVICES_MAX];
    if (!host_read(&run->host, "", run->options->threads, err))
        return EXIT_USAGE;
    run->setup.host = &run->host;
    run->setup.patience = run->options->timeout;
    listing_read(&run->listing, &run->setup);
    if (was_interrupted(run)) {
        fail(err, STATUS_ABANDONED, "interrupted while listing devices");
        return EXIT_INTERRUPTED;
    }
    if (!listing_select(&run->listing, "--device", run->options->device, chosen, err))
        return EXIT_NO_DEVICE;
    bool ready = find_baseline(run, err) &&
                 plan_make(&run->plan, run->options, &run->listing, chosen, run->baseline, err) &&
                 ledger_open(&run->ledger, run->options->output, err);
    return ready ? EXIT_OK : EXIT_USAGE;
}

static bool measure(struct run *run, int argc, char *const argv[], struct error *err)
{
    const struct bench bench = {
        .options = run->options,
        .setup = &run->setup,
        .baseline = run->baseline,
        .gate = &run->gate,
        .ledger = &run->ledger,
        .progress = &run->progress,
    };
    run->host.clock = host_measure_clock(0.05);
    write_head(run, argc, argv);
    write_devices(run);
    progress_start(&run->progress, run->options->quiet, planned_seconds(&bench, &run->plan));
    progress_note(&run->progress, "journal: %s", run->ledger.path);
    bool ok = measure_all(&bench, &run->plan, err);
    progress_wipe(&run->progress);
    write_end(run);
    return ok;
}

/* The report, and whether all of it and of the journal could be written. */
static bool tell(struct run *run, struct error *err)
{
    const struct error *fault = &run->ledger.fault;
    if (!report_find(run->options->format)->write(run->ledger.record, stdout, err))
        return false;
    return fault->status == STATUS_OK || fail_in(err, fault->where, fault->status, "%s", fault->message);
}

int run(const struct options *options, int argc, char *const argv[], struct error *err)
{
    struct run run = { .options = options, .setup = { .wake_fd = signals_open() } };
    run.gate = (struct gate){ .options = options, .listing = &run.listing };
    int status = prepare(&run, err);
    if (status == EXIT_OK) {
        bool measured = measure(&run, argc, argv, err), told = tell(&run, err);
        status = exit_status_of(&run);
        if (status == EXIT_OK && !(measured && told))
            status = EXIT_BAD_CELL;
    }
    ledger_free(&run.ledger);
    gate_free(&run.gate);
    plan_free(&run.plan);
    listing_free(&run.listing);
    if (run.setup.wake_fd >= 0)
        close(run.setup.wake_fd);
    return status;
}
