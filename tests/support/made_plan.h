#ifndef TESTS_SUPPORT_MADE_PLAN_H
#define TESTS_SUPPORT_MADE_PLAN_H

/* Plans on made-up devices, for tests of what comes after planning: a CPU and any number of other devices, which exist
 * only as descriptions. */

#include "bench/plan/plan.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

struct made_plan {
    struct options options;
    struct host host;
    struct device device[DEVICES_MAX];
    struct listing listing; /* of these devices */
    bool chosen[DEVICES_MAX];
    struct plan plan;
    struct error err;
};

/* "cpu" computes in host memory, "opencl:N" is a card with memory of its own, "cuda:N" likewise. */
static inline void made_plan_device(struct made_plan *made, const char *id)
{
    struct device *device = &made->listing.device[made->listing.devices];
    snprintf(device->id, sizeof device->id, "%s", id);
    snprintf(device->key, sizeof device->key, "key-of-%s", id);
    snprintf(device->backend, sizeof device->backend, "%.*s", (int)strcspn(id, ":"), id);
    snprintf(device->name, sizeof device->name, "Made-up %s", id);
    bool is_cpu = strcmp(id, "cpu") == 0;
    device->class = is_cpu ? CLASS_CPU : CLASS_DGPU;
    device->works_in_host_memory = is_cpu;
    for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++)
        device->computes[dtype] = true;
    made->chosen[made->listing.devices++] = true;
}

/* Devices by their ids, NULL-terminated, and the command's own words: "--workload", "matmul", ..., NULL. To be freed
 * with made_plan_free. False with made->err if the plan fails. */
static inline bool made_plan_make(struct made_plan *made, const char *const ids[], const char *const words[])
{
    static const char *argv[40];
    int argc = 0;
    *made = (struct made_plan){ .host = { .worker_threads = 2 } };
    made->listing.device = made->device;
    for (; *ids; ids++)
        made_plan_device(made, *ids);
    argv[argc++] = "bench";
    argv[argc++] = "run";
    for (; *words; words++)
        argv[argc++] = *words;
    argv[argc] = NULL;
    cr_assert(options_parse(&made->options, argc, (char *const *)(uintptr_t)argv, &made->err), "%s", made->err.message);
    const struct device *cpu = listing_find(&made->listing, "cpu");
    return plan_make(&made->plan, &made->options, &made->host, &made->listing, made->chosen, cpu, &made->err);
}

static inline void made_plan_free(struct made_plan *made)
{
    plan_free(&made->plan);
}

/* The same in place of the plan before, devices and words in one text each, with blanks between them. */
static inline bool made_plan_try(struct made_plan *made, const char *ids, const char *words)
{
    static char text[2][512];
    const char *list[2][40] = { { NULL } }, *source[2] = { ids, words };
    for (unsigned i = 0; i < 2; i++) {
        char *rest = text[i];
        snprintf(text[i], sizeof text[i], "%s", source[i]);
        for (unsigned k = 0; k + 1 < 40 && (list[i][k] = strsep(&rest, " ")); k++)
            ;
    }
    made_plan_free(made);
    return made_plan_make(made, list[0], list[1]);
}

/* The test fails where the plan does. */
static inline void made_plan_of(struct made_plan *made, const char *ids, const char *words)
{
    cr_assert(made_plan_try(made, ids, words), "%s", made->err.message);
}

/* Plans once more, after a change of devices or options. */
static inline void made_plan_again(struct made_plan *made)
{
    made_plan_free(made);
    cr_assert(
        plan_make(&made->plan, &made->options, &made->host, &made->listing, made->chosen, &made->device[0], &made->err),
        "%s", made->err.message);
}

/* The planned cell of that device and method. */
static inline const struct cell *made_plan_cell(const struct made_plan *made, const char *id, const char *method,
                                                const char *shape)
{
    char text[SHAPE_MAX];
    for (unsigned i = 0; i < made->plan.cells; i++) {
        const struct cell *cell = &made->plan.cell[i];
        if (strcmp(cell->device->id, id) == 0 && cell->method && strcmp(cell->method->name, method) == 0 &&
            strcmp(problem_shape(&cell->problem, text), shape) == 0)
            return cell;
    }
    cr_assert_fail("no cell of %s %s %s is planned", id, method, shape);
    return NULL;
}

/* The journal's line of a cell. */
static inline json_t *made_plan_line(const struct cell *cell, const char *baseline)
{
    char shape[SHAPE_MAX];
    struct cell_record stated = cell_stated(cell, shape);
    stated.baseline = baseline;
    return line_to_json(&(struct journal_line){ .kind = LINE_CELL, .stated = &stated });
}

#endif
