#include "bench/gate.h"

#include "harness/host.h"
#include "harness/text.h"

#include <math.h>
#include <stdlib.h>

enum { DEATHS_MAX = 3 };

/* Share of the memory available that one cell may take. */
static const double full = 1.0;

/* One run that exceeds the budget this many times is not waited for. */
static const double hopeless = 10;

/* Shorter runs may consist of what every run costs, whatever its size, and tell nothing of larger problems. */
static const double telling_run = 0.1;

void gate_free(struct gate *gate)
{
    free(gate->sight);
    gate->sight = NULL;
    gate->sights = gate->room = 0;
}

void gate_saw_death(struct gate *gate, const struct device *device)
{
    gate->deaths[device - gate->listing->device]++;
}

void gate_saw_run(struct gate *gate, const struct cell *cell, double run)
{
    if (!cell->variant || !(run >= telling_run))
        return;
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

static double flops_of(const struct cell *cell)
{
    return cell->problem.workload->flops(&cell->problem);
}

/* Whether a run of `seen` tells how fast one of the cell will be at least. */
static bool tells_of(const struct cell *seen, const struct cell *cell)
{
    return seen->device == cell->device && seen->problem.workload == cell->problem.workload &&
           seen->problem.dtype == cell->problem.dtype && flops_of(seen) <= flops_of(cell);
}

/* Of runs of the same method, or if there is none of whatever the device ran, the one at the highest rate: larger
 * problems are hardly computed at a lower one. */
static const struct sight *best_sight(const struct gate *gate, const struct cell *cell)
{
    const struct sight *best = NULL;
    for (unsigned i = 0; i < gate->sights; i++) {
        const struct sight *sight = &gate->sight[i];
        if (!tells_of(sight->cell, cell))
            continue;
        bool is_same = sight->cell->variant == cell->variant, held_same = best && best->cell->variant == cell->variant;
        bool is_faster = !best || flops_of(sight->cell) / sight->run > flops_of(best->cell) / best->run;
        if (is_same == held_same ? is_faster : is_same)
            best = sight;
    }
    return best;
}

static bool is_worth_waiting(const struct gate *gate, const struct cell *cell, struct error *why)
{
    const struct sight *sight = best_sight(gate, cell);
    char shape[SHAPE_MAX], takes[TEXT_NUMBER], took[TEXT_NUMBER];
    if (!sight)
        return true;
    double run = sight->run * flops_of(cell) / flops_of(sight->cell);
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
    if (gate->deaths[cell->device - gate->listing->device] >= DEATHS_MAX)
        return fail(why, STATUS_ABANDONED, "%d workers of this device died before", DEATHS_MAX);
    if (bytes > full * available)
        return fail(why, STATUS_NO_MEMORY, "needs %s of host memory, %s are available", text_bytes(needs, bytes),
                    text_bytes(has, available));
    return is_worth_waiting(gate, cell, why);
}
