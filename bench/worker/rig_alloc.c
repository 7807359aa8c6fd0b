/* What a rig consists of: its steps, its memory and its task. What is done with them is in rig.c. */

#include "bench/worker/rig.h"

/* Results born in mapped memory are read where they are; every other operand has an array of the host's own. */
static bool needs_host_array(const struct rig *rig, unsigned operand)
{
    if (rig->device.works_in_host_memory)
        return false;
    return rig->memory != MEMORY_MAPPED || rig->operand[operand].role == ROLE_INPUT;
}

/* A step for each operand of that role which the task keeps in a layout of its own. A result that a method leaves on
 * another device is where it should be. */
static void add_repacking(struct rig *rig, enum role role)
{
    if (role == ROLE_OUTPUT && rig->method && rig->method->leaves_device)
        return;
    for (unsigned i = 0; i < rig->operands; i++)
        if (rig->repacks & 1u << i && rig->operand[i].role == role)
            rig->step[rig->steps++] = (struct step){ .kind = STEP_REPACK, .operand = i };
}

/* The workload's steps in their order, less the transfers where the device works in host memory; inputs are repacked
 * before the first compute step, outputs after the last. */
static void arrange_steps(struct rig *rig)
{
    struct step step[STEPS_MAX];
    unsigned steps = rig->problem.workload->steps(&rig->problem, step), last = 0;
    bool has_computed = false;
    rig->parts = rig->queues = 1;
    for (unsigned i = 0; i < steps; i++) {
        if (step[i].queue >= rig->queues)
            rig->queues = step[i].queue + 1;
        if (step[i].kind != STEP_COMPUTE)
            continue;
        last = i;
        rig->parts = step[i].parts ? step[i].parts : 1;
    }
    rig->steps = 0;
    for (unsigned i = 0; i < steps; i++) {
        bool computes = step[i].kind == STEP_COMPUTE;
        if (computes && !has_computed)
            add_repacking(rig, ROLE_INPUT);
        if (computes || !rig->device.works_in_host_memory)
            rig->step[rig->steps++] = step[i];
        if (computes && i == last)
            add_repacking(rig, ROLE_OUTPUT);
        has_computed = has_computed || computes;
    }
}

/* Mapping gives a buffer to the host as a whole. */
static bool memory_suits(const struct rig *rig, struct error *err)
{
    if (!memory_is_mapped(rig->memory))
        return true;
    if (!rig->backend->map)
        return fail(err, STATUS_UNSUPPORTED, "%s cannot map the memory of a device", rig->backend->name);
    for (unsigned i = 0; i < rig->steps; i++)
        if (rig->step[i].kind != STEP_COMPUTE && rig->step[i].parts > 1)
            return fail(err, STATUS_UNSUPPORTED, "operands move in %u parts, a mapped buffer changes hands as a whole",
                        rig->step[i].parts);
    return true;
}

static bool buffer_alloc(struct rig *rig, unsigned operand, struct error *err)
{
    const struct backend *backend = rig->backend;
    size_t bytes = rig_bytes_held(rig, operand);
    bool is_plain = rig->is_plain && backend->alloc_plain;
    rig->buffer[operand] = (is_plain ? backend->alloc_plain : backend->alloc)(rig->session, bytes, rig->memory, err);
    return rig->buffer[operand] != NULL;
}

static bool operand_alloc(struct rig *rig, unsigned operand, struct error *err)
{
    if (!buffer_alloc(rig, operand, err))
        return false;
    if (!needs_host_array(rig, operand))
        return true;
    rig->host[operand] = rig->backend->host_alloc(rig->session, rig_bytes_held(rig, operand), rig->memory, err);
    return rig->host[operand] != NULL;
}

/* What the rig consists of, before there is any memory in it. */
static bool lay_out(struct rig *rig, struct error *err)
{
    rig->operands = rig->problem.workload->operands(&rig->problem, rig->operand);
    arrange_steps(rig);
    return memory_suits(rig, err);
}

bool rig_alloc(struct rig *rig, struct error *err)
{
    bool ok = lay_out(rig, err);
    for (unsigned i = 0; ok && i < rig->operands; i++)
        ok = operand_alloc(rig, i, err);
    return ok;
}

bool rig_alloc_inputs(struct rig *rig, struct error *err)
{
    bool ok = lay_out(rig, err);
    for (unsigned i = 0; ok && i < rig->operands; i++)
        ok = rig->operand[i].role != ROLE_INPUT || operand_alloc(rig, i, err);
    return ok;
}

bool rig_alloc_results(struct rig *rig, struct error *err)
{
    bool ok = true;
    for (unsigned i = 0; ok && i < rig->operands; i++)
        ok = rig->operand[i].role != ROLE_OUTPUT || buffer_alloc(rig, i, err);
    return ok;
}

bool rig_prepare(struct rig *rig, struct error *err)
{
    if (!rig_computes(rig))
        return true;
    struct job job = { .problem = &rig->problem, .method = rig->method, .parts = rig->parts };
    for (unsigned i = 0; i < rig->operands; i++)
        job.operand[i] =
            (struct binding){ .buffer = rig->buffer[i], .offset = rig->margin, .bytes = rig_bytes(rig, i) };
    rig->task = rig->backend->prepare(rig->session, &job, rig->detail, err);
    if (!rig->task)
        return false;
    rig->repacks = rig->backend->repacks ? rig->backend->repacks(rig->task) : 0;
    arrange_steps(rig);
    return true;
}
