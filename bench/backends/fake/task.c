/* Runs of the scripted device: they really compute, on one thread, and fail as the script says. A method without plain
 * C computes by the definition of the workload. */

#include "bench/backends/fake/fake.h"

#include "harness/base/element.h"
#include "harness/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Seconds of a kernel that does nothing. */
static const double at_once = 1e-6;

struct task {
    struct session *session;
    struct job job;
    json_t *script; /* members of the script: its kernel shape's, its method's, the device's */
    struct operand operand[OPERANDS_MAX];
    unsigned operands, parts;
    char *own[OPERANDS_MAX]; /* its elements back to front, where it is kept so; otherwise NULL */
};

/* Arrays for the operands that the script keeps in another layout, filled with a value that no operand has. */
static bool own_alloc(struct task *task)
{
    const bool keeps_all = strcmp(fake_text(task->script, "keeps", ""), "output") != 0,
               has_own = json_object_get(task->script, "repack") != NULL;
    for (unsigned i = 0; has_own && i < task->operands; i++) {
        if (!keeps_all && task->operand[i].role == ROLE_INPUT)
            continue;
        task->own[i] = malloc(task->job.operand[i].bytes);
        if (!task->own[i])
            return false;
        memset(task->own[i], 0x55, task->job.operand[i].bytes);
    }
    return true;
}

static json_t *scripted_method(const struct session *session, const struct method *method)
{
    return json_object_get(json_object_get(session->device, "methods"), method->name);
}

unsigned fake_kernel_shapes(struct session *session, const struct problem *problem, const struct method *method,
                            char name[KERNEL_SHAPES_MAX][KERNEL_SHAPE_MAX])
{
    json_t *shapes = json_object_get(scripted_method(session, method), "kernel_shapes"), *shape;
    const char *key;
    unsigned count = 0;
    json_object_foreach (shapes, key, shape)
        if (count < KERNEL_SHAPES_MAX)
            text_copy(name[count++], KERNEL_SHAPE_MAX, key);
    return count;
}

/* What the script has of a job. */
static json_t *job_script(struct session *session, const struct job *job)
{
    char name[KERNEL_SHAPES_MAX][KERNEL_SHAPE_MAX];
    const unsigned count = fake_kernel_shapes(session, job->problem, job->method, name), number = job->kernel_shape;
    json_t *method = scripted_method(session, job->method), *shapes = json_object_get(method, "kernel_shapes");
    json_t *const from[] = { number < count ? json_object_get(shapes, name[number]) : NULL, method, session->device };
    json_t *own = json_object(), *faults = json_array();
    for (unsigned i = 0; i < sizeof from / sizeof *from; i++) {
        json_object_update_missing(own, from[i]);
        json_array_extend(faults, json_object_get(from[i], "faults"));
    }
    json_object_set_new(own, "faults", faults);
    return own;
}

static bool can_compute(const struct session *session, const struct job *job, struct error *err)
{
    static const struct device ours = { .backend = "fake" };
    if (!method_runs_on(job->method, job->problem, &ours))
        return fail(err, STATUS_UNSUPPORTED, "%s is not made for scripted devices", job->method->name);
    if (job->problem->dtype == DTYPE_F64 && json_is_false(json_object_get(session->device, "f64")))
        return fail(err, STATUS_UNSUPPORTED, "the script says that this device does not compute f64");
    return job->parts <= 1 || job->problem->workload->grain ||
           fail(err, STATUS_UNSUPPORTED, "%s computes a run as a whole, not in %u parts", job->problem->workload->name,
                job->parts);
}

struct task *fake_prepare(struct session *session, const struct job *job, char detail[DETAIL_MAX], struct error *err)
{
    struct task *task = calloc(1, sizeof *task);
    if (!task)
        return fail_null(err, STATUS_NO_MEMORY, "no memory for a task");
    *task = (struct task){
        .session = session, .job = *job, .script = job_script(session, job), .parts = job->parts > 1 ? job->parts : 1
    };
    task->operands = job->problem->workload->operands(job->problem, task->operand);
    session->own = task->script;
    session->held++;
    if (fake_pass(session, "prepare", err) && can_compute(session, job, err) &&
        (own_alloc(task) || fail(err, STATUS_NO_MEMORY, "no memory for a task"))) {
        text_copy(detail, DETAIL_MAX, "scripted");
        session->now += fake_number(task->script, "compile", 0.2);
        return task;
    }
    fake_discard(task);
    return NULL;
}

/* Makes the computed part of the output, the last operand, wrong in the way that the script asks for. */
static void spoil(const struct task *task, unsigned part, const char *kind, char *output)
{
    const struct operand *operand = &task->operand[task->operands - 1];
    const size_t element = dtype_bytes(operand->dtype);
    int64_t begin, end;
    problem_part(task->job.problem, operand->count, part, task->parts, &begin, &end);
    char *window = output + (size_t)begin * element;
    if (strcmp(kind, "wrong") == 0)
        window[(size_t)(end - begin) / 2 * element + element - 1] ^= 0x10;
    if (strcmp(kind, "rounded") == 0) /* in another way: the lowest bit of a number, where the first byte has it */
        *window ^= 1;
    if (strcmp(kind, "zeros") == 0)
        memset(window, 0, (size_t)(end - begin) * element);
    if (strcmp(kind, "nan") == 0)
        memset(window, 0xff, element);
    if (strcmp(kind, "beyond") == 0 && part + 1 == task->parts)
        window[(size_t)(end - begin) * element] ^= 1;
}

/* Every pass from beginning to end, or a part of the only one, in one thread. False without memory for the scratch. */
static bool run_passes(const struct task *task, unsigned part, void *data[])
{
    const struct native *native = task->job.method->native;
    const struct problem *problem = task->job.problem;
    const unsigned operands = task->operands;
    int64_t bytes[SCRATCH_MAX] = { 0 };
    bool ok = true;
    if (native->scratch)
        native->scratch(problem, bytes);
    for (unsigned i = 0; i < SCRATCH_MAX && bytes[i] > 0; i++) {
        data[operands + i] = malloc((size_t)bytes[i]);
        ok = ok && data[operands + i];
    }
    for (unsigned i = 0; ok && i < native->passes; i++) {
        const struct native_pass *pass = &native->pass[i];
        int64_t begin, end;
        problem_part(problem, native_extent(pass, problem), part, task->parts, &begin, &end);
        pass->baseline[problem->dtype](data, problem->dim, begin, end);
    }
    for (unsigned i = 0; i < SCRATCH_MAX; i++)
        free(data[operands + i]);
    return ok;
}

/* Copies elements in the reverse order; in place where `to` is `from`. */
static void reverse(char *to, const char *from, int64_t count, size_t element)
{
    char low[sizeof(double)], high[sizeof(double)];
    for (int64_t i = 0, k = count - 1; i <= k; i++, k--) {
        memcpy(low, from + (size_t)i * element, element);
        memcpy(high, from + (size_t)k * element, element);
        memcpy(to + (size_t)i * element, high, element);
        memcpy(to + (size_t)k * element, low, element);
    }
}

static char *stated(const struct task *task, unsigned operand)
{
    return task->job.operand[operand].buffer->data + task->job.operand[operand].offset;
}

/* Plain C computes in the workload's layout only. */
static void reverse_own(const struct task *task)
{
    for (unsigned i = 0; i < task->operands; i++)
        if (task->own[i])
            reverse(task->own[i], task->own[i], task->operand[i].count, dtype_bytes(task->operand[i].dtype));
}

/* Every element as the workload states it, rounded. */
static bool run_definition(const struct task *task, unsigned part, void *const data[])
{
    const struct problem *problem = task->job.problem;
    const unsigned last = task->operands - 1;
    const void *input[OPERANDS_MAX] = { NULL };
    int64_t begin, end;
    for (unsigned i = 0; i < task->operands; i++)
        input[i] = data[i];
    problem_part(problem, task->operand[last].count, part, task->parts, &begin, &end);
    for (int64_t i = begin; i < end; i++) {
        double value, bound;
        problem->workload->expect(problem, method_sums(NULL, problem->dtype), input, i, &value, &bound);
        element_put(data[last], problem->dtype, i, value);
    }
    return true;
}

/* False without memory. */
static bool compute(const struct task *task, unsigned part, const char *kind)
{
    unsigned last = task->operands - 1;
    void *data[OPERANDS_MAX + SCRATCH_MAX] = { NULL };
    for (unsigned i = 0; i < task->operands; i++)
        data[i] = task->own[i] ? task->own[i] : stated(task, i);
    if (strcmp(kind, "stale") == 0 || strcmp(kind, "nothing") == 0)
        return true;
    reverse_own(task);
    const struct native *native = task->job.method->native;
    bool has_passes = native && native->pass[0].baseline[task->job.problem->dtype] &&
                      !json_is_true(json_object_get(task->session->device, "by_definition"));
    bool ran = has_passes ? run_passes(task, part, data) : run_definition(task, part, data);
    reverse_own(task);
    if (!ran)
        return false;
    if (strcmp(kind, "input") == 0)
        *(char *)data[0] ^= 0x10;
    /* Beyond the output there is something to hit only in the middle of a larger buffer. */
    if (strcmp(kind, "beyond") != 0 || (task->job.operand[last].offset > 0 && !task->own[last]))
        spoil(task, part, kind, data[last]);
    return true;
}

bool fake_enqueue(struct session *session, const struct command *command, struct error *err)
{
    struct command **at = &session->commands, *own = malloc(sizeof *own);
    if (!own)
        return fail(err, STATUS_NO_MEMORY, "no memory for a command");
    while (*at)
        at = &(*at)->next;
    *own = *command;
    *at = own;
    return true;
}

bool fake_perform(struct session *session, unsigned queue, struct error *err)
{
    bool ok = true;
    for (struct command **at = &session->commands, *one; (one = *at);) {
        if (one->queue != queue) {
            at = &one->next;
            continue;
        }
        if (one->task)
            ok = compute(one->task, one->part, one->fault) && ok;
        else if (one->element > 0)
            reverse(one->to, one->from, (int64_t)(one->bytes / one->element), one->element);
        else
            memmove(one->to, one->from, one->bytes);
        *at = one->next;
        free(one);
    }
    return ok || fail(err, STATUS_NO_MEMORY, "no memory for the scratch of a run");
}

bool fake_submit(struct task *task, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    struct session *session = task->session;
    session->own = task->script;
    if (!fake_pass(session, "submit", err))
        return false;
    if (part >= task->parts)
        return fail(err, STATUS_FAILED, "part %u of %u", part, task->parts);
    const char *kind = session->fault;
    const json_t *times = json_object_get(task->script, "run");
    size_t count = json_array_size(times);
    double seconds = count ? json_number_value(json_array_get(times, session->runs % count)) : 0.01;
    seconds +=
        task->job.problem->workload->flops(task->job.problem) / fake_number(task->script, "compute_rate", INFINITY);
    if (strcmp(kind, "nothing") == 0)
        seconds = at_once;
    if (!fake_enqueue(session, &(struct command){ .queue = queue, .task = task, .part = part, .fault = kind }, err))
        return false;
    fake_spend(session, queue, ENGINE_COMPUTE, seconds / task->parts + fake_number(session->device, "launch", 0));
    session->now += fake_number(session->device, "enqueue", 0);
    session->span = span;
    double event = fake_number(session->device, "event", 0);
    session->span_seconds = fake_number(session->device, "event_seconds", event > 0 ? seconds * event : NAN);
    if (part + 1 == task->parts)
        session->runs++;
    return true;
}

unsigned fake_repacks(const struct task *task)
{
    unsigned repacks = 0;
    for (unsigned i = 0; i < task->operands; i++)
        repacks |= task->own[i] ? 1u << i : 0;
    return repacks;
}

bool fake_repack(struct task *task, unsigned operand, enum repack_way way, struct error *err)
{
    struct session *session = task->session;
    session->own = task->script;
    if (!fake_pass(session, "repack", err))
        return false;
    char *own = task->own[operand], *other = stated(task, operand);
    const bool is_in = way == REPACK_IN, is_stale = strcmp(session->fault, "stale") == 0;
    const struct command back_to_front = { .to = is_in ? own : other,
                                           .from = is_in ? other : own,
                                           .bytes = is_stale ? 0 : task->job.operand[operand].bytes,
                                           .element = dtype_bytes(task->operand[operand].dtype) };
    fake_spend(session, 0, ENGINE_COMPUTE, fake_number(task->script, "repack", 0));
    return fake_enqueue(session, &back_to_front, err);
}

void fake_discard(struct task *task)
{
    if (!task)
        return;
    task->session->held--;
    task->session->own = task->session->device;
    json_decref(task->script);
    for (unsigned i = 0; i < task->operands; i++)
        free(task->own[i]);
    free(task);
}
