#ifndef BENCH_BACKENDS_COMMON_LAUNCH_SPLIT_H
#define BENCH_BACKENDS_COMMON_LAUNCH_SPLIT_H

/* How the passes of a kernel text become launches, for every API. A run may be split into parts, and a GPU that drives
 * a display needs short launches: both cut a pass between groups. */

#include "bench/workloads/workload.h"

struct launch_split {
    unsigned parts;                      /* of a run */
    bool moves_in_parts;                 /* the arrays that a part gets begin with it */
    size_t items_per_launch[PASSES_MAX]; /* of the pass */
};

/* One launch of a pass: work-items [start, end), counted from the beginning of its arrays, and whether it is the first
 * or the last launch of the run. */
struct sub_launch {
    unsigned pass, part;
    size_t start, end;
    bool is_first, is_last;
    bool is_cut; /* the pass has other launches: the kernel needs the number of groups before this one */
};

/* `bounded`: no launch may take much longer than 200 ms. Adds to launch->detail, which begins with the name of the
 * kernel shape, how many launches that makes, and which type a narrow element type is computed in. False when the run
 * cannot be split into so many parts. */
bool launch_split_plan(struct launch_split *out, struct launch *launch, const struct problem *problem,
                       const struct method *method, const struct device *device, unsigned parts, bool bounded,
                       struct error *err);

/* Calls `submit` for each launch of passes [first, end) of a part of a run, in order, until it fails. */
typedef bool sub_launch_submit(void *context, const struct sub_launch *sub, struct error *err);
bool launch_split_submit(const struct launch_split *launch_split, const struct launch *launch, unsigned first,
                         unsigned end, unsigned part, sub_launch_submit *submit, void *context, struct error *err);

#endif
