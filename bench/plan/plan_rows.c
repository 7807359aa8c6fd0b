/* Which rows a problem has: on each device one for each kind of memory, of the fastest method or of each that is wanted
 * by itself. */

#include "bench/backends/registry.h"
#include "bench/plan/planner.h"
#include "bench/plan/selection.h"

/* A row with one candidate. Returns it, or NULL when memory is short. */
static struct cell *row_add(struct planner *planner, const struct problem *problem, const struct device *device,
                            const struct method *method, enum memory memory, struct error *err)
{
    struct cell *cell = plan_add_cell(planner, problem, device, method, memory, err);
    planner->plan->rows++;
    return cell;
}

/* A row for each kind of memory that is wanted of a device, with one method or none. */
static bool add_memories(struct planner *planner, const struct problem *problem, const struct device *device,
                         const struct method *method, struct error *err)
{
    for (enum memory memory = 0; memory < MEMORY_COUNT; memory++)
        if (plan_wants_memory(planner, problem, device, memory) &&
            !row_add(planner, problem, device, method, memory, err))
            return false;
    return true;
}

/* The same with all methods that are made for the device as candidates, but for those that stand beside the fastest. */
static bool add_contests(struct planner *planner, const struct problem *problem, const struct device *device,
                         struct error *err)
{
    for (enum memory memory = 0; memory < MEMORY_COUNT; memory++) {
        if (!plan_wants_memory(planner, problem, device, memory))
            continue;
        for (const struct method *method = problem->workload->methods; method->name; method++)
            if (method_runs_on(method, problem, device) && method->launch_mode == LAUNCH_USUAL &&
                !plan_add_cell(planner, problem, device, method, memory, err))
                return false;
        planner->plan->rows++;
    }
    for (const struct method *method = problem->workload->methods; method->name; method++)
        if (method_runs_on(method, problem, device) && method->launch_mode != LAUNCH_USUAL &&
            method_suits(method, problem, device) && !add_memories(planner, problem, device, method, err))
            return false;
    return true;
}

/* Methods that the user wants to see each by itself. */
static bool is_wanted(const struct options *options, const struct method *method)
{
    if (!options->method[0])
        return options->suite == SUITE_FULL;
    return selection_names(options->method, "all") || selection_names(options->method, method->name);
}

/* Whether a device has one of the methods that were asked for by name. */
static bool has_wanted(const struct planner *planner, const struct problem *problem, const struct device *device)
{
    for (const struct method *method = problem->workload->methods; method->name; method++)
        if (method_runs_on(method, problem, device) && is_wanted(planner->options, method))
            return true;
    return false;
}

/* Whether another device than the baseline's is asked for, and has one. */
static bool is_compared(const struct planner *planner, const struct problem *problem)
{
    for (unsigned i = 0; i < planner->listing->devices; i++) {
        const struct device *device = &planner->listing->device[i];
        if (planner->chosen[i] && device != planner->baseline && has_wanted(planner, problem, device))
            return true;
    }
    return false;
}

/* Whether methods were named, and some of them are the workload's: then nothing is wanted of it that needs none. */
static bool names_others(const struct options *options, const struct workload *workload)
{
    for (const char *const *name = options->method; *name; name++)
        if (method_find(workload, *name))
            return true;
    return false;
}

/* Whether a device that takes part has the method: one that was asked for, or the baseline's. */
static bool is_had(const struct planner *planner, const struct problem *problem, const struct method *method)
{
    for (unsigned i = 0; i < planner->listing->devices; i++) {
        const struct device *device = &planner->listing->device[i];
        if ((planner->chosen[i] || device == planner->baseline) && method_runs_on(method, problem, device))
            return true;
    }
    return false;
}

/* A row for each method by name that the device has not, nor any other that takes part; and one at least where it
 * has none of them (`has_none`). */
static bool add_unsupported(struct planner *planner, const struct problem *problem, const struct device *device,
                            bool has_none, struct error *err)
{
    for (const char *const *name = planner->options->method; *name; name++) {
        const struct method *method = method_find(problem->workload, *name);
        if (!method || (method->is_for && !method->is_for(problem)) || method_runs_on(method, problem, device) ||
            (!has_none && is_had(planner, problem, method)))
            continue;
        has_none = false;
        struct cell *cell = row_add(planner, problem, device, method, plan_best_memory(device, problem), err);
        if (!cell)
            return false;
        fail(&cell->refused, STATUS_UNSUPPORTED, "the method '%s' is not made for %s", method->name, device->backend);
    }
    return true;
}

/* Whether the user, or the suite, wants the method for this problem, too. */
static bool is_wanted_for(const struct options *options, const struct method *method, const struct problem *problem,
                          const struct device *device)
{
    const bool is_named = selection_names(options->method, method->name);
    return is_wanted(options, method) &&
           (is_named || method->launch_mode == LAUNCH_USUAL || method_suits(method, problem, device));
}

/* One device's rows where methods are wanted each by itself. */
static bool add_wanted(struct planner *planner, const struct problem *problem, const struct device *device,
                       struct error *err)
{
    for (const struct method *method = problem->workload->methods; method->name; method++)
        if (method_runs_on(method, problem, device) && is_wanted_for(planner->options, method, problem, device) &&
            !add_memories(planner, problem, device, method, err))
            return false;
    return true;
}

/* Whether none of a device's methods is made for the problem. Where a suite asks all devices alike nothing is said of
 * such a device; what the user asks for has a row that says why. */
static bool is_passed_over(const struct planner *planner, const struct problem *problem, const struct device *device)
{
    unsigned methods = 0, suited = 0;
    for (const struct method *method = problem->workload->methods; method->name; method++) {
        if (!method_runs_on(method, problem, device))
            continue;
        methods++;
        suited += method_suits(method, problem, device);
    }
    return !planner->options->size[0] && methods > 0 && suited == 0;
}

/* One device's rows of one problem. Without methods named, or full, the fastest method is wanted; and the baseline has
 * one whatever is asked of others. `is_asked`: the device is not only there as the baseline. */
static bool add_device(struct planner *planner, const struct problem *problem, const struct device *device,
                       bool is_asked, struct error *err)
{
    if (!problem_computes(problem))
        return names_others(planner->options, problem->workload) || add_memories(planner, problem, device, NULL, err);
    if (is_passed_over(planner, problem, device))
        return true;
    bool is_named = planner->options->method[0];
    bool serves = device == planner->baseline && is_compared(planner, problem);
    if (is_named && !is_asked && !serves)
        return true; /* nothing is compared with it */
    if (has_wanted(planner, problem, device))
        return add_wanted(planner, problem, device, err) &&
               (!is_asked || add_unsupported(planner, problem, device, false, err));
    if ((!is_named || serves) && !add_contests(planner, problem, device, err))
        return false;
    return !is_named || !is_asked || add_unsupported(planner, problem, device, true, err);
}

bool plan_add_problem(struct planner *planner, const struct problem *problem, struct error *err)
{
    const struct listing *listing = planner->listing;
    const struct device *baseline = problem_computes(problem) ? planner->baseline : NULL;
    if (baseline && !add_device(planner, problem, baseline, planner->chosen[baseline - listing->device], err))
        return false;
    for (unsigned i = 0; i < listing->devices; i++) {
        const struct device *device = &listing->device[i];
        if (planner->chosen[i] && device != baseline && !add_device(planner, problem, device, true, err))
            return false;
    }
    return true;
}

bool plan_add_ceiling(struct plan *plan, const struct options *options, const struct problem *problem,
                      const struct device *device, struct error *err)
{
    struct planner planner = { .plan = plan, .options = options };
    unsigned before = plan->cells;
    for (const struct method *method = problem->workload->methods; method->name; method++)
        if (method_runs_on(method, problem, device) && method->launch_mode == LAUNCH_USUAL &&
            method_suits(method, problem, device) &&
            !plan_add_cell(&planner, problem, device, method, plan_best_memory(device, problem), err))
            return false;
    for (unsigned i = before; i < plan->cells; i++)
        plan->cell[i].is_ceiling = true;
    plan->rows += plan->cells > before;
    return true;
}
