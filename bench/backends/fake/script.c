/* Reads the script: members, faults, and the time that work takes on a queue. */

#include "bench/backends/fake/fake.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

void fake_strike(const char *kind)
{
    const bool floods = strcmp(kind, "flood") == 0;
    if (strcmp(kind, "crash") == 0)
        *(volatile int *)NULL = 1;
    if (strcmp(kind, "abort") == 0)
        abort();
    while (strcmp(kind, "hang") == 0)
        pause();
    if (strcmp(kind, "exit") == 0 || (strcmp(kind, "half-line") == 0 && write(3, "{\"ok\":tr", 8) == 8))
        _exit(0);
    if (strcmp(kind, "chatter") == 0) {
        printf("fake driver: a line that nobody asked for\n");
        fprintf(stderr, "fake driver: and another\n");
    }
    for (unsigned i = 0; floods && i < 100000; i++) /* 8 MB */
        printf("fake driver: a line of eighty bytes, one of very many that nobody has asked for\n");
    fflush(stdout);
}

bool fake_pass(struct session *session, const char *call, struct error *err)
{
    const json_t *fault;
    size_t i;
    const char *before = session->latest;
    const json_int_t number = 1 + json_integer_value(json_object_get(session->calls, call));
    json_object_set_new(session->calls, call, json_integer(number));
    session->latest = call;
    session->fault = "";
    json_array_foreach (json_object_get(session->own, "faults"), i, fault)
        if (!*session->fault && strcmp(fake_text(fault, "call", ""), call) == 0 &&
            strcmp(fake_text(fault, "after", before), before) == 0 &&
            number >= (json_int_t)fake_number(fault, "number", 1))
            session->fault = fake_text(fault, "kind", "");
    fake_strike(session->fault);
    if (strcmp(session->fault, "no-memory") == 0)
        return fail_in(err, call, STATUS_NO_MEMORY, "the script refuses memory");
    if (strcmp(session->fault, "unsupported") == 0)
        return fail_in(err, call, STATUS_UNSUPPORTED, "the script says it cannot");
    if (strcmp(session->fault, "fail") == 0)
        return fail_in(err, call, STATUS_FAILED, "the script fails call %d", (int)number);
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
