#include "bench/plan.h"

#include "bench/flush.h"
#include "bench/registry.h"
#include "bench/selection.h"
#include "harness/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Seconds. As much as lets the whole suite, calibration and verification included, end within 20 s (quick) and within 3
 * minutes (standard) on a CPU and one device. */
static const double suite_budget[SUITE_COUNT] = { 0.5, 3, 10, 10 };

/* Of a sweep, which has many sizes: the seven rounds or so that an interval takes at least. */
static const double sweep_budget = 0.6;

double plan_budget(const struct options *options)
{
    double usual = options->verb == VERB_SWEEP ? sweep_budget : suite_budget[options->suite];
    return isnan(options->budget) ? usual : options->budget;
}

/* Sizes that a workload may make for one machine. */
enum { SIZES_MAX = 32 };

/* What the functions below share while one plan is made. */
struct planner {
    struct plan *plan;
    const struct options *options;
    const struct host *host;
    const struct listing *listing;
    const bool *chosen;
    const struct device *baseline;
};

static bool any_memory(const struct options *options)
{
    for (unsigned i = 0; i < MEMORY_COUNT; i++)
        if (options->memory[i])
            return true;
    return false;
}

/* The fair kind for a device: in place where memory is shared, page-locked where it is not. */
static enum memory best_memory(const struct device *device, const struct problem *problem)
{
    if (device->works_in_host_memory)
        return MEMORY_PAGEABLE;
    return device->shares_host_memory && !problem_moves_in_parts(problem) ? MEMORY_MAPPED : MEMORY_PINNED;
}

/* Where nothing is moved one kind of memory is as good as another. */
static bool memory_wanted(const struct planner *planner, const struct problem *problem, const struct device *device,
                          enum memory memory)
{
    if (device->works_in_host_memory)
        return memory == MEMORY_PAGEABLE;
    if (any_memory(planner->options))
        return planner->options->memory[memory];
    bool every = !problem_computes(problem) || (planner->options->suite == SUITE_FULL && problem_moves(problem));
    return every || memory == best_memory(device, problem);
}

/* Whether a method is made for such problems, and for the device's API. */
static bool runs_on(const struct variant *variant, const struct problem *problem, const struct device *device)
{
    if (variant->is_for && !variant->is_for(problem))
        return false;
    for (const char *const *backend = variant->backends; *backend; backend++)
        if (strcmp(*backend, device->backend) == 0)
            return true;
    return false;
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
             memory_name(cell->memory), cell->variant ? " --variant " : "", cell->variant ? cell->variant->name : "",
             is_usual ? "" : " --baseline ", is_usual ? "" : baseline, options_repeat(options, rest, sizeof rest));
}

static void cell_names(struct cell *cell, const struct planner *planner)
{
    char shape[SHAPE_MAX];
    const char *workload = cell->problem.workload->name, *dtype = dtype_name(cell->problem.dtype);
    const char *variant = cell->variant ? cell->variant->name : "-", *memory = memory_name(cell->memory);
    problem_shape(&cell->problem, shape);
    snprintf(cell->block, sizeof cell->block, "%s/%s/%s", workload, dtype, shape);
    snprintf(cell->key, sizeof cell->key, "%s/%s/%s/%s/%s%s@%s", workload, dtype, shape, variant, memory,
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
    if (cell->variant && cell->variant->suits)
        cell->variant->suits(problem, device, &cell->refused);
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
    return planner->options->cold && !workload->roof ? flush_bytes(planner->host) : 0;
}

static struct cell *cell_add(struct planner *planner, const struct problem *problem, const struct device *device,
                             const struct variant *variant, enum memory memory, struct error *err)
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
                           .variant = variant,
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

/* A row with one candidate. Returns it, or NULL when memory is short. */
static struct cell *row_add(struct planner *planner, const struct problem *problem, const struct device *device,
                            const struct variant *variant, enum memory memory, struct error *err)
{
    struct cell *cell = cell_add(planner, problem, device, variant, memory, err);
    planner->plan->rows++;
    return cell;
}

/* A row for each kind of memory that is wanted of a device, with one method or none. */
static bool add_memories(struct planner *planner, const struct problem *problem, const struct device *device,
                         const struct variant *variant, struct error *err)
{
    for (enum memory memory = 0; memory < MEMORY_COUNT; memory++)
        if (memory_wanted(planner, problem, device, memory) && !row_add(planner, problem, device, variant, memory, err))
            return false;
    return true;
}

static bool suits(const struct variant *variant, const struct problem *problem, const struct device *device)
{
    return !variant->suits || variant->suits(problem, device, NULL);
}

/* The same with all methods that are made for the device as candidates, but for those that stand beside the fastest. */
static bool add_contests(struct planner *planner, const struct problem *problem, const struct device *device,
                         struct error *err)
{
    for (enum memory memory = 0; memory < MEMORY_COUNT; memory++) {
        if (!memory_wanted(planner, problem, device, memory))
            continue;
        for (const struct variant *variant = problem->workload->variants; variant->name; variant++)
            if (runs_on(variant, problem, device) && !variant->stands_beside &&
                !cell_add(planner, problem, device, variant, memory, err))
                return false;
        planner->plan->rows++;
    }
    for (const struct variant *variant = problem->workload->variants; variant->name; variant++)
        if (runs_on(variant, problem, device) && variant->stands_beside && suits(variant, problem, device) &&
            !add_memories(planner, problem, device, variant, err))
            return false;
    return true;
}

/* Methods that the user wants to see each by itself. */
static bool is_wanted(const struct options *options, const struct variant *variant)
{
    if (!options->variant[0])
        return options->suite == SUITE_FULL;
    return selection_names(options->variant, "all") || selection_names(options->variant, variant->name);
}

/* Whether a device has one of the methods that were asked for by name. */
static bool has_wanted(const struct planner *planner, const struct problem *problem, const struct device *device)
{
    for (const struct variant *variant = problem->workload->variants; variant->name; variant++)
        if (runs_on(variant, problem, device) && is_wanted(planner->options, variant))
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
    for (const char *const *name = options->variant; *name; name++)
        if (variant_find(workload, *name))
            return true;
    return false;
}

/* A device that was asked for and has none of the methods that were: one row that says so. */
static bool add_unsupported(struct planner *planner, const struct problem *problem, const struct device *device,
                            struct error *err)
{
    const struct variant *variant = NULL;
    for (const char *const *name = planner->options->variant; *name && !variant; name++)
        variant = variant_find(problem->workload, *name);
    if (!variant || (variant->is_for && !variant->is_for(problem)))
        return true;
    struct cell *cell = row_add(planner, problem, device, variant, best_memory(device, problem), err);
    if (cell)
        fail(&cell->refused, STATUS_UNSUPPORTED, "the method '%s' is not made for %s", variant->name, device->backend);
    return cell != NULL;
}

/* Whether the user, or the suite, wants the method for this problem, too. */
static bool is_wanted_for(const struct options *options, const struct variant *variant, const struct problem *problem,
                          const struct device *device)
{
    const bool is_named = selection_names(options->variant, variant->name);
    return is_wanted(options, variant) && (is_named || !variant->stands_beside || suits(variant, problem, device));
}

/* One device's rows where methods are wanted each by itself. */
static bool add_wanted(struct planner *planner, const struct problem *problem, const struct device *device,
                       struct error *err)
{
    for (const struct variant *variant = problem->workload->variants; variant->name; variant++)
        if (runs_on(variant, problem, device) && is_wanted_for(planner->options, variant, problem, device) &&
            !add_memories(planner, problem, device, variant, err))
            return false;
    return true;
}

/* Whether none of a device's methods is made for the problem. Where a suite asks all devices alike nothing is said of
 * such a device; what the user asks for has a row that says why. */
static bool is_passed_over(const struct planner *planner, const struct problem *problem, const struct device *device)
{
    unsigned methods = 0, suited = 0;
    for (const struct variant *variant = problem->workload->variants; variant->name; variant++) {
        if (!runs_on(variant, problem, device))
            continue;
        methods++;
        suited += suits(variant, problem, device);
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
    bool is_named = planner->options->variant[0];
    bool serves = device == planner->baseline && is_compared(planner, problem);
    if (is_named && !is_asked && !serves)
        return true; /* nothing is compared with it */
    if (has_wanted(planner, problem, device))
        return add_wanted(planner, problem, device, err);
    if ((!is_named || serves) && !add_contests(planner, problem, device, err))
        return false;
    return !is_named || !is_asked || add_unsupported(planner, problem, device, err);
}

static bool add_problem(struct planner *planner, const struct problem *problem, struct error *err)
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

static bool dtype_wanted(const struct options *options, const struct workload *workload, enum dtype dtype)
{
    bool any = false;
    for (unsigned i = 0; i < DTYPE_COUNT; i++)
        any = any || options->dtype[i];
    if (!(workload->dtypes & 1u << dtype))
        return false;
    return any ? options->dtype[dtype] : dtype == DTYPE_F32 || (options->suite == SUITE_FULL && !workload->is_untyped);
}

/* One shape of one workload, in each element type asked for. */
static bool add_shape(struct planner *planner, const struct workload *workload, const char *shape, struct error *err)
{
    for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++) {
        struct problem problem;
        if (!dtype_wanted(planner->options, workload, dtype))
            continue;
        if (!problem_parse(&problem, workload, dtype, shape, err) || !add_problem(planner, &problem, err))
            return false;
    }
    return true;
}

/* The sizes of one workload among those that were asked for. Asked for by name, it must understand one of them. */
static bool add_sizes_of(struct planner *planner, const struct workload *workload, bool understood[], struct error *err)
{
    const struct options *options = planner->options;
    struct error why = { .status = STATUS_OK };
    bool any = false;
    for (unsigned i = 0; options->size[i]; i++) {
        struct problem probe;
        if (!problem_parse(&probe, workload, DTYPE_F32, options->size[i], &why))
            continue;
        understood[i] = any = true;
        if (!add_shape(planner, workload, options->size[i], err))
            return false;
    }
    if (options->workload[0] && !any)
        return fail(err, STATUS_USAGE, "--size %.60s: %s", options->size[0], why.message);
    return true;
}

/* A size goes to every workload that understands it, and one of them must. */
static bool add_sizes(struct planner *planner, struct error *err)
{
    const struct options *options = planner->options;
    bool understood[LIST_MAX] = { false };
    for (const struct workload *const *workload = workloads; *workload; workload++)
        if (selection_takes(options, *workload) && !add_sizes_of(planner, *workload, understood, err))
            return false;
    for (unsigned i = 0; options->size[i]; i++) {
        struct error why = { .status = STATUS_OK };
        struct problem probe;
        if (understood[i])
            continue;
        problem_parse(&probe, selection_closest(options, options->size[i]), DTYPE_F32, options->size[i], &why);
        return fail(err, STATUS_USAGE, "--size %.60s: %s", options->size[i], why.message);
    }
    return true;
}

static bool suite_has(enum suite suite, const struct fixture *fixture)
{
    bool is_apart = suite == SUITE_UHD620 || fixture->suite == SUITE_UHD620;
    return is_apart ? fixture->suite == suite : fixture->suite <= suite;
}

/* The suite to take a workload's sizes from: asked for by name, it is measured even where a small suite leaves it out,
 * at the sizes of the smallest that has it. */
static enum suite suite_for(const struct options *options, const struct workload *workload)
{
    enum suite least = SUITE_COUNT;
    bool is_lacking = true;
    for (const struct fixture *fixture = workload->fixtures; fixture && fixture->shape; fixture++) {
        if (fixture->suite < least)
            least = fixture->suite;
        is_lacking = is_lacking && !suite_has(options->suite, fixture);
    }
    return is_lacking && least < SUITE_COUNT && options->workload[0] ? least : options->suite;
}

/* Sizes that a workload makes for this machine. */
static bool add_own_sizes(struct planner *planner, const struct workload *workload, enum suite suite, struct error *err)
{
    char shape[SIZES_MAX][SHAPE_MAX];
    unsigned shapes = workload->sizes ? workload->sizes(planner->host, suite, shape, SIZES_MAX) : 0;
    for (unsigned i = 0; i < shapes; i++)
        if (!add_shape(planner, workload, shape[i], err))
            return false;
    return true;
}

static bool add_suite(struct planner *planner, struct error *err)
{
    const struct options *options = planner->options;
    for (const struct workload *const *each = workloads; *each; each++) {
        const struct workload *workload = *each;
        if (!selection_takes(options, workload))
            continue;
        const enum suite suite = suite_for(options, workload);
        for (const struct fixture *fixture = workload->fixtures; fixture && fixture->shape; fixture++)
            if (suite_has(suite, fixture) && !add_shape(planner, workload, fixture->shape, err))
                return false;
        if (!add_own_sizes(planner, workload, suite, err))
            return false;
    }
    return true;
}

bool plan_make(struct plan *out, const struct options *options, const struct host *host, const struct listing *listing,
               const bool chosen[DEVICES_MAX], const struct device *baseline, struct error *err)
{
    *out = (struct plan){ 0 };
    struct planner planner = { out, options, host, listing, chosen, baseline };
    if (options->cold && !isnan(options->sustained))
        return fail(err, STATUS_USAGE,
                    "--sustained: contradicts --cold, as flushing caches is a rest for everything else");
    if (!selection_check(options, err) || !(options->size[0] ? add_sizes(&planner, err) : add_suite(&planner, err)))
        return false;
    if (out->cells == 0)
        return fail(err, STATUS_USAGE,
                    "nothing to measure: no workload fits these devices, variants and element types "
                    "('bench workloads' shows what there is)");
    return true;
}

unsigned plan_block_end(const struct plan *plan, unsigned first)
{
    unsigned end = first + 1;
    while (end < plan->cells && strcmp(plan->cell[end].block, plan->cell[first].block) == 0)
        end++;
    return end;
}

bool plan_add_ceiling(struct plan *plan, const struct options *options, const struct problem *problem,
                      const struct device *device, struct error *err)
{
    struct planner planner = { .plan = plan, .options = options };
    unsigned before = plan->cells;
    for (const struct variant *variant = problem->workload->variants; variant->name; variant++)
        if (runs_on(variant, problem, device) && !variant->stands_beside && suits(variant, problem, device) &&
            !cell_add(&planner, problem, device, variant, best_memory(device, problem), err))
            return false;
    for (unsigned i = before; i < plan->cells; i++)
        plan->cell[i].is_ceiling = true;
    plan->rows += plan->cells > before;
    return true;
}

void plan_free(struct plan *plan)
{
    free(plan->cell);
    *plan = (struct plan){ 0 };
}
