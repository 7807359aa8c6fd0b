/* What a parent makes of its worker's replies, its time and its end. The worker is scripted. */

#include "bench/worker/client.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

struct child {
    double deadline, grace; /* that the latest request had, and the end; seconds */
    bool was_closed;
};

static struct {
    const char *reply; /* NULL: it ends with `end` instead */
    struct error end;
    const char *call, *line; /* that it began last, and that it printed last */
    long log_step;           /* by how much the time of its log grows from one look to the next */
} script;
static struct text started_with; /* the variables that the worker got, a line each */
static struct child worker;

struct child *__wrap_child_start(const char *program, const char *const argv[], const char *const environment[],
                                 int log_fd, struct error *err);
bool __wrap_child_send(struct child *child, const char *line, double seconds, struct error *err);
bool __wrap_child_receive(struct child *child, double seconds, const struct interrupt *interrupt, char **line,
                          struct error *err);
struct text __wrap_child_last_call(const struct child *child);
long __wrap_child_log_time(const struct child *child);
struct text __wrap_child_last_line(const struct child *child);
bool __wrap_child_end(struct child *child, double seconds, struct error *err);

struct child *__wrap_child_start(const char *program, const char *const argv[], const char *const environment[],
                                 int log_fd, struct error *err)
{
    worker = (struct child){ 0 };
    started_with = (struct text){ "" };
    for (; environment && *environment; environment++)
        text_append(started_with.text, sizeof started_with.text, "%s\n", *environment);
    return &worker;
}

bool __wrap_child_send(struct child *child, const char *line, double seconds, struct error *err)
{
    child->was_closed = strstr(line, "\"close\"") != NULL;
    return true;
}

bool __wrap_child_receive(struct child *child, double seconds, const struct interrupt *interrupt, char **line,
                          struct error *err)
{
    static char reply[400];
    child->deadline = seconds;
    if (!script.reply)
        return fail_in(err, script.end.where, script.end.status, "%s", script.end.message);
    snprintf(reply, sizeof reply, "%s", script.reply);
    *line = reply;
    return true;
}

struct text __wrap_child_last_call(const struct child *child)
{
    return text_print("%s", script.call);
}

long __wrap_child_log_time(const struct child *child)
{
    static long time;
    return time += script.log_step;
}

struct text __wrap_child_last_line(const struct child *child)
{
    return text_print("%s", script.line);
}

bool __wrap_child_end(struct child *child, double seconds, struct error *err)
{
    child->grace = seconds;
    return err->status == STATUS_OK;
}

/* Of the latest worker: its reply, or why there is none. */
static struct reply reply;
static struct error why;

static struct client *start(double timeout, int log_fd)
{
    static struct worker_setup setup;
    why = (struct error){ .status = STATUS_OK };
    setup = (struct worker_setup){ .timeout = timeout };
    script.call = script.line = "";
    struct client *client = client_start(&setup, false, log_fd, &why);
    cr_assert(client, "%s", why.message);
    return client;
}

Test(client, waits_ten_times_as_long_as_expected_and_the_timeout_at_least_four_of_them_to_open)
{
    static const struct {
        double timeout, expected, ask, open;
    } rows[] = { { 2, 1, 10, 10 }, { 20, 1, 20, 80 }, { 2, 0, 2, 8 }, { 2, INFINITY, 2, 8 }, { 2, 0.3, 3, 8 } };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct client *client = start(rows[i].timeout, -1);
        script.reply = "{\"ok\": true}";
        static const struct device device = { .id = "cpu" };
        const struct request request = { .kind = ASK_STATE }, open = { .kind = ASK_OPEN, .device = &device },
                             limited = { .kind = ASK_OPEN, .device = &device, .limit = 7 };
        cr_expect(client_ask(client, &request, rows[i].expected, &reply, &why));
        cr_expect_float_eq(worker.deadline, rows[i].ask, 1e-9, "%u: %g s", i, worker.deadline);
        cr_expect(client_ask(client, &open, rows[i].expected, &reply, &why));
        cr_expect_float_eq(worker.deadline, rows[i].open, 1e-9, "%u: %g s to open", i, worker.deadline);
        cr_expect(client_ask(client, &limited, rows[i].expected, &reply, &why));
        cr_expect_float_eq(worker.deadline, 7, 1e-9, "%u: %g s", i, worker.deadline);
        client_end(client, NULL);
    }
}

/* "A": it crashed in silence; "T": it timed out in a call; "L": it crashed, and its line is in a log that is quoted
 * elsewhere; "P": the same without a log. */
Test(client, says_what_a_worker_was_asked_for_when_it_died)
{
    static const struct device device = { .id = "cpu" };
    static const struct {
        enum request_kind kind;
        enum series series;
        const char *how, *message;
    } rows[] = {
        { ASK_LIST, 0, "A", "killed during the listing of devices" },
        { ASK_START, 0, "A", "killed during the opening of the device" },
        { ASK_OPEN, 0, "T", "killed during the preparation of the method, last call: cuInit (--timeout gives more)" },
        { ASK_KERNEL_SHAPE, 0, "A", "killed during the preparation of a kernel shape" },
        { ASK_NAIVE, 0, "A", "killed during the naive first use" },
        { ASK_VERIFY, 0, "A", "killed during the verification of results" },
        { ASK_WARMUP, SERIES_COPIED, "L", "killed during the warm-up (copied)" },
        { ASK_STATE, 0, "A", "killed during a reading of the machine's state" },
        { ASK_SLICE, SERIES_QUEUED, "P", "killed during the timed runs (queued); it printed last: Xid 79" },
        { ASK_CHECK, SERIES_SUSTAINED, "A", "killed during the check of a timed run (sustained)" },
        { ASK_METER, 0, "A", "killed during the measurement of energy (resident)" },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char how = *rows[i].how;
        struct client *client = start(1, how == 'P' ? -1 : 9);
        script.reply = NULL;
        script.end = (struct error){ how == 'T' ? STATUS_TIMEOUT : STATUS_CRASHED, "", "killed" };
        script.call = how == 'T' ? "cuInit" : "";
        script.line = how == 'L' || how == 'P' ? "Xid 79" : "";
        const struct request request = { .kind = rows[i].kind, .series = rows[i].series, .device = &device };
        cr_expect_not(client_ask(client, &request, 0, &reply, &why));
        cr_expect_eq(why.status, script.end.status);
        cr_expect_str_eq(why.where, request_forms[rows[i].kind].name);
        cr_expect_str_eq(why.message, rows[i].message);
        cr_expect(client_end(client, &why) && !worker.was_closed && worker.grace == 0, "a dead one is not asked again");
    }
}

Test(client, takes_no_reply_that_is_none_or_that_took_longer_than_it_was_waited_for)
{
    static const struct {
        const char *reply;
        enum status status;
        const char *where, *message;
    } rows[] = {
        { "{\"ok\": true, \"took_ns\": 1000}", STATUS_OK, "", "" },
        { "{\"ok\": tr", STATUS_FAILED, "ask", "the reply of the worker is not JSON: {\"ok\": tr" },
        { "[]", STATUS_FAILED, "ask", "the reply of the worker is not JSON: []" },
        { "{\"ok\": false}", STATUS_FAILED, "worker", "failed without a reason" },
        { "{\"ok\": false, \"status\": \"ok\", \"message\": \"odd\"}", STATUS_FAILED, "worker", "odd" },
        { "{\"ok\": false, \"status\": \"no-memory\", \"where\": \"alloc\", \"message\": \"no 9 bytes\"}",
          STATUS_NO_MEMORY, "alloc", "no 9 bytes" },
        { "{\"ok\": true, \"took_ns\": 900000000000}", STATUS_IMPOSSIBLE, "clock", NULL },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct client *client = start(1, -1);
        script.reply = rows[i].reply;
        cr_expect_eq(client_ask(client, &(struct request){ .kind = ASK_STATE }, 0, &reply, &why),
                     rows[i].status == STATUS_OK, "%s", rows[i].reply);
        cr_expect_eq(why.status, rows[i].status, "%s: %s", rows[i].reply, why.message);
        cr_expect_str_eq(why.where, rows[i].where);
        cr_expect(!rows[i].message || strcmp(why.message, rows[i].message) == 0, "%s", why.message);
        reply_release(&reply);
        client_end(client, NULL);
    }
}

Test(client, lets_a_worker_that_answered_close_its_device_and_leave)
{
    static const struct {
        const char *reply;
        enum status status; /* of closing, without a reply */
        double timeout, grace;
        bool ends_well;
    } rows[] = { { "{\"ok\": true}", STATUS_OK, 20, 5, true },
                 { "{\"ok\": true}", STATUS_OK, 2, 2, true },
                 { NULL, STATUS_ABANDONED, 20, 5, true },
                 { NULL, STATUS_CRASHED, 20, 0, false },
                 { NULL, STATUS_TIMEOUT, 20, 0, false } };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct client *client = start(rows[i].timeout, 9);
        script.reply = rows[i].reply;
        script.end = (struct error){ rows[i].status, "", "killed" };
        script.call = "cuCtxDestroy";
        cr_expect_eq(client_end(client, &why), rows[i].ends_well, "%u", i);
        cr_expect(worker.was_closed && worker.deadline == rows[i].timeout && worker.grace == rows[i].grace,
                  "%u: %g and %g s", i, worker.deadline, worker.grace);
        cr_expect_eq(why.status, rows[i].ends_well ? STATUS_OK : rows[i].status);
        cr_expect(rows[i].ends_well ||
                      strstr(why.message, "killed during the closing of the device, last call: cuCtxDestroy") ==
                          why.message,
                  "%s", why.message);
    }
}

Test(client, has_what_was_printed_during_a_request_and_nothing_older)
{
    for (long step = 0; step < 2; step++) {
        struct client *client = start(1, 9);
        script.reply = "{\"ok\": true}";
        script.line = "Xid 79";
        script.log_step = step;
        cr_expect(client_ask(client, &(struct request){ .kind = ASK_STATE }, 0, &reply, &why));
        cr_expect_str_eq(client_last_line(client), step ? "Xid 79" : "");
        client_end(client, NULL);
    }
}

/* A limit of the shell, a damaged cache of the driver that compiles, or neither. */
Test(client, names_what_may_have_caused_a_failure)
{
    static const char pocl[] = "Portable Computing Language", limit[] = "; ulimit -t allows", cache[] = "; its cache ";
    static const struct {
        enum status status;
        enum request_kind kind;
        bool is_limited;
        const char *platform, *cause;
    } rows[] = {
        { STATUS_CRASHED, ASK_SLICE, true, pocl, limit },   { STATUS_TIMEOUT, ASK_SLICE, true, pocl, limit },
        { STATUS_FAILED, ASK_OPEN, true, pocl, limit },     { STATUS_NO_MEMORY, ASK_OPEN, true, pocl, limit },
        { STATUS_UNSUPPORTED, ASK_OPEN, true, pocl, NULL }, { STATUS_WRONG, ASK_CHECK, true, pocl, NULL },
        { STATUS_CRASHED, ASK_OPEN, false, pocl, cache },   { STATUS_CRASHED, ASK_KERNEL_SHAPE, false, pocl, cache },
        { STATUS_CRASHED, ASK_SLICE, false, pocl, NULL },   { STATUS_FAILED, ASK_OPEN, false, pocl, NULL },
        { STATUS_TIMEOUT, ASK_OPEN, false, pocl, NULL },    { STATUS_CRASHED, ASK_OPEN, false, "NVIDIA CUDA", NULL },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rlimit cpu;
        getrlimit(RLIMIT_CPU, &cpu);
        cpu.rlim_cur = rows[i].is_limited ? 100000 : cpu.rlim_max;
        cr_assert_eq(setrlimit(RLIMIT_CPU, &cpu), 0);
        struct device device = { .id = "opencl:0" };
        text_copy(device.platform, sizeof device.platform, rows[i].platform);
        struct client *client = start(1, 9);
        script.reply = "{\"ok\": true}";
        cr_assert(client_ask(client, &(struct request){ .kind = ASK_START, .device = &device }, 0, &reply, &why));
        script.reply = NULL;
        script.end = (struct error){ rows[i].status, "", "failed" };
        cr_expect_not(client_ask(
            client, &(struct request){ .kind = rows[i].kind, .device = &device, .kernel_shape = "" }, 0, &reply, &why));
        cr_expect(rows[i].cause ? strstr(why.message, rows[i].cause) != NULL : !strstr(why.message, "; "), "%u: %s", i,
                  why.message);
        client_end(client, NULL);
    }
}

Test(client, a_death_counts_against_the_device_but_for_a_check_that_takes_too_long)
{
    static const struct {
        enum status status;
        const char *where;
        bool counts;
    } rows[] = { { STATUS_CRASHED, "slice", true },   { STATUS_CRASHED, "check", true },
                 { STATUS_CRASHED, "verify", true },  { STATUS_TIMEOUT, "slice", true },
                 { STATUS_TIMEOUT, "open", true },    { STATUS_TIMEOUT, "check", false },
                 { STATUS_TIMEOUT, "verify", false }, { STATUS_FAILED, "slice", false },
                 { STATUS_WRONG, "check", false },    { STATUS_NO_MEMORY, "open", false } };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct error err = { .status = rows[i].status };
        text_copy(err.where, sizeof err.where, rows[i].where);
        cr_expect_eq(client_counts_against_device(&err), rows[i].counts, "%s of %s", status_names[err.status],
                     err.where);
    }
}

Test(client, binds_the_threads_of_our_own_loops_alone)
{
    static const struct {
        const char *of_host;
        bool pinned, is_plain;
        const char *places, *bind, *spin_count;
    } rows[] = { { "{0},{1}", true, false, "{0},{1}", "close", "5000" },
                 { "{0},{1}", false, false, "{0},{1}", "false", "0" },
                 { "", true, true, "cores", "false", "5000" } };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct host host = { .worker_threads = 2 };
        text_copy(host.places, sizeof host.places, rows[i].of_host);
        const struct worker_setup setup = { .host = &host, .is_plain = rows[i].is_plain };
        const struct text wanted =
            text_print("OMP_NUM_THREADS=2\nOMP_PLACES=%s\nOMP_PROC_BIND=%s\nOMP_WAIT_POLICY=passive\n"
                       "GOMP_SPINCOUNT=%s\nGLIBC_TUNABLES=glibc.malloc.hugetlb=%d\n",
                       rows[i].places, rows[i].bind, rows[i].spin_count, !rows[i].is_plain);
        script.call = script.line = "";
        client_end(client_start(&setup, rows[i].pinned, -1, NULL), NULL);
        cr_expect_str_eq(started_with.text, wanted.text, "row %u: %s", i, started_with.text);
    }
}
