#include "bench/run.h"

#include "bench/block.h"
#include "bench/calibrate.h"
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

struct run {
    const struct options *options;
    struct host host;
    struct remote_setup setup;
    struct listing listing;
    const struct device *baseline; /* that all others are compared with; NULL when there is to be none */
    struct plan plan;
    struct gate gate;
    struct ledger ledger;
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

/* How many budgets a row spends: its own series, and the baseline's beside them. */
static unsigned series_beside(const struct run *run, const struct cell *cell)
{
    bool computes = cell->problem.workload->variants != NULL;
    bool in_turn = run->options->order == ORDER_INTERLEAVED && run->baseline && computes;
    bool is_beside = in_turn && cell->device != run->baseline;
    if (cell->device->works_in_host_memory && !is_beside)
        return in_turn && run->plan.rows > 1 ? 0 : 1;
    if (!computes)
        return 1;
    return in_turn ? 3 : 2;
}

/* Seconds that it takes if every series of every row spends its budget, and the baseline as much beside each row; and
 * if methods are tried wherever a row has several. */
static double planned_seconds(const struct run *run)
{
    double seconds = 0;
    const struct cell *before = NULL;
    for (unsigned i = 0; i < run->plan.cells; i++) {
        const struct cell *cell = &run->plan.cell[i];
        if (cell->refused.status != STATUS_OK)
            continue;
        bool is_rival = before && before->row == cell->row;
        seconds += is_rival ? calibrate_try : plan_budget(run->options) * series_beside(run, cell);
        before = cell;
    }
    return seconds;
}

static bool measure_all(struct run *run, struct error *err)
{
    const struct plan *plan = &run->plan;
    const struct bench bench = {
        .options = run->options,
        .setup = &run->setup,
        .baseline = run->baseline,
        .gate = &run->gate,
        .ledger = &run->ledger,
        .progress = &run->progress,
    };
    for (unsigned first = 0, end; first < plan->cells; first = end) {
        for (end = first + 1; end < plan->cells && strcmp(plan->cell[end].block, plan->cell[first].block) == 0;)
            end++;
        if (!block_measure(&bench, &plan->cell[first], end - first, err))
            return false;
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
    run->host.clock = host_measure_clock(0.05);
    write_head(run, argc, argv);
    write_devices(run);
    progress_start(&run->progress, run->options->quiet, planned_seconds(run));
    progress_note(&run->progress, "journal: %s", run->ledger.path);
    bool ok = measure_all(run, err);
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
