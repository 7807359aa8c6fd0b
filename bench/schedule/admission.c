#include "bench/schedule/admission.h"

#include "harness/base/pool.h"
#include "harness/base/text.h"
#include "harness/machine/host.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Dead workers of a method, or lost rows of a device, after which no more of it is tried. */
enum { FAILURES_MAX = 3 };

/* Refusals to open for a worker beside another, after which a device gets one at a time. */
enum { REFUSALS_MAX = 2 };

/* Shorter runs may be mostly launch overhead: they can show that a larger problem is fast enough, not that it is too
 * slow. */
static const double long_enough = 0.1;

/* Workers are open together as long as they need less than this share of the available memory. */
static const double memory_share = 0.7;

void admission_free(struct admission *admission)
{
    free(admission->observation);
    admission->observation = NULL;
    admission->observations = admission->room = 0;
}

static void remember(struct admission *admission, const struct cell *cell, double run)
{
    if (grow(&admission->observation, admission->observations, &admission->room, sizeof *admission->observation))
        admission->observation[admission->observations++] = (struct observation){ cell, run };
    /* else memory is short: one prediction less */
}

void admission_record_death(struct admission *admission, const struct cell *cell)
{
    remember(admission, cell, NAN);
}

void admission_record_loss(struct admission *admission, const struct device *device)
{
    admission->losses[device - admission->listing->device]++;
}

void admission_record_run(struct admission *admission, const struct cell *cell, double run)
{
    if (cell->method && run > 0)
        remember(admission, cell, run);
}

static unsigned deaths_of_method(const struct admission *admission, const struct cell *cell)
{
    unsigned deaths = 0;
    for (unsigned i = 0; i < admission->observations; i++) {
        const struct cell *seen = admission->observation[i].cell;
        deaths += isnan(admission->observation[i].run) && seen->device == cell->device && seen->method == cell->method;
    }
    return deaths;
}

/* FLOP, or bytes if there are none. Problems that are alike have both or neither. */
static double work_of(const struct cell *cell)
{
    const struct problem *problem = &cell->problem;
    double flops = problem->workload->flops(problem);
    return flops > 0 ? flops : problem->workload->bytes(problem);
}

/* Whether a run of `seen` gives a lower bound of the cell's speed. */
static bool bounds_speed_of(const struct cell *seen, const struct cell *cell)
{
    return seen->device == cell->device && problem_is_alike(&seen->problem, &cell->problem) && work_of(seen) > 0 &&
           work_of(seen) <= work_of(cell);
}

/* What is predicted from the runs of a method, or of all methods of a device. */
struct prediction {
    const struct observation *best; /* at the highest rate: a larger problem is rarely slower */
    bool is_long_enough;            /* one of its runs was long enough to refuse a larger problem */
};

static struct prediction prediction_of(const struct admission *admission, const struct cell *cell, bool same_method)
{
    struct prediction prediction = { NULL, false };
    for (unsigned i = 0; i < admission->observations; i++) {
        const struct observation *observation = &admission->observation[i], *best = prediction.best;
        if (isnan(observation->run) || !bounds_speed_of(observation->cell, cell) ||
            (same_method && observation->cell->method != cell->method))
            continue;
        prediction.is_long_enough = prediction.is_long_enough || observation->run >= long_enough;
        if (!best || work_of(observation->cell) / observation->run > work_of(best->cell) / best->run)
            prediction.best = observation;
    }
    return prediction;
}

static double predict(const struct observation *observation, const struct cell *cell)
{
    return observation->run * work_of(cell) / work_of(observation->cell);
}

double admission_deadline(const struct options *options)
{
    return fmin(options->timeout, RUN_BUDGETS_MAX * plan_budget(options));
}

/* By the method's own smaller problems; if it has none, by those of the best other method. */
static bool is_fast_enough(const struct admission *admission, const struct cell *cell, struct error *why)
{
    struct prediction own = prediction_of(admission, cell, true),
                      prediction = own.best ? own : prediction_of(admission, cell, false);
    const struct observation *observation = prediction.best;
    char shape[SHAPE_MAX], takes[TEXT_NUMBER], took[TEXT_NUMBER];
    if (!prediction.is_long_enough)
        return true;
    double run = predict(observation, cell);
    if (run <= admission_deadline(admission->options))
        return true;
    return fail(why, STATUS_TOO_SLOW,
                "predicted %s for one run, from the %s of %s %s (--timeout and --budget allow more)",
                text_seconds(takes, run), text_seconds(took, observation->run), observation->cell->method->name,
                problem_shape(&observation->cell->problem, shape));
}

bool admission_allows(const struct admission *admission, const struct cell *cell, double held, struct error *why)
{
    char needs[TEXT_NUMBER], has[TEXT_NUMBER];
    double bytes = cell_host_bytes(cell), available = held + host_memory_available("");
    if (cell->refused.status != STATUS_OK)
        return fail_in(why, cell->refused.where, cell->refused.status, "%s", cell->refused.message);
    if (admission->losses[cell->device - admission->listing->device] >= FAILURES_MAX)
        return fail(why, STATUS_ABANDONED, "%d workers of this device died before, or could not open it", FAILURES_MAX);
    if (cell->method && deaths_of_method(admission, cell) >= FAILURES_MAX)
        return fail(why, STATUS_ABANDONED, "%d workers of this method died on this device before", FAILURES_MAX);
    if (bytes > available)
        return fail(why, STATUS_NO_MEMORY, "needs %s of host memory, %s are available", text_bytes(needs, bytes),
                    text_bytes(has, available));
    return is_fast_enough(admission, cell, why);
}

void admission_hold(struct held *held, const struct cell *cell, const struct cell *open, double known)
{
    held->workers++;
    held->host_bytes += cell_host_bytes(open);
    if (!device_same_silicon(open->device, cell->device))
        return;
    held->on_chip++;
    held->chip_bytes += known > 0 ? known : cell_device_bytes(open);
}

bool admission_has_room(const struct admission *admission, const struct held *held, const struct cell *cell,
                        double available)
{
    const double memory = cell->device->memory;
    if (held->host_bytes + cell_host_bytes(cell) > memory_share * (held->host_bytes + available))
        return false;
    return held->on_chip == 0 || (!admission_takes_one(admission, cell->device) &&
                                  (memory <= 0 || held->chip_bytes + cell_device_bytes(cell) <= memory_share * memory));
}

void admission_record_refusal(struct admission *admission, const struct device *device)
{
    admission->refusals[device - admission->listing->device]++;
}

bool admission_takes_one(const struct admission *admission, const struct device *device)
{
    unsigned refusals = 0;
    for (unsigned i = 0; i < admission->listing->devices; i++)
        if (device_same_silicon(&admission->listing->device[i], device))
            refusals += admission->refusals[i];
    return refusals >= REFUSALS_MAX;
}
