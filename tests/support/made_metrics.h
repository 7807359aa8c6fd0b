#ifndef TESTS_SUPPORT_MADE_METRICS_H
#define TESTS_SUPPORT_MADE_METRICS_H

/* Cell metrics without a journal, for tests of verdicts and of texts. */

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

/* One cell of a block: the members that a verdict uses. */
struct made_cell {
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

struct made_metrics {
    struct cell_metrics metrics[CELLS_MAX];
    struct device device[CELLS_MAX];
    struct cell_record cell[CELLS_MAX];
};

static inline struct estimate estimate(const double figure[3])
{
    return (struct estimate){ .value = figure[0], .low = figure[1], .high = figure[2] };
}

/* Cells of one id share a device, as in a record. */
static inline struct device *device_for(struct made_metrics *made, const struct made_cell cells[], unsigned i)
{
    unsigned at = 0;
    while (strcmp(cells[at].id, cells[i].id) != 0)
        at++;
    return &made->device[at];
}

static inline unsigned make_metrics(struct made_metrics *made, const struct made_cell cells[])
{
    unsigned count = 0;
    const struct cell_record *baseline = NULL;
    *made = (struct made_metrics){ 0 };
    for (unsigned i = 0; i < CELLS_MAX && cells[i].id; i++, count++) {
        struct device *device = device_for(made, cells, i);
        snprintf(device->id, sizeof device->id, "%s", cells[i].id);
        snprintf(device->backend, sizeof device->backend, "%s", cells[i].backend);
        if (strcmp(cells[i].backend, "opencl") == 0)
            snprintf(device->api_version, sizeof device->api_version, "OpenCL 3.0");
        device->class = cells[i].class;
        device->works_in_host_memory = strcmp(cells[i].backend, "cpu") == 0;
        struct cell_record *cell = &made->cell[i];
        cell->device_id = device->id;
        cell->method = (char *)(uintptr_t)cells[i].method;
        cell->memory = (char *)(uintptr_t)cells[i].memory;
        cell->outcome.status = cells[i].status;
        cell->ended = !cells[i].unfinished;
        cell->weak = cells[i].verified == WEAKLY;
        cell->verified = cells[i].verified == NEVER ? 0 : cells[i].verified == ONCE ? 1 : 2;
        baseline = cells[i].kind == BASELINE ? cell : baseline;
        made->metrics[i] = (struct cell_metrics){
            .cell = cell,
            .device = device,
            .only_moves = cells[i].kind == MOVES,
            .measured = cells[i].status == STATUS_OK,
            .verified = cells[i].verified == VERIFIED,
            .resident = estimate(cells[i].resident),
            .offload = estimate(cells[i].offload),
            .bandwidth = cells[i].bandwidth,
            .half_width = 0.01,
        };
    }
    for (unsigned i = 0; i < count; i++)
        made->metrics[i].baseline = baseline;
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
static inline const char *verdict_text(struct pool *pool, const struct made_metrics *made, unsigned count)
{
    struct lines lines = { 0 };
    struct string_builder text = { .pool = pool };
    verdict_append(pool, &lines, made->metrics, count);
    for (unsigned i = 0; i < lines.lines; i++)
        string_append(&text, "%s%s", i > 0 ? "\n" : "", lines.line[i].text);
    return string_text(&text);
}

#endif
