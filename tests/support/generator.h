#ifndef TESTS_SUPPORT_GENERATOR_H
#define TESTS_SUPPORT_GENERATOR_H

/* Random numbers for simulated measurements, the same on every machine: those of one run of a simulation. */

#include "harness/measure/random.h"

#include <math.h>
#include <stdint.h>

struct generator {
    uint64_t seed, run, next;
};

static inline double uniform(struct generator *g)
{
    return ((double)(random_bits(g->seed, g->run, g->next++) >> 11) + 0.5) * 0x1p-53;
}

static inline double normal(struct generator *g)
{
    double radius = sqrt(-2 * log(uniform(g))); /* Box and Muller 1958 */
    return radius * cos(6.283185307179586 * uniform(g));
}

#endif
