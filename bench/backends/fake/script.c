/* Reads the script: members, faults, and the time that work takes on a queue. */

#include "bench/backends/fake/fake.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const call_names[CALLS] = {
    [CALL_LIST] = "list",     [CALL_OPEN] = "open",     [CALL_ALLOC] = "alloc",   [CALL_PREPARE] = "prepare",
    [CALL_SUBMIT] = "submit", [CALL_REPACK] = "repack", [CALL_UPLOAD] = "upload", [CALL_DOWNLOAD] = "download",
    [CALL_FINISH] = "finish", [CALL_CLOSE] = "close",
};

double fake_number(const json_t *object, const char *name, double fallback)
{
    const json_t *value = json_object_get(object, name);
    return json_is_number(value) ? json_number_value(value) : fallback;
}

const char *fake_text(const json_t *object, const char *name, const char *fallback)
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

static void driver_log(void)
{
    printf("fake driver: a line that nobody asked for\n");
    fprintf(stderr, "fake driver: and another\n");
    fflush(stdout);
}

/* 8 MB. */
static void flood(void)
{
    for (unsigned i = 0; i < 100000; i++)
        printf("fake driver: a line of eighty bytes, one of very many that nobody has asked for\n");
    fflush(stdout);
}

static void half_line(void)
{
    if (write(3, "{\"ok\":tr", 8) == 8)
        _exit(0);
}

/* Faults for every call. The others are looked up where they matter. */
struct fault {
    const char *kind;
    void (*strike)(void);
};
static const struct fault faults[] = {
    { "crash", crash },         { "abort", abort },        { "hang", hang },   { "exit", leave },
    { "half-line", half_line }, { "chatter", driver_log }, { "flood", flood },
};

void fake_strike(const char *kind)
{
    for (unsigned i = 0; i < sizeof faults / sizeof faults[0]; i++)
        if (strcmp(faults[i].kind, kind) == 0)
            faults[i].strike();
}

static const char *fault_of(const struct session *session, const json_t *from, enum call call)
{
    const json_t *fault;
    size_t i;
    json_array_foreach (json_object_get(from, "faults"), i, fault)
        if (strcmp(fake_text(fault, "call", ""), call_names[call]) == 0 &&
            strcmp(fake_text(fault, "after", call_names[session->before]), call_names[session->before]) == 0 &&
            session->calls[call] >= (unsigned)fake_number(fault, "number", 1))
            return fake_text(fault, "kind", "");
    return "";
}

const char *fake_fault(const struct session *session, enum call call)
{
    const json_t *const from[] = { session->kernel_shape, session->method, session->device };
    const char *kind = "";
    for (unsigned i = 0; !*kind && i < sizeof from / sizeof *from; i++)
        kind = fault_of(session, from[i], call);
    return kind;
}

const json_t *fake_member(const struct session *session, const char *name)
{
    const json_t *member = json_object_get(session->kernel_shape, name);
    if (!member)
        member = json_object_get(session->method, name);
    return member ? member : json_object_get(session->device, name);
}

bool fake_pass(struct session *session, enum call call, struct error *err)
{
    session->calls[call]++;
    session->before = session->latest;
    session->latest = call;
    const char *kind = fake_fault(session, call);
    fake_strike(kind);
    if (strcmp(kind, "no-memory") == 0)
        return fail_in(err, call_names[call], STATUS_NO_MEMORY, "the script refuses memory");
    if (strcmp(kind, "unsupported") == 0)
        return fail_in(err, call_names[call], STATUS_UNSUPPORTED, "the script says it cannot");
    if (strcmp(kind, "fail") == 0)
        return fail_in(err, call_names[call], STATUS_FAILED, "the script fails call %u", session->calls[call]);
    return true;
}

json_t *fake_script_read(const char *path, struct error *err)
{
    json_error_t why;
    json_t *script = json_load_file(path, 0, &why);
    if (!script)
        fail(err, STATUS_FAILED, "cannot read the script %.80s: %.80s", path, why.text);
    return script;
}

void fake_spend(struct session *session, unsigned queue, enum engine engine, double seconds)
{
    double begin = fmax(session->now, fmax(session->queue[queue], session->engine[engine]));
    session->queue[queue] = session->engine[engine] = begin + seconds;
}
