#ifndef BENCH_WORKER_TRUTH_H
#define BENCH_WORKER_TRUTH_H

/* Compares the result of a rig, all outputs of it, with the right one: every element, every element by weighted sums,
 * or what has changed since the latest right result. */

#include "bench/worker/rig.h"
#include "harness/measure/verify.h"

#include <stdint.h>

/* Where the result is read: on the device, or on the host, as a timed download left it. */
enum place { ON_DEVICE, ON_HOST };

/* What to compare, and how. BY_LINES: for whole numbers, in the output of a workload that has a projection. SAMPLE:
 * some elements, the first and the last among them. CHANGES: the blocks whose bits differ from the latest right result
 * for the same contents, or a sample of them if comparing every element would take too long; where there was none, a
 * sample, or all elements where that costs next to nothing. */
enum compared { EACH, BY_LINES, SAMPLE, CHANGES };
struct compare_options {
    enum place place;
    enum compared how;
    double slack;   /* how far off each element may be; NAN: by the error bound of the workload and the method */
    double seconds; /* CHANGES: comparing elements of changed blocks takes about so long at most; INFINITY: no limit */
    uint64_t seed;  /* of the sample and the weights */
};

/* The first operand from `from` on that is compared: an output, or the only operand; rig->operands: none. */
unsigned compared_next(const struct rig *rig, unsigned from);

/* Whether each element of the result costs next to nothing to compare, and needs no array of inputs. */
bool truth_is_cheap(const struct rig *rig);

/* At most so many multiply-adds are in the most expensive check of a problem: for its deadline. With few large filters
 * that is as much work as the problem itself. */
double truth_work(const struct problem *problem);

/* Fills the elements of an operand. Not for poison. */
void content_fill(const struct rig *rig, unsigned operand, void *elements, struct content content);

/* Expected values are computed from inputs of its own, filled anew with the rig's content: never from what a device or
 * a driver may have changed. Fails like the functions of harness/measure/verify.h, and with STATUS_NO_MEMORY. */
bool truth_compare(struct rig *rig, const struct compare_options *options, struct verification *out, struct error *err);

#endif
