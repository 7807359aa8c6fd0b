#include "bench/schedule/tuning.h"

#include "bench/schedule/choice.h"
#include "harness/base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Kernel shapes are compared by runs of so many seconds or more, where the plan has them. */
static const double compared_from = 0.002;

/* Until every kernel shape has had its first slices; rounds take two more. */
static const double first_slices = 8;

static const char *const what = "kernel shape";

/* Groups for each unit of the device: from middle_from on, large blocks keep all units busy, and from large_from on the
 * last of them does not count much. */
static const double middle_from = 1, large_from = 4;

/* The size class of a problem: by the groups of the kernel shape that has the fewest. */
static const char *class_of(const struct cell *cell)
{
    const struct portable *portable = cell->method->portable;
    const unsigned shapes = portable ? method_kernel_shapes(cell->method, &cell->problem, cell->device) : 0;
    double fewest = INFINITY;
    for (unsigned shape = 0; shape < shapes; shape++) {
        struct launch launch;
        double groups = 0;
        portable->launch(&cell->problem, cell->device, shape, &launch);
        for (unsigned i = 0; i < launch.passes; i++)
            groups = fmax(groups, (double)launch.pass[i].items / (double)launch.pass[i].group);
        fewest = fmin(fewest, groups);
    }
    fewest /= fmax(1, cell->device->units);
    return fewest < middle_from ? "small" : fewest < large_from ? "middle" : "large";
}

/* What a kernel shape depends on, beside the device, the workload and the element type. Returns `to`. */
static const char *shape_key(char to[CELL_TEXT], const struct cell *cell)
{
    char shape[SHAPE_MAX];
    snprintf(to, CELL_TEXT, "%s %s", cell->method->name,
             method_is_library(cell->method) ? problem_shape(&cell->problem, shape) : class_of(cell));
    return to;
}

/* "": nothing was found before. */
static const char *recall(const struct runner *runner)
{
    const struct cell *cell = runner->cell;
    char key[CELL_TEXT];
    const char *known = cell->method ? context_recall(runner->context, cell, what, shape_key(key, cell)) : NULL;
    return known ? known : "";
}

void tuning_recall(struct runner *runner)
{
    text_copy(runner->cell->kernel_shape, KERNEL_SHAPE_MAX, recall(runner));
}

bool tuning_forget(struct runner *runner)
{
    struct cell *cell = runner->cell;
    char key[CELL_TEXT];
    const enum status status = runner->outcome.status;
    if (!*cell->kernel_shape || (status != STATUS_UNSUPPORTED && status != STATUS_NO_MEMORY))
        return false;
    context_remember(runner->context, cell, what, shape_key(key, cell), "", false);
    cell->kernel_shape[0] = '\0';
    return true;
}

/* Whether a problem may stand for that of `cell`: of the same method, device, memory and size class, and larger. */
static bool may_stand_for(const struct cell *other, const struct cell *cell)
{
    const struct workload *workload = cell->problem.workload;
    return other->method == cell->method && other->device == cell->device && other->memory == cell->memory &&
           other->problem.dtype == cell->problem.dtype && other->refused.status == STATUS_OK &&
           workload->flops(&other->problem) > workload->flops(&cell->problem) && !method_is_library(cell->method) &&
           strcmp(class_of(other), class_of(cell)) == 0;
}

/* The cell of the next larger problem that may stand for it; NULL: there is none. */
static const struct cell *next_larger(const struct context *context, const struct cell *cell)
{
    const struct workload *workload = cell->problem.workload;
    const struct cell *next = NULL;
    for (unsigned i = 0; i < context->plans; i++)
        for (unsigned k = 0; k < context->plan[i].cells; k++) {
            const struct cell *other = &context->plan[i].cell[k];
            if (may_stand_for(other, cell) &&
                (!next || workload->flops(&other->problem) < workload->flops(&next->problem)))
                next = other;
        }
    return next;
}

/* Tunes at the problem that `at` has open. The best one; NULL: no shape works. */
static const struct contender *tune(struct runner *runner, struct runner *at)
{
    struct choice *choice = runner->tuned = pool_take(&runner->pool, sizeof *choice);
    const struct labels *names = &at->opened.first.kernel_shapes;
    if (!choice)
        return NULL;
    *choice = (struct choice){ .context = runner->context,
                               .rule = runner->rule,
                               .series = at->run < queued_below ? SERIES_QUEUED : SERIES_RESIDENT,
                               .most = first_slices };
    for (unsigned i = 0; i < names->count; i++)
        choice_add(choice, at, names->label[i]);
    choice_run(choice);
    choice_take(choice);
    const struct contender *best = choice->taken[USE_RESIDENT];
    char key[CELL_TEXT];
    if (best)
        context_remember(runner->context, runner->cell, what, shape_key(key, runner->cell), best->kernel_shape,
                         choice_is_settled(choice, USE_RESIDENT));
    for (unsigned i = 0; i < choice->contenders; i++) {
        if (!(best && at->client) && at == runner && runner->outcome.status == STATUS_OK)
            runner->outcome = choice->contender[i].outcome;
        choice->contender[i].runner = runner; /* the other problem is closed soon */
    }
    return best;
}

/* Opens the problem at which to tune, if it is another than that of the runner. Returns the runner to tune with. */
static struct runner *place_of(struct runner *runner, struct runner *other, struct cell *cell)
{
    struct runner *at = runner;
    double run, repack, spent = 0;
    const bool is_alone = runner->cell->device->takes_one_process; /* no other problem can be opened beside it */
    const struct cell *next = is_alone ? NULL : next_larger(runner->context, runner->cell);
    bool is_timed = runner_try(at, SERIES_RESIDENT, &run, &repack, &spent, &at->outcome);
    while (is_timed && next && !(at->run >= compared_from)) {
        runner_free(other);
        *cell = *next;
        *other = runner_new(runner->context, cell, runner->rule, runner->spent);
        if (!runner_open(other, INFINITY))
            return runner;
        at = other;
        next = next_larger(runner->context, next);
        is_timed = runner_try(at, SERIES_RESIDENT, &run, &repack, &spent, &at->outcome);
    }
    return at;
}

void tuning_run(struct runner *runner)
{
    struct cell cell;
    struct runner other = { .context = NULL };
    if (runner->opened.first.kernel_shapes.count == 0 || *recall(runner) || runner->context->interrupted)
        return;
    struct runner *at = place_of(runner, &other, &cell);
    const struct contender *best = at->client ? tune(runner, at) : NULL;
    if (other.context)
        runner_free(&other);
    double spent = 0;
    struct error why = runner->outcome;
    if (best && runner->client)
        runner_use(runner, best->kernel_shape, &spent, &why);
    if (!best && at == runner)
        runner_end(runner, NULL);
    if (!runner->client) {
        fail_in(&why, "tuning", STATUS_FAILED, "none of its kernel shapes works"); /* unless there is another reason */
        runner->outcome = why;
    }
}
