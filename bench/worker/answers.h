#ifndef BENCH_WORKER_ANSWERS_H
#define BENCH_WORKER_ANSWERS_H

/* What a rig has computed or moved against what it should have: every element by its truth, every element by weighted
 * sums, or a sample. */

#include "bench/worker/rig.h"
#include "harness/measure/verify.h"

#include <stdint.h>

/* Where the result is looked at: on the device, or where downloading has put it. */
enum place { ON_DEVICE, ON_HOST };

/* What is to be compared, and how. BY_LINES is for whole numbers in the output of a workload that has a projection. */
struct question {
    enum place place;
    enum { EACH, BY_LINES, SAMPLED } how;
    double slack;  /* how far from the truth each element may be; NAN: as far as the workload and the method say */
    uint64_t seed; /* of the sample, and of weights */
    uint64_t moved_seed; /* of data that is only moved, which has been filled with it */
};

/* The operand that is compared: the output, or the only one there is. */
unsigned answers_operand(const struct rig *rig);

/* Multiply-adds that the dearest of the checks of a problem costs, at most: what its deadline is made of, beside moving
 * the operands. With large filters and few of them that is as much work as the problem itself. */
double answers_work(const struct problem *problem);

/* Inputs are read from the host's side, which must still hold what was computed on. Fails as the functions of
 * harness/verify.h do. */
bool answers_compare(struct rig *rig, const struct question *question, struct verification *out, struct error *err);

#endif
