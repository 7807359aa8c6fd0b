#ifndef TESTS_DOUBLES_PLANNED_FAULT_H
#define TESTS_DOUBLES_PLANNED_FAULT_H

/* The fault that a sweep plants in a double of a driver (tests/faults/sweep.py). Every function asks before it does its
 * work. Environment:
 *
 *   FAULT          "ENTRY NUMBER KIND": what befalls that call of that function, counted in each process; NUMBER "3":
 * the third call, "3+": the third and all later ones. KIND: an error code of the API, "hang", "crash", "exit", or
 * "spoil": the call succeeds, with one wrong byte, or without its effect FAULT_LOG      file that gets the name of the
 * function when the fault happens, once for each process FAULT_COUNTS   file that gets the calls of each function when
 * the process ends */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum planned { PLANNED_NOTHING, PLANNED_ERROR, PLANNED_SPOIL };

enum { PLANNED_NAMES = 256 };
static struct {
    const char *name;
    unsigned calls;
} planned_calls[PLANNED_NAMES];

static void planned_counts_write(void)
{
    FILE *file = fopen(getenv("FAULT_COUNTS"), "a");
    for (unsigned i = 0; file && i < PLANNED_NAMES && planned_calls[i].name; i++)
        fprintf(file, "%s %u\n", planned_calls[i].name, planned_calls[i].calls);
    if (file)
        fclose(file);
}

static unsigned planned_count(const char *name)
{
    unsigned i = 0;
    if (!planned_calls[0].name && getenv("FAULT_COUNTS"))
        atexit(planned_counts_write);
    while (planned_calls[i].name && strcmp(planned_calls[i].name, name) != 0)
        i++;
    if (i == PLANNED_NAMES)
        abort();
    planned_calls[i].name = name;
    return ++planned_calls[i].calls;
}

static void planned_log(const char *name)
{
    static int is_told;
    FILE *file = !is_told && getenv("FAULT_LOG") ? fopen(getenv("FAULT_LOG"), "a") : NULL;
    is_told = 1;
    if (!file)
        return;
    fprintf(file, "%s\n", name);
    fclose(file);
}

/* What this call is to do; PLANNED_ERROR with the code. Does not return from a hang, a crash or an exit. */
static enum planned planned_for_call(const char *name, int *code)
{
    char entry[64], kind[32];
    unsigned number;
    const char *fault = getenv("FAULT");
    if (!fault && !getenv("FAULT_COUNTS"))
        return PLANNED_NOTHING;
    const unsigned call = planned_count(name);
    char from[2] = "";
    if (!fault || sscanf(fault, "%63s %u%1[+]", entry, &number, from) < 2 || strcmp(entry, name) != 0 ||
        sscanf(strrchr(fault, ' '), "%31s", kind) != 1 || (*from ? call < number : call != number))
        return PLANNED_NOTHING;
    planned_log(name);
    if (strcmp(kind, "hang") == 0)
        for (;;)
            pause();
    if (strcmp(kind, "crash") == 0)
        *(volatile int *)NULL = 0; /* no signal raised: a handler might swallow it */
    if (strcmp(kind, "exit") == 0)
        exit(0);
    if (strcmp(kind, "spoil") == 0)
        return PLANNED_SPOIL;
    *code = atoi(kind);
    return PLANNED_ERROR;
}

/* Changes one byte, of an exponent where the elements have four bytes. */
static void planned_spoil(void *data, size_t bytes)
{
    if (bytes > 0)
        ((unsigned char *)data)[bytes < 4 ? 0 : (bytes / 2 & ~(size_t)3) + 3] ^= 0x40;
}

#endif
