#include "bench/run.h"

#include "bench/chatter.h"
#include "bench/contender.h"
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

enum { DEATHS_MAX = 3 };

/* Shares of the memory available: above the first a cell is measured by itself, above the second not at all. */
static const double crowded = 0.7, full = 1.0;

struct run {
    const struct options *options;
    struct host host;
    struct remote_setup setup;
    struct listing listing;
    struct plan plan;
    struct ledger ledger;
    struct progress progress;
    unsigned deaths[DEVICES_MAX]; /* of workers, by device */
    bool interrupted;
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

static unsigned *deaths_of(struct run *run, const struct device *device)
{
    return &run->deaths[device - run->listing.device];
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

/* Devices that take part, and the cells that are planned. */
static void write_plan(struct run *run)
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
    for (unsigned i = 0; i < run->plan.cells; i++)
        ledger_write(&run->ledger, cell_to_json(&run->plan.cell[i]));
}

/* How many budgets a cell spends: its own series, and the baseline's beside them. */
static unsigned series_beside(const struct run *run, const struct cell *cell)
{
    bool in_turn = run->options->order == ORDER_INTERLEAVED && cell->baseline[0];
    if (cell->device->works_in_host_memory && !(in_turn && !cell->is_baseline))
        return in_turn && run->plan.cells > 1 ? 0 : 1;
    if (!cell->problem.workload->variants)
        return 1;
    return in_turn ? 3 : 2;
}

/* Seconds that measuring takes if every series spends its budget, and the baseline as much beside each cell. */
static double planned_seconds(const struct run *run)
{
    double seconds = 0;
    for (unsigned i = 0; i < run->plan.cells; i++) {
        const struct cell *cell = &run->plan.cell[i];
        if (cell->refused.status == STATUS_OK)
            seconds += plan_budget(run->options) * series_beside(run, cell);
    }
    return seconds;
}

static bool may_open(struct run *run, const struct cell *cell, struct error *why)
{
    char needs[TEXT_NUMBER], has[TEXT_NUMBER];
    double bytes = cell_host_bytes(cell), available = host_memory_available("");
    if (cell->refused.status != STATUS_OK)
        return fail_in(why, cell->refused.where, cell->refused.status, "%s", cell->refused.message);
    if (run->interrupted)
        return fail(why, STATUS_ABANDONED, "interrupted before it was its turn");
    if (*deaths_of(run, cell->device) >= DEATHS_MAX)
        return fail(why, STATUS_ABANDONED, "%d workers of this device died before", DEATHS_MAX);
    if (bytes > full * available)
        return fail(why, STATUS_NO_MEMORY, "needs %s of host memory, %s are available", text_bytes(needs, bytes),
                    text_bytes(has, available));
    return true;
}

/* Opens the contenders, takes them through their rounds together, and closes them. */
static void measure_together(struct run *run, struct contender contender[], unsigned count, unsigned *turn)
{
    struct rounds rounds = { .contender = contender,
                             .contenders = count,
                             .rule = { .target = run->options->precision, .budget = plan_budget(run->options) },
                             .setup = &run->setup,
                             .options = run->options,
                             .ledger = &run->ledger,
                             .progress = &run->progress,
                             .turn = *turn };
    for (unsigned i = 0; i < count; i++) {
        if (contender[i].cell->is_baseline)
            rounds.baseline = &contender[i];
        if (!rounds.interrupted)
            contender_open(&contender[i], &rounds);
    }
    if (!rounds.interrupted)
        rounds_run(&rounds);
    for (unsigned i = 0; i < count; i++) {
        contender_close(&contender[i], &rounds);
        enum status status = contender[i].outcome.status;
        *deaths_of(run, contender[i].cell->device) +=
            contender[i].was_replaced + (status == STATUS_CRASHED || status == STATUS_TIMEOUT);
    }
    *turn = rounds.turn;
    run->interrupted = run->interrupted || rounds.interrupted;
}

/* Takes the cells of a block from *next on that can be alive at once; at least one. Cells that cannot be measured at
 * all get their outcome here. */
static unsigned gather(struct run *run, const struct cell block[], unsigned count, unsigned *next,
                       struct contender out[])
{
    double available = host_memory_available(""), taken = 0;
    unsigned gathered = 0;
    for (; *next < count; ++*next) {
        const struct cell *cell = &block[*next];
        struct error why = { .status = STATUS_OK };
        if (!may_open(run, cell, &why)) {
            contender_refuse(cell, &run->ledger, &why, chatter_length(run->ledger.path, cell->device->id));
            continue;
        }
        bool alone = run->options->order == ORDER_SEQUENTIAL || taken + cell_host_bytes(cell) > crowded * available;
        if (gathered > 0 && alone)
            break;
        taken += cell_host_bytes(cell);
        out[gathered++] = (struct contender){ .cell = cell };
    }
    return gathered;
}

/* All cells of one problem: together if memory allows, the rest one after the other. */
static bool measure_block(struct run *run, const struct cell block[], unsigned count, struct error *err)
{
    struct contender *contender = calloc(count, sizeof *contender);
    if (!contender)
        return fail(err, STATUS_NO_MEMORY, "no memory for a block of %u cells", count);
    unsigned next = 0, turn = 0;
    for (bool first = true; next < count; first = false) {
        unsigned gathered = gather(run, block, count, &next, contender);
        if (!first && run->options->order == ORDER_INTERLEAVED)
            for (unsigned i = 0; i < gathered; i++)
                ledger_note(&run->ledger, contender[i].cell->key,
                            "measured after the others, not in turn with them: memory is too small for all at once");
        if (gathered > 0)
            measure_together(run, contender, gathered, &turn);
    }
    free(contender);
    return true;
}

static bool measure_all(struct run *run, struct error *err)
{
    const struct plan *plan = &run->plan;
    for (unsigned first = 0, end; first < plan->cells; first = end) {
        for (end = first + 1; end < plan->cells && strcmp(plan->cell[end].block, plan->cell[first].block) == 0;)
            end++;
        if (!measure_block(run, &plan->cell[first], end - first, err))
            return false;
    }
    return true;
}

static void write_end(struct run *run)
{
    for (unsigned i = 0; i < run->listing.devices; i++)
        chatter_tidy(run->ledger.path, run->listing.device[i].id);
    ledger_write(&run->ledger,
                 json_pack("{s:s, s:s, s:o}", "line", "end", "status", run->interrupted ? "interrupted" : "complete",
                           "elapsed_ns", journal_ns(clock_wall() - run->ledger.started)));
    ledger_close(&run->ledger);
}

static int exit_status_of(const struct run *run)
{
    const struct record *record = run->ledger.record;
    bool bad = false;
    for (unsigned i = 0; i < record->cells; i++)
        bad = bad || status_is_bad(record->cell[i]->outcome.status);
    if (run->interrupted)
        return EXIT_INTERRUPTED;
    return bad ? EXIT_BAD_CELL : EXIT_OK;
}

/* The device that all others are compared with; NULL when there is to be none. */
static bool find_baseline(const struct run *run, const struct device **out, struct error *err)
{
    const char *name = run->options->baseline;
    bool chosen[DEVICES_MAX], automatic = strcmp(name, "auto") == 0;
    const char *const words[] = { automatic ? "cpu" : name, NULL };
    *out = NULL;
    if (strcmp(name, "none") == 0)
        return true;
    if (!listing_select(&run->listing, "--baseline", words, chosen, automatic ? NULL : err))
        return automatic;
    for (unsigned i = 0; i < run->listing.devices && !*out; i++)
        if (chosen[i])
            *out = &run->listing.device[i];
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
    const struct device *baseline;
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
    bool ready = find_baseline(run, &baseline, err) &&
                 plan_make(&run->plan, run->options, &run->listing, chosen, baseline, err) &&
                 ledger_open(&run->ledger, run->options->output, err);
    return ready ? EXIT_OK : EXIT_USAGE;
}

static bool measure(struct run *run, int argc, char *const argv[], struct error *err)
{
    run->host.clock = host_measure_clock(0.05);
    write_head(run, argc, argv);
    write_plan(run);
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
    int status = prepare(&run, err);
    if (status == EXIT_OK) {
        bool measured = measure(&run, argc, argv, err), told = tell(&run, err);
        status = exit_status_of(&run);
        if (status == EXIT_OK && !(measured && told))
            status = EXIT_BAD_CELL;
    }
    ledger_free(&run.ledger);
    plan_free(&run.plan);
    listing_free(&run.listing);
    if (run.setup.wake_fd >= 0)
        close(run.setup.wake_fd);
    return status;
}
