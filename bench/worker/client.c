#include "bench/worker/client.h"

#include "bench/backends/common/driver_cache.h"
#include "harness/base/clock.h"
#include "harness/base/process.h"
#include "harness/base/text.h"
#include "harness/machine/host.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Seconds that a worker gets to exit once it has closed its device, or was asked to when the user interrupts; never
 * more than the timeout. */
static const double exit_grace = 5;

/* The timeout for opening a device or a cell, in multiples of the usual one. */
static const double timeout_to_open = 4;

struct client {
    struct child *child;
    bool answers;         /* it has answered every request, so that it may exit by itself */
    bool has_log;         /* a file: who asks for that quotes it */
    const char *platform; /* of its device */
    char last_line[LAST_LINE];
    const struct worker_setup *setup;
};

/* One OpenMP thread for each core; huge pages for malloc (glibc 2.35 and later). Idle threads sleep soon, to leave the
 * cores to other libraries, but not between two runs of the CPU's: waking one took 50 us and more, where 2 MiB are
 * computed in 11 us. A spin count of 5000 is about 0.2 ms; a quarter of that where the CPU's pause instruction is
 * shorter. The threads that write the inputs of another device sleep at once: its driver may need their cores. */
struct client *client_start(const struct worker_setup *setup, bool pinned, int log_fd, struct error *err)
{
    enum { VARIABLES = 6 };
    const struct text parent = child_parent();
    struct text variable[VARIABLES];
    const char *environment[VARIABLES + 1] = { NULL };
    if (setup->host) {
        const char *places = setup->host->places;
        variable[0] = text_print("OMP_NUM_THREADS=%u", setup->host->worker_threads);
        variable[1] = text_print("OMP_PLACES=%s", *places ? places : "cores");
        variable[2] = text_print("OMP_PROC_BIND=%s", pinned && *places ? "close" : "false");
        variable[3] = text_print("OMP_WAIT_POLICY=passive");
        variable[4] = text_print("GOMP_SPINCOUNT=%s", pinned ? "5000" : "0"); /* libgomp prefers it to the policy */
        variable[5] = text_print("GLIBC_TUNABLES=glibc.malloc.hugetlb=%d", !setup->is_plain);
        for (unsigned i = 0; i < VARIABLES; i++)
            environment[i] = variable[i].text;
    }
    const char *const argv[] = { "bench", "worker", parent.text, NULL };
    struct client *client = calloc(1, sizeof *client);
    if (!client)
        return fail_null(err, STATUS_NO_MEMORY, "no memory for a worker");
    client->setup = setup;
    client->answers = true;
    client->has_log = log_fd >= 0;
    client->child = child_start(NULL, argv, setup->host ? environment : NULL, log_fd, err);
    if (client->child)
        return client;
    free(client);
    return NULL;
}

/* Seconds, and a share, by which the clock readings of two processes may differ. */
static const double clock_slack = 0.01;

/* Adds what the worker was asked for when it died: "... during the timed runs (copied)"; the call that it began last,
 * of the library in which it died or hangs; and what may be the cause, or helps. A process that may use little fails in
 * many ways, and in words that do not say why. A driver dies of a damaged cache when it compiles. */
static void explain(const struct client *client, const struct request *request, struct error *err)
{
    const struct request_form *form = &request_forms[request->kind];
    const struct text limits = host_limits("");
    if (status_is_death(err->status)) {
        text_copy(err->where, sizeof err->where, form->name);
        text_append(err->message, sizeof err->message, " during %s", form->words);
        if (request_has_series(request))
            text_append(err->message, sizeof err->message, " (%s)", series_names[request->series]);
        const struct text entry = child_last_call(client->child), line = child_last_line(client->child);
        if (*entry.text)
            text_append(err->message, sizeof err->message, ", last call: %s", entry.text);
        if (err->status == STATUS_TIMEOUT && isinf(process_address_limit(NULL)))
            text_append(err->message, sizeof err->message, " (--timeout gives more)");
        if (!client->has_log && *line.text)
            text_append(err->message, sizeof err->message, "; it printed last: %s", line.text);
    } else if (err->status != STATUS_FAILED && err->status != STATUS_NO_MEMORY)
        return;
    if (*limits.text)
        text_append(err->message, sizeof err->message, "; %s", limits.text);
    else if (err->status == STATUS_CRASHED && (request->kind == ASK_OPEN || request->kind == ASK_KERNEL_SHAPE))
        driver_cache_suspect(client->platform, err->message, sizeof err->message);
}

double client_deadline(double timeout, double expected)
{
    return fmax(timeout, isfinite(expected) ? 10 * expected : 0);
}

static bool ask(struct client *client, const struct request *request, double deadline, struct reply *reply,
                struct error *err)
{
    const struct worker_setup *setup = client->setup;
    json_t *json = request_to_json(request);
    char *text = json_dumps(json, JSON_COMPACT), *line = NULL;
    json_decref(json);
    const long written = child_log_time(client->child);
    const double asked = clock_wall();
    client->answers = text && child_send(client->child, text, setup->timeout, err) &&
                      child_receive(client->child, deadline, setup->interrupt, &line, err);
    const double waited = clock_wall() - asked;
    free(text);
    if (child_log_time(client->child) != written)
        text_copy(client->last_line, sizeof client->last_line, child_last_line(client->child).text);
    if (!client->answers)
        return fail(err, STATUS_NO_MEMORY, "no memory for a request"); /* unless there is another reason */
    json = json_loads(line, 0, NULL);
    const bool is_json = json_is_object(json);
    reply_from_json(reply, request->kind, json);
    json_decref(json);
    if (!is_json)
        return fail(err, STATUS_FAILED, "the reply of the worker is not JSON: %.60s", line);
    /* By the worker's clock it cannot take longer than we waited for the reply. */
    if (reply->took > waited * (1 + clock_slack) + clock_slack)
        return fail_in(err, "clock", STATUS_IMPOSSIBLE, "the worker's clock counted %s for a request that took %s",
                       text_seconds(reply->took).text, text_seconds(waited).text);
    const struct error *own = &reply->error;
    return reply->ok ||
           fail_in(err, *own->where ? own->where : "worker", own->status != STATUS_OK ? own->status : STATUS_FAILED,
                   "%s", *own->message ? own->message : "failed without a reason");
}

bool client_ask(struct client *client, const struct request *request, double expected, struct reply *reply,
                struct error *err)
{
    const double timeout = (request->device ? timeout_to_open : 1) * client->setup->timeout;
    *reply = reply_unknown(request->kind);
    if (request->device)
        client->platform = request->device->platform;
    if (ask(client, request, request->limit > 0 ? request->limit : client_deadline(timeout, expected), reply, err))
        return true;
    explain(client, request, err);
    reply_release(reply);
    return false;
}

const char *client_last_line(const struct client *client)
{
    return client->last_line;
}

bool client_counts_against_device(const struct error *err)
{
    bool was_checking = strcmp(err->where, "check") == 0 || strcmp(err->where, "verify") == 0;
    return status_is_death(err->status) && !(err->status == STATUS_TIMEOUT && was_checking);
}

double client_cpu(const struct client *client)
{
    return client ? fmax(0, child_cpu(client->child)) : 0; /* fmax ignores NAN */
}

bool client_end(struct client *client, struct error *err)
{
    struct error why = { .status = STATUS_OK };
    struct reply reply;
    if (!client)
        return true;
    /* Closing may take as long as any request: a driver frees gigabytes. */
    const bool has_answered = client->answers;
    bool has_closed = has_answered && client_ask(client, &(struct request){ .kind = ASK_CLOSE }, 0, &reply, &why);
    if (why.status == STATUS_ABANDONED) { /* an interrupt ends the wait and is no failure */
        why = (struct error){ .status = STATUS_OK };
        has_closed = true;
    }
    const double grace = has_closed ? fmin(exit_grace, client->setup->timeout) : 0;
    const bool has_left = child_end(client->child, grace, &why) || !has_answered;
    free(client);
    if (!has_left && err)
        *err = why;
    return has_left;
}
