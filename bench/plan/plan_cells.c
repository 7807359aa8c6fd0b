/* One method on one device, with operands in one kind of memory: its names, and whether it can be measured at all. */

#include "bench/plan/planner.h"
#include "harness/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool any_memory(const struct options *options)
{
    for (unsigned i = 0; i < MEMORY_COUNT; i++)
        if (options->memory[i])
            return true;
    return false;
}

enum memory plan_best_memory(const struct device *device, const struct problem *problem)
{
    if (device->works_in_host_memory)
        return MEMORY_PAGEABLE;
    return device->shares_host_memory && !problem_moves_in_parts(problem) ? MEMORY_MAPPED : MEMORY_PINNED;
}

/* Where nothing is moved one kind of memory is as good as another. */
bool plan_wants_memory(const struct planner *planner, const struct problem *problem, const struct device *device,
                       enum memory memory)
{
    if (device->works_in_host_memory)
        return memory == MEMORY_PAGEABLE;
    if (any_memory(planner->options))
        return planner->options->memory[memory];
    bool every = !problem_computes(problem) || (planner->options->suite == SUITE_FULL && problem_moves(problem));
    return every || memory == plan_best_memory(device, problem);
}

bool method_runs_on(const struct method *method, const struct problem *problem, const struct device *device)
{
    if (method->is_for && !method->is_for(problem))
        return false;
    for (const char *const *backend = method->backends; *backend; backend++)
        if (strcmp(*backend, device->backend) == 0)
            return true;
    return false;
}

bool method_suits(const struct method *method, const struct problem *problem, const struct device *device)
{
    return !method->suits || method->suits(problem, device, NULL);
}

/* What a user types to have the cell measured again, the baseline as the device that it is. */
static void name_repro(struct cell *cell, const struct planner *planner)
{
    char shape[SHAPE_MAX], rest[CELL_TEXT / 2];
    const struct options *options = planner->options;
    const bool is_usual = options->verb != VERB_SWEEP && strcmp(options->baseline, "auto") == 0;
    const char *baseline = planner->baseline ? planner->baseline->id : "none";
    snprintf(cell->repro, sizeof cell->repro,
             "bench run --device %s --workload %s --dtype %s --size %s --memory %s%s%s%s%s%s", cell->device->id,
             cell->problem.workload->name, dtype_name(cell->problem.dtype), problem_shape(&cell->problem, shape),
             memory_name(cell->memory), cell->method ? " --method " : "", cell->method ? cell->method->name : "",
             is_usual ? "" : " --baseline ", is_usual ? "" : baseline, options_repro(options, rest, sizeof rest));
}

static void cell_names(struct cell *cell, const struct planner *planner)
{
    char shape[SHAPE_MAX];
    const char *workload = cell->problem.workload->name, *dtype = dtype_name(cell->problem.dtype);
    const char *method = cell->method ? cell->method->name : "-", *memory = memory_name(cell->memory);
    problem_shape(&cell->problem, shape);
    snprintf(cell->block, sizeof cell->block, "%s/%s/%s", workload, dtype, shape);
    snprintf(cell->key, sizeof cell->key, "%s/%s/%s/%s/%s%s@%s", workload, dtype, shape, method, memory,
             cell->flush ? "/cold" : "", cell->device->key);
    name_repro(cell, planner);
}

/* What can be told without trying. */
static void refuse(struct cell *cell)
{
    const struct device *device = cell->device;
    const struct problem *problem = &cell->problem;
    struct operand operand[OPERANDS_MAX];
    unsigned count = problem->workload->operands(problem, operand);
    char wants[TEXT_NUMBER], has[TEXT_NUMBER];
    double workspace = cell_workspace(cell), total = problem_bytes_held(problem) + workspace;

    if (!problem_computes(problem) && device->works_in_host_memory)
        fail(&cell->refused, STATUS_UNSUPPORTED, "computes in host memory: there is nothing to transfer");
    if (problem_computes(problem) && !device->computes[problem->dtype])
        fail(&cell->refused, STATUS_UNSUPPORTED, "the device does not compute in %s", dtype_name(problem->dtype));
    if (problem_moves_in_parts(problem) && memory_is_mapped(cell->memory))
        fail(&cell->refused, STATUS_UNSUPPORTED,
             "operands move part by part: a mapped buffer changes hands as a whole");
    if (cell->method && cell->method->suits)
        cell->method->suits(problem, device, &cell->refused);
    for (unsigned i = 0; i < count; i++) {
        double bytes = (double)operand[i].count * (double)dtype_bytes(operand[i].dtype);
        if (device->largest_buffer > 0 && bytes > device->largest_buffer)
            fail(&cell->refused, STATUS_NO_MEMORY, "operand %s takes %s; the device allocates at most %s at once",
                 operand[i].name, text_bytes(wants, bytes), text_bytes(has, device->largest_buffer));
    }
    if (device->memory > 0 && total > device->memory)
        fail(&cell->refused, STATUS_NO_MEMORY, "the operands%s take %s; the device has %s",
             workspace > 0 ? " and what the method needs beside them" : "", text_bytes(wants, total),
             text_bytes(has, device->memory));
}

/* Ceilings are what a device can do at best: they are never cold. */
static size_t flush_for(const struct planner *planner, const struct workload *workload)
{
    return planner->options->cold && !workload->roof ? host_flush_bytes(planner->host) : 0;
}

struct cell *plan_add_cell(struct planner *planner, const struct problem *problem, const struct device *device,
                           const struct method *method, enum memory memory, struct error *err)
{
    struct plan *plan = planner->plan;
    if (plan->cells == plan->room) {
        unsigned room = plan->room ? 2 * plan->room : 16;
        struct cell *grown = realloc(plan->cell, room * sizeof *grown);
        if (!grown) {
            fail(err, STATUS_NO_MEMORY, "no memory for a plan of %u cells", room);
            return NULL;
        }
        plan->cell = grown;
        plan->room = room;
    }
    struct cell *cell = &plan->cell[plan->cells];
    *cell = (struct cell){ .problem = *problem,
                           .method = method,
                           .device = device,
                           .memory = memory,
                           .flush = flush_for(planner, problem->workload),
                           .row = planner->plan->rows };
    cell_names(cell, planner);
    for (unsigned i = 0; i < plan->cells; i++)
        if (strcmp(plan->cell[i].key, cell->key) == 0)
            return &plan->cell[i]; /* asked for twice, in other words */
    plan->cells++;
    refuse(cell);
    return cell;
}
