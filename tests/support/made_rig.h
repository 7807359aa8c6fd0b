#ifndef TESTS_SUPPORT_MADE_RIG_H
#define TESTS_SUPPORT_MADE_RIG_H

/* Rigs for tests of what a worker does with one. */

#include "bench/worker/rig.h"
#include "harness/base/text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Opens a rig that has its backend and its method: on the first device of the backend at that place. */
static inline void made_rig(struct rig *rig, const char *place, unsigned threads, const char *workload,
                            const char *shape)
{
    struct error err = { .status = STATUS_OK };
    unsigned count = 0;
    cr_assert(rig->backend->list(place, &rig->device, 1, &count, &err), "%s", err.message);
    text_copy(rig->device.source, sizeof rig->device.source, place);
    rig->session = rig->backend->open(&rig->device, threads, &err);
    cr_assert(rig->session, "%s", err.message);
    cr_assert(problem_parse(&rig->problem, workload_find(workload), DTYPE_F32, shape, &err), "%s", err.message);
    cr_assert(rig_alloc(rig, &err) && rig_prepare(rig, "", &err), "%s", err.message);
}

/* The same on a scripted card, with memory of its own. */
static inline void made_rig_of_card(struct rig *rig, const char *workload, const char *shape)
{
    char path[] = "/tmp/bench-rig-XXXXXX";
    FILE *script = fdopen(mkstemp(path), "w");
    fputs("{\"devices\": [{\"name\": \"a card\"}]}", script);
    fclose(script);
    made_rig(rig, path, 2, workload, shape);
    unlink(path);
}

#endif
