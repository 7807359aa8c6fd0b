#ifndef BENCH_BACKENDS_COMMON_LAUNCH_SPLIT_H
#define BENCH_BACKENDS_COMMON_LAUNCH_SPLIT_H

/* How the passes of a kernel text become launches. A run may be asked for in parts, and a GPU that drives a display may
 * need it in short launches: both cut a pass along dimension 0, between groups. The same for every API. */

#include "bench/workloads/workload.h"

struct launch_split {
    unsigned parts;                      /* of a run */
    bool moves_in_parts;                 /* a part sees arrays that begin with it */
    size_t items_per_launch[PASSES_MAX]; /* work-items along dimension 0 of one launch of the pass */
};

/* What of a pass is launched at once: its work-items [start, end), counted from where its arrays begin, and whether the
 * run begins or ends with them. */
struct sub_launch {
    unsigned pass, part;
    size_t start, end;
    bool is_first, is_last;
    bool is_cut; /* there are other sub-launches of the pass: the kernel wants the number of groups before it */
};

/* `bounded`: no launch may take much longer than 200 ms. Says in launch->detail where that makes several of a pass,
 * and of a small type what is computed in.
 * Fails when the run cannot be cut into so many parts. */
bool launch_split_plan(struct launch_split *out, struct launch *launch, const struct problem *problem,
                       const struct method *method, const struct device *device, unsigned parts, bool bounded,
                       struct error *err);

/* Hands the sub-launches of one part of a run to `submit`, in order, until it fails. */
typedef bool sub_launch_submit(void *context, const struct sub_launch *sub, struct error *err);
bool launch_split_submit(const struct launch_split *launch_split, const struct launch *launch, unsigned part,
                         sub_launch_submit *submit, void *context, struct error *err);

#endif
