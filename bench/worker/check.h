#ifndef BENCH_WORKER_CHECK_H
#define BENCH_WORKER_CHECK_H

/* Verification of a rig: a wrong result has no speed. The checks before timing leave the operands that will be timed
 * and a poisoned output; the checks after timing read the results of the timed runs. */

#include "bench/worker/rig.h"
#include "harness/measure/verify.h"

#include <stdint.h>

/* The result of one check, for the journal. */
struct check {
    /* "guard", "exact" or "rounded", "in chunks", "random"; "brought back", "left behind", "once more" */
    const char *name;
    struct verification verification;
    double run; /* seconds of the checked run, if it was timed */
};
enum { CHECKS_MAX = 4 };

/* Fills the inputs on the host's side only, so that the first timed upload is the first upload. */
bool check_fill(struct rig *rig, uint64_t seed, struct error *err);

/* A small problem between guard bands, with a check that inputs are not written to; whole numbers with a check of every
 * element, directly or by weighted sums; random operands with a check of a sample. Whole numbers are chosen so that the
 * result is exact; for a fast algorithm, which is never exact, they are small and the result is rounded. If operands
 * move in chunks, one more check from the host and back. */
bool check_before(struct rig *rig, uint64_t seed, struct check out[CHECKS_MAX], unsigned *count, struct error *err);

/* Samples of the result on the host (if the timed runs `offloaded`), of the result on the device, and of one more run
 * onto a poisoned output, which shows a device that stopped computing on the way. */
bool check_after(struct rig *rig, uint64_t seed, bool offloaded, struct check out[CHECKS_MAX], unsigned *count,
                 struct error *err);

#endif
