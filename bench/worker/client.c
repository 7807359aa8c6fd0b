#include "bench/worker/client.h"

#include "harness/base/clock.h"
#include "harness/base/fields.h"
#include "harness/base/text.h"
#include "harness/journal/journal.h"
#include "harness/journal/record.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VARIABLES = 6, VARIABLE_MAX = 640 }; /* as many as client_environment has */

/* Seconds that a worker gets to exit once it has closed its device, or was asked to when the user interrupts; never
 * more than the timeout. */
static const double exit_grace = 5;

/* The timeout for opening a cell, in multiples of the usual one. */
static const double timeout_to_open = 4;

struct client {
    struct child *child;
    bool answers;      /* it has answered every request, so that it may exit by itself */
    bool has_log;      /* a file: who asks for that quotes it */
    bool lacks_device; /* it reported so when it failed */
    char last_line[LAST_LINE];
    const struct worker_setup *setup;
};

/* One OpenMP thread for each core; huge pages for malloc (glibc 2.35 and later). Idle threads sleep soon, to leave the
 * cores to other libraries, but not between two runs of the CPU's: waking one took 50 us and more, where 2 MiB are
 * computed in 11 us. A spin count of 5000 is about 0.2 ms; a quarter of that where the CPU's pause instruction is
 * shorter. The threads that write the inputs of another device sleep at once: its driver may need their cores. */
json_t *client_environment(const struct worker_setup *setup, bool pinned)
{
    const char *places = setup->host->places;
    return json_pack("{s:o, s:s, s:s, s:s, s:s, s:s}", "OMP_NUM_THREADS",
                     json_sprintf("%u", setup->host->worker_threads), "OMP_PLACES", *places ? places : "cores",
                     "OMP_PROC_BIND", pinned && *places ? "close" : "false", "OMP_WAIT_POLICY", "passive",
                     "GOMP_SPINCOUNT", pinned ? "5000" : "0", /* libgomp prefers it to the policy */
                     "GLIBC_TUNABLES", setup->is_plain ? "glibc.malloc.hugetlb=0" : "glibc.malloc.hugetlb=1");
}

struct client *client_start(const struct worker_setup *setup, bool pinned, int log_fd, struct error *err)
{
    char parent[24], variable[VARIABLES][VARIABLE_MAX];
    const char *environment[VARIABLES + 1] = { NULL }, *name;
    json_t *variables = setup->host ? client_environment(setup, pinned) : NULL, *value;
    unsigned count = 0;
    if (json_object_size(variables) > VARIABLES) {
        json_decref(variables);
        return fail_null(err, STATUS_FAILED, "more than %d variables for the environment of a worker", VARIABLES);
    }
    json_object_foreach (variables, name, value) {
        snprintf(variable[count], VARIABLE_MAX, "%s=%s", name, json_string_value(value));
        environment[count] = variable[count];
        count++;
    }
    json_decref(variables);
    snprintf(parent, sizeof parent, "%ld", (long)getpid());
    const char *const argv[] = { program_invocation_name, "worker", parent, NULL };
    struct client *client = calloc(1, sizeof *client);
    if (!client)
        return fail_null(err, STATUS_NO_MEMORY, "no memory for a worker");
    client->setup = setup;
    client->answers = true;
    client->has_log = log_fd >= 0;
    client->child = child_start(CHILD_SELF, argv, setup->host ? environment : NULL, log_fd, err);
    if (client->child)
        return client;
    free(client);
    return NULL;
}

/* The error that the worker itself reports. */
static void fail_as_reported(const json_t *reply, struct error *err)
{
    const char *where = journal_text(reply, "where"), *message = journal_text(reply, "message");
    const enum status reported = status_parse(journal_text(reply, "status"));
    const bool is_failure = reported != STATUS_COUNT && reported != STATUS_OK;
    fail_in(err, *where ? where : "worker", is_failure ? reported : STATUS_FAILED, "%s",
            *message ? message : "failed without a reason");
}

/* Seconds, and a share, by which the clock readings of two processes may differ. */
static const double clock_slack = 0.01;

/* The time of a request by the worker's clock cannot exceed the time that we waited for the reply. */
static bool check_took(json_t *reply, double waited, struct error *err)
{
    double took = seconds_from_json(json_object_get(reply, "took_ns"));
    json_object_del(reply, "took_ns");
    if (!(took > waited * (1 + clock_slack) + clock_slack))
        return true;
    return fail_in(err, "clock", STATUS_IMPOSSIBLE, "the worker's clock counted %s for a request that took %s",
                   text_seconds(TEXT_HERE, took), text_seconds(TEXT_HERE, waited));
}

/* The call that it began last, of the library in which it died or hangs, and what helps. */
static bool add_details(const struct client *client, struct error *err)
{
    char entry[LAST_CALL_ROOM], line[LAST_LINE] = "";
    child_last_call(client->child, entry);
    if (!client->has_log)
        child_last_line(client->child, line);
    if (*entry)
        text_append(err->message, sizeof err->message, ", last call: %s", entry);
    if (err->status == STATUS_TIMEOUT)
        text_append(err->message, sizeof err->message, " (--timeout gives more)");
    if (*line)
        text_append(err->message, sizeof err->message, "; it printed last: %s", line);
    return false;
}

/* Requests in words for users. */
static const char *words_of(const char *request)
{
    static const char *const words[][2] = {
        { "list", "the listing of devices" },
        { "start", "the opening of the device" },
        { "open", "the preparation of the method" },
        { "kernel_shape", "the preparation of a kernel shape" },
        { "naive", "the naive first use" },
        { "verify", "the verification of results" },
        { "warmup", "the warm-up" },
        { "state", "a reading of the machine's state" },
        { "slice", "the timed runs" },
        { "check", "the check of a timed run" },
        { "meter", "the measurement of energy" },
    };
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i][0], request) == 0)
            return words[i][1];
    return request;
}

/* Adds what the worker was asked for when it died: "... during the timed runs (compute)". */
static void name_phase(struct error *err, const struct client *client, const json_t *request)
{
    const enum series series = series_parse(journal_text(request, "series"));
    const bool has_series = series != SERIES_COUNT;
    if (!status_is_death(err->status))
        return;
    const char *name = journal_text(request, "do");
    text_copy(err->where, sizeof err->where, name);
    text_append(err->message, sizeof err->message, has_series ? " during %s (%s)" : " during %s", words_of(name),
                has_series ? series_names[series] : "");
    add_details(client, err);
}

double client_deadline(double timeout, double expected)
{
    return fmax(timeout, isfinite(expected) ? 10 * expected : 0);
}

static json_t *ask(struct client *client, json_t *request, double timeout, double expected, struct error *err)
{
    char *text = json_dumps(request, JSON_COMPACT), *line = NULL;
    const long written = child_log_time(client->child);
    client->answers = false;
    double asked = clock_wall();
    bool has_reply =
        text && child_send(client->child, text, client->setup->timeout, err) &&
        child_receive(client->child, client_deadline(timeout, expected), client->setup->wake_fd, &line, err);
    free(text);
    if (child_log_time(client->child) != written)
        child_last_line(client->child, client->last_line);
    if (!has_reply)
        name_phase(err, client, request);
    json_decref(request);
    if (!has_reply)
        return fail_null(err, STATUS_NO_MEMORY, "no memory for a request");
    client->answers = true;
    json_t *reply = json_loads(line, 0, NULL);
    double waited = clock_wall() - asked;
    if (!json_is_object(reply)) {
        json_decref(reply);
        return fail_null(err, STATUS_FAILED, "the reply of the worker is not JSON: %.60s", line);
    }
    bool is_true = check_took(reply, waited, err);
    if (is_true && json_is_true(json_object_get(reply, "ok")))
        return reply;
    if (is_true)
        fail_as_reported(reply, err);
    client->lacks_device = is_true && json_is_false(json_object_get(reply, "has_device"));
    json_decref(reply);
    return NULL;
}

json_t *client_ask(struct client *client, json_t *request, double expected, struct error *err)
{
    return ask(client, request, client->setup->timeout, expected, err);
}

json_t *client_open(struct client *client, json_t *request, double expected, struct error *err)
{
    return ask(client, request, timeout_to_open * client->setup->timeout, expected, err);
}

const char *client_last_line(const struct client *client)
{
    return client->last_line;
}

bool client_lacks_device(const struct client *client)
{
    return client && client->lacks_device;
}

bool client_counts_against_device(const struct error *err)
{
    bool was_checking = strcmp(err->where, "check") == 0 || strcmp(err->where, "verify") == 0;
    return status_is_death(err->status) && !(err->status == STATUS_TIMEOUT && was_checking);
}

double client_seconds(const json_t *reply, const char *member)
{
    double seconds = seconds_from_json(json_object_get(reply, member));
    return isnan(seconds) ? 0 : seconds;
}

double client_cpu(const struct client *client)
{
    return client ? fmax(0, child_cpu(client->child)) : 0; /* fmax ignores NAN */
}

/* Closing may take as long as any request: a driver frees gigabytes. An interrupt ends the wait and is no failure. */
static bool close_device(const struct client *client, struct error *why)
{
    const struct worker_setup *setup = client->setup;
    char *line;
    if (child_send(client->child, "{\"do\":\"close\"}", setup->timeout, why) &&
        child_receive(client->child, setup->timeout, setup->wake_fd, &line, why))
        return true;
    if (why->status != STATUS_ABANDONED)
        return add_details(client, why);
    *why = (struct error){ .status = STATUS_OK };
    return true;
}

bool client_end(struct client *client, struct error *err)
{
    struct error why = { .status = STATUS_OK };
    if (!client)
        return true;
    bool has_closed = client->answers && close_device(client, &why);
    bool has_left =
        child_end(client->child, has_closed ? fmin(exit_grace, client->setup->timeout) : 0, &why) || !client->answers;
    free(client);
    if (!has_left && err)
        *err = why;
    return has_left;
}
