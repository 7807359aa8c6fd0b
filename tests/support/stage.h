#ifndef TESTS_SUPPORT_STAGE_H
#define TESTS_SUPPORT_STAGE_H

/* Facts as a verdict looks at them, without a journal. */

#include "harness/analysis/cell_metrics.h"
#include "harness/base/text.h"
#include "harness/report/content/verdict.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define NO                                                                                                             \
    {                                                                                                                  \
        NAN, NAN, NAN                                                                                                  \
    }

/* One cell of a block, as little of it as a verdict looks at. */
struct situation {
    const char *id, *method, *memory, *backend;
    enum device_class class;
    enum { OTHER, BASELINE, MOVES } kind;
    double resident[3], offload[3]; /* value, low, high */
    enum status status;
    bool unfinished;
    double bandwidth;
    enum { VERIFIED, ONCE, NEVER, WEAKLY } verified;
};

enum { CELLS_MAX = 5 };

struct stage {
    struct cell_metrics metrics[CELLS_MAX];
    struct device device[CELLS_MAX];
    struct cell_record cell[CELLS_MAX];
};

static inline struct estimate estimate(const double figure[3])
{
    return (struct estimate){ .value = figure[0], .low = figure[1], .high = figure[2] };
}

/* Cells of one id share a device, as in a record. */
static inline struct device *device_for(struct stage *stage, const struct situation situation[], unsigned i)
{
    unsigned at = 0;
    while (strcmp(situation[at].id, situation[i].id) != 0)
        at++;
    return &stage->device[at];
}

static inline unsigned set_stage(struct stage *stage, const struct situation situation[])
{
    unsigned count = 0;
    const struct cell_record *baseline = NULL;
    *stage = (struct stage){ 0 };
    for (unsigned i = 0; i < CELLS_MAX && situation[i].id; i++, count++) {
        struct device *device = device_for(stage, situation, i);
        snprintf(device->id, sizeof device->id, "%s", situation[i].id);
        snprintf(device->backend, sizeof device->backend, "%s", situation[i].backend);
        if (strcmp(situation[i].backend, "opencl") == 0)
            snprintf(device->api_version, sizeof device->api_version, "OpenCL 3.0");
        device->class = situation[i].class;
        device->works_in_host_memory = strcmp(situation[i].backend, "cpu") == 0;
        struct cell_record *cell = &stage->cell[i];
        cell->device_id = device->id;
        cell->method = (char *)(uintptr_t)situation[i].method;
        cell->memory = (char *)(uintptr_t)situation[i].memory;
        cell->outcome.status = situation[i].status;
        cell->ended = !situation[i].unfinished;
        cell->weak = situation[i].verified == WEAKLY;
        cell->verified = situation[i].verified == NEVER ? 0 : situation[i].verified == ONCE ? 1 : 2;
        baseline = situation[i].kind == BASELINE ? cell : baseline;
        stage->metrics[i] = (struct cell_metrics){
            .cell = cell,
            .device = device,
            .only_moves = situation[i].kind == MOVES,
            .measured = situation[i].status == STATUS_OK,
            .verified = situation[i].verified == VERIFIED,
            .resident = estimate(situation[i].resident),
            .offload = estimate(situation[i].offload),
            .bandwidth = situation[i].bandwidth,
            .half_width = 0.01,
        };
    }
    for (unsigned i = 0; i < count; i++)
        stage->metrics[i].baseline = baseline;
    return count;
}

#define CPU                                                                                                            \
    {                                                                                                                  \
        "cpu", "native", "pageable", "cpu", CLASS_CPU, BASELINE, NO, NO, STATUS_OK, false, 0, VERIFIED                 \
    }
#define ON(id, backend, class, memory, resident, offload)                                                              \
    {                                                                                                                  \
        id, "portable", memory, backend, class, OTHER, resident, offload, STATUS_OK, false, 0, VERIFIED                \
    }
#define THREE(value, low, high)                                                                                        \
    {                                                                                                                  \
        value, low, high                                                                                               \
    }

/* The sentences of its verdict, a line each; in the pool. */
static inline const char *verdict_text(struct pool *pool, const struct stage *stage, unsigned count)
{
    struct lines lines = { 0 };
    struct string_builder text = { .pool = pool };
    verdict_append(pool, &lines, stage->metrics, count);
    for (unsigned i = 0; i < lines.lines; i++)
        string_append(&text, "%s%s", i > 0 ? "\n" : "", lines.line[i].text);
    return string_text(&text);
}

#endif
