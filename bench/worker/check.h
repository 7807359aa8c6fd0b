#ifndef BENCH_WORKER_CHECK_H
#define BENCH_WORKER_CHECK_H

/* Verification of a rig: a wrong result has no speed. The checks before timing leave the operands that will be timed;
 * the checks between slices and after timing read the results of the timed runs. */

#include "bench/worker/rig.h"
#include "harness/measure/verify.h"

/* The result of one check, for the journal. */
struct check {
    /* "guard", "exact" or "rounded", "in chunks", "random"; "brought back", "left behind", "once more" */
    const char *name;
    struct verification verification;
    double run; /* seconds of the checked run, if it was timed */
};
enum { CHECKS_MAX = 4 };

/* Fills the inputs on the host's side only, so that the first timed upload is the first upload; what stays on the
 * device while others move, as weights do, there as well. */
bool check_fill(struct rig *rig, struct error *err);

/* A small problem between guard bands, with a check that inputs are not written to; whole numbers with a check of every
 * element, directly or by weighted sums; random operands with a check of a sample. Whole numbers are chosen so that the
 * result is exact; for a fast algorithm, which is never exact, they are small and the result is rounded. If operands
 * move in chunks, one more check from the host and back. For another kernel shape of a rig that has passed, in a
 * workload without weighted sums: the small problem, and the operands that are there, with a check of every block that
 * differs from the former result; if that is wrong, all of it on new operands. */
bool check_before(struct rig *rig, struct check out[CHECKS_MAX], unsigned *count, struct error *err);

/* Poisons the output, so that the next check reads what a run wrote after this, not an earlier result. */
bool check_forget(struct rig *rig, struct error *err);

/* Whether a copied run leaves a copy of its result on the host. */
bool check_brings_back(const struct rig *rig);

/* The result of the latest timed run: that copy ("brought back"), or where the run left it ("left behind"). Whole,
 * unless the verification is a sample of it: more has changed than can be compared, or than can be in `seconds`. */
bool check_latest(struct rig *rig, bool brought_back, double seconds, struct check *out, struct error *err);

/* One more run, on whole numbers that the device has not seen, with a check of every element: shows a device that
 * stopped computing on the way, and any error since the checks before timing that remains. */
bool check_once_more(struct rig *rig, struct check *out, struct error *err);

#endif
