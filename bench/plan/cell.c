#include "bench/plan/cell.h"

#include "bench/worker/check.h"
#include "bench/worker/truth.h"
#include "harness/base/text.h"

#include <math.h>
#include <stdio.h>

/* Bytes of operands that a slow host fills, repacks or checks in a second. */
static const double slow_host = 200e6;

/* Multiply-adds a second of a slow host that checks results. */
static const double slow_check = 1e8;

/* A usual host opens at ready_rate (allocate, fill three times, run, check the whole result) and closes at check_rate
 * (fill once, check samples), bytes a second; beside that each has a fixed part. */
static const double ready_rate = 250e6, check_rate = 1e9, start_seconds = 0.3, end_seconds = 0.1;

/* Bytes that a GPU's driver takes for a context and its libraries: some 0.3 to 0.6 GB on large cards, less on those
 * with less memory and fewer units. An allowance: no driver says it before. */
static const double largest_context = 500e6, contexts_of_memory = 32;

double cell_workspace(const struct cell *cell)
{
    return cell->method ? method_workspace(cell->method, &cell->problem, cell->device) : 0;
}

double cell_host_bytes(const struct cell *cell)
{
    double operands = problem_bytes_held(&cell->problem), buffers = operands + cell_workspace(cell);
    bool is_host = cell->device->works_in_host_memory, is_mapped = memory_is_mapped(cell->memory);
    bool has_buffers = is_host || cell->device->shares_host_memory || is_mapped;
    bool has_copies = !is_host && cell->memory != MEMORY_MAPPED;
    double bytes = (has_buffers ? buffers : 0) + (has_copies ? operands : 0) + (double)cell->flush;
    if (!problem_computes(&cell->problem))
        return bytes;
    /* Checks compute expected values from inputs of their own, and keep intermediate results. */
    struct operand operand[OPERANDS_MAX];
    unsigned count = cell->problem.workload->operands(&cell->problem, operand);
    for (unsigned i = 0; i < count; i++)
        if (operand[i].role == ROLE_INPUT)
            bytes += (double)operand[i].count * (double)dtype_bytes(operand[i].dtype);
    return bytes + problem_intermediate_bytes(&cell->problem);
}

double cell_device_bytes(const struct cell *cell)
{
    const struct device *device = cell->device;
    bool is_host = device->works_in_host_memory || device->shares_host_memory;
    double context = fmin(largest_context, device->memory / contexts_of_memory);
    return is_host ? 0 : problem_bytes_held(&cell->problem) + cell_workspace(cell) + context;
}

double cell_host_seconds(const struct cell *cell)
{
    return (problem_bytes_held(&cell->problem) + cell_workspace(cell)) / slow_host;
}

double cell_check_seconds(const struct cell *cell, double run)
{
    return cell_host_seconds(cell) + truth_work(&cell->problem) / slow_check + CHECKS_MAX * run;
}

double cell_opening_seconds(const struct cell *cell)
{
    return start_seconds + cell_host_bytes(cell) / ready_rate;
}

double cell_closing_seconds(const struct cell *cell)
{
    return end_seconds + cell_host_bytes(cell) / check_rate;
}

const char *cell_label(const struct cell *cell, char to[CELL_TEXT])
{
    char what[SHAPE_MAX];
    const struct problem *problem = &cell->problem;
    if (cell->is_peak && problem_roof(problem) == ROOF_FLOPS) {
        snprintf(to, CELL_TEXT, "peaks: arithmetic %s", dtype_name(problem->dtype));
    } else if (cell->is_peak) {
        snprintf(to, CELL_TEXT, "peaks: memory, %.20s", text_binary(problem_bytes_held(problem)).text);
    } else {
        const struct text shape = text_shape(problem_text(problem, true, what));
        snprintf(to, CELL_TEXT, "%s %s%s%.400s", problem->workload->name, dtype_name(problem->dtype),
                 *shape.text ? ", " : "", shape.text);
    }
    return to;
}

/* Kernel launches of a run with a method that needs one for each part. */
static unsigned launches_of(const struct problem *problem)
{
    struct step step[STEPS_MAX];
    unsigned launches = 0, steps = problem->workload->steps(problem, step);
    for (unsigned i = 0; i < steps; i++)
        if (step[i].kind == STEP_COMPUTE)
            launches += step[i].part == ALL_PARTS && step[i].parts > 0 ? step[i].parts : 1;
    return launches;
}

/* Whether there is a library of a GPU's vendor for such a problem, but none for this GPU through this API. */
static bool lacks_library(const struct cell *cell)
{
    bool is_lacking = false;
    for (const struct method *method = cell->problem.workload->methods; method && method->name; method++) {
        if (method->is_vendors && method_runs_on(method, &cell->problem, cell->device))
            return false;
        is_lacking |= method->is_vendors && method_is_for(method, &cell->problem);
    }
    return is_lacking && class_is_gpu(cell->device->class);
}

struct cell_record cell_stated(const struct cell *cell, char shape[SHAPE_MAX])
{
    const struct workload *workload = cell->problem.workload;
    const bool has_items = workload->range && workload->range->items;
    return (struct cell_record){
        .key = cell->key,
        .block = cell->block,
        .device_id = cell->device->id,
        .workload = workload->name,
        .dtype = dtype_name(cell->problem.dtype),
        .shape = problem_shape(&cell->problem, shape),
        .method = cell->method ? cell->method->name : "",
        .memory = memory_names[cell->memory],
        .flops = workload->flops(&cell->problem),
        .bytes = workload->bytes(&cell->problem),
        .kernel_shape = *cell->kernel_shape ? cell->kernel_shape : NULL,
        .held = problem_bytes_held(&cell->problem),
        .workspace = cell_workspace(cell),
        .items = has_items ? workload->range->items : NULL,
        .items_per_run = has_items ? (double)cell->problem.dim[0] : NAN,
        .launches = launches_of(&cell->problem),
        .roof = problem_roof(&cell->problem),
        .is_link = cell->method && cell->method->leaves_device,
        .lacks_library = lacks_library(cell),
        .is_peak = cell->is_peak,
        .is_cold = cell->flush > 0,
        .is_fast = cell->method && cell->method->is_fast,
        .repro = cell->repro,
    };
}

struct request cell_request(const struct cell *cell, enum request_kind kind, const struct options *options,
                            unsigned host_threads)
{
    struct request request = {
        .kind = kind,
        .device = cell->device,
        .workload = cell->problem.workload->name,
        .dtype = dtype_name(cell->problem.dtype),
        .method = cell->method ? cell->method->name : "",
        .kernel_shape = cell->kernel_shape,
        .memory = memory_names[cell->memory],
        .seed = options->seed,
        /* Only the user limits a driver's own threads. */
        .threads = cell->device->works_in_host_memory ? host_threads : options->threads,
        .flush = (double)cell->flush,
    };
    problem_shape(&cell->problem, request.shape);
    return request;
}
