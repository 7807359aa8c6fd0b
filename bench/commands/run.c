#include "bench/commands/commands.h"

#include "bench/backends/registry.h"
#include "bench/plan/selection.h"
#include "bench/schedule/block.h"
#include "bench/schedule/ceilings.h"
#include "bench/schedule/context.h"
#include "bench/schedule/resume.h"

#include <stdio.h>
#include <string.h>

/* A run plans cells: a problem, a device, a method and a kind of memory each. The cells of one problem are a block. In
 * it those that differ in nothing but the method are candidates for one row of the report: calibration tries each of
 * them and leaves the fastest, and only that is verified and measured, in turn with the other rows. Before the first
 * block comes what all of them are held against: the best that the devices can do. */
struct run {
    struct stand stand;
    struct plan plan; /* the cells, block by block */
    bool takes_part[DEVICES_MAX];
    struct resume *resume; /* the run that this one completes; NULL: none */
};

static double planned_seconds(const struct bench *bench, const struct plan *plan)
{
    double seconds = 0;
    for (unsigned first = 0, end; first < plan->cells; first = end) {
        end = plan_block_end(plan, first);
        seconds += block_seconds(bench, &plan->cell[first], end - first);
    }
    return seconds;
}

/* One line for all problems that an interrupt left alone. */
static void note_not_begun(const struct bench *bench, const struct plan *plan, unsigned first)
{
    char text[900] = "not begun: ", label[CELL_TEXT];
    const char *between = "";
    size_t used = strlen(text);
    for (unsigned end; first < plan->cells; first = end) {
        end = plan_block_end(plan, first);
        if (run_log_has(bench->run_log, plan->cell[first].block))
            continue;
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s%s", between, cell_label(&plan->cell[first], label));
        used = used < sizeof text ? used : sizeof text - 1;
        between = "; ";
    }
    run_log_note(bench->run_log, "", text);
}

/* The ceilings, then block by block. What a block did not need of the time planned for it is over with it. */
static bool measure_all(const struct bench *bench, const struct plan *plan, struct ceilings *ceilings,
                        struct error *err)
{
    double planned = ceilings_seconds(ceilings);
    if (!ceilings_measure(ceilings, err))
        return false;
    for (unsigned first = 0, end; first < plan->cells; first = end) {
        end = plan_block_end(plan, first);
        if (bench->admission->interrupted) {
            note_not_begun(bench, plan, first);
            break;
        }
        planned += block_seconds(bench, &plan->cell[first], end - first);
        if (!block_measure(bench, &plan->cell[first], end - first, err) ||
            !ceilings_review(ceilings, plan->cell[first].block, err))
            return false;
        bench->progress->done = planned;
    }
    return true;
}

static void note_resumed(struct run *run)
{
    const struct plan *plan = &run->plan;
    unsigned blocks = 0, done = 0;
    for (unsigned first = 0; first < plan->cells; first = plan_block_end(plan, first), blocks++)
        done += run_log_has(&run->stand.run_log, plan->cell[first].block);
    if (run->resume)
        progress_note(&run->stand.progress, "resuming %s: %u of %u problem%s done, %u to go", run->stand.run_log.path,
                      done, blocks, blocks == 1 ? " is" : "s are", blocks - done);
}

static void note_devices(struct run *run)
{
    for (unsigned i = 0; i < run->plan.cells; i++)
        run->takes_part[run->plan.cell[i].device - run->stand.listing.device] = true;
}

/* What was asked for and has no row, as no device could have it. A workload that was not named is only passed by. */
static void note_types(struct run *run, const struct options *options)
{
    char says[160], text[200];
    for (const struct workload *const *workload = workloads; *workload && options->workload[0]; workload++) {
        if (!selection_takes(options, *workload) || !selection_lacks_types(options, *workload, says, sizeof says))
            continue;
        snprintf(text, sizeof text, "not asked of any device: %s", says);
        run_log_note(&run->stand.run_log, "", text);
    }
}

/* Everything up to the first measurement. Returns EXIT_OK, or with err filled the status to leave with. */
static int prepare(struct run *run, const struct options *options, struct error *err)
{
    struct stand *stand = &run->stand;
    int status = stand_open(stand, options, options->device, options->baseline, err);
    if (status != EXIT_OK)
        return status;
    if (!plan_make(&run->plan, options, &stand->host, &stand->listing, stand->chosen, stand->baseline, err))
        return EXIT_USAGE;
    note_devices(run);
    return stand_journal(stand, run->resume, run->takes_part, err) ? EXIT_OK : EXIT_USAGE;
}

static bool measure(struct run *run, int argc, char *const argv[], struct error *err)
{
    const struct bench bench = stand_bench(&run->stand);
    struct ceilings ceilings;
    bool ok = ceilings_open(&ceilings, &bench, &run->plan, err);
    stand_begin(&run->stand, argc, argv, run->takes_part,
                planned_seconds(&bench, &run->plan) + ceilings_seconds(&ceilings));
    note_resumed(run);
    if (!run->resume)
        note_types(run, bench.options);
    ok = ok && measure_all(&bench, &run->plan, &ceilings, err);
    stand_end(&run->stand);
    ceilings_close(&ceilings);
    return ok;
}

static int measure_and_report(struct resume *resume, const struct options *options, int argc, char *const argv[],
                              struct error *err)
{
    struct run run = { .resume = resume, .stand = { .setup = { .wake_fd = -1 } } };
    int status = prepare(&run, options, err);
    if (status == EXIT_OK) {
        bool measured = measure(&run, argc, argv, err), told = stand_tell(&run.stand, err);
        status = stand_status(&run.stand, measured && told);
    }
    plan_free(&run.plan);
    stand_close(&run.stand);
    return status;
}

int run(const struct options *options, int argc, char *const argv[], struct error *err)
{
    return resume_or_begin(options, measure_and_report, argc, argv, err);
}
