/* A device for tests: its times are scripted, its clock is its own, and it fails when and how the script says. It
 * computes for real, in host memory, so that verification has something to verify. It exists only where BENCH_FAKE
 * names a script:
 *
 *   {"list": "crash", "devices": [{
 *      "name": "Fake GPU", "class": "dGPU", "works_in_host_memory": false, "shares_host_memory": false, "f64": true,
 *      "memory": 8e9, "open": 0.1, "compile": 0.2, "run": [0.010, 0.011], "event": 0.9,
 *      "upload_rate": 1e10, "download_rate": 1e10,
 *      "faults": [{"call": "submit", "number": 7, "kind": "hang"}]}]}
 *
 * Times are seconds, rates bytes per second; `run` is repeated in a circle; `event` is the share of a run that the
 * device's clock claims, 0 for none. A fault strikes at the given call of that function (1 is the first) and later
 * ones. */

#include "bench/backend.h"
#include "harness/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum call {
    CALL_LIST,
    CALL_OPEN,
    CALL_ALLOC,
    CALL_PREPARE,
    CALL_SUBMIT,
    CALL_UPLOAD,
    CALL_DOWNLOAD,
    CALL_FINISH,
    CALLS
};
static const char *const call_names[CALLS] = { "list",   "open",   "alloc",    "prepare",
                                               "submit", "upload", "download", "finish" };

struct session {
    json_t *script;
    const json_t *device;
    double now;            /* seconds on the device's own clock */
    double pending;        /* seconds of work not yet waited for */
    unsigned calls[CALLS]; /* how often each function was called */
    unsigned runs;
    struct span *span; /* of the latest submit, filled by finish */
    double span_seconds;
};

struct buffer {
    size_t bytes;
    char *view; /* while it is mapped */
    enum map_mode mode;
    char data[];
};

struct task {
    struct session *session;
    struct job job;
};

static double number(const json_t *object, const char *name, double fallback)
{
    const json_t *value = json_object_get(object, name);
    return json_is_number(value) ? json_number_value(value) : fallback;
}

static const char *text(const json_t *object, const char *name, const char *fallback)
{
    const char *value = json_string_value(json_object_get(object, name));
    return value ? value : fallback;
}

static void crash(void)
{
    *(volatile int *)NULL = 1;
}

static void hang(void)
{
    for (;;)
        pause();
}

static void leave(void)
{
    _exit(0);
}

static void chatter(void)
{
    printf("fake driver: a line that nobody asked for\n");
    fprintf(stderr, "fake driver: and another\n");
    fflush(stdout);
}

static void half_line(void)
{
    if (write(3, "{\"ok\":tr", 8) == 8)
        _exit(0);
}

/* Faults that strike whatever was called. Others are looked for where they matter. */
struct fault {
    const char *kind;
    void (*strike)(void);
};
static const struct fault faults[] = {
    { "crash", crash }, { "abort", abort },         { "hang", hang },
    { "exit", leave },  { "half-line", half_line }, { "chatter", chatter },
};

static void strike(const char *kind)
{
    for (unsigned i = 0; i < sizeof faults / sizeof faults[0]; i++)
        if (strcmp(faults[i].kind, kind) == 0)
            faults[i].strike();
}

/* The fault that the script has for this call now, or "". */
static const char *fault_at(const struct session *session, enum call call)
{
    const json_t *fault;
    size_t i;
    json_array_foreach (json_object_get(session->device, "faults"), i, fault)
        if (strcmp(text(fault, "call", ""), call_names[call]) == 0 &&
            session->calls[call] >= (unsigned)number(fault, "number", 1))
            return text(fault, "kind", "");
    return "";
}

/* Counts a call, and lets the script have its way with it. */
static bool pass(struct session *session, enum call call, struct error *err)
{
    session->calls[call]++;
    const char *kind = fault_at(session, call);
    strike(kind);
    if (strcmp(kind, "no-memory") == 0)
        return fail_in(err, call_names[call], STATUS_NO_MEMORY, "the script refuses memory");
    if (strcmp(kind, "unsupported") == 0)
        return fail_in(err, call_names[call], STATUS_UNSUPPORTED, "the script says it cannot");
    if (strcmp(kind, "fail") == 0)
        return fail_in(err, call_names[call], STATUS_FAILED, "the script fails call %u", session->calls[call]);
    return true;
}

static unsigned sources(struct source out[], unsigned room, struct error *err)
{
    const char *path = getenv("BENCH_FAKE");
    (void)err;
    if (!path || !*path || room == 0)
        return 0;
    text_copy(out[0].text, sizeof out[0].text, path);
    return 1;
}

static json_t *script_read(const char *path, struct error *err)
{
    json_error_t why;
    json_t *script = json_load_file(path, 0, &why);
    if (!script)
        fail(err, STATUS_FAILED, "cannot read the script %.80s: %.80s", path, why.text);
    return script;
}

static void describe(const json_t *from, unsigned index, struct device *out)
{
    const char *class = text(from, "class", "dGPU");
    *out = (struct device){ .backend = "fake", .index = index, .class = CLASS_DGPU, .units = 1 };
    snprintf(out->key, sizeof out->key, "fake/%u", index);
    text_copy(out->name, sizeof out->name, text(from, "name", "Fake"));
    for (enum device_class i = 0; i < CLASS_COUNT; i++)
        if (strcmp(class, class_name(i)) == 0)
            out->class = i;
    out->works_in_host_memory = json_is_true(json_object_get(from, "works_in_host_memory"));
    out->shares_host_memory = json_is_true(json_object_get(from, "shares_host_memory")) || out->works_in_host_memory;
    out->memory = number(from, "memory", 1e9);
    out->computes[DTYPE_F32] = true;
    out->computes[DTYPE_F64] = !json_is_false(json_object_get(from, "f64"));
    text_copy(out->silicon, sizeof out->silicon, text(from, "silicon", ""));
}

static bool list(const char *source, struct device out[], unsigned room, unsigned *count, struct error *err)
{
    *count = 0;
    json_t *script = script_read(source, err);
    if (!script)
        return false;
    strike(text(script, "list", ""));
    const json_t *devices = json_object_get(script, "devices"), *device;
    size_t i;
    json_array_foreach (devices, i, device)
        if (*count < room)
            describe(device, (unsigned)i, &out[(*count)++]);
    if (*count == 0)
        fail(err, STATUS_UNSUPPORTED, "the script has no device");
    json_decref(script);
    return true;
}

static void close_session(struct session *session)
{
    if (!session)
        return;
    json_decref(session->script);
    free(session);
}

static struct session *open_session(const struct device *device, unsigned threads, struct error *err)
{
    (void)threads;
    struct session *session = calloc(1, sizeof *session);
    if (session)
        session->script = script_read(device->source, err);
    if (!session || !session->script) {
        fail(err, STATUS_NO_MEMORY, "no memory for a session");
        free(session);
        return NULL;
    }
    session->device = json_array_get(json_object_get(session->script, "devices"), device->index);
    session->now = number(session->device, "open", 0.1);
    if (pass(session, CALL_OPEN, err))
        return session;
    close_session(session);
    return NULL;
}

static struct buffer *alloc(struct session *session, size_t bytes, enum memory memory, struct error *err)
{
    (void)memory;
    struct buffer *buffer = NULL;
    if (!pass(session, CALL_ALLOC, err))
        return NULL;
    if ((double)bytes <= number(session->device, "memory", 1e9))
        buffer = malloc(sizeof *buffer + bytes);
    if (!buffer) {
        fail(err, STATUS_NO_MEMORY, "%zu bytes do not fit", bytes);
        return NULL;
    }
    buffer->bytes = bytes;
    buffer->view = NULL;
    return buffer;
}

static void release(struct session *session, struct buffer *buffer)
{
    (void)session;
    if (buffer && buffer->view != buffer->data)
        free(buffer->view);
    free(buffer);
}

static void *host_alloc(struct session *session, size_t bytes, enum memory memory, struct error *err)
{
    (void)session, (void)memory;
    void *host = malloc(bytes);
    if (!host)
        fail(err, STATUS_NO_MEMORY, "%zu bytes do not fit", bytes);
    return host;
}

static void host_release(struct session *session, void *host)
{
    (void)session;
    free(host);
}

/* Apart from what the device has, unless that works in host memory: so a host that reads what it mapped for writing, or
 * writes what it mapped for reading, is found out. */
static void *map(struct session *session, struct buffer *buffer, enum map_mode mode, struct error *err)
{
    if (buffer->view) {
        fail(err, STATUS_FAILED, "the buffer of %zu bytes is mapped already", buffer->bytes);
        return NULL;
    }
    buffer->mode = mode;
    if (json_is_true(json_object_get(session->device, "works_in_host_memory")))
        return buffer->view = buffer->data;
    buffer->view = malloc(buffer->bytes);
    if (!buffer->view)
        fail(err, STATUS_NO_MEMORY, "%zu bytes do not fit", buffer->bytes);
    else if (mode == MAP_READ)
        memcpy(buffer->view, buffer->data, buffer->bytes);
    else
        memset(buffer->view, 0xcc, buffer->bytes);
    return buffer->view;
}

static bool unmap(struct session *session, struct buffer *buffer, struct error *err)
{
    (void)session;
    if (!buffer->view)
        return fail(err, STATUS_FAILED, "the buffer of %zu bytes is not mapped", buffer->bytes);
    if (buffer->view != buffer->data) {
        if (buffer->mode == MAP_WRITE)
            memcpy(buffer->data, buffer->view, buffer->bytes);
        free(buffer->view);
    }
    buffer->view = NULL;
    return true;
}

static void spend(struct session *session, size_t bytes, const char *rate, struct span *span)
{
    session->pending += (double)bytes / number(session->device, rate, 1e10);
    if (span)
        *span = (struct span){ NAN, NAN };
}

static bool upload(struct session *session, unsigned queue, struct buffer *to, const void *from, size_t bytes,
                   struct span *span, struct error *err)
{
    (void)queue;
    if (!pass(session, CALL_UPLOAD, err))
        return false;
    memcpy(to->data, from, bytes);
    spend(session, bytes, "upload_rate", span);
    return true;
}

static bool download(struct session *session, unsigned queue, void *to, struct buffer *from, size_t bytes,
                     struct span *span, struct error *err)
{
    (void)queue;
    if (!pass(session, CALL_DOWNLOAD, err))
        return false;
    if (strcmp(fault_at(session, CALL_DOWNLOAD), "stale") != 0)
        memcpy(to, from->data, bytes);
    spend(session, bytes, "download_rate", span);
    return true;
}

static struct task *prepare(struct session *session, const struct job *job, char detail[DETAIL_MAX], struct error *err)
{
    if (!pass(session, CALL_PREPARE, err))
        return NULL;
    const struct native *native = job->variant->native;
    if (!native || !native->pass[0].baseline[job->problem->dtype]) {
        fail(err, STATUS_UNSUPPORTED, "%s has no plain C form", job->variant->name);
        return NULL;
    }
    if (job->problem->dtype == DTYPE_F64 && json_is_false(json_object_get(session->device, "f64"))) {
        fail(err, STATUS_UNSUPPORTED, "the script says that this device does not compute f64");
        return NULL;
    }
    struct task *task = malloc(sizeof *task);
    if (!task) {
        fail(err, STATUS_NO_MEMORY, "no memory for a task");
        return NULL;
    }
    *task = (struct task){ .session = session, .job = *job };
    text_copy(detail, DETAIL_MAX, "scripted");
    session->now += number(session->device, "compile", 0.2);
    return task;
}

/* Wrong in the way that the script asks for: the last operand is the output. */
static void spoil(const struct task *task, const char *kind, char *output, size_t bytes)
{
    size_t element = dtype_bytes(task->job.problem->dtype);
    if (strcmp(kind, "wrong") == 0)
        output[bytes / element / 2 * element + element - 1] ^= 0x10;
    if (strcmp(kind, "zeros") == 0)
        memset(output, 0, bytes);
    if (strcmp(kind, "nan") == 0)
        memset(output, 0xff, element);
    if (strcmp(kind, "beyond") == 0)
        output[bytes] ^= 1;
}

/* Every pass from beginning to end, in one thread. False where there is no memory for what they hand on. */
static bool run_passes(const struct native *native, const struct problem *problem, void *data[], unsigned operands)
{
    int64_t elements[SCRATCH_MAX] = { 0 };
    bool ok = true;
    if (native->scratch)
        native->scratch(problem, elements);
    for (unsigned i = 0; i < SCRATCH_MAX && elements[i] > 0; i++) {
        data[operands + i] = malloc((size_t)elements[i] * dtype_bytes(problem->dtype));
        ok = ok && data[operands + i];
    }
    for (unsigned i = 0; ok && i < native->passes; i++) {
        const struct native_pass *pass = &native->pass[i];
        pass->baseline[problem->dtype](data, problem->dim, 0, pass->extent(problem));
    }
    for (unsigned i = 0; i < SCRATCH_MAX; i++)
        free(data[operands + i]);
    return ok;
}

static void compute(const struct task *task, const char *kind)
{
    const struct problem *problem = task->job.problem;
    const struct native *native = task->job.variant->native;
    struct operand operand[OPERANDS_MAX];
    unsigned count = problem->workload->operands(problem, operand);
    void *data[OPERANDS_MAX + SCRATCH_MAX] = { NULL };
    for (unsigned i = 0; i < count; i++)
        data[i] = task->job.operand[i].buffer->data + task->job.operand[i].offset;
    if (strcmp(kind, "stale") == 0 || !run_passes(native, problem, data, count))
        return;
    /* Beyond the output there is something to hit only in the middle of a larger buffer. */
    if (strcmp(kind, "beyond") != 0 || task->job.operand[count - 1].offset > 0)
        spoil(task, kind, data[count - 1], task->job.operand[count - 1].bytes);
}

static bool submit(struct task *task, unsigned queue, struct span *span, struct error *err)
{
    (void)queue;
    struct session *session = task->session;
    if (!pass(session, CALL_SUBMIT, err))
        return false;
    const char *kind = fault_at(session, CALL_SUBMIT);
    const json_t *times = json_object_get(session->device, "run");
    size_t count = json_array_size(times);
    double seconds = count ? json_number_value(json_array_get(times, session->runs++ % count)) : 0.01;
    compute(task, kind);
    session->pending += seconds;
    session->span = span;
    session->span_seconds = seconds * number(session->device, "event", 0);
    return true;
}

static void discard(struct task *task)
{
    free(task);
}

static bool finish(struct session *session, unsigned queue, struct error *err)
{
    (void)queue;
    if (!pass(session, CALL_FINISH, err))
        return false;
    session->now += session->pending;
    if (session->span)
        *session->span = session->span_seconds > 0 ? (struct span){ session->now, session->now + session->span_seconds }
                                                   : (struct span){ NAN, NAN };
    session->span = NULL;
    session->pending = 0;
    return true;
}

static double now(struct session *session)
{
    return session->now;
}

const struct backend backend_fake = {
    .name = "fake",
    .summary = "scripted devices, for tests",
    .only_if_named = true,
    .sources = sources,
    .list = list,
    .open = open_session,
    .close = close_session,
    .alloc = alloc,
    .release = release,
    .host_alloc = host_alloc,
    .host_release = host_release,
    .map = map,
    .unmap = unmap,
    .upload = upload,
    .download = download,
    .prepare = prepare,
    .submit = submit,
    .discard = discard,
    .finish = finish,
    .now = now,
};
