#include "bench/schedule/room.h"

#include "harness/base/text.h"
#include "harness/machine/host.h"

#include <math.h>
#include <stdlib.h>

/* The rest is for what drivers and libraries take without saying so. */
static const double memory_share = 0.7;

/* Bytes of host memory that a worker takes beside what its cell says: our own program, and a driver that is not known
 * yet. */
static const double own_bytes = 40e6, usual_driver = 150e6;

static bool fits(double needed, double memory)
{
    return isnan(memory) || needed <= memory_share * memory;
}

/* --- what is needed --- */

/* The pool of a device's own memory: that of the first device of its chip. 0 where that is the host's. */
static unsigned pool_of(const struct listing *listing, const struct device *device)
{
    if (device->works_in_host_memory || device->shares_host_memory)
        return 0;
    for (unsigned i = 0; i < listing->devices; i++)
        if (&listing->device[i] == device || device_same_silicon(&listing->device[i], device))
            return 1 + i;
    return 0;
}

void room_memory(const struct listing *listing, double held, double memory[POOLS_MAX])
{
    memory[0] = host_memory_available("") + held;
    for (unsigned i = 0; i < DEVICES_MAX; i++)
        memory[1 + i] = i < listing->devices && listing->device[i].memory > 0 ? listing->device[i].memory : NAN;
}

/* Of the methods of a row in one kind of memory: all of them together, and the two that hold most. */
static void add_row(const double bytes[], unsigned methods, double *kept, double *choosing)
{
    double largest = 0, second = 0, all = 0;
    for (unsigned i = 0; i < methods; i++) {
        second = fmax(second, fmin(largest, bytes[i]));
        largest = fmax(largest, bytes[i]);
        all += bytes[i];
    }
    *kept += largest + second;
    *choosing = fmax(*choosing, all - largest - second);
}

static const char *const what = "driver bytes";

void room_remember(struct context *context, const struct cell *cell, double bytes)
{
    if (!cell->device->works_in_host_memory && bytes > 0)
        context_remember(context, cell, what, "", text_print("%.0f", bytes).text, true);
}

static double worker_bytes(const struct context *context, const struct cell *cell)
{
    const char *known = context_recall(context, cell, what, "");
    return cell->device->works_in_host_memory ? own_bytes : own_bytes + (known ? strtod(known, NULL) : usual_driver);
}

struct room_problem room_needed(const struct context *context, const struct cell cell[], unsigned cells)
{
    enum { METHODS_MAX = 64 };
    struct room_problem problem = { .rotation = 0 };
    for (unsigned first = 0, end; first < cells; first = end) {
        double host[METHODS_MAX], own[METHODS_MAX];
        unsigned methods = 0;
        for (end = first; end < cells && cell[end].row == cell[first].row; end++) {
            if (cell[end].refused.status != STATUS_OK || methods == METHODS_MAX)
                continue;
            host[methods] = cell_host_bytes(&cell[end]) + worker_bytes(context, &cell[end]);
            own[methods++] = cell_device_bytes(&cell[end]);
        }
        const unsigned pool = pool_of(&context->listing, cell[first].device);
        add_row(host, methods, &problem.kept[0], &problem.choosing[0]);
        if (pool > 0)
            add_row(own, methods, &problem.kept[pool], &problem.choosing[pool]);
    }
    return problem;
}

/* --- the plan --- */

/* Whether its workers fit into memory without those of others. */
static bool fits_alone(const struct room_problem *problem, const double memory[POOLS_MAX])
{
    bool is_small = true;
    for (unsigned pool = 0; pool < POOLS_MAX; pool++)
        is_small &= fits(problem->kept[pool], memory[pool]);
    return is_small;
}

/* Whether the problems of a rotation fit beside each other, and the methods of each, as far as they fit anywhere. One
 * by itself is tried in any case. */
static bool fit_together(struct room_problem *const problem[], unsigned problems, unsigned rotation,
                         const double memory[POOLS_MAX])
{
    for (unsigned pool = 0; pool < POOLS_MAX; pool++) {
        double kept = 0, choosing = 0;
        unsigned count = 0;
        for (unsigned i = 0; i < problems; i++) {
            const struct room_problem *one = problem[i];
            if (one->rotation != rotation)
                continue;
            count++;
            kept += one->kept[pool];
            if (fits(one->kept[pool] + one->choosing[pool], memory[pool]))
                choosing = fmax(choosing, one->choosing[pool]);
        }
        if (count > 1 && !fits(kept + choosing, memory[pool]))
            return false;
    }
    return true;
}

static double seconds_of(struct room_problem *const problem[], unsigned problems, unsigned rotation)
{
    double seconds = 0;
    for (unsigned i = 0; i < problems; i++)
        seconds += problem[i]->rotation == rotation ? problem[i]->seconds : 0;
    return seconds;
}

static bool comes_before(const struct room_problem *one, const struct room_problem *other,
                         const double memory[POOLS_MAX])
{
    const bool one_fits = fits_alone(one, memory), other_fits = fits_alone(other, memory);
    return one_fits == other_fits ? one->seconds > other->seconds : other_fits;
}

/* Those that are by themselves first, then the longest, each into the shortest rotation that has room for it. */
static bool place_all(struct room_problem *const problem[], unsigned problems, unsigned rotations,
                      const double memory[POOLS_MAX])
{
    for (unsigned i = 0; i < problems; i++)
        problem[i]->rotation = rotations; /* none yet */
    for (unsigned placed = 0; placed < problems; placed++) {
        struct room_problem *next = NULL;
        unsigned best = rotations;
        for (unsigned i = 0; i < problems; i++)
            if (problem[i]->rotation == rotations && (!next || comes_before(problem[i], next, memory)))
                next = problem[i];
        for (unsigned i = 0; i < rotations; i++) {
            next->rotation = rotations;
            const bool is_shorter =
                best == rotations || seconds_of(problem, problems, i) < seconds_of(problem, problems, best);
            next->rotation = i;
            if (is_shorter && fit_together(problem, problems, i, memory))
                best = i;
        }
        next->rotation = best;
        if (best == rotations)
            return false;
    }
    return true;
}

unsigned room_plan(struct room_problem *const problem[], unsigned problems, const double memory[POOLS_MAX],
                   bool one_process)
{
    unsigned rotations = 1;
    while (!one_process && rotations < problems && !place_all(problem, problems, rotations, memory))
        rotations++;
    if (one_process || rotations >= problems) /* each by itself, whether it fits or not */
        for (unsigned i = 0; i < problems; i++)
            problem[i]->rotation = i;
    for (unsigned i = 0; i < problems; i++) {
        problem[i]->in_turn = one_process || !fits_alone(problem[i], memory) ? ROWS_IN_TURN : ALL_AT_ONCE;
        for (unsigned pool = 0; pool < POOLS_MAX && problem[i]->in_turn == ALL_AT_ONCE; pool++)
            if (!fits(problem[i]->kept[pool] + problem[i]->choosing[pool], memory[pool]))
                problem[i]->in_turn = METHODS_IN_TURN;
    }
    return one_process ? problems : rotations;
}
