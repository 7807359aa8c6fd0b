#include "bench/worker/rig.h"

#include "harness/base/clock.h"
#include "harness/base/pages.h"
#include "harness/base/parallel.h"
#include "harness/measure/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { QUEUE = 0, PAGE = 4096, RENEWED_WORDS = PAGE / sizeof(uint64_t) };

double rig_now(const struct rig *rig)
{
    return rig->backend->now ? rig->backend->now(rig->session) : clock_wall();
}

size_t rig_bytes(const struct rig *rig, unsigned operand)
{
    return (size_t)rig->operand[operand].count * dtype_bytes(rig->operand[operand].dtype);
}

static size_t bytes_with_margins(const struct rig *rig, unsigned operand)
{
    return rig_bytes(rig, operand) + 2 * rig->margin;
}

bool rig_computes(const struct rig *rig)
{
    for (unsigned i = 0; i < rig->steps; i++)
        if (rig->step[i].kind == STEP_COMPUTE)
            return true;
    return false;
}

/* Waits for every queue even if one fails: a pending command would write to released memory. */
static bool rig_wait(struct rig *rig, struct error *err)
{
    bool ok = true;
    for (unsigned queue = 0; queue < rig->queues; queue++)
        ok = rig->backend->finish(rig->session, queue, ok ? err : NULL) && ok;
    return ok;
}

/* Adds a step for each operand of that role in a layout of the task's own. A method that leaves its result on another
 * device needs none for it. */
static void add_repacking(struct rig *rig, enum role role)
{
    if (role == ROLE_OUTPUT && rig->method && rig->method->leaves_device)
        return;
    for (unsigned i = 0; i < rig->operands; i++)
        if (rig->repacks & 1u << i && rig->operand[i].role == role)
            rig->step[rig->steps++] = (struct step){ .kind = STEP_REPACK, .operand = i };
}

/* The workload's steps in their order, without transfers if the device works in host memory. Inputs are repacked before
 * the first compute step, outputs after the last. */
static void arrange_steps(struct rig *rig)
{
    struct step step[STEPS_MAX];
    unsigned steps = rig->problem.workload->steps(&rig->problem, step), last = 0;
    bool has_computed = false;
    rig->parts = rig->queues = 1;
    rig->moves = 0;
    for (unsigned i = 0; i < steps; i++) {
        if (step[i].queue >= rig->queues)
            rig->queues = step[i].queue + 1;
        if (step[i].kind != STEP_COMPUTE) {
            rig->moves |= 1u << step[i].operand;
            continue;
        }
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

/* The host's array of an operand: page-locked where the row is pinned. */
static bool host_alloc(struct rig *rig, unsigned operand, size_t bytes, struct error *err)
{
    const struct backend *backend = rig->backend;
    if (rig->memory != MEMORY_PINNED || !backend->map) {
        rig->host[operand] = pages_alloc(bytes, PAGE);
        return rig->host[operand] || fail(err, STATUS_NO_MEMORY, "no %zu bytes of host memory", bytes);
    }
    rig->pinned[operand] = backend->alloc(rig->session, bytes, MEMORY_MAPPED, err);
    if (rig->pinned[operand])
        rig->host[operand] = backend->map(rig->session, rig->pinned[operand], MAP_UPDATE, err);
    return rig->host[operand];
}

/* Operands in mapped memory are written and read in place; naive timing reads a few elements of the result's. */
static bool role_alloc(struct rig *rig, enum role role, struct error *err)
{
    const struct backend *backend = rig->backend;
    const bool is_plain = rig->is_naive && backend->alloc_plain;
    const bool needs_array =
        !rig->device.works_in_host_memory && rig->memory != MEMORY_MAPPED && !(rig->is_naive && role != ROLE_INPUT);
    bool ok = true;
    for (unsigned i = 0; ok && i < rig->operands; i++) {
        const size_t bytes = bytes_with_margins(rig, i);
        if (rig->operand[i].role != role)
            continue;
        rig->buffer[i] = (is_plain ? backend->alloc_plain : backend->alloc)(rig->session, bytes, rig->memory, err);
        ok = rig->buffer[i] && (!needs_array || host_alloc(rig, i, bytes, err));
    }
    return ok;
}

bool rig_alloc_inputs(struct rig *rig, struct error *err)
{
    rig->operands = rig->problem.workload->operands(&rig->problem, rig->operand);
    arrange_steps(rig);
    if (memory_is_mapped(rig->memory) && !rig->backend->map)
        return fail(err, STATUS_UNSUPPORTED, "%s cannot map the memory of a device", rig->backend->name);
    for (unsigned i = 0; i < rig->steps && memory_is_mapped(rig->memory); i++)
        if (rig->step[i].kind != STEP_COMPUTE && rig->step[i].parts > 1)
            return fail(err, STATUS_UNSUPPORTED, "operands move in %u parts, but a mapped buffer moves as a whole",
                        rig->step[i].parts);
    return role_alloc(rig, ROLE_INPUT, err);
}

bool rig_alloc_results(struct rig *rig, struct error *err)
{
    return role_alloc(rig, ROLE_OUTPUT, err);
}

bool rig_alloc(struct rig *rig, struct error *err)
{
    return rig_alloc_inputs(rig, err) && rig_alloc_results(rig, err);
}

/* Prepares a kernel shape if it is new, and makes it the current one. */
static bool prepare(struct rig *rig, unsigned number, struct error *err)
{
    struct prepared *prepared = &rig->prepared[number];
    struct job job = { .problem = &rig->problem, .method = rig->method, .parts = rig->parts, .kernel_shape = number };
    for (unsigned i = 0; i < rig->operands; i++)
        job.operand[i] =
            (struct binding){ .buffer = rig->buffer[i], .offset = rig->margin, .bytes = rig_bytes(rig, i) };
    if (!prepared->task)
        prepared->task = rig->backend->prepare(rig->session, &job, prepared->detail, err);
    if (!prepared->task)
        return false;
    rig->task = prepared->task;
    rig->repacks = rig->backend->repacks ? rig->backend->repacks(rig->task) : 0;
    rig->kernel_shape = number;
    arrange_steps(rig);
    return true;
}

static bool prepare_named(struct rig *rig, const char *name, struct error *err)
{
    unsigned number = 0;
    while (number < rig->kernel_shape_count && strcmp(rig->kernel_shapes[number], name) != 0)
        number++;
    return number < rig->kernel_shape_count
               ? prepare(rig, number, err)
               : fail(err, STATUS_UNSUPPORTED, "%s has no kernel shape '%s' here", rig->problem.workload->name, name);
}

bool rig_prepare(struct rig *rig, const char *kernel_shape, struct error *err)
{
    struct error refused = { .status = STATUS_OK };
    if (!rig_computes(rig))
        return true;
    rig->kernel_shape_count = rig->backend->kernel_shapes ? rig->backend->kernel_shapes(rig->session, &rig->problem,
                                                                                        rig->method, rig->kernel_shapes)
                                                          : 0;
    const bool has_names = rig->kernel_shape_count > 0;
    if (!has_names)
        rig->kernel_shape_count = 1;
    if (*kernel_shape && !has_names && !prepare(rig, 0, err)) /* says why it has none */
        return false;
    if (*kernel_shape)
        return prepare_named(rig, kernel_shape, err);
    bool ok = prepare(rig, 0, &refused);
    for (unsigned i = 1; !ok && method_is_library(rig->method) && i < rig->kernel_shape_count; i++)
        ok = prepare(rig, i, NULL);
    return ok || fail_in(err, refused.where, refused.status, "%s", refused.message);
}

bool rig_use_kernel_shape(struct rig *rig, const char *name, struct error *err)
{
    return rig_wait(rig, err) && prepare_named(rig, name, err);
}

static bool view_close(struct rig *rig, unsigned operand, struct error *err)
{
    if (!rig->view[operand])
        return true;
    rig->view[operand] = NULL;
    return !rig->backend->unmap || rig->backend->unmap(rig->session, rig->buffer[operand], err);
}

void rig_release(struct rig *rig)
{
    if (rig->buffer[0])
        rig_wait(rig, NULL); /* a failed run may have left pending commands */
    for (unsigned i = 0; i < rig->kernel_shape_count; i++) {
        if (rig->prepared[i].task)
            rig->backend->discard(rig->prepared[i].task);
        rig->prepared[i].task = NULL;
    }
    rig->task = NULL;
    rig->repacks = 0;
    for (unsigned i = 0; i <= OPERANDS_MAX; i++) {
        free(rig->known.input[i]);
        rig->known.input[i] = NULL;
    }
    for (unsigned i = 0; i < rig->operands; i++) {
        fingerprint_forget(&rig->known.result[i]);
        view_close(rig, i, NULL);
        if (!rig->pinned[i])
            pages_release(rig->host[i]);
        rig->backend->release(rig->session, rig->pinned[i]);
        rig->backend->release(rig->session, rig->buffer[i]);
        rig->host[i] = NULL;
        rig->buffer[i] = rig->pinned[i] = NULL;
    }
}

static bool view_open(struct rig *rig, unsigned operand, enum map_mode mode, struct error *err)
{
    if (!rig->view[operand])
        rig->view[operand] = rig->backend->map(rig->session, rig->buffer[operand], mode, err);
    return rig->view[operand] != NULL;
}

/* Copies between the host's array and the mapped buffer: into it with MAP_WRITE, out of it with MAP_READ. */
static bool copy_mapped(struct rig *rig, unsigned operand, enum map_mode mode, struct error *err)
{
    if (!view_open(rig, operand, mode, err))
        return false;
    void *host = rig->host[operand], *view = rig->view[operand];
    memcpy(mode == MAP_WRITE ? view : host, mode == MAP_WRITE ? host : view, bytes_with_margins(rig, operand));
    return view_close(rig, operand, err);
}

void *rig_host_side(struct rig *rig, unsigned operand, enum map_mode mode, struct error *err)
{
    if (rig->host[operand])
        return rig->host[operand];
    return view_open(rig, operand, mode, err) ? rig->view[operand] : NULL;
}

/* Starts converting an operand to the task's layout, or back; nothing if that is the workload's layout. */
static bool repack_start(struct rig *rig, unsigned operand, enum repack_way way, struct error *err)
{
    return !(rig->repacks & 1u << operand) || rig->backend->repack(rig->task, operand, way, err);
}

/* Outputs are repacked too: otherwise a task that computes nothing would return the result of an earlier run. */
bool rig_write_operand(struct rig *rig, unsigned operand, struct error *err)
{
    bool ok;
    if (!rig->host[operand])
        ok = view_close(rig, operand, err);
    else if (memory_is_mapped(rig->memory))
        ok = copy_mapped(rig, operand, MAP_WRITE, err);
    else
        ok = rig->backend->upload(rig->session, QUEUE, rig->buffer[operand], 0, rig->host[operand],
                                  bytes_with_margins(rig, operand), err);
    return ok && repack_start(rig, operand, REPACK_IN, err) && rig_wait(rig, err);
}

void *rig_read_operand(struct rig *rig, unsigned operand, struct error *err)
{
    /* An input's buffer holds what the host wrote. */
    if (rig->operand[operand].role != ROLE_INPUT && !repack_start(rig, operand, REPACK_BACK, err))
        return NULL;
    if (!rig->host[operand] || rig->memory == MEMORY_MAPPED)
        return view_open(rig, operand, MAP_READ, err) ? rig->view[operand] : NULL;
    bool ok = memory_is_mapped(rig->memory)
                  ? copy_mapped(rig, operand, MAP_READ, err)
                  : rig->backend->download(rig->session, QUEUE, rig->host[operand], rig->buffer[operand], 0,
                                           bytes_with_margins(rig, operand), err);
    return ok && rig_wait(rig, err) ? rig->host[operand] : NULL;
}

bool rig_end_access(struct rig *rig, unsigned operand, struct error *err)
{
    return view_close(rig, operand, err) && rig_wait(rig, err);
}

/* Loads and stores every word; volatile, so that the compiler keeps both. */
static void rewrite(void *context, int64_t begin, int64_t end)
{
    volatile uint64_t *word = (volatile uint64_t *)context;
    for (int64_t i = begin; i < end; i++)
        word[i] = word[i];
}

/* Whether a run begins with what the host has in that operand: it is moved, or would be if the device did not compute
 * on it there. */
static bool is_read_from_host(const struct rig *rig, unsigned operand)
{
    for (unsigned i = 0; i < rig->steps; i++)
        if (rig->step[i].kind == STEP_UPLOAD && rig->step[i].operand == operand)
            return true;
    return rig->device.works_in_host_memory && rig->operand[operand].role == ROLE_INPUT && rig->moves & 1u << operand;
}

/* Before the clock starts all threads of the host write the inputs anew, one operand after the other, where the host
 * has them. Every device finds them as a program leaves them that has just computed them: otherwise warm caches would
 * favour the device whose memory nobody else writes to. Inputs that are kept are mapped all the same: to be uploaded
 * is to be unmapped. */
static bool renew_inputs(struct rig *rig, struct error *err)
{
    const double start = rig_now(rig), cpu = clock_cpu();
    for (unsigned i = 0; i < rig->operands; i++) {
        if (!is_read_from_host(rig, i))
            continue;
        void *base = rig_host_side(rig, i, MAP_UPDATE, err);
        if (!base)
            return false;
        if (!rig->keeps_inputs)
            parallel_slices(rewrite, base, 0, (int64_t)(bytes_with_margins(rig, i) / sizeof(uint64_t)), RENEWED_WORDS,
                            0);
        if (rig->device.works_in_host_memory && !view_close(rig, i, err))
            return false;
    }
    rig->renewing.seconds += rig_now(rig) - start;
    rig->renewing.cpu += clock_cpu() - cpu;
    return true;
}

/* Starts an upload or download: the step's part of the operand, or all of it where the buffer is mapped. */
static bool move_start(struct rig *rig, const struct step *step, struct error *err)
{
    const unsigned operand = step->operand;
    const bool is_upload = step->kind == STEP_UPLOAD;
    if (rig->memory == MEMORY_MAPPED)
        return is_upload ? view_close(rig, operand, err) : view_open(rig, operand, MAP_READ, err);
    if (rig->memory == MEMORY_MAPPED_COPY)
        return copy_mapped(rig, operand, is_upload ? MAP_WRITE : MAP_READ, err);
    const size_t element = dtype_bytes(rig->operand[operand].dtype);
    int64_t begin, end;
    problem_part(&rig->problem, rig->operand[operand].count, step->part, step->parts ? step->parts : 1, &begin, &end);
    const size_t offset = rig->margin + (size_t)begin * element, bytes = (size_t)(end - begin) * element;
    char *host = (char *)rig->host[operand] + offset;
    if (is_upload)
        return rig->backend->upload(rig->session, step->queue, rig->buffer[operand], offset, host, bytes, err);
    return rig->backend->download(rig->session, step->queue, host, rig->buffer[operand], offset, bytes, err);
}

/* Starts the step's part of the run, or all parts. */
static bool compute_start(struct rig *rig, const struct step *step, struct span *span, struct error *err)
{
    const bool is_all = step->part == ALL_PARTS;
    if (is_all && rig->method->launch_mode == LAUNCH_GRAPH)
        return rig->backend->submit(rig->task, step->queue, 0, span, err);
    const unsigned end = is_all ? rig->parts : step->part + 1;
    for (unsigned part = is_all ? 0 : step->part; part < end; part++) {
        const bool is_edge = part == 0 || part + 1 == rig->parts;
        if (!rig->backend->submit(rig->task, step->queue, part, is_edge ? span : NULL, err))
            return false;
    }
    return true;
}

static bool step_start(struct rig *rig, const struct step *step, struct error *err)
{
    if (step->kind == STEP_COMPUTE)
        return compute_start(rig, step, NULL, err);
    if (step->kind != STEP_REPACK)
        return move_start(rig, step, err);
    bool is_input = rig->operand[step->operand].role == ROLE_INPUT;
    return repack_start(rig, step->operand, is_input ? REPACK_IN : REPACK_BACK, err);
}

static const struct run_times untimed = { NAN, { NAN, NAN, NAN, NAN }, NAN, NAN };

/* Starts the compute steps of one run, and what repacks if it is to. */
static bool computation_start(struct rig *rig, bool with_repacking, struct span *span, struct error *err)
{
    for (unsigned i = 0; i < rig->steps; i++) {
        const struct step *step = &rig->step[i];
        if ((step->kind == STEP_COMPUTE && !compute_start(rig, step, span, err)) ||
            (step->kind == STEP_REPACK && with_repacking && !step_start(rig, step, err)))
            return false;
    }
    return true;
}

bool rig_run_unwaited(struct rig *rig, struct error *err)
{
    return computation_start(rig, true, NULL, err);
}

bool rig_fetch(struct rig *rig, unsigned operand, size_t offset, size_t bytes, void *to, struct error *err)
{
    if (!rig->device.works_in_host_memory)
        return rig->backend->download(rig->session, QUEUE, to, rig->buffer[operand], offset, bytes, err) &&
               rig_wait(rig, err);
    if (!rig_wait(rig, err) || !view_open(rig, operand, MAP_READ, err))
        return false;
    memcpy(to, (char *)rig->view[operand] + offset, bytes);
    return view_close(rig, operand, err) && rig_wait(rig, err);
}

bool rig_run_resident(struct rig *rig, unsigned repeat, struct run_times *out, struct error *err)
{
    /* With two queues the device's times do not show when a run began and ended. The shortest possible launch is run
     * without time stamps: they are commands of their own and would be a good part of it. */
    const bool is_shortest = problem_roof(&rig->problem) == ROOF_LATENCY;
    const bool is_timed = repeat == 1 && rig->queues == 1 && !is_shortest && !rig->is_without_events;
    struct span span = { NAN, NAN };
    *out = untimed;
    if (rig->flush && !flush_run(rig->flush, err))
        return false;
    double start = rig_now(rig);
    bool is_started = true;
    for (unsigned i = 0; i < repeat && is_started; i++)
        is_started = computation_start(rig, false, is_timed ? &span : NULL, err);
    out->enqueue = rig_now(rig) - start;
    if (!rig_wait(rig, is_started ? err : NULL) || !is_started) /* a part that was started fills the span */
        return false;
    out->whole = out->phase[STEP_COMPUTE] = rig_now(rig) - start;
    out->event = span.end - span.start;
    return true;
}

/* The phases of a run in their order. A workload may order its steps in another way, part after part; by phase, all
 * parts go through each phase together. */
static const struct phase {
    enum step_kind kind;
    enum role role; /* of the operand that is repacked */
} phases[] = { { STEP_UPLOAD, ROLE_INPUT },
               { STEP_REPACK, ROLE_INPUT },
               { STEP_COMPUTE, ROLE_INPUT },
               { STEP_REPACK, ROLE_OUTPUT },
               { STEP_DOWNLOAD, ROLE_OUTPUT } };

/* Starts the steps of one phase, or of a whole run, and waits for them; nothing if the run has no such phase. */
static bool steps_run(struct rig *rig, const struct phase *phase, double *seconds, struct error *err)
{
    double start = rig_now(rig);
    bool any = !phase;
    for (unsigned i = 0; i < rig->steps; i++) {
        const struct step *step = &rig->step[i];
        if (phase && (step->kind != phase->kind ||
                      (step->kind == STEP_REPACK && rig->operand[step->operand].role != phase->role)))
            continue;
        if (!step_start(rig, step, err))
            return false;
        any = true;
    }
    if (!any)
        return true;
    if (!rig_wait(rig, err))
        return false;
    *seconds = (isnan(*seconds) ? 0 : *seconds) + rig_now(rig) - start;
    return true;
}

/* Maps and unmaps a buffer once. */
static bool map_once(const struct rig *rig, struct buffer *buffer, enum map_mode mode, double *seconds,
                     struct error *err)
{
    double start = rig_now(rig);
    bool ok = rig->backend->map(rig->session, buffer, mode, err) &&
              (!rig->backend->unmap || rig->backend->unmap(rig->session, buffer, err)) &&
              rig->backend->finish(rig->session, QUEUE, err);
    *seconds = rig_now(rig) - start;
    return ok;
}

bool rig_map_page(const struct rig *rig, double *seconds, struct error *err)
{
    enum { TIMES = 11 };
    double took[TIMES];
    *seconds = NAN;
    if (rig->memory != MEMORY_MAPPED || rig->device.works_in_host_memory)
        return true;
    struct buffer *page = rig->backend->alloc(rig->session, GUARD_BYTES, rig->memory, err);
    bool ok = page != NULL;
    for (unsigned i = 0; ok && i < TIMES; i++)
        ok = map_once(rig, page, i % 2 == 0 ? MAP_WRITE : MAP_READ, &took[i], err);
    rig->backend->release(rig->session, page);
    if (ok)
        *seconds = stats_median(took, TIMES);
    return ok;
}

bool rig_run_copied(struct rig *rig, bool by_phase, struct run_times *out, struct error *err)
{
    *out = untimed;
    if (!renew_inputs(rig, err) || (rig->flush && !flush_run(rig->flush, err)))
        return false;
    bool ok = by_phase || steps_run(rig, NULL, &out->whole, err);
    for (unsigned i = 0; ok && by_phase && i < sizeof phases / sizeof *phases; i++)
        ok = steps_run(rig, &phases[i], &out->phase[phases[i].kind], err);
    for (unsigned i = 0; ok && i < rig->operands; i++) /* unmaps the results after the clock has stopped */
        ok = view_close(rig, i, err);
    return ok && rig_wait(rig, err);
}
