#ifndef BENCH_WORKER_CHECK_H
#define BENCH_WORKER_CHECK_H

/* Verification of a rig: a wrong answer has no speed. The checks before timing leave the rig with the operands that
 * will be timed and a poisoned output; the check after it looks at what the timed runs themselves left behind. */

#include "bench/worker/rig.h"
#include "harness/measure/verify.h"

#include <stdint.h>

/* What one check looked at, for the record. */
struct check {
    const char
        *name; /* "guard", "exact" or "rounded", "in chunks", "random", "brought back", "left behind", "once more" */
    struct verification verification;
    double run; /* seconds of the run that was checked; NAN where none was timed */
};
enum { CHECKS_MAX = 4 };

/* Fills the inputs on the host's side alone, so that the first upload that is timed is the first that happens. */
bool check_fill(struct rig *rig, uint64_t seed, struct error *err);

/* Guard bands and inputs left alone on a small problem, whole numbers on the whole output, random operands on a sample.
 * Whole numbers are chosen so that the result is exact, element by element or by weighted sums of all of them; of a
 * fast algorithm, which is never exact, they are small and its result is rounded. Where operands move in chunks, the
 * same once more from the host and back. */
bool check_before(struct rig *rig, uint64_t seed, struct check out[CHECKS_MAX], unsigned *count, struct error *err);

/* Seeded samples of what the timed runs brought back to the host (where they were `offloaded`), of what the last one
 * left on the device, and of one more run onto a poisoned output, so that a device which stopped computing somewhere on
 * the way is caught. */
bool check_after(struct rig *rig, uint64_t seed, bool offloaded, struct check out[CHECKS_MAX], unsigned *count,
                 struct error *err);

#endif
