#include "bench/rig.h"

#include "harness/clock.h"

#include <math.h>
#include <string.h>

enum { QUEUE = 0 };

double rig_now(const struct rig *rig)
{
    return rig->backend->now ? rig->backend->now(rig->session) : clock_wall();
}

size_t rig_bytes(const struct rig *rig, unsigned operand)
{
    return (size_t)rig->operand[operand].count * dtype_bytes(rig->operand[operand].dtype);
}

bool rig_computes(const struct rig *rig)
{
    for (unsigned i = 0; i < rig->steps; i++)
        if (rig->step[i].kind == STEP_COMPUTE)
            return true;
    return false;
}

/* Results born in mapped memory are read where they are; every other operand has an array of the host's own. */
static bool needs_host_array(const struct rig *rig, unsigned operand)
{
    if (rig->device.works_in_host_memory)
        return false;
    return rig->memory != MEMORY_MAPPED || rig->operand[operand].role == ROLE_INPUT;
}

static size_t bytes_with_margins(const struct rig *rig, unsigned operand)
{
    return rig_bytes(rig, operand) + 2 * rig->margin;
}

bool rig_alloc(struct rig *rig, struct error *err)
{
    const struct workload *workload = rig->problem.workload;
    rig->operands = workload->operands(&rig->problem, rig->operand);
    rig->steps = workload->steps(&rig->problem, rig->step);
    if (memory_is_mapped(rig->memory) && !rig->backend->map)
        return fail(err, STATUS_UNSUPPORTED, "%s cannot map the memory of a device", rig->backend->name);
    for (unsigned i = 0; i < rig->operands; i++) {
        size_t bytes = bytes_with_margins(rig, i);
        rig->buffer[i] = rig->backend->alloc(rig->session, bytes, rig->memory, err);
        if (!rig->buffer[i])
            return false;
        if (!needs_host_array(rig, i))
            continue;
        rig->host[i] = rig->backend->host_alloc(rig->session, bytes, rig->memory, err);
        if (!rig->host[i])
            return false;
    }
    return true;
}

bool rig_prepare(struct rig *rig, struct error *err)
{
    if (!rig_computes(rig))
        return true;
    struct job job = { .problem = &rig->problem, .variant = rig->variant };
    for (unsigned i = 0; i < rig->operands; i++)
        job.operand[i] =
            (struct binding){ .buffer = rig->buffer[i], .offset = rig->margin, .bytes = rig_bytes(rig, i) };
    rig->task = rig->backend->prepare(rig->session, &job, rig->detail, err);
    return rig->task != NULL;
}

void rig_release(struct rig *rig)
{
    if (rig->task)
        rig->backend->discard(rig->task);
    rig->task = NULL;
    for (unsigned i = 0; i < rig->operands; i++) {
        if (rig->view[i])
            rig->backend->unmap(rig->session, rig->buffer[i], NULL);
        if (rig->host[i])
            rig->backend->host_release(rig->session, rig->host[i]);
        if (rig->buffer[i])
            rig->backend->release(rig->session, rig->buffer[i]);
        rig->view[i] = rig->host[i] = NULL;
        rig->buffer[i] = NULL;
    }
}

static bool view_open(struct rig *rig, unsigned operand, enum map_mode mode, struct error *err)
{
    if (!rig->view[operand])
        rig->view[operand] = rig->backend->map(rig->session, rig->buffer[operand], mode, err);
    return rig->view[operand] != NULL;
}

static bool view_close(struct rig *rig, unsigned operand, struct error *err)
{
    if (!rig->view[operand])
        return true;
    rig->view[operand] = NULL;
    return rig->backend->unmap(rig->session, rig->buffer[operand], err);
}

/* The host's array into the mapped buffer, and back. */
static bool copy_in(struct rig *rig, unsigned operand, struct error *err)
{
    if (!view_open(rig, operand, MAP_WRITE, err))
        return false;
    memcpy(rig->view[operand], rig->host[operand], bytes_with_margins(rig, operand));
    return view_close(rig, operand, err);
}

static bool copy_out(struct rig *rig, unsigned operand, struct error *err)
{
    if (!view_open(rig, operand, MAP_READ, err))
        return false;
    memcpy(rig->host[operand], rig->view[operand], bytes_with_margins(rig, operand));
    return view_close(rig, operand, err);
}

void *rig_write(struct rig *rig, unsigned operand, struct error *err)
{
    if (rig->host[operand])
        return rig->host[operand];
    return view_open(rig, operand, MAP_WRITE, err) ? rig->view[operand] : NULL;
}

static bool rig_wait(struct rig *rig, struct error *err)
{
    return rig->backend->finish(rig->session, QUEUE, err);
}

bool rig_put(struct rig *rig, unsigned operand, struct error *err)
{
    if (!rig->host[operand])
        return view_close(rig, operand, err) && rig_wait(rig, err);
    if (memory_is_mapped(rig->memory))
        return copy_in(rig, operand, err) && rig_wait(rig, err);
    return rig->backend->upload(rig->session, QUEUE, rig->buffer[operand], rig->host[operand],
                                bytes_with_margins(rig, operand), NULL, err) &&
           rig_wait(rig, err);
}

void *rig_take(struct rig *rig, unsigned operand, struct error *err)
{
    if (rig->device.works_in_host_memory || rig->memory == MEMORY_MAPPED)
        return view_open(rig, operand, MAP_READ, err) ? rig->view[operand] : NULL;
    bool ok = memory_is_mapped(rig->memory)
                  ? copy_out(rig, operand, err)
                  : rig->backend->download(rig->session, QUEUE, rig->host[operand], rig->buffer[operand],
                                           bytes_with_margins(rig, operand), NULL, err);
    return ok && rig_wait(rig, err) ? rig->host[operand] : NULL;
}

bool rig_leave(struct rig *rig, unsigned operand, struct error *err)
{
    return view_close(rig, operand, err) && rig_wait(rig, err);
}

/* Data born in mapped memory is written there by the host before the clock starts. */
static bool bear_inputs(struct rig *rig, struct error *err)
{
    if (rig->memory != MEMORY_MAPPED)
        return true;
    for (unsigned i = 0; i < rig->steps; i++) {
        unsigned operand = rig->step[i].operand;
        if (rig->step[i].kind != STEP_UPLOAD)
            continue;
        if (!view_open(rig, operand, MAP_WRITE, err))
            return false;
        memcpy(rig->view[operand], rig->host[operand], bytes_with_margins(rig, operand));
    }
    return true;
}

/* What is still mapped for reading results goes back to the device after the clock has stopped. */
static bool close_views(struct rig *rig, struct error *err)
{
    for (unsigned i = 0; i < rig->operands; i++)
        if (!view_close(rig, i, err))
            return false;
    return rig_wait(rig, err);
}

static bool move_up(struct rig *rig, unsigned operand, struct error *err)
{
    if (rig->memory == MEMORY_MAPPED)
        return view_close(rig, operand, err);
    if (rig->memory == MEMORY_MAPPED_COPY)
        return copy_in(rig, operand, err);
    return rig->backend->upload(rig->session, QUEUE, rig->buffer[operand], rig->host[operand], rig_bytes(rig, operand),
                                NULL, err);
}

static bool move_down(struct rig *rig, unsigned operand, struct error *err)
{
    if (rig->memory == MEMORY_MAPPED)
        return view_open(rig, operand, MAP_READ, err);
    if (rig->memory == MEMORY_MAPPED_COPY)
        return copy_out(rig, operand, err);
    return rig->backend->download(rig->session, QUEUE, rig->host[operand], rig->buffer[operand],
                                  rig_bytes(rig, operand), NULL, err);
}

static bool step_start(struct rig *rig, const struct step *step, struct error *err)
{
    switch (step->kind) {
    case STEP_UPLOAD:
        return move_up(rig, step->operand, err);
    case STEP_DOWNLOAD:
        return move_down(rig, step->operand, err);
    default:
        return rig->backend->submit(rig->task, QUEUE, NULL, err);
    }
}

static const struct run_times untimed = { NAN, { NAN, NAN, NAN, NAN }, NAN };

bool rig_compute(struct rig *rig, unsigned repeat, struct run_times *out, struct error *err)
{
    struct span span = { NAN, NAN };
    *out = untimed;
    double start = rig_now(rig);
    for (unsigned i = 0; i < repeat; i++)
        if (!rig->backend->submit(rig->task, QUEUE, repeat == 1 ? &span : NULL, err))
            return false;
    if (!rig_wait(rig, err))
        return false;
    out->whole = out->phase[STEP_COMPUTE] = rig_now(rig) - start;
    out->event = span.end - span.start;
    return true;
}

/* The steps of one kind in a row, and a wait. */
static bool phase_run(struct rig *rig, enum step_kind kind, double *seconds, struct error *err)
{
    bool any = false;
    double start = rig_now(rig);
    for (unsigned i = 0; i < rig->steps; i++) {
        if (rig->step[i].kind != kind)
            continue;
        any = true;
        if (!step_start(rig, &rig->step[i], err))
            return false;
    }
    if (!any)
        return true;
    if (!rig_wait(rig, err))
        return false;
    *seconds = rig_now(rig) - start;
    return true;
}

static bool whole_run(struct rig *rig, double *seconds, struct error *err)
{
    double start = rig_now(rig);
    for (unsigned i = 0; i < rig->steps; i++)
        if (!step_start(rig, &rig->step[i], err))
            return false;
    if (!rig_wait(rig, err))
        return false;
    *seconds = rig_now(rig) - start;
    return true;
}

bool rig_offload(struct rig *rig, bool by_phase, struct run_times *out, struct error *err)
{
    *out = untimed;
    if (!bear_inputs(rig, err))
        return false;
    bool ok = true;
    if (by_phase)
        for (enum step_kind kind = STEP_UPLOAD; ok && kind < STEP_KINDS; kind++)
            ok = phase_run(rig, kind, &out->phase[kind], err);
    else
        ok = whole_run(rig, &out->whole, err);
    return ok && close_views(rig, err);
}
