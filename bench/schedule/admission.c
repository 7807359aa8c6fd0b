#include "bench/schedule/admission.h"

#include "harness/base/text.h"
#include "harness/machine/host.h"

#include <math.h>
#include <stdlib.h>

enum { DEATHS_MAX = 3 };

/* Share of the memory available that one cell may take. */
static const double full = 1.0;

/* One run that exceeds the budget this many times is not waited for. */
static const double hopeless = 10;

/* Shorter runs may consist of what every run costs, whatever its size: they can tell that a larger problem is computed
 * quickly enough, but not that it is not. */
static const double telling_run = 0.1;

void gate_free(struct gate *gate)
{
    free(gate->sight);
    gate->sight = NULL;
    gate->sights = gate->room = 0;
}

static void remember(struct gate *gate, const struct cell *cell, double run)
{
    if (gate->sights == gate->room) {
        unsigned room = gate->room ? 2 * gate->room : 16;
        struct sight *grown = realloc(gate->sight, room * sizeof *grown);
        if (!grown)
            return; /* one prediction less */
        gate->sight = grown;
        gate->room = room;
    }
    gate->sight[gate->sights++] = (struct sight){ cell, run };
}

bool gate_is_death(enum status status)
{
    return status == STATUS_CRASHED || status == STATUS_TIMEOUT;
}

void gate_saw_death(struct gate *gate, const struct cell *cell)
{
    remember(gate, cell, NAN);
}

void gate_saw_loss(struct gate *gate, const struct device *device)
{
    gate->losses[device - gate->listing->device]++;
}

void gate_saw_run(struct gate *gate, const struct cell *cell, double run)
{
    if (cell->variant && run > 0)
        remember(gate, cell, run);
}

static unsigned deaths_of_method(const struct gate *gate, const struct cell *cell)
{
    unsigned deaths = 0;
    for (unsigned i = 0; i < gate->sights; i++) {
        const struct cell *seen = gate->sight[i].cell;
        deaths += isnan(gate->sight[i].run) && seen->device == cell->device && seen->variant == cell->variant;
    }
    return deaths;
}

/* FLOP, or bytes where there are none to count; problems that are alike have both or have not. */
static double work_of(const struct cell *cell)
{
    const struct problem *problem = &cell->problem;
    double flops = problem->workload->flops(problem);
    return flops > 0 ? flops : problem->workload->bytes(problem);
}

/* Whether a run of `seen` tells how fast one of the cell will be at least. */
static bool tells_of(const struct cell *seen, const struct cell *cell)
{
    return seen->device == cell->device && problem_is_alike(&seen->problem, &cell->problem) && work_of(seen) > 0 &&
           work_of(seen) <= work_of(cell);
}

/* What was seen of a method, or of all that a device ran. */
struct outlook {
    const struct sight *best; /* at the highest rate: larger problems are hardly computed at a lower one */
    bool tells;               /* one of its runs was long enough to condemn a larger problem */
};

static struct outlook outlook_of(const struct gate *gate, const struct cell *cell, bool same_method)
{
    struct outlook outlook = { NULL, false };
    for (unsigned i = 0; i < gate->sights; i++) {
        const struct sight *sight = &gate->sight[i], *best = outlook.best;
        if (isnan(sight->run) || !tells_of(sight->cell, cell) || (same_method && sight->cell->variant != cell->variant))
            continue;
        outlook.tells = outlook.tells || sight->run >= telling_run;
        if (!best || work_of(sight->cell) / sight->run > work_of(best->cell) / best->run)
            outlook.best = sight;
    }
    return outlook;
}

static double predict(const struct sight *sight, const struct cell *cell)
{
    return sight->run * work_of(cell) / work_of(sight->cell);
}

double gate_predict(const struct gate *gate, const struct cell *cell)
{
    const struct outlook own = outlook_of(gate, cell, true);
    return own.tells ? predict(own.best, cell) : NAN;
}

/* By what the method did with smaller problems; where it was not seen yet, by the best of the others. */
static bool is_worth_waiting(const struct gate *gate, const struct cell *cell, struct error *why)
{
    struct outlook own = outlook_of(gate, cell, true), outlook = own.best ? own : outlook_of(gate, cell, false);
    const struct sight *sight = outlook.best;
    char shape[SHAPE_MAX], takes[TEXT_NUMBER], took[TEXT_NUMBER];
    if (!outlook.tells)
        return true;
    double run = predict(sight, cell);
    if (run <= fmin(gate->options->timeout, hopeless * plan_budget(gate->options)))
        return true;
    return fail(why, STATUS_TOO_SLOW,
                "predicted %s for one run, from the %s of %s %s (--timeout and --budget allow more)",
                text_seconds(takes, run), text_seconds(took, sight->run), sight->cell->variant->name,
                problem_shape(&sight->cell->problem, shape));
}

bool gate_admits(const struct gate *gate, const struct cell *cell, struct error *why)
{
    char needs[TEXT_NUMBER], has[TEXT_NUMBER];
    double bytes = cell_host_bytes(cell), available = host_memory_available("");
    if (cell->refused.status != STATUS_OK)
        return fail_in(why, cell->refused.where, cell->refused.status, "%s", cell->refused.message);
    if (gate->interrupted)
        return fail(why, STATUS_ABANDONED, "interrupted before it was its turn");
    if (gate->losses[cell->device - gate->listing->device] >= DEATHS_MAX)
        return fail(why, STATUS_ABANDONED, "%d workers of this device died, or could not open it, before", DEATHS_MAX);
    if (cell->variant && deaths_of_method(gate, cell) >= DEATHS_MAX)
        return fail(why, STATUS_ABANDONED, "%d workers of this method died on this device before", DEATHS_MAX);
    if (bytes > full * available)
        return fail(why, STATUS_NO_MEMORY, "needs %s of host memory, %s are available", text_bytes(needs, bytes),
                    text_bytes(has, available));
    return is_worth_waiting(gate, cell, why);
}
