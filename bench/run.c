#include "bench/run.h"

#include "bench/block.h"
#include "bench/ceilings.h"
#include "bench/stand.h"

#include <stdio.h>
#include <string.h>

/* A run plans cells: a problem, a device, a method and a kind of memory each. The cells of one problem are a block. In
 * it those that differ in nothing but the method are candidates for one row of the report: calibration tries each of
 * them and leaves the fastest, and only that is verified and measured, in turn with the other rows. Before the first
 * block comes what all of them are held against: the best that the devices can do. */
struct run {
    struct stand stand;
    struct plan plan; /* the cells, block by block */
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
    char text[900] = "not begun: ";
    size_t used = strlen(text);
    for (unsigned end; first < plan->cells; first = end) {
        end = plan_block_end(plan, first);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", plan->cell[first].block,
                                 end < plan->cells ? ", " : "");
        used = used < sizeof text ? used : sizeof text - 1;
    }
    ledger_note(bench->ledger, "", text);
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
        if (bench->gate->interrupted) {
            note_not_begun(bench, plan, first);
            break;
        }
        if (!block_measure(bench, &plan->cell[first], end - first, err) ||
            !ceilings_review(ceilings, plan->cell[first].block, err))
            return false;
        planned += block_seconds(bench, &plan->cell[first], end - first);
        bench->progress->done = planned;
    }
    return true;
}

/* Everything up to the first measurement. Returns EXIT_OK, or with err filled the status to leave with. */
static int prepare(struct run *run, const struct options *options, struct error *err)
{
    struct stand *stand = &run->stand;
    int status = stand_open(stand, options, options->device, options->baseline, err);
    if (status != EXIT_OK)
        return status;
    bool ready = plan_make(&run->plan, options, &stand->host, &stand->listing, stand->chosen, stand->baseline, err) &&
                 ledger_open(&stand->ledger, options->output, err);
    return ready ? EXIT_OK : EXIT_USAGE;
}

static bool measure(struct run *run, int argc, char *const argv[], struct error *err)
{
    const struct bench bench = stand_bench(&run->stand);
    bool takes_part[DEVICES_MAX] = { false };
    for (unsigned i = 0; i < run->plan.cells; i++)
        takes_part[run->plan.cell[i].device - run->stand.listing.device] = true;
    struct ceilings ceilings;
    bool ok = ceilings_open(&ceilings, &bench, &run->plan, err);
    stand_begin(&run->stand, argc, argv, takes_part, planned_seconds(&bench, &run->plan) + ceilings_seconds(&ceilings));
    ok = ok && measure_all(&bench, &run->plan, &ceilings, err);
    stand_end(&run->stand);
    ceilings_close(&ceilings);
    return ok;
}

int run(const struct options *options, int argc, char *const argv[], struct error *err)
{
    struct run run = { .plan = { 0 } };
    int status = prepare(&run, options, err);
    if (status == EXIT_OK) {
        bool measured = measure(&run, argc, argv, err), told = stand_tell(&run.stand, err);
        status = stand_status(&run.stand, measured && told);
    }
    plan_free(&run.plan);
    stand_close(&run.stand);
    return status;
}
