#ifndef TESTS_SUPPORT_SIMULATED_RUNS_H
#define TESTS_SUPPORT_SIMULATED_RUNS_H

/* Journals of runs that never were: a baseline and a device at many problems, with what makes real figures unsteady.
 * Shares are of one: 0.012 is 1.2 %. */

#include "harness/journal/results.h"
#include "tests/support/generator.h"
#include "tests/support/lines.h"

struct noise {
    double times;    /* between runs, of all times of a run alike: another hour of the machine */
    double ratios;   /* between runs, of the device's times alone: what a run cannot see of itself */
    double slices;   /* within a run, from slice to slice, skewed: most are early, some late */
    double drift;    /* within a problem, from its first slice to its last, of both sides alike */
    double unsteady; /* how many times as much of `ratios` and `slices` all problems but each twentieth have; 0: once */
    double disturbed; /* share of all runs of a cell that something else slows down by a tenth to a half */
};

struct simulated {
    unsigned problems, rounds;
    double factor;      /* of the device's times: 1.05 is 5 % slower */
    double base_factor; /* of the baseline's */
    struct noise noise;
};

/* Lognormal, with a mean logarithm of 0 and a heavier upper tail: neighbours only ever take time. */
static inline double skewed(struct generator *g, double width)
{
    return exp(width * (0.7 * normal(g) + 0.5 * (-log(uniform(g)) - 1)));
}

static inline void add_slice(struct record *record, const char *cell, unsigned turn, double seconds)
{
    json_int_t ns = (json_int_t)llround(seconds * 1e9);
    json_t *wall = json_array();
    for (json_int_t i = -1; i <= 1; i++) /* of which the middle one is meant */
        json_array_append_new(wall, json_integer(ns + i * (ns / 100)));
    add_line(record, json_pack("{s:s, s:s, s:s, s:i, s:o}", "line", "slice", "cell", cell, "series", "resident",
                               "number", (int)turn, "wall_ns", wall));
}

static inline void add_cells(struct record *record, const char *base, const char *cell, unsigned problem)
{
    addf(record,
         "{'line': 'cell', 'key': '%s', 'block': 'b%u', 'device': 'cpu', 'workload': 'multiply', 'dtype': 'f32', "
         "'shape': 'n=%u', 'method': 'native', 'memory': 'pageable', 'baseline': '%s'}",
         base, problem, problem, base);
    addf(record,
         "{'line': 'cell', 'key': '%s', 'block': 'b%u', 'device': 'gpu', 'workload': 'multiply', 'dtype': 'f32', "
         "'shape': 'n=%u', 'method': 'portable', 'memory': 'mapped', 'baseline': '%s'}",
         cell, problem, problem, base);
}

static inline void add_problem(struct record *record, const struct simulated *s, struct generator *g, double hour,
                               unsigned problem)
{
    char base[32], cell[32];
    const struct noise *noise = &s->noise;
    double much = noise->unsteady > 0 && problem % 20 ? noise->unsteady : 1;
    double own = exp(much * noise->ratios * normal(g)) * s->factor;
    if (uniform(g) < noise->disturbed)
        own *= 1.1 + 0.4 * uniform(g);
    double drift = noise->drift * (2 * uniform(g) - 1), time = 1e-3 * (1 + problem % 7) * hour;
    snprintf(base, sizeof base, "base-%u", problem);
    snprintf(cell, sizeof cell, "cell-%u", problem);
    add_cells(record, base, cell, problem);
    for (unsigned turn = 0; turn <= 2 * s->rounds; turn++) {
        double at = time * (1 + drift * turn / (2 * s->rounds)) * skewed(g, much * noise->slices);
        add_slice(record, turn % 2 ? cell : base, turn, at * (turn % 2 ? 0.7 * own : s->base_factor));
    }
    addf(record, "{'line': 'outcome', 'cell': '%s', 'status': 'ok'}", base);
    addf(record, "{'line': 'outcome', 'cell': '%s', 'status': 'ok'}", cell);
}

static inline void simulate_run(struct result *out, const struct simulated *s, struct generator *g)
{
    struct record *record = record_new();
    cr_assert(record);
    addf(record, "{'line': 'journal', 'schema': 'bench-journal/3', 'started': '%llu', 'host': {'name': 'sim'}}",
         (unsigned long long)g->run);
    add(record, "{'line': 'device', 'id': 'cpu', 'key': 'cpu/sim', 'backend': 'cpu', 'class': 'CPU', "
                "'works_in_host_memory': true}");
    add(record, "{'line': 'device', 'id': 'gpu', 'key': 'gpu/sim', 'backend': 'fake', 'class': 'dGPU'}");
    double hour = exp(s->noise.times * normal(g));
    for (unsigned i = 0; i < s->problems; i++)
        add_problem(record, s, g, hour, i);
    add(record, "{'line': 'end', 'status': 'complete', 'elapsed_ns': 1}");
    *out = (struct result){ .path = "simulated.jsonl", .record = record, .faults = { .complete = true } };
}

/* So many runs, each with random numbers of its own. */
static inline struct results simulate(unsigned runs, const struct simulated *s, struct generator *g)
{
    struct results results = { .run = calloc(runs, sizeof *results.run), .runs = runs };
    cr_assert(results.run);
    for (unsigned i = 0; i < runs; i++, g->run++) {
        g->next = 0;
        simulate_run(&results.run[i], s, g);
    }
    return results;
}

static inline void simulated_release(struct results *results)
{
    for (unsigned i = 0; i < results->runs; i++)
        result_release(&results->run[i]);
    free(results->run);
}

#endif
