#ifndef TESTS_SUPPORT_COMPARED_RUNS_H
#define TESTS_SUPPORT_COMPARED_RUNS_H

/* Made-up runs on two sides, and what a comparison finds in them. */

#include "harness/analysis/compare/comparison.h"
#include "harness/report/report.h"
#include "tests/support/lines.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A cell of a made-up run: seconds of a run in milliseconds, the baseline taking one. */
struct made {
    const char *shape, *method, *memory;
    double ms;
    const char *status; /* NULL: ok; "": not ended */
};

/* A run of the baseline and of a device at some problems. */
struct plan {
    const char *machine, *version, *device_id, *baseline_method;
    double baseline_ms;
    const char *baseline_ties;   /* an array, of the race of the baseline; NULL: none */
    const char *end, *signature; /* members of the host, and the end of the processor's key; NULL: an older journal */
    const char *copied_method;   /* of the baseline for data that are copied; NULL: there is one baseline */
    bool is_alone;               /* none of its cells has a baseline */
    unsigned cold;               /* a bit for each of its cells whose caches are flushed */
    const char *after,
        *baseline_after; /* members of the state after a cell, and after the baseline, that began with 0 */
    double noise;        /* share by which slices of its cells are longer and shorter */
    const char *head;    /* further members of the first line, such as "options"; NULL: none */
    const char *detail;  /* of what each cell's method does; NULL: not told */
    bool is_damaged;
    double copied_ms[6]; /* of a run of each cell with transfers; 0: there is no such series */
    const char *more[6]; /* further members of each cell's line, of which the last of a name counts; NULL: none */
    struct made cell[6]; /* ends with one without a shape */
};

enum { ROUNDS = 12 };

static inline void add_slices(struct record *record, const char *key, const char *series, unsigned first, double ms,
                              double noise)
{
    static const int step[] = { 1, -1, -1, 1 };
    for (unsigned i = 0; i < ROUNDS; i++) {
        const double ns = 1e6 * ms * (1 + noise * step[i % 4]);
        addf(record, "{'line': 'slice', 'cell': '%s', 'series': '%s', 'number': %u, 'wall_ns': [%.0f, %.0f]}", key,
             series, first + 2 * i, ns, 1.001 * ns);
    }
}

static inline void add_states(struct record *record, const char *key, const char *after)
{
    if (!after)
        return;
    addf(record, "{'line': 'state', 'cell': '%s', 'when': 'before', 'busy': 0, 'idle': 0, 'own': 0, 'steal': 0}", key);
    addf(record, "{'line': 'state', 'cell': '%s', 'when': 'after', %s}", key, after);
}

static inline void add_cell(struct record *record, const char *key, const char *device, const struct made *made,
                            const char *baseline, const char *ties, bool is_cold, const char *more)
{
    addf(record,
         "{'line': 'cell', 'key': '%s', 'block': 'multiply/f32/%s', 'device': '%s', 'workload': 'multiply', 'dtype': "
         "'f32', 'shape': '%s', 'method': '%s', 'memory': '%s', 'baseline': '%s', 'tied_with': %s, 'cold': %s%s%s}",
         key, made->shape, device, made->shape, made->method, made->memory, baseline, ties ? ties : "[]",
         is_cold ? "true" : "false", more ? ", " : "", more ? more : "");
}

static inline void add_made(struct record *record, const struct plan *plan, const struct made *made, unsigned number)
{
    char base[64], key[64];
    struct made baseline = { made->shape, plan->baseline_method ? plan->baseline_method : "native", "pageable", 0,
                             NULL };
    snprintf(base, sizeof base, "base %.40s", made->shape);
    snprintf(key, sizeof key, "cell %u", number);
    if (!plan->is_alone && !record_cell(record, base)) {
        add_cell(record, base, "cpu", &baseline, base, plan->baseline_ties, false, NULL);
        add_slices(record, base, "resident", 0, plan->baseline_ms > 0 ? plan->baseline_ms : 1, 0);
        add_states(record, base, plan->baseline_after);
        addf(record, "{'line': 'outcome', 'cell': '%s', 'status': 'ok'}", base);
    }
    add_cell(record, key, plan->device_id ? plan->device_id : "opencl:0", made, plan->is_alone ? "" : base, NULL,
             plan->cold >> number & 1, plan->more[number]);
    if (plan->copied_method) {
        struct made copied = { made->shape, plan->copied_method, "pageable", 0, NULL };
        add_cell(record, "copied", "cpu", &copied, base, NULL, false, NULL);
        addf(record, "{'line': 'outcome', 'cell': 'copied', 'status': 'ok'}");
        addf(record, "{'line': 'baseline', 'cell': 'copied', 'measures': 'copied'}");
    }
    if (!made->status)
        add_slices(record, key, "resident", 1, made->ms, plan->noise);
    if (plan->copied_ms[number] > 0)
        add_slices(record, key, "copied", 1, plan->copied_ms[number], plan->noise);
    if (plan->detail)
        addf(record, "{'line': 'first', 'cell': '%s', 'detail': '%s'}", key, plan->detail);
    add_states(record, key, plan->after);
    if (!made->status || *made->status)
        addf(record, "{'line': 'outcome', 'cell': '%s', 'status': '%s', 'reason': '%s'}", key,
             made->status ? made->status : "ok", made->status ? "it was so" : "");
}

static inline void make_run(struct result *out, const struct plan *plan, unsigned number)
{
    struct record *record = record_new();
    char key_end[64] = "";
    cr_assert(record);
    if (plan->signature)
        snprintf(key_end, sizeof key_end, "/%u", (unsigned)strlen(plan->signature));
    addf(record,
         "{'line': 'journal', 'schema': 'bench-journal/3', 'version': '%s', 'started': 'run %u', 'host': {'name': "
         "'%s'%s%s, 'clock': 3e9, 'cores': 1, 'threads': 1}, 'options': {'budget': 3.0}%s%s}",
         plan->version ? plan->version : "1", number, plan->machine ? plan->machine : "a machine",
         plan->signature ? ", " : "", plan->signature ? plan->signature : "", plan->head ? ", " : "",
         plan->head ? plan->head : "");
    addf(record,
         "{'line': 'device', 'id': 'cpu', 'key': 'cpu/one%s', 'backend': 'cpu', 'class': 'CPU', "
         "'works_in_host_memory': true}",
         key_end);
    addf(record,
         "{'line': 'device', 'id': '%s', 'key': 'opencl/a-gpu', 'backend': 'opencl', 'class': 'dGPU', 'platform': 'a "
         "driver', 'driver_version': '%s'}",
         plan->device_id ? plan->device_id : "opencl:0", plan->version ? plan->version : "1");
    for (unsigned i = 0; plan->cell[i].shape; i++)
        add_made(record, plan, &plan->cell[i], i);
    if (!plan->end || *plan->end)
        addf(record, "{'line': 'end', 'status': '%s', 'elapsed_ns': 1}", plan->end ? plan->end : "complete");
    *out = (struct result){ .path = "a.jsonl", .record = record, .faults.bad_lines = plan->is_damaged };
}

/* Runs of both sides, and what is found in them. */
static struct scene {
    struct results side[SIDES];
    struct comparison comparison;
} scene;

/* Of none does nothing: TestSuite(NAME, .fini = scene_close). */
static inline void scene_close(void)
{
    if (!scene.side[OLD].run)
        return;
    comparison_release(&scene.comparison);
    for (unsigned s = 0; s < SIDES; s++) {
        for (unsigned i = 0; i < scene.side[s].runs; i++)
            result_release(&scene.side[s].run[i]);
        free(scene.side[s].run);
    }
    scene = (struct scene){ .side[OLD].run = NULL };
}

static inline void compare_runs(const struct plan old[], unsigned olds, const struct plan new[], unsigned news)
{
    struct error err = { .status = STATUS_OK };
    scene_close();
    scene.side[OLD] = (struct results){ calloc(olds, sizeof(struct result)), olds };
    scene.side[NEW] = (struct results){ calloc(news, sizeof(struct result)), news };
    for (unsigned i = 0; i < olds; i++)
        make_run(&scene.side[OLD].run[i], &old[i], i);
    for (unsigned i = 0; i < news; i++)
        make_run(&scene.side[NEW].run[i], &new[i], 100 + i);
    cr_assert(comparison_make(&scene.comparison, scene.side, 0.05, &err), "%s", err.message);
}

/* The first compared cell that is no baseline and of this shape and, where one is given, this method on the new side.
 */
static const struct compared *found(const char *shape, const char *method)
{
    for (unsigned i = 0; i < scene.comparison.cells; i++) {
        const struct compared *cell = &scene.comparison.cell[i];
        const struct cell_record *named = cell->cell[NEW] ? cell->cell[NEW] : cell->cell[OLD];
        if (!cell->is_baseline && strcmp(named->shape, shape) == 0 && (!method || strcmp(named->method, method) == 0))
            return cell;
    }
    cr_assert_fail("no cell %s %s", shape, method ? method : "");
    return NULL;
}

static inline void expect_change(const char *shape, enum change change)
{
    const struct compared *cell = found(shape, NULL);
    cr_expect_eq(cell->change, change, "%s is %s, not %s", shape, change_names[cell->change], change_names[change]);
}

static inline bool warns(const char *words)
{
    for (unsigned i = 0; i < scene.comparison.warnings; i++)
        if (strstr(scene.comparison.warning[i], words))
            return true;
    return false;
}

static inline bool notes(const struct compared *cell, const char *words)
{
    for (unsigned i = 0; i < cell->notes; i++)
        if (strstr(cell->note[i], words))
            return true;
    return strstr(cell->reason, words) != NULL;
}

static inline char *written(const struct comparison *comparison, const char *format)
{
    char *text = NULL;
    size_t length;
    struct error err = { .status = STATUS_OK };
    FILE *out = open_memstream(&text, &length);
    cr_assert(report_comparison(report_find(reports, format), comparison, 100, out, &err), "%s", err.message);
    fclose(out);
    return text;
}

#endif
