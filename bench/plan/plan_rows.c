#include "bench/backends/registry.h"
#include "bench/plan/planner.h"
#include "harness/base/pool.h"
#include "harness/base/text.h"
#include "harness/machine/host.h"

#include <stdio.h>
#include <string.h>

/* The rows of a problem: on each device one for each kind of memory, with the fastest method or with each method that
 * is wanted by itself. A row's cells are contenders that differ in the method alone. */

bool plan_names_method(const struct options *options, const struct workload *workload)
{
    for (const char *const *name = options->method; *name; name++)
        if (method_find(workload, *name))
            return true;
    return false;
}

/* The fair kind of memory for a device: in place where memory is shared, page-locked where it is not. */
static enum memory best_memory(const struct device *device, const struct problem *problem)
{
    if (device->works_in_host_memory)
        return MEMORY_PAGEABLE;
    return device->shares_host_memory && !problem_moves_in_parts(problem) ? MEMORY_MAPPED : MEMORY_PINNED;
}

/* A problem that moves nothing is measured in one kind of memory. */
static bool wants_memory(const struct planner *planner, const struct problem *problem, const struct device *device,
                         enum memory memory)
{
    if (device->works_in_host_memory)
        return memory == MEMORY_PAGEABLE;
    if (memchr(planner->options->memory, true, sizeof planner->options->memory))
        return planner->options->memory[memory];
    bool every = !problem_computes(problem) || (planner->options->suite == SUITE_FULL && problem_moves(problem));
    const bool is_rival = memory == MEMORY_PINNED && backend_find(device->backend)->is_mapped_uncached;
    return every || is_rival || memory == best_memory(device, problem);
}

/* Whether it may be tried on the device, as far as that is known without trying. */
static bool method_suits(const struct method *method, const struct problem *problem, const struct device *device)
{
    return !method->suits || method->suits(problem, device, NULL);
}

/* Its names, and the command that measures it again, which names the baseline by its id. */
static void cell_names(struct cell *cell, const struct planner *planner)
{
    char shape[SHAPE_MAX], rest[CELL_TEXT / 2];
    const struct options *options = planner->options;
    const bool is_usual = options->verb != VERB_SWEEP && strcmp(options->baseline, "auto") == 0;
    const char *baseline = planner->baseline ? planner->baseline->id : "none";
    const char *workload = cell->problem.workload->name, *dtype = dtype_name(cell->problem.dtype);
    const char *method = cell->method ? cell->method->name : "-", *memory = memory_names[cell->memory];
    problem_shape(&cell->problem, shape);
    snprintf(cell->block, sizeof cell->block, "%s/%s/%s", workload, dtype, shape);
    snprintf(cell->key, sizeof cell->key, "%s/%s/%s/%s/%s%s@%s", workload, dtype, shape, method, memory,
             cell->flush ? "/cold" : "", cell->device->key);
    snprintf(cell->repro, sizeof cell->repro,
             "bench run --device %s --workload %s --dtype %s --size %s --memory %s%s%s%s%s%s", cell->device->id,
             workload, dtype, shape, memory, cell->method ? " --method " : "", cell->method ? method : "",
             is_usual ? "" : " --baseline ", is_usual ? "" : baseline, options_repro(options, rest, sizeof rest));
}

/* Sets cell->refused for what is known without trying. */
static void refuse(struct cell *cell)
{
    const struct device *device = cell->device;
    const struct problem *problem = &cell->problem;
    struct operand operand[OPERANDS_MAX];
    unsigned count = problem->workload->operands(problem, operand);
    double workspace = cell_workspace(cell), total = problem_bytes_held(problem) + workspace;

    if (!problem_computes(problem) && device->works_in_host_memory)
        fail(&cell->refused, STATUS_UNSUPPORTED, "computes in host memory: there is nothing to transfer");
    if (problem_computes(problem) && !device->computes[problem->dtype])
        fail(&cell->refused, STATUS_UNSUPPORTED, "the device does not compute in %s", dtype_name(problem->dtype));
    if (problem_moves_in_parts(problem) && memory_is_mapped(cell->memory))
        fail(&cell->refused, STATUS_UNSUPPORTED,
             "operands are copied in parts, but a mapped buffer is mapped as a whole");
    if (cell->method && cell->method->suits)
        cell->method->suits(problem, device, &cell->refused);
    for (unsigned i = 0; i < count; i++) {
        double bytes = (double)operand[i].count * (double)dtype_bytes(operand[i].dtype);
        if (device->largest_buffer > 0 && bytes > device->largest_buffer)
            fail(&cell->refused, STATUS_NO_MEMORY, "operand %s takes %s; the device allocates at most %s at once",
                 operand[i].name, text_bytes(bytes).text, text_bytes(device->largest_buffer).text);
    }
    if (device->memory > 0 && total > device->memory)
        fail(&cell->refused, STATUS_NO_MEMORY, "the operands%s take %s; the device has %s%s",
             workspace > 0 ? " and what the method needs beside them" : "", text_bytes(total).text,
             text_bytes(device->memory).text, host_memory_limiter(device->memory));
}

/* Adds a contender to the current row. Returns the existing cell if the user asked for the same one in other words;
 * NULL when memory is short. */
static struct cell *add_cell(struct planner *planner, const struct problem *problem, const struct device *device,
                             const struct method *method, enum memory memory, struct error *err)
{
    struct plan *plan = planner->plan;
    const bool is_cold = planner->options->cold && !problem->workload->roof; /* the best that a device can do is warm */
    if (!grow(&plan->cell, plan->cells, sizeof *plan->cell))
        return fail_null(err, STATUS_NO_MEMORY, "no memory for a plan of more than %u cells", plan->cells);
    struct cell *cell = &plan->cell[plan->cells];
    *cell = (struct cell){ .problem = *problem,
                           .method = method,
                           .device = device,
                           .memory = memory,
                           .flush = is_cold ? host_flush_bytes(planner->host) : 0,
                           .row = planner->plan->rows };
    cell_names(cell, planner);
    for (unsigned i = 0; i < plan->cells; i++)
        if (strcmp(plan->cell[i].key, cell->key) == 0)
            return &plan->cell[i];
    plan->cells++;
    refuse(cell);
    return cell;
}

/* Adds a row for each wanted kind of memory, with one method or none. */
static bool add_memories(struct planner *planner, const struct problem *problem, const struct device *device,
                         const struct method *method, struct error *err)
{
    for (enum memory memory = 0; memory < MEMORY_COUNT; memory++) {
        if (!wants_memory(planner, problem, device, memory))
            continue;
        if (!add_cell(planner, problem, device, method, memory, err))
            return false;
        planner->plan->rows++;
    }
    return true;
}

/* Adds a row for each wanted kind of memory, with all methods for the device as contenders. */
static bool add_contenders(struct planner *planner, const struct problem *problem, const struct device *device,
                           struct error *err)
{
    for (enum memory memory = 0; memory < MEMORY_COUNT; memory++) {
        if (!wants_memory(planner, problem, device, memory))
            continue;
        for (const struct method *method = problem->workload->methods; method->name; method++)
            if (method_runs_on(method, problem, device) && method->launch_mode == LAUNCH_USUAL &&
                !(method->is_for_gpus && device->class == CLASS_CPU) &&
                !add_cell(planner, problem, device, method, memory, err))
                return false;
        planner->plan->rows++;
    }
    return true;
}

/* Whether the method gets a row of its own, by --method or by the suite. */
static bool is_wanted(const struct options *options, const struct method *method)
{
    if (!options->method[0])
        return options->suite == SUITE_FULL;
    return options_names(options->method, "all") || options_names(options->method, method->name);
}

/* Whether a device has a method that gets a row of its own. */
static bool has_wanted(const struct planner *planner, const struct problem *problem, const struct device *device)
{
    for (const struct method *method = problem->workload->methods; method->name; method++)
        if (method_runs_on(method, problem, device) && is_wanted(planner->options, method))
            return true;
    return false;
}

/* Whether a chosen device other than the baseline has such a method. */
static bool is_compared(const struct planner *planner, const struct problem *problem)
{
    for (unsigned i = 0; i < planner->listing->devices; i++) {
        const struct device *device = &planner->listing->device[i];
        if (planner->chosen[i] && device != planner->baseline && has_wanted(planner, problem, device))
            return true;
    }
    return false;
}

/* Whether none of the device's methods suits a problem of a suite. Such a device has no row; with --size it has one
 * with the reason. */
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

/* Adds one device's rows of one problem: unless methods are named, or the suite is full, one for the fastest method,
 * and one for each that suits and has a launch mode of its own, but in a sweep, which looks for the fastest.
 * `is_asked`: the device is not there as the baseline alone. */
static bool add_device(struct planner *planner, const struct problem *problem, const struct device *device,
                       bool is_asked, struct error *err)
{
    const struct options *options = planner->options;
    if (!problem_computes(problem))
        return plan_names_method(options, problem->workload) || add_memories(planner, problem, device, NULL, err);
    if (is_passed_over(planner, problem, device))
        return true;
    const bool has_own = has_wanted(planner, problem, device);
    const bool serves = device == planner->baseline && is_compared(planner, problem);
    if (options->method[0] && !serves && !(is_asked && has_own))
        return true; /* no row is compared with it */
    if (!has_own && !add_contenders(planner, problem, device, err))
        return false;
    for (const struct method *method = problem->workload->methods; method->name; method++) {
        const bool is_usual = method->launch_mode == LAUNCH_USUAL, suits = method_suits(method, problem, device);
        const bool has_row =
            has_own ? is_wanted(options, method) && (options_names(options->method, method->name) || is_usual || suits)
                    : options->verb != VERB_SWEEP && !is_usual && suits;
        if (has_row && method_runs_on(method, problem, device) && !add_memories(planner, problem, device, method, err))
            return false;
    }
    return true;
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

bool plan_add_peak(struct plan *plan, const struct options *options, const struct problem *problem,
                   const struct device *device, struct error *err)
{
    struct planner planner = { .plan = plan, .options = options };
    unsigned before = plan->cells;
    for (const struct method *method = problem->workload->methods; method->name; method++)
        if (method_runs_on(method, problem, device) && method->launch_mode == LAUNCH_USUAL &&
            method_suits(method, problem, device) &&
            !add_cell(&planner, problem, device, method, best_memory(device, problem), err))
            return false;
    for (unsigned i = before; i < plan->cells; i++)
        plan->cell[i].is_peak = true;
    plan->rows += plan->cells > before;
    return true;
}
