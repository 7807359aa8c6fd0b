#include "bench/backends/fake/fake.h"

#include "bench/backends/common/task.h"
#include "harness/base/file.h"
#include "harness/base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned sources(struct source out[], unsigned room, struct error *err)
{
    const char *path = getenv("BENCH_FAKE");
    if (!path || !*path || room == 0)
        return 0;
    text_copy(out[0].text, sizeof out[0].text, path);
    return 1;
}

/* A device as the script has it. Members that it lacks have usual values. */
static bool describe(json_t *script, unsigned index, struct device *out, struct error *err)
{
    struct device usual = { .backend = "fake", .id = "fake", .name = "Fake", .class = CLASS_DGPU, .memory = 1e9 };
    usual.index = index;
    usual.units = 1;
    snprintf(usual.key, sizeof usual.key, "fake/%u", index);
    json_t *json = device_to_json(&usual);
    json_object_update(json, script);
    bool ok = device_from_json(out, json, err);
    json_decref(json);
    out->shares_host_memory |= out->works_in_host_memory;
    out->computes[DTYPE_F32] = true;
    out->computes[DTYPE_F64] = !json_is_false(json_object_get(script, "f64"));
    device_computes_small(out);
    return ok;
}

static bool list(const char *source, struct device out[], unsigned room, unsigned *count, struct error *err)
{
    *count = 0;
    json_t *script = fake_script_read(source, err);
    if (!script)
        return false;
    fake_strike(fake_text(script, "list", ""));
    json_t *devices = json_object_get(script, "devices"), *device;
    bool ok = true;
    size_t i;
    json_array_foreach (devices, i, device)
        if (*count < room && ok)
            ok = describe(device, (unsigned)i, &out[(*count)++], err);
    if (*count == 0)
        fail(err, STATUS_UNSUPPORTED, "the script has no device");
    json_decref(script);
    return ok;
}

static void close_session(struct session *session)
{
    if (!session)
        return;
    fake_pass(session, "close", NULL);
    const char *path = getenv("BENCH_FAKE_KEPT");
    FILE *kept = path && session->held != 0 ? file_open(path, "a") : NULL;
    if (kept) {
        fprintf(kept, "%d buffers and tasks\n", session->held);
        fclose(kept);
    }
    while (session->commands) {
        struct command *next = session->commands->next;
        free(session->commands);
        session->commands = next;
    }
    json_decref(session->calls);
    json_decref(session->script);
    free(session);
}

static struct session *open_session(const struct device *device, unsigned threads, struct error *err)
{
    struct session *session = calloc(1, sizeof *session);
    if (session)
        session->script = fake_script_read(device->source, err);
    if (!session || !session->script) {
        fail(err, STATUS_NO_MEMORY, "no memory for a session");
        free(session);
        return NULL;
    }
    session->own = session->device = json_array_get(json_object_get(session->script, "devices"), device->index);
    session->calls = json_object();
    session->latest = "";
    session->now = fake_number(session->device, "open", 0.1);
    if (fake_pass(session, "open", err))
        return session;
    close_session(session);
    return NULL;
}

static struct buffer *alloc(struct session *session, size_t bytes, enum memory memory, struct error *err)
{
    struct buffer *buffer = NULL;
    if (!fake_pass(session, "alloc", err))
        return NULL;
    if ((double)bytes <= fake_number(session->device, "memory", 1e9))
        buffer = malloc(sizeof *buffer + bytes);
    if (!buffer)
        return fail_null(err, STATUS_NO_MEMORY, "%zu bytes do not fit", bytes);
    buffer->bytes = bytes;
    buffer->view = NULL;
    session->held++;
    return buffer;
}

static void release(struct session *session, struct buffer *buffer)
{
    if (!buffer)
        return;
    if (session->commands)
        fake_strike("abort"); /* they would write to released memory */
    if (buffer->view != buffer->data)
        free(buffer->view);
    free(buffer);
    session->held--;
}

/* A copy, unless the device works in host memory: so the tests find a host that reads a buffer mapped for writing, or
 * writes one mapped for reading. */
static void *map(struct session *session, struct buffer *buffer, enum map_mode mode, struct error *err)
{
    if (buffer->view)
        return fail_null(err, STATUS_FAILED, "the buffer of %zu bytes is mapped already", buffer->bytes);
    if (!fake_perform(session, 0, err))
        return NULL;
    buffer->mode = mode;
    if (json_is_true(json_object_get(session->device, "works_in_host_memory")))
        return buffer->view = buffer->data;
    buffer->view = malloc(buffer->bytes);
    if (!buffer->view)
        fail(err, STATUS_NO_MEMORY, "%zu bytes do not fit", buffer->bytes);
    else if (mode == MAP_WRITE)
        memset(buffer->view, 0xcc, buffer->bytes);
    else
        memcpy(buffer->view, buffer->data, buffer->bytes);
    return buffer->view;
}

static bool unmap(struct session *session, struct buffer *buffer, struct error *err)
{
    if (!buffer->view)
        return fail(err, STATUS_FAILED, "the buffer of %zu bytes is not mapped", buffer->bytes);
    if (!fake_perform(session, 0, err))
        return false;
    if (buffer->view != buffer->data) {
        if (buffer->mode != MAP_READ)
            memcpy(buffer->data, buffer->view, buffer->bytes);
        free(buffer->view);
    }
    buffer->view = NULL;
    return true;
}

static bool move(struct session *session, unsigned queue, enum engine engine, void *to, const void *from, size_t bytes,
                 struct error *err)
{
    const char *rate = engine == ENGINE_UP ? "upload_rate" : "download_rate";
    const struct command copy = { .queue = queue, .to = to, .from = from, .bytes = bytes };
    fake_spend(session, queue, engine, (double)bytes / fake_number(session->device, rate, 1e10));
    return fake_enqueue(session, &copy, err);
}

static bool upload(struct session *session, unsigned queue, struct buffer *to, size_t offset, const void *from,
                   size_t bytes, struct error *err)
{
    return fake_pass(session, "upload", err) && buffer_has(to->bytes, offset, bytes, err) &&
           move(session, queue, ENGINE_UP, to->data + offset, from, bytes, err);
}

static bool download(struct session *session, unsigned queue, void *to, struct buffer *from, size_t offset,
                     size_t bytes, struct error *err)
{
    if (!fake_pass(session, "download", err) || !buffer_has(from->bytes, offset, bytes, err))
        return false;
    const bool is_stale = strcmp(session->fault, "stale") == 0;
    return move(session, queue, ENGINE_DOWN, is_stale ? from->data + offset : to, from->data + offset, bytes, err);
}

static bool finish(struct session *session, unsigned queue, struct error *err)
{
    /* The work is done even where the answer is a refusal: the caller releases its memory next. */
    if (!fake_perform(session, queue, err) || !fake_pass(session, "finish", err))
        return false;
    session->now = fmax(session->now, session->queue[queue]);
    if (session->span)
        *session->span = session->span_seconds >= 0
                             ? (struct span){ session->now, session->now + session->span_seconds }
                             : (struct span){ NAN, NAN };
    session->span = NULL;
    return true;
}

/* The host's clock: the device's time, plus the jumps so far. */
static double now(struct session *session)
{
    double seconds = session->now;
    const json_t *jump;
    size_t i;
    json_array_foreach (json_object_get(session->device, "jumps"), i, jump)
        if (session->now >= fake_number(jump, "at", 0))
            seconds += fake_number(jump, "by", 0);
    return seconds;
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
    .map = map,
    .unmap = unmap,
    .upload = upload,
    .download = download,
    .kernel_shapes = fake_kernel_shapes,
    .prepare = fake_prepare,
    .submit = fake_submit,
    .discard = fake_discard,
    .repacks = fake_repacks,
    .repack = fake_repack,
    .finish = finish,
    .wait = "none",
    .now = now,
};
