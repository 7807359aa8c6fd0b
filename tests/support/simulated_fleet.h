#ifndef TESTS_SUPPORT_SIMULATED_FLEET_H
#define TESTS_SUPPORT_SIMULATED_FLEET_H

/* Simulated fleets: one device a node, three problems for each of arithmetic, memory and link. Half of a figure's
 * variance is the node's, common to the problems of a part; the other half is within the run. Shares are of one. */

#include "harness/analysis/fleet/fleet.h"
#include "tests/support/generator.h"

/* How healthy nodes differ: normal; skewed to the slow side (gamma, four degrees, skewness 1); by an exponential
 * distribution (skewness 2); two kinds of nodes, three in ten of them 8 % slower; a day in which the room warms up. */
enum between { BETWEEN_NORMAL, BETWEEN_SKEWED, BETWEEN_EXPONENTIAL, BETWEEN_MIXED, BETWEEN_DRIFT, BETWEENS };

enum { FLEET_PROBLEMS = 9 };

/* Mean 0, standard deviation 1. */
static inline double between_draw(struct generator *g, enum between between)
{
    double sum = 0;
    unsigned degrees = between == BETWEEN_EXPONENTIAL ? 1 : 4;
    if (between != BETWEEN_SKEWED && between != BETWEEN_EXPONENTIAL)
        return normal(g);
    for (unsigned i = 0; i < degrees; i++)
        sum -= log(uniform(g));
    return (sum - degrees) / sqrt(degrees);
}

/* A fleet in which one node needs `slowdown` times as long (1: none) where memory is the limit. Not judged. */
static inline void fleet_simulate(struct fleet *out, struct generator *g, unsigned nodes, double spread,
                                  enum between between, unsigned slow, double slowdown)
{
    *out = (struct fleet){ .nodes = nodes, .devices = nodes, .kinds = 1, .problems = FLEET_PROBLEMS };
    out->node = pool_take(&out->pool, nodes * sizeof *out->node);
    out->device = pool_take(&out->pool, nodes * sizeof *out->device);
    out->kind = pool_take(&out->pool, sizeof *out->kind);
    out->problem = pool_take(&out->pool, FLEET_PROBLEMS * sizeof *out->problem);
    out->kind[0].devices = nodes;
    for (unsigned i = 0; i < FLEET_PROBLEMS; i++)
        out->problem[i] = (struct fleet_problem){ .name = "problem", .part = (enum fleet_part)(i / 3) };
    for (unsigned i = 0; i < nodes; i++) {
        struct fleet_device *device = &out->device[i];
        *device = (struct fleet_device){ .node = i, .id = "cuda:0", .figures = FLEET_PROBLEMS };
        out->node[i] = (struct fleet_node){ .name = "node", .processor = "", .group = "", .first = i, .devices = 1 };
        device->figure = pool_take(&out->pool, FLEET_PROBLEMS * sizeof *device->figure);
        for (unsigned fact = 0; fact < FACTS; fact++)
            device->fact[fact] = (struct fleet_fact){ "", "" };
        double own = 0, drift = between == BETWEEN_DRIFT ? spread * 3 * i / nodes : 0;
        bool is_other = between == BETWEEN_MIXED && i % 10 < 3;
        for (unsigned k = 0; k < FLEET_PROBLEMS; k++) {
            if (k % 3 == 0)
                own = between_draw(g, between);
            double log_time = spread * sqrt(0.5) * (own + between_draw(g, between)) + drift;
            bool is_slow = i == slow && out->problem[k].part == PART_MEMORY;
            device->figure[k] = (struct fleet_figure){ .problem = k,
                                                       .seconds = 1e-3 * (k + 1) * exp(log_time) *
                                                                  (is_other ? 1.08 : 1) * (is_slow ? slowdown : 1),
                                                       .half_width = spread,
                                                       .speedup = NAN,
                                                       .share = NAN,
                                                       .earlier = NAN };
        }
    }
}

/* Fleets of several GPUs a node that share its effect: `shared` is the share of the variance that is the node's. One
 * time in twenty is absent. A share `uncertain` of the times is disturbed, with a half width that says so. Names are
 * those that a second such fleet, of an earlier day, has too. */
static inline void fleet_simulate_gpus(struct fleet *out, struct generator *g, unsigned nodes, unsigned gpus,
                                       double spread, double shared, double uncertain)
{
    fleet_simulate(out, g, nodes * gpus, 0, BETWEEN_NORMAL, nodes * gpus, 1);
    double own = 0;
    out->nodes = nodes;
    for (unsigned k = 0; k < FLEET_PROBLEMS; k++) {
        out->problem[k].name = pool_print(&out->pool, "problem %u", k);
        fleet_place(out, k, "problem 0 %s", out->problem[k].name);
    }
    for (unsigned i = 0; i < nodes; i++) {
        out->node[i].name = pool_print(&out->pool, "n%u", i);
        out->node[i].first = i * gpus;
        out->node[i].devices = gpus;
        fleet_place(out, i, "node %s", out->node[i].name);
    }
    for (unsigned i = 0; i < out->devices; i++) {
        struct fleet_device *device = &out->device[i];
        unsigned kept = 0;
        device->node = i / gpus;
        device->id = pool_print(&out->pool, "cuda:%u", i % gpus);
        own = i % gpus == 0 ? normal(g) : own;
        double mean = spread * (sqrt(shared) * own + sqrt(1 - shared) * normal(g));
        for (unsigned k = 0; k < FLEET_PROBLEMS; k++) {
            struct fleet_figure figure = device->figure[k];
            double error = spread / 50 * (uniform(g) < uncertain ? 1000 : 1);
            figure.half_width = 1.96 * error;
            figure.seconds *= exp(mean + error * normal(g));
            if (uniform(g) < 0.95)
                device->figure[kept++] = figure;
        }
        device->figures = kept;
    }
}

#endif
